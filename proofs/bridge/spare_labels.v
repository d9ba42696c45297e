(* Labels that answer nothing: the late equations of the common token in normalized attention.

   x is the logarithm of the error received, B what the common row has learned, y the share of the
   common token over B, both times the error received; kappa = (C - s) / (C - 1).  Exactly,
   y' = y (1 - y - A B^2 y (y - kappa)) and B' = y B.  Here r and the slope dn of a bounded n stand
   for what these equations leave out of the layer: whatever they are, as long as r and n are
   bounded and y stays between two positive numbers, ln B is kappa x and the gap is (1 - kappa) x,
   up to constants that are written out.  And y stays there if r is at most 1/2 and dn kappa / 2. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus.
Open Scope R_scope.

(* A function that does not rise where it is at a level or above it stays below it. *)
Lemma stays_below : forall (f df : R -> R) M, (forall s, 0 <= s -> is_derive f s (df s)) ->
  f 0 <= M -> (forall s, 0 <= s -> M <= f s -> df s <= 0) -> forall s, 0 <= s -> f s <= M.
Proof.
  intros f df M Hf H0 Hd s Hs. destruct (Rle_dec (f s) M) as [|N]; [assumption|]. exfalso.
  (* the last moment at which it was not above the level *)
  set (E := fun v => 0 <= v <= s /\ f v <= M).
  destruct (completeness E) as [m [M1 M2]].
  { exists s. intros v [Hv _]. lra. }
  { exists 0. split; [lra|exact H0]. }
  assert (Hm : 0 <= m <= s).
  { split; [apply M1; split; [lra|exact H0]|]. apply M2. intros v [Hv _]. lra. }
  assert (cont : forall v, 0 <= v -> continuous f v).
  { intros v Hv. apply (ex_derive_continuous f). eexists. apply Hf. exact Hv. }
  assert (at_m : f m <= M).
  { destruct (Rle_dec (f m) M) as [|G]; [assumption|]. exfalso.
    destruct (cont m ltac:(lra) _ (open_gt M (f m) ltac:(lra))) as [d Hd2].
    pose proof (cond_pos d) as P.
    assert (m <= m - d / 2); [|lra]. apply M2. intros v [Hv Fv].
    destruct (Rle_dec v (m - d / 2)) as [|K]; [assumption|]. exfalso.
    assert (v <= m) by (apply M1; split; assumption).
    assert (M < f v); [|lra]. apply Hd2. unfold ball; simpl;
      unfold AbsRing_ball, abs, minus, plus, opp; simpl. apply Rabs_def1; lra. }
  assert (ms : m < s).
  { destruct (Req_dec m s) as [->|]; lra. }
  (* between the two it is above and falls *)
  destruct (MVT_gen f m s df) as [c [Hc Ec]].
  { intros x [Hx Hy]. rewrite Rmin_left in Hx by lra. apply Hf. lra. }
  { intros x [Hx Hy]. rewrite Rmin_left in Hx by lra. apply continuity_pt_filterlim.
    apply cont. lra. }
  rewrite Rmin_left, Rmax_right in Hc by lra.
  assert (above : forall v, m < v <= s -> M < f v).
  { intros v Hv. destruct (Rle_dec (f v) M) as [G|]; [|lra]. exfalso.
    assert (v <= m); [|lra]. apply M1. split; [lra|exact G]. }
  assert (level : M <= f m).
  { destruct (Rle_dec M (f m)) as [|G]; [assumption|]. exfalso.
    destruct (cont m ltac:(lra) _ (open_lt M (f m) ltac:(lra))) as [d Hd2].
    pose proof (cond_pos d) as P. set (q := Rmin (d / 2) (s - m)).
    pose proof (Rmin_l (d / 2) (s - m)) as L1. pose proof (Rmin_r (d / 2) (s - m)) as L2.
    assert (0 < q) by (apply Rmin_glb_lt; lra). fold q in L1, L2.
    assert (f (m + q) < M).
    { apply Hd2. unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl.
      apply Rabs_def1; lra. }
    pose proof (above (m + q) ltac:(lra)). lra. }
  assert (M <= f c).
  { destruct (Req_dec c m) as [->|]; [exact level|]. left. apply above. lra. }
  pose proof (Hd c ltac:(lra) H). nra.
Qed.

Section Bounds.
Variables (A kappa : R) (y dy B r dn : R -> R).
Hypothesis A_pos : 0 < A.
Hypothesis kappa_in : 0 < kappa <= 1.
Hypothesis y_flow : forall x, 0 <= x ->
  is_derive y x (y x * (1 - y x - A * B x ^ 2 * y x * (y x - kappa - dn x) + r x)).
Hypothesis y_pos : forall x, 0 <= x -> 0 < y x.
Hypothesis r_half : forall x, 0 <= x -> Rabs (r x) <= 1 / 2.
Hypothesis dn_half : forall x, 0 <= x -> Rabs (dn x) <= kappa / 2.

Theorem share_stays : forall x, 0 <= x ->
  Rmin (y 0) (kappa / 2) <= y x <= Rmax (y 0) (3 / 2).
Proof.
  intros x Hx.
  assert (K : forall s, 0 <= s -> 0 <= A * B s ^ 2 * y s).
  { intros s Hs. pose proof (pow2_ge_0 (B s)). pose proof (y_pos s Hs).
    apply Rmult_le_pos; [apply Rmult_le_pos|]; lra. }
  split.
  - apply Ropp_le_cancel.
    apply (stays_below (fun s => - y s) (fun s =>
      - (y s * (1 - y s - A * B s ^ 2 * y s * (y s - kappa - dn s) + r s)))); [| | |exact Hx].
    + intros s Hs. apply (is_derive_opp y). apply y_flow. exact Hs.
    + apply Ropp_le_contravar. apply Rmin_l.
    + intros s Hs L. pose proof (Rmin_r (y 0) (kappa / 2)). pose proof (K s Hs).
      pose proof (y_pos s Hs). pose proof (Rabs_bounds _ _ (r_half s Hs)).
      pose proof (Rabs_bounds _ _ (dn_half s Hs)).
      assert (0 <= A * B s ^ 2 * y s * - (y s - kappa - dn s)) by (apply Rmult_le_pos; lra).
      assert (0 <= y s * (1 - y s - A * B s ^ 2 * y s * (y s - kappa - dn s) + r s))
        by (apply Rmult_le_pos; lra). lra.
  - apply (stays_below y (fun s =>
      y s * (1 - y s - A * B s ^ 2 * y s * (y s - kappa - dn s) + r s)));
      [exact y_flow| | |exact Hx].
    + apply Rmax_l.
    + intros s Hs L. pose proof (Rmax_r (y 0) (3 / 2)). pose proof (K s Hs).
      pose proof (y_pos s Hs). pose proof (Rabs_bounds _ _ (r_half s Hs)).
      pose proof (Rabs_bounds _ _ (dn_half s Hs)).
      assert (0 <= A * B s ^ 2 * y s * (y s - kappa - dn s)) by (apply Rmult_le_pos; lra).
      assert (0 <= y s * - (1 - y s - A * B s ^ 2 * y s * (y s - kappa - dn s) + r s))
        by (apply Rmult_le_pos; lra). lra.
Qed.
End Bounds.

Section Spare.
Variables (A kappa e0 n0 m M : R) (y B r n dn : R -> R).
Hypothesis A_pos : 0 < A.
Hypothesis y_flow : forall x, 0 <= x ->
  is_derive y x (y x * (1 - y x - A * B x ^ 2 * y x * (y x - kappa - dn x) + r x)).
Hypothesis B_flow : forall x, 0 <= x -> is_derive B x (y x * B x).
Hypothesis n_flow : forall x, 0 <= x -> is_derive n x (dn x).
Hypothesis r_small : forall x, 0 <= x -> Rabs (r x) <= e0.
Hypothesis n_small : forall x, 0 <= x -> Rabs (n x) <= n0.
Hypothesis B_pos : forall x, 0 <= x -> 0 < B x.
Hypothesis m_pos : 0 < m.
Hypothesis y_between : forall x, 0 <= x -> m <= y x <= M.

Let rest (x : R) : R := (1 + y x + r x) / y x.
Let level (x : R) : R := ln (B x) - kappa * x - n x - / (y x) / (A * B x ^ 2).

Lemma level_flow : forall x, 0 <= x -> is_derive level x (rest x / (A * B x ^ 2)).
Proof.
  intros x Hx. pose proof (B_pos x Hx). pose proof (y_between x Hx).
  pose proof (pow_lt (B x) 2 ltac:(lra)). unfold level. evar_last.
  - auto_derive.
    + assert (EB : ex_derive B x) by (exists (y x * B x); exact (B_flow x Hx)).
      assert (En : ex_derive n x) by (exists (dn x); exact (n_flow x Hx)).
      assert (Ey : ex_derive y x) by (eexists; exact (y_flow x Hx)).
      repeat match goal with |- _ /\ _ => split end;
        match goal with
        | |- True => exact I
        | |- ex_derive (fun s => B s) _ => exact EB
        | |- ex_derive B _ => exact EB
        | |- ex_derive (fun s => n s) _ => exact En
        | |- ex_derive n _ => exact En
        | |- ex_derive (fun s => y s) _ => exact Ey
        | |- ex_derive y _ => exact Ey
        | |- _ < _ => lra
        | |- _ <> _ => apply Rgt_not_eq; first [lra | apply Rmult_lt_0_compat; simpl in *; lra]
        end.
    + reflexivity.
  - change (Derive (fun x => B x) x) with (Derive B x).
    change (Derive (fun x => y x) x) with (Derive y x).
    change (Derive (fun x => n x) x) with (Derive n x).
    rewrite (is_derive_unique _ _ _ (B_flow x Hx)), (is_derive_unique _ _ _ (n_flow x Hx)),
      (is_derive_unique _ _ _ (y_flow x Hx)).
    unfold rest. field. repeat split; lra.
Qed.

Let worst : R := (1 + M + e0) / m.

Lemma rest_bounded : forall x, 0 <= x -> Rabs (rest x) <= worst.
Proof.
  intros x Hx. pose proof (y_between x Hx) as [Y1 Y2].
  unfold rest, worst, Rdiv. rewrite Rabs_mult.
  apply Rmult_le_compat; try apply Rabs_pos.
  - pose proof (Rabs_bounds _ _ (r_small x Hx)). apply Rabs_le. lra.
  - rewrite Rabs_pos_eq; [apply Rinv_le_contravar; lra|left; apply Rinv_0_lt_compat; lra].
Qed.

Lemma inverse_square_flow : forall x, 0 <= x ->
  is_derive (fun s => / B s ^ 2) x (- 2 * y x / B x ^ 2).
Proof.
  intros x Hx. pose proof (B_pos x Hx). pose proof (pow_lt (B x) 2 ltac:(lra)). evar_last.
  - auto_derive; [|reflexivity].
    split; [exists (y x * B x); exact (B_flow x Hx)|split; [|exact I]].
    apply Rgt_not_eq. simpl in *. lra.
  - change (Derive (fun x => B x) x) with (Derive B x).
    rewrite (is_derive_unique _ _ _ (B_flow x Hx)). field. lra.
Qed.

Let slack : R := worst / (2 * A * m).

Lemma one_way : forall sign, Rabs sign <= 1 -> forall x, 0 <= x ->
  sign * (level x - level 0) <= slack / B 0 ^ 2.
Proof.
  intros sign Hs x Hx.
  pose (G := fun s => - slack * / B s ^ 2 - sign * level s).
  assert (I : G 0 <= G x).
  { apply (increasing_flow G
      (fun s => - slack * (- 2 * y s / B s ^ 2) - sign * (rest s / (A * B s ^ 2)))); try lra.
    - intros s H. unfold G.
      apply (is_derive_minus (fun s => - slack * / B s ^ 2) (fun s => sign * level s)).
      + apply (is_derive_scal (fun s => / B s ^ 2)). apply inverse_square_flow; auto.
      + apply (is_derive_scal level). apply level_flow; auto.
    - intros s H. pose proof (B_pos s H). pose proof (pow_lt (B s) 2 ltac:(lra)).
      pose proof (y_between s H). pose proof (rest_bounded s H) as Q.
      assert (P : sign * rest s <= worst).
      { apply Rle_trans with (Rabs (sign * rest s)); [apply Rle_abs|]. rewrite Rabs_mult.
        apply Rle_trans with (1 * Rabs (rest s)); [|lra].
        apply Rmult_le_compat_r; [apply Rabs_pos|exact Hs]. }
      assert (0 <= worst) by (pose proof (Rabs_pos (rest s)); lra).
      replace (- slack * (- 2 * y s / B s ^ 2) - sign * (rest s / (A * B s ^ 2)))
        with ((worst * y s / m - sign * rest s) / (A * B s ^ 2))
        by (unfold slack; field; repeat split; lra).
      apply le_div; [apply Rmult_lt_0_compat; lra|]. rewrite Rmult_0_l.
      assert (worst <= worst * y s / m) 
        by (apply le_div; [lra|apply Rmult_le_compat_l; lra]). lra. }
  unfold G in I. pose proof (B_pos x Hx). pose proof (pow_lt (B x) 2 ltac:(lra)).
  assert (0 <= slack * / B x ^ 2).
  { pose proof (Rabs_pos (rest 0)). pose proof (rest_bounded 0 ltac:(lra)).
    apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; auto].
    unfold slack. apply le_div; [repeat apply Rmult_lt_0_compat; lra|lra]. }
  unfold Rdiv. lra.
Qed.

(* ln B stays within a constant of kappa x *)
Theorem common_row_learns : forall x, 0 <= x ->
  Rabs (ln (B x) - kappa * x - ln (B 0))
  <= slack / B 0 ^ 2 + 2 * n0 + / m / (A * B 0 ^ 2).
Proof.
  intros x Hx. pose proof (one_way 1 ltac:(rewrite Rabs_R1; lra) x Hx) as U.
  pose proof (one_way (-1) ltac:(rewrite Rabs_left; lra) x Hx) as L.
  assert (Z : 0 <= 0) by lra.
  pose proof (Rabs_bounds _ _ (n_small x Hx)). pose proof (Rabs_bounds _ _ (n_small 0 Z)).
  assert (T : forall s, 0 <= s -> 0 <= / (y s) / (A * B s ^ 2) <= / m / (A * B 0 ^ 2)).
  { intros s H1. pose proof (y_between s H1) as [Y1 Y2].
    pose proof (B_pos s H1). pose proof (B_pos 0 Z).
    assert (R1 : B 0 <= B s).
    { apply (increasing_flow B (fun s => y s * B s)); try lra; [exact B_flow|].
      intros v Hv. pose proof (B_pos v Hv). pose proof (y_between v Hv).
      apply Rmult_le_pos; lra. }
    assert (R2 : A * B 0 ^ 2 <= A * B s ^ 2)
      by (apply Rmult_le_compat_l; [|apply pow_incr]; lra).
    assert (0 < A * B 0 ^ 2) by (apply Rmult_lt_0_compat; [|apply pow_lt]; lra).
    assert (I : 0 < / (A * B s ^ 2)) by (apply Rinv_0_lt_compat; lra).
    assert (J : 0 < / y s) by (apply Rinv_0_lt_compat; lra). unfold Rdiv. split.
    - apply Rmult_le_pos; lra.
    - apply Rmult_le_compat; try lra; apply Rinv_le_contravar; lra. }
  pose proof (T x Hx). pose proof (T 0 Z). unfold level in U, L.
  rewrite Rmult_0_r in U, L. apply Rabs_le. split; lra.
Qed.

(* and so the gap, which is x less the logarithm of y B, grows with the slope 1 - kappa *)
Theorem spare_labels_slow : forall x, 0 <= x ->
  Rabs (x - ln (y x * B x) - (1 - kappa) * x + ln (B 0))
  <= slack / B 0 ^ 2 + 2 * n0 + / m / (A * B 0 ^ 2) + (Rabs (ln m) + Rabs (ln M)).
Proof.
  intros x Hx. pose proof (Rabs_bounds _ _ (common_row_learns x Hx)).
  pose proof (y_between x Hx) as [Y1 Y2]. pose proof (B_pos x Hx).
  pose proof (ln_le_mono m (y x) m_pos Y1). pose proof (ln_le_mono (y x) M ltac:(lra) Y2).
  pose proof (Rabs_maj2 (ln m)). pose proof (Rle_abs (ln M)).
  pose proof (Rabs_pos (ln m)). pose proof (Rabs_pos (ln M)).
  rewrite ln_mult by lra. apply Rabs_le. split; lra.
Qed.
End Spare.

(* Both together: errors of this size keep y where the law needs it. *)
Section Law.
Variables (A kappa n0 : R) (y B r n dn : R -> R).
Hypothesis A_pos : 0 < A.
Hypothesis kappa_in : 0 < kappa <= 1.
Hypothesis y_flow : forall x, 0 <= x ->
  is_derive y x (y x * (1 - y x - A * B x ^ 2 * y x * (y x - kappa - dn x) + r x)).
Hypothesis B_flow : forall x, 0 <= x -> is_derive B x (y x * B x).
Hypothesis n_flow : forall x, 0 <= x -> is_derive n x (dn x).
Hypothesis y_pos : forall x, 0 <= x -> 0 < y x.
Hypothesis B_pos : forall x, 0 <= x -> 0 < B x.
Hypothesis r_half : forall x, 0 <= x -> Rabs (r x) <= 1 / 2.
Hypothesis dn_half : forall x, 0 <= x -> Rabs (dn x) <= kappa / 2.
Hypothesis n_small : forall x, 0 <= x -> Rabs (n x) <= n0.

Theorem late_law : exists K, forall x, 0 <= x ->
  Rabs (x - ln (y x * B x) - (1 - kappa) * x) <= K.
Proof.
  assert (m_pos : 0 < Rmin (y 0) (kappa / 2)).
  { apply Rmin_glb_lt; [apply y_pos; lra|lra]. }
  pose proof (spare_labels_slow A kappa (1 / 2) n0 _ _ y B r n dn A_pos y_flow B_flow n_flow r_half
    n_small B_pos m_pos (share_stays A kappa y B r dn A_pos kappa_in y_flow y_pos r_half dn_half))
    as L.
  eexists. intros x Hx. specialize (L x Hx). cbv beta zeta in L.
  apply Rabs_bounds in L. pose proof (Rabs_maj2 (ln (B 0))). pose proof (Rle_abs (ln (B 0))).
  match type of L with _ <= _ <= ?c => instantiate (1 := c + Rabs (ln (B 0))) end.
  apply Rabs_le. lra.
Qed.
End Law.

(* THEOREM common_row_learns | holds-as-printed | late equations with errors r and n', where r and n are bounded, and y between two positive numbers: ln B is kappa x up to a constant *)
(* THEOREM spare_labels_slow | holds-as-printed | and the gap is (1 - kappa) x up to a constant *)
(* THEOREM share_stays | holds-as-printed | the share over B stays between two positive numbers, from any start *)
(* THEOREM late_law | holds-as-printed | late equations with small errors of a bounded sum: the gap is (1 - kappa) x up to a constant *)
