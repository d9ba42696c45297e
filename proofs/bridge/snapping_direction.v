(* Does snapping have a direction?  Whatever moves the pushes: if every pair of a sample's winner
   and another token of it is pushed apart by beta T^ask e^(-lead) d ln T, 0 < least <= beta <= most,
   each pair with a number ask of its own, then Z stays within the square root of ln T of W ln T, W
   the least Z in which each pair leads by ask.

   s = ln T >= 0; N coordinates of Z, P pairs, pair p along the vector A p.  W is given by its
   conditions of optimality: W = sum lambda_p A p, lambda >= 0, leads mu_p >= ask_p, and
   mu_p = ask_p wherever lambda_p > 0.

   And the decoder's half of it, beside attention that leaks to losers: the row of a winner stays
   near where it goes, because it forgets leaks as fast as they fade. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums calculus.
Open Scope R_scope.

Lemma line_below_exp : forall y, y * exp (- y) <= exp (-1).
Proof.
  intros y. pose proof (exp_ge_line (y - 1)) as H.
  replace (exp (y - 1)) with (exp (-1) * exp y) in H by (rewrite <- exp_plus; f_equal; ring).
  rewrite exp_Ropp. apply div_le; [apply exp_pos|]. lra.
Qed.

(* one pair: y is how far its margin is ahead *)
Lemma pair_bound : forall least most beta lam y, 0 < least -> least <= beta <= most -> 0 <= lam ->
  y * (beta * exp (- y) - lam) <= (most + lam ^ 2 / (4 * least)) * exp (-1).
Proof.
  intros b B beta lam y Hb [H1 H2] Hl. pose proof (exp_pos (-1)) as E.
  assert (Q0 : 0 <= lam ^ 2 / (4 * b)) by (apply le_div; [lra|]; pose proof (pow2_ge_0 lam); lra).
  assert (Q : 0 <= lam ^ 2 / (4 * b) * exp (-1)) by (apply Rmult_le_pos; lra).
  destruct (Rle_dec 0 y) as [Hy|Hy].
  - pose proof (line_below_exp y) as L. pose proof (exp_pos (- y)).
    assert (0 <= y * exp (- y)) by (apply Rmult_le_pos; lra).
    assert (beta * (y * exp (- y)) <= B * exp (-1)) by (apply Rmult_le_compat; lra).
    assert (0 <= lam * y) by (apply Rmult_le_pos; lra). lra.
  - pose proof (exp_pos 1) as F.
    assert (L : exp 1 * - y <= exp (- y)).
    { pose proof (exp_ge_line (- y - 1)) as L0.
      replace (exp (- y)) with (exp 1 * exp (- y - 1)) by (rewrite <- exp_plus; f_equal; ring).
      apply Rmult_le_compat_l; lra. }
    assert (b * (exp 1 * - y) <= beta * exp (- y)).
    { apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra. }
    assert (y * (beta * exp (- y)) <= y * (b * (exp 1 * - y))) by nra.
    assert (S : - (b * exp 1) * y ^ 2 - lam * y <= lam ^ 2 / (4 * (b * exp 1))).
    { assert (0 < b * exp 1) by (apply Rmult_lt_0_compat; lra).
      apply Rle_div_r; [lra|]. pose proof (pow2_ge_0 (2 * (b * exp 1) * y + lam)). nra. }
    replace (lam ^ 2 / (4 * (b * exp 1))) with (lam ^ 2 / (4 * b) * exp (-1)) in S.
    2:{ replace (exp (-1)) with (/ exp 1) by (rewrite <- exp_Ropp; reflexivity). field; lra. }
    assert (0 <= B * exp (-1)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma derive_Sum : forall N (f df : nat -> R -> R) s,
  (forall j, (j < N)%nat -> is_derive (f j) s (df j s)) ->
  is_derive (fun r => Sum N (fun j => f j r)) s (Sum N (fun j => df j s)).
Proof.
  induction N as [|N IH]; intros f df s H; simpl; [apply @is_derive_const|].
  apply (is_derive_plus (fun r => Sum N (fun j => f j r)) (f N)); [|apply H; lia].
  apply IH. intros j Hj. apply H. lia.
Qed.

Section Drift.
Variables (N P : nat) (A : nat -> nat -> R) (ask lam : nat -> R) (beta : nat -> R -> R).
Variables (Z : nat -> R -> R) (least most : R).
Let W (j : nat) : R := Sum P (fun p => lam p * A p j).
Let mu (p : nat) : R := Sum N (fun j => A p j * W j).
Let m (p : nat) (s : R) : R := Sum N (fun j => A p j * Z j s).
Let force (p : nat) (s : R) : R := exp (s * ask p) * beta p s * exp (- m p s).
Hypothesis least_pos : 0 < least.
Hypothesis beta_in : forall p s, (p < P)%nat -> 0 <= s -> least <= beta p s <= most.
Hypothesis lam_nonneg : forall p, (p < P)%nat -> 0 <= lam p.
Hypothesis feasible : forall p, (p < P)%nat -> ask p <= mu p.
Hypothesis slack : forall p, (p < P)%nat -> lam p * (mu p - ask p) = 0.
Hypothesis Z_flow : forall j s, (j < N)%nat -> 0 <= s ->
  is_derive (Z j) s (Sum P (fun p => force p s * A p j)).

Definition distance (s : R) : R := Sum N (fun j => (Z j s - s * W j) ^ 2).
Definition constant : R := Sum P (fun p => (most + lam p ^ 2 / (4 * least)) * exp (-1)).

Lemma distance_flow : forall s, 0 <= s ->
  is_derive distance s (2 * Sum P (fun p => (m p s - s * mu p) * (force p s - lam p))).
Proof.
  intros s Hs. unfold distance.
  apply (derive_value _ _ (Sum N (fun j =>
    2 * (Z j s - s * W j) * (Sum P (fun p => force p s * A p j) - W j)))).
  - apply (derive_Sum N (fun j r => (Z j r - r * W j) ^ 2)
      (fun j r => 2 * (Z j r - r * W j) * (Sum P (fun p => force p r * A p j) - W j))).
    intros j Hj. evar_last.
    + auto_derive; [eexists; apply Z_flow; auto|reflexivity].
    + change (Derive (fun x => Z j x) s) with (Derive (Z j) s).
      rewrite (is_derive_unique _ _ _ (Z_flow j s Hj Hs)). ring.
  - rewrite <- Sum_scal.
    rewrite (Sum_ext N _ (fun j => Sum P (fun p =>
      2 * ((A p j * Z j s - s * (A p j * W j)) * (force p s - lam p))))).
    + rewrite Sum_swap. apply Sum_ext. intros p Hp.
      rewrite Sum_scal, Sum_scal_r, Sum_minus, Sum_scal. unfold m, mu. ring.
    + intros j Hj. unfold W at 2. rewrite <- Sum_minus, <- Sum_scal. apply Sum_ext.
      intros p Hp. ring.
Qed.

Lemma pair_of_force : forall p s, (p < P)%nat -> 0 <= s ->
  (m p s - s * mu p) * (force p s - lam p) <= (most + lam p ^ 2 / (4 * least)) * exp (-1).
Proof.
  intros p s Hp Hs. set (y := m p s - s * mu p). pose proof (feasible p Hp) as F.
  pose proof (beta_in p s Hp Hs) as Bb. pose proof (lam_nonneg p Hp) as L.
  assert (E : force p s = beta p s * exp (s * (ask p - mu p)) * exp (- y)).
  { unfold force, y. rewrite !Rmult_assoc, <- exp_plus.
    rewrite (Rmult_comm (exp (s * ask p))), Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
  rewrite E. destruct (Req_dec (lam p) 0) as [Z0|NZ].
  - rewrite Z0. set (c := exp (s * (ask p - mu p))).
    assert (C : 0 < c <= 1).
    { split; [apply exp_pos|]. unfold c. apply Rle_trans with (exp 0);
        [apply exp_le_mono; nra|rewrite exp_0; lra]. }
    assert (T : y * exp (- y) <= exp (-1)) by apply line_below_exp.
    pose proof (exp_pos (-1)). assert (R : 0 < beta p s * c <= most) by nra.
    assert (beta p s * c * (y * exp (- y)) <= most * exp (-1)).
    { destruct (Rle_dec 0 (y * exp (- y))); [apply Rmult_le_compat; lra|].
      assert (0 <= most * exp (-1)) by (apply Rmult_le_pos; lra). nra. }
    replace (0 ^ 2 / (4 * least)) with 0 by (field; lra). lra.
  - assert (M : mu p = ask p).
    { pose proof (slack p Hp) as Sl. apply Rmult_integral in Sl. destruct Sl; [contradiction|lra]. }
    rewrite M. replace (s * (ask p - ask p)) with 0 by ring. rewrite exp_0, Rmult_1_r.
    apply pair_bound; auto.
Qed.

Theorem drift : forall s, 0 <= s -> distance s <= distance 0 + 2 * constant * s.
Proof.
  intros s Hs.
  assert (I : 2 * constant * 0 - distance 0 <= 2 * constant * s - distance s); [|lra].
  apply (increasing_flow (fun r => 2 * constant * r - distance r) (fun r => 2 * constant
    - 2 * Sum P (fun p => (m p r - r * mu p) * (force p r - lam p)))); try lra.
  - intros r Hr. apply (is_derive_minus (fun x => 2 * constant * x) distance);
      [auto_derive; [auto|ring]|apply distance_flow; auto].
  - intros r Hr. unfold constant.
    assert (Sum P (fun p => (m p r - r * mu p) * (force p r - lam p))
      <= Sum P (fun p => (most + lam p ^ 2 / (4 * least)) * exp (-1))); [|lra].
    apply Sum_le. intros p Hp. apply pair_of_force; auto.
Qed.

(* so Z / ln T goes to W, like one over the square root of ln T *)
Theorem direction : forall j s, (j < N)%nat -> 0 < s ->
  (Z j s / s - W j) ^ 2 <= (distance 0 + 2 * constant * s) / s ^ 2.
Proof.
  intros j s Hj Hs. pose proof (drift s (Rlt_le _ _ Hs)) as D.
  pose proof (Sum_term_le N (fun i => (Z i s - s * W i) ^ 2) j Hj
    (fun i _ => pow2_ge_0 (Z i s - s * W i))) as T. simpl in T. fold (distance s) in T.
  replace ((Z j s / s - W j) ^ 2) with ((Z j s - s * W j) ^ 2 / s ^ 2) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; auto|].
  unfold distance in D, T |- *. simpl in *. lra.
Qed.
End Drift.

(* The ally step: a force a e^(-x) (1 + p) against a clock 1 - r, both known up to e, holds e^x
   near a, and the start is forgotten at the rate 1 - e, so small leaks are not added up. *)
Section Ally.
Variables (a e : R) (x p r : R -> R).
Hypothesis a_pos : 0 < a.
Hypothesis e_small : 0 <= e < 1.
Hypothesis x_flow : forall s, 0 <= s ->
  is_derive x s (a * exp (- x s) * (1 + p s) - 1 + r s).
Hypothesis p_small : forall s, 0 <= s -> - e <= p s <= e.
Hypothesis r_small : forall s, 0 <= s -> - e <= r s <= e.

Lemma pulled_flow : forall c k s, 0 <= s ->
  is_derive (fun v => (exp (x v) / a - c) * exp (k * v)) s
    ((1 + p s - (1 - r s) * (exp (x s) / a) + k * (exp (x s) / a - c)) * exp (k * s)).
Proof.
  intros c k s Hs. pose proof (exp_pos (x s)) as P. evar_last.
  - apply (is_derive_mult (fun v => exp (x v) / a - c) (fun v => exp (k * v)));
      [| |intros; apply Rmult_comm].
    + apply (is_derive_comp (fun z => exp z / a - c) x); [|exact (x_flow s Hs)].
      auto_derive; [exact I|reflexivity].
    + auto_derive; [exact I|reflexivity].
  - unfold plus, scal, mult; simpl; unfold mult; simpl. rewrite exp_Ropp. field. split; lra.
Qed.

Theorem leaks_are_forgotten : forall s, 0 <= s ->
  (exp (x s) / a - (1 + e) / (1 - e)) * exp ((1 - e) * s) <= exp (x 0) / a - (1 + e) / (1 - e)
  /\ exp (x 0) / a - (1 - e) / (1 + e) <= (exp (x s) / a - (1 - e) / (1 + e)) * exp ((1 + e) * s).
Proof.
  intros s Hs. split.
  - pose (c := (1 + e) / (1 - e)). assert (C : (1 - e) * c = 1 + e) by (unfold c; field; lra).
    assert (I : - ((exp (x 0) / a - c) * exp ((1 - e) * 0))
      <= - ((exp (x s) / a - c) * exp ((1 - e) * s))).
    { apply (increasing_flow (fun v => - ((exp (x v) / a - c) * exp ((1 - e) * v)))
        (fun v => - ((1 + p v - (1 - r v) * (exp (x v) / a)
          + (1 - e) * (exp (x v) / a - c)) * exp ((1 - e) * v)))); try lra.
      - intros v Hv. apply (is_derive_opp (fun v => (exp (x v) / a - c) * exp ((1 - e) * v))).
        apply pulled_flow; auto.
      - intros v Hv. pose proof (p_small v Hv). pose proof (r_small v Hv).
        assert (W : 0 < exp (x v) / a) by (apply Rdiv_lt_0_compat; [apply exp_pos|auto]).
        set (w := exp (x v) / a) in *. pose proof (exp_pos ((1 - e) * v)).
        assert (0 <= (e - r v) * w) by (apply Rmult_le_pos; lra).
        rewrite <- Ropp_mult_distr_l_reverse. apply Rmult_le_pos; lra. }
    rewrite Rmult_0_r, exp_0 in I. unfold c in I. lra.
  - pose (c := (1 - e) / (1 + e)). assert (C : (1 + e) * c = 1 - e) by (unfold c; field; lra).
    assert (I : (exp (x 0) / a - c) * exp ((1 + e) * 0)
      <= (exp (x s) / a - c) * exp ((1 + e) * s)).
    { apply (increasing_flow (fun v => (exp (x v) / a - c) * exp ((1 + e) * v))
        (fun v => (1 + p v - (1 - r v) * (exp (x v) / a)
          + (1 + e) * (exp (x v) / a - c)) * exp ((1 + e) * v))); try lra.
      - intros v Hv. apply pulled_flow; auto.
      - intros v Hv. pose proof (p_small v Hv). pose proof (r_small v Hv).
        assert (W : 0 < exp (x v) / a) by (apply Rdiv_lt_0_compat; [apply exp_pos|auto]).
        set (w := exp (x v) / a) in *. pose proof (exp_pos ((1 + e) * v)).
        assert (0 <= (e + r v) * w) by (apply Rmult_le_pos; lra).
        apply Rmult_le_pos; lra. }
    rewrite Rmult_0_r, exp_0 in I. unfold c in I. lra.
Qed.
End Ally.

(* What holds strictly whenever it has held so far, holds for ever. *)
Theorem forever : forall (f : R -> R) h b, 0 <= h ->
  (forall s, 0 <= s <= h -> continuous f s) -> f 0 < b ->
  (forall s, 0 <= s <= h -> (forall r, 0 <= r <= s -> f r <= b) -> f s < b) ->
  forall s, 0 <= s <= h -> f s < b.
Proof.
  intros f h b Hh Hc H0 Hs.
  set (E := fun s => 0 <= s <= h /\ forall r, 0 <= r <= s -> f r <= b).
  assert (E0 : E 0).
  { split; [lra|]. intros r Hr. replace r with 0 by lra. lra. }
  destruct (completeness E) as [m [M1 M2]].
  - exists h. intros x [Hx _]. lra.
  - exists 0. exact E0.
  - assert (Mh : 0 <= m <= h).
    { split; [apply M1; exact E0|]. apply M2. intros x [Hx _]. lra. }
    assert (before : forall r, 0 <= r < m -> f r <= b).
    { intros r Hr. destruct (Rle_dec (f r) b) as [Hle|Hgt]; [exact Hle|]. exfalso.
      assert (m <= r); [|lra]. apply M2. intros x [Hx Hf].
      destruct (Rle_dec x r) as [|Hn]; [lra|]. exfalso. apply Hgt, Hf. lra. }
    assert (at_m : f m <= b).
    { destruct (Rle_dec (f m) b) as [Hle|Hgt]; [exact Hle|]. exfalso.
      destruct (Req_dec m 0) as [Z|NZ]; [rewrite Z in Hgt; lra|].
      destruct (Hc m Mh _ (open_gt b (f m) ltac:(lra))) as [d Hd].
      set (r := m - Rmin (d / 2) (m / 2)).
      pose proof (cond_pos d) as D. pose proof (Rmin_l (d / 2) (m / 2)).
      pose proof (Rmin_r (d / 2) (m / 2)).
      assert (0 < Rmin (d / 2) (m / 2)) by (apply Rmin_glb_lt; lra).
      assert (b < f r).
      { apply Hd. unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl.
        unfold r. apply Rabs_def1; lra. }
      assert (f r <= b) by (apply before; unfold r; lra). lra. }
    assert (Em : E m).
    { split; [exact Mh|]. intros r Hr. destruct (Req_dec r m) as [->|Hne]; [exact at_m|].
      apply before. lra. }
    assert (strict : f m < b) by (apply Hs; [exact Mh|apply Em]).
    assert (m = h).
    { destruct (Req_dec m h) as [|Hne]; [assumption|]. exfalso.
      destruct (Hc m Mh _ (open_lt b (f m) strict)) as [d Hd].
      set (q := Rmin (d / 2) (h - m)). pose proof (cond_pos d) as D.
      pose proof (Rmin_l (d / 2) (h - m)). pose proof (Rmin_r (d / 2) (h - m)).
      assert (0 < q) by (apply Rmin_glb_lt; lra). fold q in H, H1.
      assert (E (m + q)).
      { split; [lra|]. intros r Hr. destruct (Rle_dec r m) as [Hle|Hgt]; [apply Em; lra|].
        left. apply Hd. unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl.
        apply Rabs_def1; lra. }
      assert (m + q <= m) by (apply M1; assumption). lra. }
    subst m. intros s Hss. apply Hs; [exact Hss|]. intros r Hr. apply Em. lra.
Qed.

Lemma falls_on : forall (G dG : R -> R) h,
  (forall t, 0 <= t <= h -> is_derive G t (dG t)) ->
  (forall t, 0 <= t <= h -> dG t <= 0) -> forall s, 0 <= s <= h -> G s <= G 0.
Proof.
  intros G dG h H P s Hs. destruct (Req_dec s 0) as [->|Hne]; [lra|].
  destruct (MVT_gen G 0 s dG) as [c [Hc E]].
  - intros x [Hx Hy]. rewrite Rmin_left in Hx by lra. rewrite Rmax_right in Hy by lra.
    apply H. lra.
  - intros x [Hx Hy]. rewrite Rmin_left in Hx by lra. rewrite Rmax_right in Hy by lra.
    apply continuity_pt_filterlim.
    apply (ex_derive_continuous G x). exists (dG x). apply H. lra.
  - rewrite Rmin_left, Rmax_right in Hc by lra.
    assert (dG c <= 0) by (apply P; lra). nra.
Qed.

(* Leaks that fade more slowly than the pull are forgotten as fast as they fade. *)
Section Fading.
Variables (N dN E dE : R -> R) (k h : R).
Hypothesis k_pos : 0 < k.
Hypothesis N_flow : forall s, 0 <= s <= h -> is_derive N s (dN s).
Hypothesis E_flow : forall s, 0 <= s <= h -> is_derive E s (dE s).
Hypothesis pulled : forall s, 0 <= s <= h -> dN s <= - k * N s + E s.
Hypothesis fades_slowly : forall s, 0 <= s <= h -> - (k / 2) * E s <= dE s.

Theorem fading_leaks_are_forgotten : forall s, 0 <= s <= h ->
  N s <= 2 / k * E s + (N 0 - 2 / k * E 0) * exp (- (k * s)).
Proof.
  intros s Hs.
  assert (I : (N s - 2 / k * E s) * exp (k * s) <= (N 0 - 2 / k * E 0) * exp (k * 0)).
  { apply (falls_on (fun v => (N v - 2 / k * E v) * exp (k * v)) (fun v =>
      (dN v - 2 / k * dE v + k * (N v - 2 / k * E v)) * exp (k * v)) h); [| |exact Hs].
    - intros v Hv. pose proof (N_flow v Hv) as HN. pose proof (E_flow v Hv) as HE. evar_last.
      + apply (is_derive_mult (fun v => N v - 2 / k * E v) (fun v => exp (k * v)));
          [| |intros; apply Rmult_comm].
        * apply (is_derive_minus N (fun v => 2 / k * E v)); [exact HN|].
          apply (is_derive_scal E v (2 / k)); exact HE.
        * auto_derive; [exact I|reflexivity].
      + unfold minus, plus, opp, scal, mult; simpl; unfold mult; simpl. ring.
    - intros v Hv. pose proof (exp_pos (k * v)). pose proof (pulled v Hv).
      pose proof (fades_slowly v Hv) as F.
      assert (- (2 / k * dE v) <= E v).
      { apply (Rmult_le_compat_l (2 / k)) in F; [|left; apply Rdiv_lt_0_compat; lra].
        replace (2 / k * (- (k / 2) * E v)) with (- E v) in F by (field; lra). lra. }
      replace (k * (N v - 2 / k * E v)) with (k * N v - 2 * E v) by (field; lra).
      assert (dN v - 2 / k * dE v + (k * N v - 2 * E v) <= 0) by lra. nra. }
  rewrite Rmult_0_r, exp_0, Rmult_1_r in I.
  assert (X : exp (k * s) * exp (- (k * s)) = 1)
    by (rewrite <- exp_plus, Rplus_opp_r, exp_0; reflexivity).
  pose proof (exp_pos (- (k * s))) as P.
  apply (Rmult_le_compat_r (exp (- (k * s)))) in I; [|lra].
  rewrite Rmult_assoc, X, Rmult_1_r in I. lra.
Qed.
End Fading.

Lemma exp_opp_above : forall x, 0 <= x -> exp (- x) <= 1 - x + x ^ 2 / 2.
Proof.
  intros x Hx.
  assert (I : 1 - x + x ^ 2 / 2 - exp (- x) >= 1 - 0 + 0 ^ 2 / 2 - exp (- 0)).
  { apply Rle_ge.
    apply (increasing_flow (fun v => 1 - v + v ^ 2 / 2 - exp (- v))
      (fun v => - 1 + v + exp (- v))); try lra.
    - intros t Ht. auto_derive; [exact I|simpl; field].
    - intros t Ht. pose proof (exp_ge_line (- t)). lra. }
  rewrite Ropp_0, exp_0 in I. lra.
Qed.

Lemma pull : forall x, - (1 / 2) <= x <= 1 / 2 -> 3 / 4 * x ^ 2 <= x * (1 - exp (- x)).
Proof.
  intros x Hx. destruct (Rle_dec 0 x) as [P|P].
  - pose proof (exp_opp_above x P) as H.
    assert (x * (x - x ^ 2 / 2) <= x * (1 - exp (- x))) by (apply Rmult_le_compat_l; lra).
    assert (0 <= x ^ 2 * (1 / 4 - x / 2)) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). nra.
  - pose proof (exp_ge_line (- x)). pose proof (pow2_ge_0 x).
    assert (0 <= - x * (exp (- x) - 1 - - x)) by (apply Rmult_le_pos; lra). nra.
Qed.

Lemma half_square : forall (Q X : R -> R) s dQ dX c, is_derive Q s dQ -> is_derive X s dX ->
  0 < c -> is_derive (fun r => (Q r - X r ^ 2 / c) / 2) s ((dQ - 2 * X s * dX / c) / 2).
Proof.
  intros Q X s dQ dX c HQ HX Hc. evar_last.
  - auto_derive; [split; [eexists; exact HQ|split; [eexists; exact HX|exact I]]|reflexivity].
  - change (Derive (fun x => Q x) s) with (Derive Q s).
    change (Derive (fun x => X x) s) with (Derive X s).
    rewrite (is_derive_unique _ _ _ HQ), (is_derive_unique _ _ _ HX). field. lra.
Qed.

(* The whole row of a winner.  n wrong labels; x c is how far the lead over label c is ahead of its
   clock, e c what comes from elsewhere, eps a bound of it that fades slowly. *)
Section Row.
Variables (n : nat) (x e : nat -> R -> R) (eps deps : R -> R) (h : R).
Let C : R := INR n + 1.
Let phi (c : nat) (s : R) : R := exp (- x c s) / C.
Hypothesis h_nonneg : 0 <= h.
Hypothesis x_flow : forall c s, (c < n)%nat -> 0 <= s <= h ->
  is_derive (x c) s (Sum n (fun b => phi b s) + phi c s - 1 + e c s).
Hypothesis e_small : forall c s, (c < n)%nat -> 0 <= s <= h -> Rabs (e c s) <= eps s.
Hypothesis eps_flow : forall s, 0 <= s <= h -> is_derive eps s (deps s).
Hypothesis eps_nonneg : forall s, 0 <= s <= h -> 0 <= eps s.
Hypothesis eps_slow : forall s, 0 <= s <= h -> - (eps s / (4 * C)) <= deps s.

(* half of the squared distance of the row from its asymptote *)
Definition apart (s : R) : R :=
  (Sum n (fun c => x c s ^ 2) - Sum n (fun c => x c s) ^ 2 / C) / 2.

Lemma C_pos : 1 <= C.
Proof. unfold C. pose proof (pos_INR n). lra. Qed.

Lemma apart_flow : forall s, 0 <= s <= h -> is_derive apart s
  (- (Sum n (fun c => x c s * (1 - exp (- x c s))) / C)
   + Sum n (fun c => x c s * (e c s - Sum n (fun b => e b s) / C))).
Proof.
  intros s Hs. pose proof C_pos as HC.
  set (F := Sum n (fun b => phi b s)). set (E := Sum n (fun b => e b s)).
  set (X := Sum n (fun c => x c s)).
  pose (dx := fun c => F + phi c s - 1 + e c s).
  assert (HX : is_derive (fun r => Sum n (fun c => x c r)) s (Sum n dx)).
  { apply (derive_Sum n x (fun c _ => dx c)). intros c Hc. apply x_flow; auto. }
  assert (HQ : is_derive (fun r => Sum n (fun c => x c r ^ 2)) s
    (Sum n (fun c => 2 * x c s * dx c))).
  { apply (derive_Sum n (fun c r => x c r ^ 2) (fun c r => 2 * x c r * dx c)).
    intros c Hc. evar_last.
    - apply (is_derive_pow (x c) 2 s (dx c)). apply x_flow; auto.
    - simpl. ring. }
  assert (SX : Sum n dx = C * F - INR n + E).
  { unfold dx. rewrite Sum_plus, Sum_minus, Sum_plus, !Sum_const. fold F E. unfold C. ring. }
  assert (SQ : Sum n (fun c => x c s * dx c)
    = X * F + Sum n (fun c => x c s * exp (- x c s)) / C - X + Sum n (fun c => x c s * e c s)).
  { unfold X. rewrite <- Sum_scal_r. unfold Rdiv. rewrite <- Sum_scal_r, <- Sum_plus, <- Sum_minus,
      <- Sum_plus. apply Sum_ext. intros c Hc. unfold dx, phi. field. lra. }
  apply (derive_value _ _ ((Sum n (fun c => 2 * x c s * dx c) - 2 * X * Sum n dx / C) / 2)).
  - exact (half_square _ _ _ _ _ C HQ HX ltac:(lra)).
  - rewrite (Sum_ext n (fun c => 2 * x c s * dx c) (fun c => 2 * (x c s * dx c)))
      by (intros; ring).
    rewrite Sum_scal, SQ, SX.
    rewrite (Sum_ext n (fun c => x c s * (1 - exp (- x c s)))
      (fun c => x c s - x c s * exp (- x c s))) by (intros; ring).
    rewrite (Sum_ext n (fun c => x c s * (e c s - E / C))
      (fun c => x c s * e c s - x c s * (E / C))) by (intros; ring).
    rewrite !Sum_minus, Sum_scal_r. fold X.
    match goal with |- @eq _ ?a ?b => change (@eq R a b) end. unfold C in *. field. lra.
Qed.

Lemma apart_holds : forall s c, (c < n)%nat -> x c s ^ 2 <= 4 * apart s.
Proof.
  intros s c Hc. pose proof C_pos as HC.
  set (X := Sum n (fun c => x c s)). set (Q := Sum n (fun c => x c s ^ 2)).
  (* the others: (X - x_c)^2 <= (n - 1) (Q - x_c^2) *)
  assert (D : Sum n (fun b => (1 - delta c b) * x b s) = X - x c s).
  { rewrite (Sum_ext n _ (fun b => x b s - delta c b * x b s)) by (intros; ring).
    rewrite Sum_minus, Sum_delta by auto. reflexivity. }
  pose proof (cauchy_schwarz n (fun b => 1 - delta c b) (fun b => (1 - delta c b) * x b s)) as S.
  unfold dot in S.
  assert (idem : forall b, (1 - delta c b) * (1 - delta c b) = 1 - delta c b).
  { intros b. unfold delta. destruct (Nat.eq_dec c b); ring. }
  rewrite (Sum_ext n (fun k => (1 - delta c k) * ((1 - delta c k) * x k s))
    (fun b => (1 - delta c b) * x b s)) in S
    by (intros b _; rewrite <- Rmult_assoc, idem; reflexivity).
  rewrite (Sum_ext n (fun k => (1 - delta c k) * (1 - delta c k)) (fun b => 1 - delta c b)) in S
    by (intros b _; apply idem).
  rewrite (Sum_ext n (fun k => (1 - delta c k) * x k s * ((1 - delta c k) * x k s))
    (fun b => x b s ^ 2 - delta c b * x b s ^ 2)) in S.
  2:{ intros b _. transitivity ((1 - delta c b) * (1 - delta c b) * x b s ^ 2); [ring|].
      rewrite idem. ring. }
  assert (one : Sum n (fun b => 1 - delta c b) = INR n * 1 - 1).
  { rewrite Sum_minus, Sum_const. f_equal.
    rewrite (Sum_ext n _ (fun b => delta c b * 1)) by (intros; ring). apply Sum_delta; auto. }
  assert (sq : Sum n (fun b => x b s ^ 2 - delta c b * x b s ^ 2) = Q - x c s ^ 2).
  { rewrite Sum_minus. f_equal. apply (Sum_delta n c (fun b => x b s ^ 2)); auto. }
  rewrite D, one, sq in S. unfold apart. fold X Q.
  assert (K : (Q - X ^ 2 / C) * C = Q * C - X ^ 2) by (field; lra).
  apply (Rmult_le_reg_r C); [lra|]. replace (4 * ((Q - X ^ 2 / C) / 2) * C)
    with (2 * ((Q - X ^ 2 / C) * C)) by (field; lra). rewrite K. unfold C in *.
  pose proof (pos_INR n). set (a := x c s) in *. set (m := INR n) in *.
  assert (1 <= m). { unfold m. apply (le_INR 1). lia. }
  (* (X - a)^2 <= (m - 1)(Q - a^2) *)
  assert (S2 : (X - a) ^ 2 <= (m * 1 - 1) * (Q - a ^ 2)) by exact S.
  destruct (Req_dec m 1) as [E1|N1].
  - assert (T : a ^ 2 <= Q). { unfold Q, a. apply (Sum_term_le n (fun b => x b s ^ 2)); auto.
      intros k _. apply pow2_ge_0. }
    rewrite E1 in *. assert (X = a) by nra. subst X. nra.
  - pose proof (pow2_ge_0 ((m - 1) * a - 2 * (X - a))).
    assert (M : 0 < m - 1) by lra. apply (Rmult_le_reg_l (m - 1)); [exact M|].
    assert (2 * (m + 1) * (X - a) ^ 2 <= 2 * (m + 1) * ((m * 1 - 1) * (Q - a ^ 2)))
      by (apply Rmult_le_compat_l; lra). nra.
Qed.

Lemma sum_of_leaks : forall c s, (c < n)%nat -> 0 <= s <= h ->
  Rabs (e c s - Sum n (fun b => e b s) / C) <= 2 * eps s.
Proof.
  intros c s Hc Hs. pose proof C_pos. pose proof (pos_INR n).
  pose proof (Rabs_bounds _ _ (e_small c s Hc Hs)) as B.
  assert (U : Rabs (Sum n (fun b => e b s)) <= INR n * eps s).
  { eapply Rle_trans; [apply Sum_abs|]. rewrite <- Sum_const. apply Sum_le.
    intros k Hk. apply e_small; auto. }
  apply Rabs_bounds in U. pose proof (eps_nonneg s Hs).
  set (E := Sum n (fun b => e b s)) in *.
  assert (- eps s <= E / C <= eps s).
  { split; [apply le_div|apply div_le]; unfold C in *; nra. }
  apply Rabs_le. lra.
Qed.

(* while no lead is off by more than one half *)
Lemma apart_pulled : forall s, 0 <= s <= h -> apart s <= 1 / 16 ->
  - (Sum n (fun c => x c s * (1 - exp (- x c s))) / C)
   + Sum n (fun c => x c s * (e c s - Sum n (fun b => e b s) / C))
  <= - (1 / C) * apart s + 4 * C ^ 2 * eps s ^ 2.
Proof.
  intros s Hs Hn. pose proof C_pos as HC. pose proof (pos_INR n) as Hm.
  set (Q := Sum n (fun c => x c s ^ 2)).
  assert (A : apart s <= Q / 2).
  { unfold apart. fold Q. pose proof (pow2_ge_0 (Sum n (fun c => x c s))).
    assert (0 <= Sum n (fun c => x c s) ^ 2 / C) by (apply le_div; lra). lra. }
  assert (P : 3 / 4 * Q <= Sum n (fun c => x c s * (1 - exp (- x c s)))).
  { unfold Q. rewrite <- Sum_scal. apply Sum_le. intros c Hc. apply pull.
    pose proof (apart_holds s c Hc). nra. }
  assert (L : Sum n (fun c => x c s * (e c s - Sum n (fun b => e b s) / C))
    <= Q / (4 * C) + 4 * C ^ 2 * eps s ^ 2).
  { apply Rle_trans with (Sum n (fun c => x c s ^ 2 / (4 * C) + 4 * C * eps s ^ 2)).
    - apply Sum_le. intros c Hc. pose proof (Rabs_bounds _ _ (sum_of_leaks c s Hc Hs)) as B.
      set (g := e c s - Sum n (fun b => e b s) / C) in *.
      apply (Rmult_le_reg_r (4 * C)); [lra|].
      replace ((x c s ^ 2 / (4 * C) + 4 * C * eps s ^ 2) * (4 * C))
        with (x c s ^ 2 + (4 * C * eps s) ^ 2) by (field; lra).
      pose proof (pow2_ge_0 (x c s - 2 * C * g)). assert (g ^ 2 <= 4 * eps s ^ 2) by nra.
      assert (0 <= C ^ 2) by apply pow2_ge_0.
      assert (4 * C ^ 2 * g ^ 2 <= 4 * C ^ 2 * (4 * eps s ^ 2)) by (apply Rmult_le_compat_l; lra).
      nra.
    - rewrite Sum_plus, Sum_const. unfold Rdiv at 1. rewrite Sum_scal_r. fold Q.
      assert (INR n * (4 * C * eps s ^ 2) <= 4 * C ^ 2 * eps s ^ 2); [|unfold Rdiv; lra].
      pose proof (pow2_ge_0 (eps s)). assert (0 <= 4 * C * eps s ^ 2) by nra.
      unfold C in *. nra. }
  assert (3 / 4 * Q / C <= Sum n (fun c => x c s * (1 - exp (- x c s))) / C)
    by (apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact P]).
  assert (1 / C * apart s <= 1 / C * (Q / 2)).
  { apply Rmult_le_compat_l; [apply le_div; lra|exact A]. }
  replace (1 / C * (Q / 2)) with (3 / 4 * Q / C - Q / (4 * C)) in * by (field; lra). lra.
Qed.

Theorem row_stays : apart 0 <= 1 / 32 -> 8 * C ^ 3 * eps 0 ^ 2 < 1 / 32 ->
  (forall s, 0 <= s <= h -> eps s <= eps 0) ->
  forall s, 0 <= s <= h -> apart s < 1 / 16 /\
  apart s <= apart 0 * exp (- (s / C)) + 8 * C ^ 3 * eps s ^ 2.
Proof.
  intros A0 E0 down. pose proof C_pos as HC.
  assert (main : forall g, 0 <= g <= h -> (forall r, 0 <= r <= g -> apart r <= 1 / 16) ->
    forall s, 0 <= s <= g -> apart s <= apart 0 * exp (- (s / C)) + 8 * C ^ 3 * eps s ^ 2).
  { intros g Hg H16 s Hs.
    pose proof (fading_leaks_are_forgotten apart (fun s =>
      - (Sum n (fun c => x c s * (1 - exp (- x c s))) / C)
      + Sum n (fun c => x c s * (e c s - Sum n (fun b => e b s) / C)))
      (fun s => 4 * C ^ 2 * eps s ^ 2) (fun s => 4 * C ^ 2 * (2 * eps s * deps s)) (1 / C) g
      ltac:(apply Rdiv_lt_0_compat; lra)) as F.
    assert (K : 0 <= 4 * C ^ 2) by (pose proof (pow2_ge_0 C); lra).
    specialize (F (fun s H => apart_flow s ltac:(lra))).
    assert (F1 : forall s, 0 <= s <= g ->
      is_derive (fun s => 4 * C ^ 2 * eps s ^ 2) s (4 * C ^ 2 * (2 * eps s * deps s))).
    { intros r Hr. evar_last.
      - apply (is_derive_scal (fun s => eps s ^ 2) r (4 * C ^ 2)).
        apply (is_derive_pow eps 2 r (deps r)). apply eps_flow. lra.
      - simpl. ring. }
    specialize (F F1 (fun s H => apart_pulled s ltac:(lra) (H16 s ltac:(lra)))).
    assert (F2 : forall s, 0 <= s <= g ->
      - (1 / C / 2) * (4 * C ^ 2 * eps s ^ 2) <= 4 * C ^ 2 * (2 * eps s * deps s)).
    { intros r Hr. pose proof (eps_slow r ltac:(lra)) as S. pose proof (eps_nonneg r ltac:(lra)).
      apply (Rmult_le_compat_l (2 * eps r)) in S; [|lra].
      apply (Rmult_le_compat_l (4 * C ^ 2)) in S; [|lra].
      replace (- (1 / C / 2) * (4 * C ^ 2 * eps r ^ 2))
        with (4 * C ^ 2 * (2 * eps r * - (eps r / (4 * C)))) by (field; lra). exact S. }
    specialize (F F2 s Hs). cbv beta in F.
    replace (2 / (1 / C) * (4 * C ^ 2 * eps s ^ 2)) with (8 * C ^ 3 * eps s ^ 2) in F
      by (field; lra).
    replace (2 / (1 / C) * (4 * C ^ 2 * eps 0 ^ 2)) with (8 * C ^ 3 * eps 0 ^ 2) in F
      by (field; lra).
    replace (1 / C * s) with (s / C) in F by (field; lra).
    assert (B : 0 <= 8 * C ^ 3 * eps 0 ^ 2).
    { apply Rmult_le_pos; [|apply pow2_ge_0]. apply Rmult_le_pos; [lra|]. apply pow_le. lra. }
    pose proof (exp_pos (- (s / C))) as P. set (B0 := 8 * C ^ 3 * eps 0 ^ 2) in *.
    set (Bs := 8 * C ^ 3 * eps s ^ 2) in *.
    assert (0 <= B0 * exp (- (s / C))) by (apply Rmult_le_pos; [exact B|left; exact P]). lra. }
  assert (stays : forall s, 0 <= s <= h -> apart s < 1 / 16).
  { apply forever; [exact h_nonneg| |lra|].
    - intros s Hs. apply (ex_derive_continuous apart). eexists. apply apart_flow. exact Hs.
    - intros s Hs H16. pose proof (main s Hs H16 s ltac:(lra)) as M.
      assert (X1 : exp (- (s / C)) <= 1).
      { rewrite <- exp_0. apply exp_le_mono.
        assert (0 <= s / C) by (apply le_div; lra). lra. }
      pose proof (exp_pos (- (s / C))).
      pose proof (down s Hs). pose proof (eps_nonneg s Hs).
      assert (eps s ^ 2 <= eps 0 ^ 2) by (apply pow_incr; lra).
      assert (0 <= 8 * C ^ 3) by (apply Rmult_le_pos; [lra|apply pow_le; lra]).
      assert (8 * C ^ 3 * eps s ^ 2 <= 8 * C ^ 3 * eps 0 ^ 2) by (apply Rmult_le_compat_l; lra).
      assert (apart 0 * exp (- (s / C)) <= 1 / 32) by nra. lra. }
  intros s Hs. split; [apply stays; exact Hs|].
  apply (main s); [lra| |lra]. intros r Hr. left. apply stays. lra.
Qed.
End Row.

(* THEOREM pair_bound | holds-as-printed | what one pair can add to the distance *)
(* THEOREM drift | holds-as-printed | the squared distance from W ln T grows by at most 2 C ln T, whatever lead W asks of each pair *)
(* THEOREM direction | holds-as-printed | Z / ln T goes to W, within O(1 / sqrt(ln T)) *)
(* THEOREM leaks_are_forgotten | holds-as-printed | a scalar force known up to e holds e^x near a, and the start is forgotten *)
(* THEOREM forever | holds-as-printed | what holds strictly whenever it has held so far, holds to the end *)
(* THEOREM fading_leaks_are_forgotten | holds-as-printed | a pull of rate k forgets leaks as fast as they fade, if they fade at most half as fast *)
(* THEOREM row_stays | holds-as-printed | any number of labels: the row of a winner stays near its asymptote, within the leaks of the moment *)
