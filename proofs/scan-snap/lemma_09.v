(* Lemma 9 of "Scan and Snap" (Appendix D.3), Eqs. (52)-(57), and Theorem 1(b).

   With u = M h(t/K), tau = eta_Y t/K and gamma of Remark 3; high = (1 + omega_1) ln M is the
   upper zero of Lemma 8.  Proved for every real M > 1, K > 0, eta_Y > 0 and every solution h of
   (44):
   - h <= eta_Y t/(M K) and gamma <= eta_Y t/K at every t >= 0: the printed O(.) with the
     constant 1;
   - stage 1, tau <= ln M: e^u <= M-1 for M >= 5 (52); e^u <= (M-1) u from the lower zero on,
     that is exactly once M tau >= 2 (M-1) low - 1, so not at t = 0 (the printed "t <= K ln M/eta_Y"
     starts there; the paper means t >= 1 with t/K rounded up);
   - stage 2, tau >= 2 (1+omega_1) ln M: e^u >= max(M-1, (M-1) u), h <= ln(M tau + 1)/M, gamma <=
     2 ln(M tau + 1)/tau: the printed O(.) with the constant 2. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder numbers.
Open Scope R_scope.

Section Lemma9.
Variables (M K eta_Y : R) (h : R -> R).
Hypothesis M_gt1 : 1 < M.
Hypothesis K_pos : 0 < K.
Hypothesis eta_pos : 0 < eta_Y.
Hypothesis flow : decoder_flow M eta_Y h.

Definition height (t : R) : R := M * h (t / K).
Definition tau (t : R) : R := eta_Y * t / K.
(* Remark 3 *)
Definition gamma (t : R) : R := (M - 1) ^ 2 * h (t / K) / (M - 1 + exp (M * h (t / K))).

(* (45) in u and tau *)
Lemma balance : forall t, 0 <= t ->
  0 <= height t /\ exp (height t) + (M - 1) * height t = M * tau t + 1.
Proof.
  intros t Ht. assert (Hs : 0 <= t / K) by (apply le_div; lra).
  pose proof (flow_implicit M eta_Y h M_gt1 flow) as I.
  pose proof (flow_nonneg M eta_Y h (t / K) M_gt1 eta_pos I Hs) as N.
  pose proof (I (t / K) Hs) as E. unfold height, tau. split; [apply Rmult_le_pos; lra|].
  replace (M * (eta_Y * t / K)) with (M * eta_Y * (t / K)) by (field; lra). lra.
Qed.

Lemma h_of_height : forall t, h (t / K) = height t / M.
Proof. intros t. unfold height. field. lra. Qed.

(* (53), (54), at every time *)
Theorem upper_bounds : forall t, 0 <= t ->
  h (t / K) <= eta_Y * t / (M * K) /\ gamma t <= eta_Y * t / K.
Proof.
  intros t Ht. destruct (balance t Ht) as [U E]. pose proof (exp_ge_line (height t)) as X.
  assert (B : height t <= tau t) by nra. split.
  - rewrite h_of_height. apply div_le; [lra|]. unfold tau in B.
    replace (eta_Y * t / (M * K) * M) with (eta_Y * t / K) by (field; lra). exact B.
  - unfold gamma. fold (height t). fold (tau t). rewrite h_of_height.
    pose proof (exp_pos (height t)). apply div_le; [lra|].
    apply Rle_trans with ((M - 1) * height t).
    + replace ((M - 1) ^ 2 * (height t / M)) with ((M - 1) * height t * ((M - 1) / M)) by
        (field; lra).
      assert ((M - 1) / M <= 1) by (apply div_le; lra).
      assert (0 <= (M - 1) * height t) by (apply Rmult_le_pos; lra).
      rewrite <- (Rmult_1_r ((M - 1) * height t)) at 2. apply Rmult_le_compat_l; auto.
    + assert (0 <= tau t * exp (height t)) by (apply Rmult_le_pos; lra). nra.
Qed.

(* (52): M - 2 + (M-1) ln(M-1) > M ln M *)
Lemma half_time : 5 <= M -> M * ln M < M - 2 + (M - 1) * ln (M - 1).
Proof.
  (* M ln M - (M-1) ln(M-1) = ln M + (M-1) ln(M/(M-1)) <= ln M + 1, and ln M + 3 < M from 5 on *)
  intros H. assert (A : ln M - ln (M - 1) <= / (M - 1)).
  { rewrite <- ln_div by lra. assert (P : 0 < M / (M - 1)) by (apply Rdiv_lt_0_compat; lra).
    apply Rle_trans with (1 := ln_le_line _ P). right. field. lra. }
  apply (Rmult_le_compat_l (M - 1)) in A; [|lra]. rewrite Rinv_r in A by lra.
  assert (B : ln M < M - 3).
  { assert (ln M <= M / 5 + (ln 5 - 1)).
    { replace M with (5 * (M / 5)) at 1 by field. rewrite ln_mult by lra.
      pose proof (ln_le_line (M / 5) ltac:(lra)). lra. }
    pose proof ln_5_below. lra. }
  lra.
Qed.

Theorem stage_1 : 5 <= M -> forall t, 0 <= t -> tau t <= ln M -> exp (height t) <= M - 1.
Proof.
  intros H t Ht T. destruct (balance t Ht) as [U E]. pose proof (half_time H) as L.
  apply exp_le_of_ln; [lra|]. destruct (Rle_or_lt (height t) (ln (M - 1))) as [|N]; auto.
  exfalso. pose proof (exp_increasing _ _ N) as X. rewrite exp_ln in X by lra.
  assert (M * tau t <= M * ln M) by (apply Rmult_le_compat_l; lra).
  assert ((M - 1) * ln (M - 1) < (M - 1) * height t) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

(* the other half, from the lower zero on: the line is above the exponential *)
Theorem stage_1_line : forall low high, 0 < low < high ->
  (forall x, low <= x <= high -> exp x <= (M - 1) * x) ->
  exp low = (M - 1) * low -> ln (M - 1) <= high -> 5 <= M ->
  forall t, 0 <= t -> tau t <= ln M -> 2 * (M - 1) * low - 1 <= M * tau t ->
  exp (height t) <= (M - 1) * height t.
Proof.
  intros low high Hlh Hb Hl Hh HM t Ht T S. destruct (balance t Ht) as [U E].
  pose proof (stage_1 HM t Ht T) as X. apply Hb. split.
  - destruct (Rle_or_lt low (height t)) as [|N]; auto. exfalso.
    pose proof (exp_increasing _ _ N).
    assert ((M - 1) * height t < (M - 1) * low) by (apply Rmult_lt_compat_l; lra). lra.
  - apply Rle_trans with (2 := Hh). apply ln_le_of_exp; lra.
Qed.

(* as printed, from t = 0 on, it fails at t = 0, and at every time before the lower zero is passed *)
Theorem stage_1_from_zero_refuted : forall low, 0 < low ->
  (forall x, x < low -> (M - 1) * x < exp x) -> exp low = (M - 1) * low ->
  (0 <= tau 0 <= ln M /\ height 0 < low) /\
  forall t, 0 <= t -> (height t < low <-> M * tau t < 2 * (M - 1) * low - 1) /\
                      (height t < low -> (M - 1) * height t < exp (height t)).
Proof.
  intros low Pl below Hl. split.
  - assert (Z : tau 0 = 0) by (unfold tau; field; lra).
    assert (H0 : height 0 = 0).
    { unfold height. replace (0 / K) with 0 by (field; lra). rewrite (proj1 flow). ring. }
    assert (0 <= ln M) by (rewrite <- ln_1; apply ln_le_mono; lra). lra.
  - intros t Ht. destruct (balance t Ht) as [U E]. split; [split; intros H|auto].
    + pose proof (exp_increasing _ _ H).
      assert ((M - 1) * height t < (M - 1) * low) by (apply Rmult_lt_compat_l; lra). lra.
    + destruct (Rle_or_lt low (height t)) as [N|]; auto. exfalso.
      pose proof (exp_le_mono _ _ N).
      assert ((M - 1) * low <= (M - 1) * height t) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* stage 2: beyond the upper zero *)
Section Stage2.
Variable high : R.
Hypothesis high_gt1 : 1 <= high.
Hypothesis high_zero : exp high = (M - 1) * high.
Hypothesis beyond : forall x, high < x -> (M - 1) * x < exp x.

Lemma past_high : forall t, 0 <= t -> 2 * high <= tau t -> high < height t.
Proof.
  intros t Ht T. destruct (balance t Ht) as [U E].
  destruct (Rle_or_lt (height t) high) as [N|]; auto. exfalso.
  assert (exp (height t) <= exp high) by (apply exp_le_mono; auto).
  assert ((M - 1) * height t <= (M - 1) * high) by (apply Rmult_le_compat_l; lra).
  assert (M * (2 * high) <= M * tau t) by (apply Rmult_le_compat_l; lra). nra.
Qed.

Theorem stage_2 : forall t, 0 <= t -> 2 * high <= tau t ->
  M - 1 <= exp (height t) /\ (M - 1) * height t <= exp (height t) /\
  h (t / K) <= ln (M * tau t + 1) / M /\
  gamma t <= 2 * ln (M * tau t + 1) / tau t.
Proof.
  intros t Ht T. destruct (balance t Ht) as [U E]. pose proof (past_high t Ht T) as P.
  pose proof (beyond _ P) as B.
  assert (P1 : M - 1 <= (M - 1) * height t) by nra.
  assert (P2 : 0 <= (M - 1) * height t) by (apply Rmult_le_pos; lra).
  assert (L : height t <= ln (M * tau t + 1)) by (apply ln_le_of_exp; nra).
  repeat split; try lra.
  - rewrite h_of_height. apply div_le; [lra|].
    replace (ln (M * tau t + 1) / M * M) with (ln (M * tau t + 1)) by (field; lra). exact L.
  - unfold gamma. fold (height t). rewrite h_of_height.
    pose proof (exp_pos (height t)) as Q. apply div_le; [lra|].
    replace (2 * ln (M * tau t + 1) / tau t * (M - 1 + exp (height t)))
      with (ln (M * tau t + 1) * (2 * (M - 1 + exp (height t)) / tau t)) by (field; lra).
    (* M - 1 + e^u >= (M tau + 1)/2 *)
    assert (R : M - 1 <= 2 * (M - 1 + exp (height t)) / tau t).
    { apply le_div; [lra|]. lra. }
    apply Rle_trans with (height t * (M - 1)).
    + replace ((M - 1) ^ 2 * (height t / M)) with (height t * (M - 1) * ((M - 1) / M)) by
        (field; lra).
      assert ((M - 1) / M <= 1) by (apply div_le; lra).
      assert (0 <= height t * (M - 1)) by (apply Rmult_le_pos; lra).
      rewrite <- (Rmult_1_r (height t * (M - 1))) at 2. apply Rmult_le_compat_l; auto.
    + apply Rmult_le_compat; lra.
Qed.

(* the other side, so that the ln M in Theorem 1(b) is seen to be there: gamma at t_0 and beyond *)
Theorem stage_2_lower : forall t, 0 <= t -> 2 * high <= tau t ->
  (M - 1) ^ 2 / M * high / (2 * (M * tau t + 1)) <= gamma t.
Proof.
  intros t Ht T. destruct (balance t Ht) as [U E]. pose proof (past_high t Ht T) as P.
  pose proof (beyond _ P) as B. unfold gamma. fold (height t). rewrite h_of_height.
  pose proof (exp_pos (height t)) as Q.
  assert (P1 : M - 1 <= (M - 1) * height t) by nra.
  replace ((M - 1) ^ 2 * (height t / M)) with ((M - 1) ^ 2 / M * height t) by (field; lra).
  assert (C : 0 <= (M - 1) ^ 2 / M) by (apply le_div; [lra|nra]).
  unfold Rdiv. apply Rmult_le_compat.
  - apply Rmult_le_pos; [exact C|lra].
  - left. apply Rinv_0_lt_compat. lra.
  - apply Rmult_le_compat_l; [exact C|lra].
  - apply Rinv_le_contravar; lra.
Qed.
End Stage2.
End Lemma9.

(* THEOREM upper_bounds | holds-as-printed | h <= eta_Y t/(MK), gamma <= eta_Y t/K at every time *)
(* THEOREM stage_1 | holds-as-printed | e^(Mh) <= M-1 up to K ln(M)/eta_Y, for every M >= 5 *)
(* THEOREM stage_1_line | holds-as-corrected | e^(Mh) <= (M-1) M h once M h passed the lower zero *)
(* THEOREM stage_1_from_zero_refuted | refuted-as-printed | e^(Mh) <= (M-1) M h fails at t = 0,
   for every M, and until M h passes the lower zero *)
(* THEOREM stage_2 | holds-as-printed | all four claims from 2(1+omega_1) K ln(M)/eta_Y on *)
(* THEOREM stage_2_lower | holds-as-corrected | gamma from below in stage 2 *)
(* BRIDGE gamma | lib.scan_snap.decoder.gamma | t, M, eta_y, K; h the solution of (45) *)
