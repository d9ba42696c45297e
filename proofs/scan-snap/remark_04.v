(* Remark 4 of "Scan and Snap" (Appendix D.4), Eq. (60).

   Setting: N labels drawn independently from K equally likely classes (Shared.chance); up is N/K
   rounded up (N-bar), reach is sqrt(N ln(1/delta)) rounded up (Delta).
   Proved for every K, N >= 1, every class n and 0 < delta <= 1/2: |N_n - up| <= reach + 1 with
   probability at least 1 - delta, which is the first half of (60) with the constant 1 and one more
   for the rounding; and reach/up <= sqrt(K^2/N ln(1/delta)) + K/N, which is small where
   N >> K^2, the second half.  (58) asks for ln(2/delta)/2 <= ln(1/delta), hence delta <= 1/2. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums calculus chance.
From ScanSnap Require Import lemma_10.
Open Scope R_scope.

Section Remark4.
Variables (K N : nat) (delta up reach : R).
Hypothesis K_pos : (0 < K)%nat.
Hypothesis N_pos : (0 < N)%nat.
Hypothesis level : 0 < delta <= / 2.
Hypothesis rounded : INR N / INR K <= up < INR N / INR K + 1.
Hypothesis reached : sqrt (INR N * ln (/ delta)) <= reach < sqrt (INR N * ln (/ delta)) + 1.

Lemma uniform : law K (fun _ => / INR K).
Proof.
  assert (0 < INR K) by (apply lt_0_INR; auto). split.
  - intros k _. left. apply Rinv_0_lt_compat; auto.
  - rewrite Sum_const. field. lra.
Qed.

Lemma radius_in_reach : radius (INR N) delta <= reach.
Proof.
  apply Rle_trans with (2 := proj1 reached). apply sqrt_le_1_alt.
  assert (L2 : ln 2 <= ln (/ delta)).
  { apply ln_le_mono; [lra|]. rewrite <- (Rinv_inv 2). apply Rinv_le_contravar; lra. }
  assert (0 < INR N) by (apply lt_0_INR; auto).
  unfold Rdiv at 2. rewrite ln_mult by (try apply Rinv_0_lt_compat; lra).
  assert (INR N * (ln 2 + ln (/ delta)) <= INR N * (2 * ln (/ delta)))
    by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Theorem equation_60 : forall n, (n < K)%nat ->
  1 - delta <= prob K (fun _ => / INR K) N (fun w => inside up (reach + 1) (INR (visits n w))).
Proof.
  intros n Hn.
  apply Rle_trans with (1 := lemma_10 K _ N uniform N_pos n delta up Hn ltac:(lra) rounded).
  apply prob_le; [apply uniform|]. intros w _. pose proof radius_in_reach. unfold inside.
  destruct (Rle_dec _ (radius (INR N) delta + 1)); [|discriminate]. intros _.
  destruct (Rle_dec _ (reach + 1)) as [|F]; [reflexivity|exfalso; apply F; lra].
Qed.

Theorem equation_60_small :
  reach / up <= sqrt (INR K ^ 2 / INR N * ln (/ delta)) + INR K / INR N.
Proof.
  assert (K0 : 0 < INR K) by (apply lt_0_INR; auto).
  assert (N0 : 0 < INR N) by (apply lt_0_INR; auto).
  assert (B : 0 < INR N / INR K) by (apply Rdiv_lt_0_compat; auto).
  assert (L : 0 <= ln (/ delta)).
  { rewrite <- ln_1. apply ln_le_mono; [lra|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  pose proof (sqrt_pos (INR N * ln (/ delta))) as S0.
  apply Rle_trans with ((sqrt (INR N * ln (/ delta)) + 1) / (INR N / INR K)).
  - apply div_le; [lra|].
    apply Rle_trans with ((sqrt (INR N * ln (/ delta)) + 1) / (INR N / INR K) * (INR N / INR K)).
    + replace ((sqrt (INR N * ln (/ delta)) + 1) / (INR N / INR K) * (INR N / INR K)) with
        (sqrt (INR N * ln (/ delta)) + 1) by (field; split; lra). lra.
    + apply Rmult_le_compat_l; [|lra]. left. apply Rdiv_lt_0_compat; lra.
  - right. replace (INR K ^ 2 / INR N * ln (/ delta)) with
      ((INR K / INR N) ^ 2 * (INR N * ln (/ delta))) by (field; lra).
    rewrite (sqrt_mult_alt ((INR K / INR N) ^ 2)) by apply pow2_ge_0. rewrite sqrt_pow2.
    + field. split; lra.
    + left. apply Rdiv_lt_0_compat; auto.
Qed.
End Remark4.

(* THEOREM equation_60 | holds-as-printed | |N_n - N-bar| <= Delta + 1 with probability 1 - delta,
   for delta <= 1/2 *)
(* THEOREM equation_60_small | holds-as-printed | Delta/N-bar is small where N >> K^2 *)
