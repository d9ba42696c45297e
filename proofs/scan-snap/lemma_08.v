(* Lemma 8 of "Scan and Snap" (Appendix D.3), Eqs. (50), (51).

   With x = M h: e^x against (M-1) x.  Proved for every real M >= 4: there are two zeros low < 1
   < high; e^x <= (M-1) x exactly between them.  Written as low = M^(-(1 - omega_0)), high = (1 +
   omega_1) ln M they obey (50) and (51) exactly, 0 < omega_1 < 1, and 0 < omega_0 <= 4/((M-1) ln
   M), sharper than the printed order M^(-0.99)/ln M; omega_0 < 0.01 for M >= 100.  The zeros of
   h are low/M and high/M.  omega_1 lies between ln L/L (M >= 5) and ln L/(L - 1), L = ln M: the
   constant in Theta(ln ln M/ln M) is 1. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus numbers.
Open Scope R_scope.

Definition zero (M x : R) : Prop := exp x = (M - 1) * x.
(* omega_0 and omega_1 of a pair of zeros *)
Definition omega_0 (M low : R) : R := 1 + ln low / ln M.
Definition omega_1 (M high : R) : R := high / ln M - 1.

(* a chord of the exponential lies above it, strictly *)
Lemma exp_chord : forall a x b, a < x < b -> (b - a) * exp x < (b - x) * exp a + (x - a) * exp b.
Proof.
  intros a x b [H1 H2].
  assert (T : forall y, y <> x -> exp x * (1 + (y - x)) < exp y).
  { intros y Hy. assert (N : y - x <> 0) by lra. pose proof (exp_ineq1 (y - x) N) as E.
    replace (exp y) with (exp x * exp (y - x)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_lt_compat_l; [apply exp_pos|exact E]. }
  pose proof (T a ltac:(lra)) as A. pose proof (T b ltac:(lra)) as B.
  apply (Rmult_lt_compat_l (b - x)) in A; [|lra]. apply (Rmult_lt_compat_l (x - a)) in B; [|lra].
  lra.
Qed.

Lemma continuous_gap : forall M, continuity (fun x => (M - 1) * x - exp x).
Proof.
  intros M. apply continuity_minus.
  - apply continuity_mult; [apply continuity_const; intros a b; reflexivity|].
    apply derivable_continuous, derivable_id.
  - apply derivable_continuous, derivable_exp.
Qed.

(* two zeros, one on each side of 1 *)
Theorem zeros_exist : forall M, 4 <= M -> exists low high,
  0 < low < 1 /\ ln M < high < 2 * ln M /\ 1 < high /\ zero M low /\ zero M high.
Proof.
  intros M HM. pose proof exp_1_below_3 as E1.
  assert (L1 : 1 < ln M).
  { rewrite <- (ln_exp 1). apply ln_increasing; [apply exp_pos|lra]. }
  assert (L2 : ln M <= M - 1) by (apply ln_le_line; lra).
  destruct (IVT (fun x => (M - 1) * x - exp x) 0 1 (continuous_gap M)) as [low [Hl El]];
    [lra|rewrite exp_0; lra|lra|].
  (* at ln M the line is above: (M-1) ln M > M; at 2 ln M it is below: M^2 > 2 (M-1) ln M *)
  assert (G : M < (M - 1) * ln M).
  { (* (M-1) ln M - M grows, and 3 ln 4 > 4 *)
    pose proof ln_4_lower. assert (ln 4 <= ln M) by (apply ln_le_mono; lra). nra. }
  assert (G2 : 2 * (M - 1) * ln M < M * M).
  { (* ln M <= 2 (sqrt M - 1) would do; ln M < M/2 is enough *)
    assert (ln M <= M / 4 + (ln 4 - 1)).
    { replace M with (4 * (M / 4)) at 1 by field. rewrite ln_mult by lra.
      pose proof (ln_le_line (M / 4) ltac:(lra)). lra. }
    pose proof ln_4_upper. nra. }
  destruct (IVT (fun x => - ((M - 1) * x - exp x)) (ln M) (2 * ln M)) as [high [Hh Eh]].
  - apply continuity_opp, continuous_gap.
  - lra.
  - rewrite exp_ln by lra. lra.
  - replace (2 * ln M) with (ln M + ln M) at 2 by ring. rewrite exp_plus, exp_ln by lra. lra.
  - exists low, high.
    assert (low <> 0) by (intros ->; rewrite Rmult_0_r, exp_0 in El; lra).
    assert (low <> 1) by (intros ->; lra).
    assert (high <> ln M) by (intros ->; rewrite exp_ln in Eh; lra).
    assert (high <> 2 * ln M).
    { intros ->. replace (2 * ln M) with (ln M + ln M) in Eh at 2 by ring.
      rewrite exp_plus, exp_ln in Eh; lra. }
    unfold zero. repeat split; lra.
Qed.

Section Zeros.
Variables M low high : R.
Hypothesis M_big : 4 <= M.
Hypothesis low_in : 0 < low < 1.
Hypothesis high_in : ln M < high < 2 * ln M.
Hypothesis high_gt1 : 1 < high.
Hypothesis low_zero : zero M low.
Hypothesis high_zero : zero M high.

Lemma lnM_gt1 : 1 < ln M.
Proof.
  pose proof exp_1_below_3. rewrite <- (ln_exp 1). apply ln_increasing; [apply exp_pos|lra].
Qed.

(* between the zeros the line is above, outside it is below, strictly *)
Theorem lemma_8 : forall x, (low <= x <= high -> exp x <= (M - 1) * x) /\
                            (x < low \/ high < x -> (M - 1) * x < exp x).
Proof.
  unfold zero in *. intros x. split.
  - intros [[H1|H1] [H2|H2]]; subst; try lra.
    pose proof (exp_chord low x high (conj H1 H2)) as C. rewrite low_zero, high_zero in C.
    apply Rmult_le_reg_l with (high - low); lra.
  - intros [H|H].
    + pose proof (exp_chord x low high ltac:(lra)) as C. rewrite low_zero, high_zero in C.
      apply Rmult_lt_reg_l with (high - low); lra.
    + pose proof (exp_chord low high x ltac:(lra)) as C. rewrite low_zero, high_zero in C.
      apply Rmult_lt_reg_l with (high - low); lra.
Qed.

(* low = M^(-(1 - omega_0)), high = (1 + omega_1) ln M, by definition *)
Lemma low_power : low = Rpower M (- (1 - omega_0 M low)).
Proof.
  pose proof lnM_gt1. unfold Rpower, omega_0.
  replace (- (1 - (1 + ln low / ln M)) * ln M) with (ln low) by (field; lra).
  rewrite exp_ln; lra.
Qed.

(* (50) *)
Theorem equation_50 : omega_0 M low =
  / ln M * (ln (M / (M - 1)) + / Rpower M (1 - omega_0 M low)).
Proof.
  pose proof lnM_gt1 as L. rewrite <- Rpower_Ropp, <- low_power. unfold omega_0.
  assert (E : low = ln (M - 1) + ln low).
  { rewrite <- ln_mult by lra. unfold zero in low_zero. rewrite <- low_zero. rewrite ln_exp. auto. }
  rewrite ln_div by lra. replace (ln M - ln (M - 1) + low) with (ln M + ln low) by lra.
  field. lra.
Qed.

(* (51), its factor c' being 1 + omega_1, between 1 and 2 *)
Theorem equation_51 : Rpower M (omega_1 M high) =
  (1 + omega_1 M high) * ((M - 1) * ln M / M) /\ 0 < omega_1 M high < 1.
Proof.
  pose proof lnM_gt1 as L. split.
  - unfold Rpower, omega_1. replace ((high / ln M - 1) * ln M) with (high + - ln M) by (field; lra).
    rewrite exp_plus, exp_Ropp, exp_ln by lra. unfold zero in high_zero. rewrite high_zero.
    field. lra.
  - unfold omega_1. split.
    + assert (1 < high / ln M) by (apply lt_div; lra). lra.
    + assert (high / ln M < 2) by (apply div_lt; lra). lra.
Qed.

Theorem omega_0_small : 0 < omega_0 M low <= 4 / ((M - 1) * ln M).
Proof.
  pose proof lnM_gt1 as L. pose proof exp_1_below_3 as E1.
  assert (Q : low <= 3 / (M - 1)).
  { apply le_div; [lra|]. unfold zero in low_zero.
    assert (exp low < exp 1) by (apply exp_increasing; lra). lra. }
  assert (E : omega_0 M low = (ln (M / (M - 1)) + low) / ln M).
  { rewrite equation_50 at 1. rewrite <- Rpower_Ropp, <- low_power. unfold Rdiv. ring. }
  assert (A : 0 < ln (M / (M - 1)) <= / (M - 1)).
  { assert (P : 1 < M / (M - 1)) by (apply lt_div; lra). split.
    - rewrite <- ln_1. apply ln_increasing; lra.
    - apply Rle_trans with (M / (M - 1) - 1); [apply ln_le_line; lra|].
      right. field. lra. }
  rewrite E. split.
  - apply Rdiv_lt_0_compat; lra.
  - apply div_le; [lra|].
    replace (4 / ((M - 1) * ln M) * ln M) with (4 * / (M - 1)) by (field; lra).
    unfold Rdiv in Q. lra.
Qed.

Theorem omega_0_hundredth : 100 <= M -> omega_0 M low < 1 / 100.
Proof.
  intros H. destruct omega_0_small as [_ S]. apply Rle_lt_trans with (1 := S).
  assert (L : 41 / 10 <= ln M).
  { apply Rle_trans with (ln 100); [apply ln_100_lower|apply ln_le_mono; lra]. }
  apply div_lt; nra.
Qed.

(* omega_1 = Theta(ln ln M/ln M) with the constant 1: between ln L/L and ln L/(L-1), L = ln M *)
Lemma omega_1_log : omega_1 M high * ln M =
  ln (1 + omega_1 M high) + ln ((M - 1) / M) + ln (ln M).
Proof.
  pose proof lnM_gt1 as L. destruct equation_51 as [E P].
  assert (Q : ln (Rpower M (omega_1 M high)) = omega_1 M high * ln M)
    by (unfold Rpower; apply ln_exp).
  rewrite <- Q, E.
  replace ((1 + omega_1 M high) * ((M - 1) * ln M / M))
    with ((1 + omega_1 M high) * ((M - 1) / M) * ln M) by (field; lra).
  assert (0 < (M - 1) / M) by (apply Rdiv_lt_0_compat; lra).
  rewrite ln_mult, ln_mult; try lra. apply Rmult_lt_0_compat; lra.
Qed.

Theorem omega_1_upper : omega_1 M high <= ln (ln M) / (ln M - 1).
Proof.
  pose proof lnM_gt1 as L. pose proof omega_1_log as E. destruct equation_51 as [_ P].
  apply le_div; [lra|].
  pose proof (ln_le_line (1 + omega_1 M high) ltac:(lra)) as A.
  assert (B : ln ((M - 1) / M) <= 0).
  { rewrite <- ln_1. apply ln_le_mono; [apply Rdiv_lt_0_compat; lra|]. apply div_le; lra. }
  lra.
Qed.

Theorem omega_1_lower : 5 <= M -> ln (ln M) / ln M <= omega_1 M high.
Proof.
  intros H. pose proof lnM_gt1 as L. pose proof omega_1_log as E. destruct equation_51 as [_ P].
  apply div_le; [lra|].
  (* M ln M/(M-1) is not beyond the upper zero, for M^(1/(M-1)) <= ln M *)
  assert (S : ln M / (M - 1) <= ln (ln M)).
  { assert (A : ln M <= ln 5 + (M - 5) / 5).
    { replace M with (5 * (M / 5)) at 1 by field. rewrite ln_mult by lra.
      pose proof (ln_le_line (M / 5) ltac:(lra)). lra. }
    assert (B : 45 / 100 <= ln (ln M)).
    { apply ln_le_of_exp; [lra|]. apply Rle_trans with (ln 5).
      - apply Rle_trans with (158 / 100); [|exact ln_5_lower].
        up (225 / 1000) (12569 / 10000). apply seed_upper; lra.
      - apply ln_le_mono; lra. }
    pose proof ln_5_below. apply Rle_trans with (45 / 100); auto.
    apply div_le; lra. }
  assert (Q : M * ln M / (M - 1) <= high).
  { destruct (Rle_or_lt (M * ln M / (M - 1)) high) as [ok|no]; auto.
    destruct (lemma_8 (M * ln M / (M - 1))) as [_ out]. specialize (out (or_intror no)).
    replace ((M - 1) * (M * ln M / (M - 1))) with (M * ln M) in out by (field; lra).
    replace (M * ln M / (M - 1)) with (ln M + ln M / (M - 1)) in out by (field; lra).
    rewrite exp_plus, exp_ln in out by lra.
    assert (exp (ln M / (M - 1)) <= ln M) by (apply exp_le_of_ln; lra). nra. }
  assert (0 <= ln (1 + omega_1 M high) + ln ((M - 1) / M)).
  { assert (0 < (M - 1) / M) by (apply Rdiv_lt_0_compat; lra).
    rewrite <- ln_mult by lra. rewrite <- ln_1. apply ln_le_mono; [lra|].
    unfold omega_1. replace ((1 + (high / ln M - 1)) * ((M - 1) / M))
      with (high / (M * ln M / (M - 1))) by (field; lra).
    apply le_div; [|lra]. apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat|]; lra. }
  lra.
Qed.
End Zeros.

(* THEOREM zeros_exist | holds-as-printed | two zeros of e^x - (M-1) x for every real M >= 4 *)
(* THEOREM lemma_8 | holds-as-printed | e^(Mh) <= (M-1) M h exactly between them *)
(* THEOREM equation_50 | holds-as-printed | the equation of omega_0, exactly *)
(* THEOREM equation_51 | holds-as-printed | the equation of omega_1, with 0 < omega_1 < 1 *)
(* THEOREM omega_0_small | holds-as-printed | 0 < omega_0 <= 4/((M-1) ln M) *)
(* THEOREM omega_0_hundredth | holds-as-printed | omega_0 < 0.01 for every M >= 100 *)
(* THEOREM omega_1_upper | holds-as-printed | omega_1 <= ln(ln M)/(ln M - 1) for every M >= 4 *)
(* THEOREM omega_1_lower | holds-as-printed | omega_1 >= ln(ln M)/ln M for every M >= 5 *)
(* BRIDGE omega_0 | lib.scan_snap.decoder.omegas | M; low = crossings(M)[0]; first of the two *)
(* BRIDGE omega_1 | lib.scan_snap.decoder.omegas | M; high = crossings(M)[1]; second of the two *)
