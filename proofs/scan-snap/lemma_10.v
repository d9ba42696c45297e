(* Lemma 10 of "Scan and Snap" (Appendix D.4), Eqs. (58), (59).

   The space is that of the K^N lists of N labels, each drawn with the probabilities P
   (Shared.chance).  Proved for every K, P, N >= 1, every label n and delta in (0,1):
   - (59), Hoeffding's inequality, and with it the lemma: with probability at least 1 - delta,
     |N_n - up| <= sqrt((N/2) ln(2/delta)) + 1, up being N P(n) rounded up; for all K labels at once
     with delta/K in the place of delta;
   - the second inequality of (58), printed for every N and delta in (0,1),
     sqrt((N/2) ln(2/delta)) + 1 < sqrt(N ln(2/delta)): with x = N ln(2/delta) it holds exactly when
     x > 2/(sqrt 2 - 1)^2 = 6 + 4 sqrt 2 (about 11.66), for all real N > 0; so it fails at N = 1
     for every delta in [1/50, 1), and at N = 16 for delta = 99/100 (refuted).  It holds for every
     delta once N >= 17, and then |N_n - up| < sqrt(N ln(2/delta)) with probability 1 - delta. *)
From Coq Require Import Reals Lra Lia List.
From Shared Require Import sums calculus numbers chance.
Open Scope R_scope.

Definition radius (N delta : R) : R := sqrt (N / 2 * ln (2 / delta)).
Definition printed_radius (N delta : R) : R := sqrt (N * ln (2 / delta)).

Lemma log_pos : forall delta, 0 < delta < 1 -> ln 2 < ln (2 / delta).
Proof.
  intros d Hd. apply ln_increasing; [lra|]. apply lt_div; lra.
Qed.

(* exactly when *)
Theorem equation_58_exactly : forall N delta, 0 < N -> 0 < delta < 1 ->
  (radius N delta + 1 < printed_radius N delta <-> 6 + 4 * sqrt 2 < N * ln (2 / delta)).
Proof.
  intros N d HN Hd. unfold radius, printed_radius. pose proof (log_pos d Hd) as L.
  pose proof ln_2_lower as L2.
  assert (X : 0 < N * ln (2 / d)) by (apply Rmult_lt_0_compat; lra).
  set (x := N * ln (2 / d)) in *. replace (N / 2 * ln (2 / d)) with (x / 2) by (unfold x; field).
  set (r := sqrt (x / 2)). assert (R0 : 0 < r) by (apply sqrt_lt_R0; lra).
  assert (Rr : r * r = x / 2) by (apply sqrt_sqrt; lra).
  pose proof sqrt_2_bounds as S. assert (SS : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
  assert (E : sqrt x = sqrt 2 * r).
  { unfold r. rewrite <- sqrt_mult by lra. f_equal. field. }
  rewrite E.
  (* r (sqrt 2 - 1) > 1, that is r > sqrt 2 + 1, that is r^2 > 3 + 2 sqrt 2 *)
  split; intros H.
  - assert (sqrt 2 + 1 < r).
    { apply Rmult_lt_reg_r with (sqrt 2 - 1); [lra|]. lra. }
    assert ((sqrt 2 + 1) * (sqrt 2 + 1) < r * r) by nra. lra.
  - assert (Q : (sqrt 2 + 1) * (sqrt 2 + 1) < r * r) by lra.
    assert (sqrt 2 + 1 < r) by nra.
    assert ((sqrt 2 + 1) * (sqrt 2 - 1) < r * (sqrt 2 - 1)) by (apply Rmult_lt_compat_r; lra). lra.
Qed.

(* from N = 17 on for every delta *)
Theorem equation_58_from_17 : forall N delta, 17 <= N -> 0 < delta < 1 ->
  radius N delta + 1 < printed_radius N delta.
Proof.
  intros N d HN Hd. apply equation_58_exactly; [lra|auto|].
  pose proof (log_pos d Hd). pose proof sqrt_2_bounds.
  pose proof ln_2_lower.
  assert (17 * ln 2 <= N * ln (2 / d)) by (apply Rmult_le_compat; lra). lra.
Qed.

(* at N = 16 it fails for delta near 1, so 17 cannot be lowered *)
Theorem equation_58_refuted : ~ (forall N delta, 1 <= N -> 0 < delta < 1 ->
  radius N delta + 1 < printed_radius N delta).
Proof.
  intros H. specialize (H 16 (99 / 100) ltac:(lra) ltac:(lra)).
  apply equation_58_exactly in H; try lra.
  pose proof ln_200_99_upper. pose proof sqrt_2_bounds. lra.
Qed.

(* N = 1: for no delta of the size that is used *)
Theorem equation_58_one_step_refuted : forall delta, 1 / 50 <= delta < 1 ->
  ~ radius 1 delta + 1 < printed_radius 1 delta.
Proof.
  intros d Hd H. apply equation_58_exactly in H; try lra.
  assert (ln (2 / d) <= ln 100).
  { apply ln_le_mono; [apply Rdiv_lt_0_compat; lra|]. apply div_le; lra. }
  pose proof ln_100_upper. pose proof sqrt_2_bounds. lra.
Qed.

(* The first inequality, from (59): there the right side 2 exp(-2 N x^2) is delta at
   x = radius/N; and a count within r of the mean is within r + 1 of the mean rounded up. *)
Theorem equation_59_radius : forall N delta, 0 < N -> 0 < delta < 1 ->
  2 * exp (- 2 * N * (radius N delta / N) ^ 2) = delta.
Proof.
  intros N d HN Hd. pose proof (log_pos d Hd) as L. pose proof ln_2_lower as L2.
  assert (S : radius N d * radius N d = N / 2 * ln (2 / d)).
  { apply sqrt_sqrt. apply Rmult_le_pos; lra. }
  replace (- 2 * N * (radius N d / N) ^ 2) with (- (2 / N * (radius N d * radius N d)))
    by (field; lra).
  rewrite S. replace (- (2 / N * (N / 2 * ln (2 / d)))) with (- ln (2 / d)) by (field; lra).
  rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.

Theorem equation_58_rounding : forall count mean up r,
  mean <= up < mean + 1 -> Rabs (count - mean) <= r -> Rabs (count - up) <= r + 1.
Proof.
  intros count mean up r H B. apply Rabs_bounds in B. apply Rabs_le. lra.
Qed.

(* ------------------------------------------------------------------ the probability *)

Section Draws.
Variables (K : nat) (P : nat -> R) (N : nat).
Hypothesis lawful : law K P.
Hypothesis N_pos : (0 < N)%nat.

Lemma steps_pos : 0 < INR N.
Proof. apply lt_0_INR; auto. Qed.

(* (59) *)
Theorem equation_59 : forall n t, (n < K)%nat -> 0 <= t ->
  prob K P N (fun w => beyond (P n) t (INR (visits n w) / INR N)) <= 2 * exp (- 2 * INR N * t ^ 2).
Proof.
  intros n t Hn Ht. pose proof steps_pos as N0.
  apply Rle_trans with (2 := hoeffding K P lawful n Hn N t N_pos Ht).
  apply prob_le; auto. intros w _. unfold beyond.
  destruct (Rle_dec t _) as [H|]; [|discriminate]. intros _.
  destruct (Rle_dec (INR N * t) _) as [|F]; [reflexivity|]. exfalso. apply F.
  replace (INR (visits n w) - INR N * P n) with (INR N * (INR (visits n w) / INR N - P n))
    by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (INR N)) by lra. apply Rmult_le_compat_l; lra.
Qed.

(* the first half of (58), with its probability *)
Theorem lemma_10 : forall n delta up, (n < K)%nat -> 0 < delta < 1 ->
  INR N * P n <= up < INR N * P n + 1 ->
  1 - delta <= prob K P N (fun w => inside up (radius (INR N) delta + 1) (INR (visits n w))).
Proof.
  intros n d up Hn Hd Hup. pose proof steps_pos as N0.
  pose proof (hoeffding K P lawful n Hn N (radius (INR N) d / INR N) N_pos) as H.
  rewrite equation_59_radius in H by auto.
  replace (INR N * (radius (INR N) d / INR N)) with (radius (INR N) d) in H by (field; lra).
  apply Rle_trans with (prob K P N (fun w => negb (beyond (INR N * P n) (radius (INR N) d)
    (INR (visits n w))))).
  - rewrite prob_not by auto. apply Rplus_le_compat_l, Ropp_le_contravar, H.
    apply le_div; auto. rewrite Rmult_0_l. apply sqrt_pos.
  - apply prob_le; auto. intros w _. unfold beyond, inside.
    destruct (Rle_dec (radius (INR N) d) _) as [|F]; [discriminate|]. intros _.
    destruct (Rle_dec (Rabs (INR (visits n w) - up)) _) as [|G]; [reflexivity|]. exfalso. apply G.
    apply (equation_58_rounding _ (INR N * P n)); [auto|lra].
Qed.

(* both halves, from N = 17 on *)
Theorem equation_58_outer : forall n delta up, (n < K)%nat -> 0 < delta < 1 -> (17 <= N)%nat ->
  INR N * P n <= up < INR N * P n + 1 ->
  1 - delta <= prob K P N (fun w => negb (beyond up (printed_radius (INR N) delta)
    (INR (visits n w)))).
Proof.
  intros n d up Hn Hd H17 Hup. apply Rle_trans with (1 := lemma_10 n d up Hn Hd Hup).
  apply le_INR in H17. replace (INR 17) with 17 in H17 by (simpl; ring).
  pose proof (equation_58_from_17 (INR N) d H17 Hd).
  apply prob_le; auto. intros w _. unfold inside, beyond.
  destruct (Rle_dec (Rabs (INR (visits n w) - up)) _); [|discriminate]. intros _.
  destruct (Rle_dec (printed_radius (INR N) d) _); [exfalso; lra|reflexivity].
Qed.

(* all labels at once *)
Theorem lemma_10_all_classes : forall delta (up : nat -> R), 0 < delta < 1 ->
  (forall n, (n < K)%nat -> INR N * P n <= up n < INR N * P n + 1) ->
  1 - delta <= prob K P N (fun w => every K (fun n =>
    inside (up n) (radius (INR N) (delta / INR K) + 1) (INR (visits n w)))).
Proof.
  intros d up Hd Hup.
  assert (K1 : 1 <= INR K).
  { apply (le_INR 1). destruct K as [|k]; [|lia]. destruct lawful as [_ S]. simpl in S. lra. }
  replace d with (INR K * (d / INR K)) at 1 by (field; lra).
  apply union_bound; auto. intros n Hn. apply lemma_10; auto. split.
  - apply Rdiv_lt_0_compat; lra.
  - apply div_lt; lra.
Qed.
End Draws.

(* THEOREM equation_59 | holds-as-printed | Hoeffding's inequality for a frequency *)
(* THEOREM lemma_10 | holds-as-printed | the first half of (58) with probability 1 - delta *)
(* THEOREM equation_58_outer | holds-as-corrected | both halves of (58), from N = 17 on *)
(* THEOREM lemma_10_all_classes | holds-as-corrected | all classes at once, with delta/K *)
(* THEOREM equation_58_exactly | holds-as-corrected | the second half of (58) is true
   iff N ln(2/delta) > 6 + 4 sqrt 2 *)
(* THEOREM equation_58_from_17 | holds-as-corrected | true for every delta from N = 17 on *)
(* THEOREM equation_58_refuted | refuted-as-printed | the second half of (58) does not
   hold for every N and delta *)
(* THEOREM equation_58_one_step_refuted | refuted-as-printed | it fails
   at N = 1 for every delta >= 0.02 *)
(* THEOREM equation_59_radius | holds-as-printed | at the radius of (58) the bound (59) is delta *)
(* THEOREM equation_58_rounding | holds-as-printed | rounding the mean up costs at most 1 *)
(* BRIDGE radius | lib.scan_snap.concentration.hoeffding_radius | times N; N, delta *)
(* BRIDGE Shared.chance.prob | lib.scan_snap.concentration.miss_probability | N, P(n); ends of the
   interval *)
