(* Remark 3 of "Scan and Snap" (Appendix D.3): after the first step only the upper zero matters.

   Proved for every solution h of (44), every real M >= 4 and 0 < eta_Y <= 1:
   eta_Y/(M + e - 2) <= h(1) <= eta_Y/M, the lower bound off by less than 3/4 h(1)/(M + e - 2);
   and M h(1) is past the lower zero low = M^(-(1-omega_0)) exactly for M eta_Y >= 2 e^low - 1, so at the latest for eta_Y >= 2 low.
   Correction: "1/M^(1-omega_0) > 1/M^0.99" is the wrong way round for every M >= 100 (refuted):
   1/M^(1-omega_0) < 1/M^0.99. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder numbers.
From ScanSnap Require Import lemma_08.
Open Scope R_scope.

Lemma exp_1_above_2 : 2 < exp 1.
Proof.
  apply Rlt_le_trans with (25 / 10); [lra|]. low (1 / 2) (16 / 10). apply seed_lower; lra.
Qed.

Lemma exp_1_below_275 : exp 1 <= 275 / 100.
Proof.
  up (1 / 2) (1655 / 1000). up (1 / 4) (1286 / 1000). up (1 / 8) (1134 / 1000).
  apply seed_upper; lra.
Qed.

Lemma chord_to_1 : forall x, 0 <= x <= 1 -> exp x <= 1 + (exp 1 - 1) * x.
Proof.
  intros x [[L|L] [U|U]]; subst; rewrite ?exp_0; try lra.
  pose proof (exp_chord 0 x 1 ltac:(lra)) as C. rewrite exp_0 in C. lra.
Qed.

Section Remark3.
Variables (M eta : R) (h : R -> R).
Hypothesis M_big : 4 <= M.
Hypothesis eta_in : 0 < eta <= 1.
Hypothesis flow : decoder_flow M eta h.

Lemma after_one_step : exp (M * h 1) + (M - 1) * (M * h 1) = M * eta + 1.
Proof. pose proof (flow_implicit M eta h ltac:(lra) flow 1 ltac:(lra)). lra. Qed.

Lemma first_in : 0 <= M * h 1 <= 1.
Proof.
  pose proof after_one_step as E. pose proof exp_1_above_2. split.
  - pose proof (flow_nonneg M eta h 1 ltac:(lra) ltac:(lra)
      (flow_implicit M eta h ltac:(lra) flow) ltac:(lra)). nra.
  - destruct (Rle_or_lt (M * h 1) 1) as [ok|no]; auto.
    pose proof (exp_increasing 1 _ no). nra.
Qed.

(* the lower bound h(1) >= eta_Y/(M + e - 2) misses by less than 3/4 h(1)/(M + e - 2) *)
Theorem first_step : h 1 <= eta / M /\ 0 <= (M + exp 1 - 2) * h 1 - eta <= 3 / 4 * h 1.
Proof.
  pose proof after_one_step as E. pose proof first_in as I. pose proof exp_1_above_2.
  pose proof (chord_to_1 _ I) as C. pose proof (exp_ge_line (M * h 1)) as L.
  pose proof exp_1_below_275. split; [|split].
  - apply le_div; [lra|]. nra.
  - apply Rmult_le_reg_l with M; [lra|]. nra.
  - apply Rmult_le_reg_l with M; [lra|]. nra.
Qed.

Variables low high : R.
Hypothesis low_in : 0 < low < 1.
Hypothesis high_in : ln M < high < 2 * ln M.
Hypothesis high_gt1 : 1 < high.
Hypothesis low_zero : zero M low.

(* the rate from which the first step passes the lower zero *)
Theorem past_the_end : low <= M * h 1 <-> 2 * exp low - 1 <= M * eta.
Proof.
  pose proof after_one_step as E. unfold zero in low_zero. split; intros H.
  - pose proof (exp_le_mono _ _ H). nra.
  - destruct (Rle_or_lt low (M * h 1)) as [ok|no]; auto.
    pose proof (exp_increasing _ _ no). nra.
Qed.

Theorem twice_is_enough : 2 * Rpower M (- (1 - omega_0 M low)) <= eta -> low <= M * h 1.
Proof.
  intros H. rewrite <- (low_power M low high) in H by auto. apply past_the_end. unfold zero in low_zero.
  rewrite low_zero. nra.
Qed.

(* the chain the wrong way round *)
Theorem chain_refuted : 100 <= M -> / Rpower M (1 - omega_0 M low) < / Rpower M (99 / 100).
Proof.
  intros H. pose proof (omega_0_hundredth M low high M_big low_in high_in high_gt1 low_zero H) as S.
  assert (P : 0 < Rpower M (99 / 100)) by apply exp_pos.
  assert (Q : 0 < Rpower M (1 - omega_0 M low)) by apply exp_pos.
  apply Rinv_lt_contravar; [apply Rmult_lt_0_compat; auto|].
  apply Rpower_lt; lra.
Qed.
End Remark3.

(* THEOREM first_step | holds-as-printed | eta_Y/(M+e-2) <= h(1) <= eta_Y/M for eta_Y <= 1 *)
(* THEOREM past_the_end | holds-as-printed | past the lower zero iff M eta_Y >= 2 e^low - 1 *)
(* THEOREM twice_is_enough | holds-as-printed | past the lower zero from
   eta_Y = 2 M^(-(1-omega_0)) on *)
(* THEOREM chain_refuted | refuted-as-printed | 1/M^(1-omega_0) < 1/M^0.99, M >= 100 *)
