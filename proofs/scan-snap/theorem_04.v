(* Theorem 4 of "Scan and Snap" (Section 6, Appendix F), Eqs. (14), (118)-(131), and the count in
   (13).

   Setting: (118) z' = -C_0^(-1) eta_Z gamma e^(4z), z(0) = 0; (119) xi_n = C_0^(-1) gamma
   e^(4z); B_n = eta_Z int_0^t xi_n; gamma of (85) with the flow h of (44) at t/K.  Proved for
   every real M > 1, K > 0, all rates eta_Y, eta_Z > 0, every C_0 > 0 and every time t >= 0:
   - (122), (123), (128) as printed;
   - B_n = (1/4) ln(1 + 4 Gamma/C_0) = -z, so it starts at 0;
   - (124), (129) print (1/4) ln(C_0 + 4 Gamma): off by (1/4) ln C_0 at every single time, so
     wrong at every time unless C_0 = 1 (refuted), right if C_0 = 1;
   - (130), (131) with the constant corrected, as inequalities that hold at every time of the
     stage.
   On (13): K >= 2 classes of one query that share one token give K (K-1) in (118) and K-1 in
   (119), where K is printed for both (refuted: (119) always, (118) for K <> 2). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums calculus decoder lag.
Open Scope R_scope.

(* (85) with the continuous h at t/K *)
Definition gamma (M K : R) (h : R -> R) (t : R) : R :=
  (M - 1) ^ 2 * h (t / K) / (M - 1 + exp (M * h (t / K))).

(* (128): Gamma at the height h(t/K) *)
Definition big_gamma (M K eta_Y eta_Z height : R) : R :=
  eta_Z / eta_Y * (K * (M - 1) ^ 2 * height ^ 2 / 2).

(* (124) as it holds, and as printed *)
Definition gain (C0 Gam : R) : R := / 4 * ln (1 + 4 * Gam / C0).
Definition printed_gain (C0 Gam : R) : R := / 4 * ln (C0 + 4 * Gam).

Section Theorem4.
Variables (M K eta_Y eta_Z C0 : R) (h z B Gam xi : R -> R).
Hypothesis M_gt1 : 1 < M.
Hypothesis K_pos : 0 < K.
Hypothesis eta_Y_pos : 0 < eta_Y.
Hypothesis eta_Z_pos : 0 < eta_Z.
Hypothesis C0_pos : 0 < C0.
Hypothesis h_flow : decoder_flow M eta_Y h.
(* (118), (119) *)
Hypothesis z_start : z 0 = 0.
Hypothesis z_flow : forall t, 0 <= t ->
  is_derive z t (- / C0 * eta_Z * gamma M K h t * exp (4 * z t)).
Hypothesis xi_def : forall t, 0 <= t -> xi t = / C0 * gamma M K h t * exp (4 * z t).
(* Gamma(t) = eta_Z int_0^t gamma, B_n(t) = eta_Z int_0^t xi_n *)
Hypothesis Gam_start : Gam 0 = 0.
Hypothesis Gam_flow : forall t, 0 <= t -> is_derive Gam t (eta_Z * gamma M K h t).
Hypothesis B_start : B 0 = 0.
Hypothesis B_flow : forall t, 0 <= t -> is_derive B t (eta_Z * xi t).

Let implicit := flow_implicit M eta_Y h M_gt1 h_flow.

Lemma scaled_nonneg : forall t, 0 <= t -> 0 <= t / K.
Proof. intros t Ht. apply le_div; lra. Qed.

Lemma h_nonneg : forall t, 0 <= t -> 0 <= h (t / K).
Proof. intros t Ht. apply (flow_nonneg M eta_Y); auto. apply scaled_nonneg; auto. Qed.

(* (125)-(128): in the variable h the integrand is h itself *)
Theorem equation_128 : forall t, 0 <= t -> Gam t = big_gamma M K eta_Y eta_Z (h (t / K)).
Proof.
  intros t Ht. pose proof h_flow as [H0 Hd].
  assert (C : Gam t - big_gamma M K eta_Y eta_Z (h (t / K)) =
              Gam 0 - big_gamma M K eta_Y eta_Z (h (0 / K))).
  { apply (constant_flow (fun u => Gam u - big_gamma M K eta_Y eta_Z (h (u / K)))); auto.
    intros u Hu. unfold big_gamma. evar_last.
    - apply (is_derive_minus Gam); [apply Gam_flow; auto|].
      auto_derive; [|reflexivity]. eexists. apply (Hd (u / K)). apply scaled_nonneg; auto.
    - change (Derive (fun x => h x) (u * / K)) with (Derive h (u / K)).
      change (h (u * / K)) with (h (u / K)).
      rewrite (is_derive_unique _ _ _ (Hd (u / K) (scaled_nonneg u Hu))).
      unfold gamma, speed, minus, plus, opp; simpl.
      pose proof (exp_pos (M * h (u / K))). field. repeat split; lra. }
  unfold Rdiv in C. rewrite Rmult_0_l in C. rewrite H0, Gam_start in C.
  unfold big_gamma in *. unfold Rdiv in *. lra.
Qed.

Lemma Gam_nonneg : forall t, 0 <= t -> 0 <= Gam t.
Proof.
  intros t Ht. rewrite equation_128 by auto. unfold big_gamma.
  assert (0 < eta_Z / eta_Y) by (apply Rdiv_lt_0_compat; auto).
  pose proof (pow2_ge_0 (M - 1)). pose proof (pow2_ge_0 (h (t / K))).
  apply Rmult_le_pos; [lra|]. apply le_div; [lra|].
  assert (0 <= K * (M - 1) ^ 2) by (apply Rmult_le_pos; lra).
  assert (0 <= K * (M - 1) ^ 2 * h (t / K) ^ 2) by (apply Rmult_le_pos; lra). lra.
Qed.

(* (120)-(122) *)
Theorem equation_122 : forall t, 0 <= t -> exp (-4 * z t) = 4 * / C0 * Gam t + 1.
Proof.
  intros t Ht.
  assert (C : exp (-4 * z t) - 4 * / C0 * Gam t = exp (-4 * z 0) - 4 * / C0 * Gam 0).
  { apply (constant_flow (fun u => exp (-4 * z u) - 4 * / C0 * Gam u)); auto.
    intros u Hu. evar_last.
    - auto_derive; [repeat split; eexists; [apply z_flow|apply Gam_flow]; auto|reflexivity].
    - change (Derive (fun x => z x) u) with (Derive z u).
      change (Derive (fun x => Gam x) u) with (Derive Gam u).
      rewrite (is_derive_unique _ _ _ (z_flow u Hu)), (is_derive_unique _ _ _ (Gam_flow u Hu)).
      replace (4 * z u) with (- (-4 * z u)) by ring. rewrite exp_Ropp.
      pose proof (exp_pos (-4 * z u)). field. split; lra. }
  rewrite z_start, Gam_start, !Rmult_0_r, exp_0 in C. lra.
Qed.

(* (123) *)
Theorem equation_123 : forall t, 0 <= t -> xi t = gamma M K h t / (C0 + 4 * Gam t).
Proof.
  intros t Ht. rewrite xi_def by auto. pose proof (equation_122 t Ht) as E.
  replace (4 * z t) with (- (-4 * z t)) by ring. rewrite exp_Ropp, E.
  pose proof (Gam_nonneg t Ht). field. repeat split; try lra.
Qed.

(* the printed integrals say B' = -z', and both start at 0 *)
Theorem gain_is_loss : forall t, 0 <= t -> B t = - z t.
Proof.
  intros t Ht. assert (C : B t + z t = B 0 + z 0).
  { apply (constant_flow (fun u => B u + z u)); auto. intros u Hu.
    apply (derive_value _ _ _ _ (is_derive_plus B z u _ _ (B_flow u Hu) (z_flow u Hu))).
    rewrite xi_def by auto. unfold plus; simpl. ring. }
  lra.
Qed.

(* Theorem 4 as it holds, gamma being (85) of Lemma 5's h: (124) with its constant; and (129) *)
Theorem theorem_4 : forall t, 0 <= t -> B t = gain C0 (Gam t).
Proof.
  intros t Ht. rewrite gain_is_loss by auto. unfold gain.
  replace (1 + 4 * Gam t / C0) with (4 * / C0 * Gam t + 1) by (field; lra).
  rewrite <- equation_122, ln_exp by auto. field.
Qed.

Theorem equation_129_corrected : forall t, 0 <= t ->
  B t = / 4 * ln (1 + 2 * (eta_Z / eta_Y) * K * (M - 1) ^ 2 * h (t / K) ^ 2 / C0).
Proof.
  intros t Ht. rewrite theorem_4, equation_128 by auto. unfold gain, big_gamma.
  f_equal. f_equal. field. lra.
Qed.

(* how far the printed formula is off: (1/4) ln C_0, at every time *)
Theorem printed_offset : forall t, 0 <= t -> printed_gain C0 (Gam t) - B t = / 4 * ln C0.
Proof.
  intros t Ht. rewrite theorem_4 by auto. unfold gain, printed_gain. pose proof (Gam_nonneg t Ht).
  replace (1 + 4 * Gam t / C0) with ((C0 + 4 * Gam t) / C0) by (field; lra).
  rewrite ln_div by lra. ring.
Qed.

Theorem equation_124_refuted : C0 <> 1 -> forall t, 0 <= t -> B t <> printed_gain C0 (Gam t).
Proof.
  intros H t Ht E. pose proof (printed_offset t Ht) as O. rewrite E in O.
  apply H. apply ln_inv; try lra. rewrite ln_1. lra.
Qed.

Theorem equation_124_if_C0_is_1 : C0 = 1 -> forall t, 0 <= t -> B t = printed_gain C0 (Gam t).
Proof.
  intros H t Ht. pose proof (printed_offset t Ht) as O. rewrite H in *. rewrite ln_1 in O. lra.
Qed.

Theorem equation_129_refuted : C0 <> 1 -> forall t, 0 <= t ->
  B t <> / 4 * ln (C0 + 2 * (eta_Z / eta_Y) * K * (M - 1) ^ 2 * h (t / K) ^ 2).
Proof.
  intros H t Ht E. apply (equation_124_refuted H t Ht). rewrite E. unfold printed_gain.
  rewrite equation_128 by auto. unfold big_gamma. f_equal. f_equal. field. lra.
Qed.

(* The two stages.  u = M h(t/K), tau = eta_Y t/K: e^u + (M-1) u = M tau + 1. *)
Lemma heights : forall t, 0 <= t -> let u := M * h (t / K) in
  0 <= u /\ exp u + (M - 1) * u = M * (eta_Y * t / K) + 1.
Proof.
  intros t Ht u. pose proof (h_nonneg t Ht). split; [unfold u; nra|].
  pose proof (implicit (t / K) (scaled_nonneg t Ht)) as E. unfold u.
  replace (M * (eta_Y * t / K)) with (M * eta_Y * (t / K)) by (field; lra). lra.
Qed.

Lemma gain_of_height : forall t, 0 <= t -> B t =
  / 4 * ln (1 + 2 * K * (M - 1) ^ 2 / M ^ 2 * (eta_Z / eta_Y) / C0 * (M * h (t / K)) ^ 2).
Proof.
  intros t Ht. rewrite equation_129_corrected by auto. f_equal. f_equal. field. lra.
Qed.

Lemma gain_coefficient_pos : 0 < 2 * K * (M - 1) ^ 2 / M ^ 2 * (eta_Z / eta_Y) / C0.
Proof.
  assert (0 < (M - 1) ^ 2) by nra. assert (0 < M ^ 2) by nra.
  assert (0 < eta_Z / eta_Y) by (apply Rdiv_lt_0_compat; auto).
  apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; auto.
  apply Rdiv_lt_0_compat; auto. apply Rmult_lt_0_compat; lra.
Qed.

Lemma gain_monotone : forall a x y, 0 < a -> 0 <= x <= y ->
  / 4 * ln (1 + a * x ^ 2) <= / 4 * ln (1 + a * y ^ 2).
Proof.
  intros a x y Ha H. apply Rmult_le_compat_l; [lra|].
  assert (0 <= x ^ 2 <= y ^ 2) by (split; [apply pow2_ge_0|apply pow_incr; lra]).
  assert (0 <= a * x ^ 2) by (apply Rmult_le_pos; lra).
  assert (a * x ^ 2 <= a * y ^ 2) by (apply Rmult_le_compat_l; lra).
  apply ln_le_mono; lra.
Qed.

(* up to t_0' = K ln M/eta_Y a share of 1/(1 + ln M) of tau = eta_Y t/K is all that u may lack of
   it: this is the 1 + o(1) of (130), as M grows *)
Lemma height_lower : forall tau u, 0 <= u -> u <= tau <= ln M ->
  exp u + (M - 1) * u = M * tau + 1 -> tau * (ln M / (1 + ln M)) <= u.
Proof.
  intros tau u U [Up T] E. assert (L : 0 < ln M) by (rewrite <- ln_1; apply ln_increasing; lra).
  set (l := ln M) in *. assert (Q : 0 <= u / l <= 1).
  { split; [apply le_div|apply div_le]; lra. }
  pose proof (exp_mean (u / l) l Q) as X. replace (u / l * l) with u in X by (field; lra).
  assert (Xl : exp l = M) by (apply exp_ln; lra). rewrite Xl in X.
  assert (Y : M * tau <= M * (u / l * (1 + l))).
  { assert (u = u / l * l) by (field; lra). assert (0 <= u / l * (1 + l)) by nra. nra. }
  assert (Z : tau <= u / l * (1 + l)) by (apply Rmult_le_reg_l with M; lra).
  replace (tau * (l / (1 + l))) with (tau * l / (1 + l)) by (field; lra).
  apply div_le; [lra|]. apply Rmult_le_compat_r with (r := l) in Z; [|lra].
  replace (u / l * (1 + l) * l) with (u * (1 + l)) in Z by (field; lra). exact Z.
Qed.

(* scanning, (130): the printed growth, its constant corrected, is an upper bound at every time, and
   up to t_0' a lower one, too, once tau has lost that share *)
Theorem equation_130_corrected : forall t, 0 <= t ->
  B t <= / 4 * ln (1 + 2 * (M - 1) ^ 2 / (K * M ^ 2) * eta_Y * eta_Z * t ^ 2 / C0) /\
  (eta_Y * t / K <= ln M ->
   / 4 * ln (1 + 2 * K * (M - 1) ^ 2 / M ^ 2 * (eta_Z / eta_Y) / C0 *
     (eta_Y * t / K * (ln M / (1 + ln M))) ^ 2) <= B t).
Proof.
  intros t Ht. destruct (heights t Ht) as [U E]. set (u := M * h (t / K)) in *.
  set (tau := eta_Y * t / K) in *. pose proof (exp_ge_line u) as X.
  assert (Up : u <= tau) by nra. rewrite gain_of_height by auto. fold u. split.
  - replace (2 * (M - 1) ^ 2 / (K * M ^ 2) * eta_Y * eta_Z * t ^ 2 / C0)
      with (2 * K * (M - 1) ^ 2 / M ^ 2 * (eta_Z / eta_Y) / C0 * tau ^ 2)
      by (unfold tau; field; repeat split; lra).
    apply gain_monotone; [apply gain_coefficient_pos|lra].
  - intros T. pose proof (height_lower tau u U (conj Up T) E) as Lo.
    apply gain_monotone; [apply gain_coefficient_pos|]. split; [|exact Lo].
    assert (L : 0 < ln M) by (rewrite <- ln_1; apply ln_increasing; lra).
    apply Rmult_le_pos; [lra|]. apply le_div; lra.
Qed.

(* snapping, (131): between ln(M tau + 1) - ln 2 and ln(M tau + 1), once e^(M h) >= (M-1) M h *)
Theorem equation_131_corrected : forall t, 0 <= t ->
  (M - 1) * (M * h (t / K)) <= exp (M * h (t / K)) -> 2 <= M * (eta_Y * t / K) + 1 ->
  let L := ln (M * (eta_Y * t / K) + 1) in
  let a := 2 * K * (M - 1) ^ 2 / M ^ 2 * (eta_Z / eta_Y) / C0 in
  / 4 * ln (1 + a * (L - ln 2) ^ 2) <= B t <= / 4 * ln (1 + a * L ^ 2).
Proof.
  intros t Ht S T L a. destruct (heights t Ht) as [U E]. set (u := M * h (t / K)) in *.
  rewrite gain_of_height by auto. fold u. fold a.
  assert (P : 0 <= (M - 1) * u) by (apply Rmult_le_pos; lra).
  assert (Up : u <= L) by (unfold L; apply ln_le_of_exp; lra).
  assert (Lo : L - ln 2 <= u).
  { unfold L. rewrite <- ln_div by lra. rewrite <- (ln_exp u). apply ln_le_mono; lra. }
  assert (L2 : ln 2 <= L) by (unfold L; apply ln_le_mono; lra).
  split; apply gain_monotone; try apply gain_coefficient_pos; lra.
Qed.
End Theorem4.

(* (13): K classes of one query, one token l shared by all with the same entry f, so f_n . f_n' =
   f^2,
   and beta_nn' = f_n . f_n' as the paper takes it. *)
Section Count.
Variables (K : nat) (f : R).
Hypothesis K_two : (2 <= K)%nat.
Hypothesis f_pos : 0 < f < 1.

(* sum_n f_nl sum_(n' <> n) beta_nn' (f_nl^2 - 1) f_n'l, and sum_(n' <> n) beta_nn' f_n . f_n' *)
Definition common_token_sum : R := Sum K (fun n => f * Sum K (fun k =>
  if Nat.eq_dec k n then 0 else f ^ 2 * (f ^ 2 - 1) * f)).
Definition xi_sum (n : nat) : R := Sum K (fun k => if Nat.eq_dec k n then 0 else f ^ 2 * f ^ 2).

Lemma others_const : forall n c, (n < K)%nat ->
  Sum K (fun k => if Nat.eq_dec k n then 0 else c) = (INR K - 1) * c.
Proof.
  intros n c Hn. rewrite (Sum_special K n _ c Hn).
  - destruct (Nat.eq_dec n n); [ring|lia].
  - intros k Hk Hne. destruct (Nat.eq_dec k n); [lia|reflexivity].
Qed.

Theorem equation_13_corrected :
  common_token_sum = - (INR K * (INR K - 1)) * f ^ 4 * (1 - f ^ 2) /\
  forall n, (n < K)%nat -> xi_sum n = (INR K - 1) * f ^ 4.
Proof.
  split.
  - unfold common_token_sum.
    rewrite (Sum_ext K _ (fun _ => f * ((INR K - 1) * (f ^ 2 * (f ^ 2 - 1) * f)))).
    + rewrite Sum_const. ring.
    + intros n Hn. rewrite others_const by auto. reflexivity.
  - intros n Hn. unfold xi_sum. rewrite others_const by auto. ring.
Qed.

(* printed: C_0^(-1) = K f^4 in both *)
Theorem equation_119_count_refuted : forall n, (n < K)%nat -> xi_sum n <> INR K * f ^ 4.
Proof.
  intros n Hn H. rewrite (proj2 equation_13_corrected n Hn) in H.
  assert (0 < f ^ 4) by (apply pow_lt; lra). lra.
Qed.

Theorem equation_118_count_refuted : K <> 2%nat ->
  common_token_sum <> - INR K * f ^ 4 * (1 - f ^ 2).
Proof.
  intros HK H. rewrite (proj1 equation_13_corrected) in H.
  assert (P : 3 <= INR K) by (replace 3 with (INR 3) by (simpl; ring); apply le_INR; lia).
  assert (Q : 0 < f ^ 4 * (1 - f ^ 2)).
  { apply Rmult_lt_0_compat; [apply pow_lt; lra|nra]. }
  assert (Z : INR K * (INR K - 2) * (f ^ 4 * (1 - f ^ 2)) = 0) by lra.
  assert (0 < INR K * (INR K - 2) * (f ^ 4 * (1 - f ^ 2)))
    by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat; lra|auto]).
  lra.
Qed.
End Count.

(* THEOREM theorem_4 | holds-as-corrected | B_n = ln(1 + 4 Gamma/C_0)/4 for every C_0, with the
   gamma of (85) for the h of Lemma 5 *)
(* THEOREM equation_122 | holds-as-printed | e^(-4z) = 4 Gamma/C_0 + 1 *)
(* THEOREM equation_123 | holds-as-printed | xi_n = gamma/(C_0 + 4 Gamma) *)
(* THEOREM equation_128 | holds-as-printed | Gamma is (eta_Z/eta_Y) K (M-1)^2 h^2/2 *)
(* THEOREM gain_is_loss | holds-as-corrected | under (118), (119) B_n is -z at every time *)
(* THEOREM equation_129_corrected | holds-as-corrected | B_n in terms of h(t/K) *)
(* THEOREM printed_offset | holds-as-corrected | (124) is off by ln(C_0)/4 at every time *)
(* THEOREM equation_124_refuted | refuted-as-printed | unless C_0 = 1 it holds at no time *)
(* THEOREM equation_124_if_C0_is_1 | holds-as-printed | for C_0 = 1 it holds at every time *)
(* THEOREM equation_129_refuted | refuted-as-printed | unless C_0 = 1, (129) holds
   at no time *)
(* THEOREM equation_130_corrected | holds-as-corrected | scanning stage, bounds from both sides *)
(* THEOREM equation_131_corrected | holds-as-corrected | snapping stage, bounds from both sides *)
(* THEOREM equation_13_corrected | holds-as-corrected | K(K-1) in (118), K-1 in (119) *)
(* THEOREM equation_119_count_refuted | refuted-as-printed | xi has K-1, not K, for every K >= 2 *)
(* THEOREM equation_118_count_refuted | refuted-as-printed | z has K(K-1), not K, unless K = 2 *)
(* BRIDGE gain | lib.scan_snap.phase_transition.gain | C_0, Gamma (Python: clock, c0) *)
(* BRIDGE printed_gain | lib.scan_snap.phase_transition.printed_gain | C_0, Gamma *)
(* BRIDGE gamma | lib.scan_snap.decoder.gamma | h constant; t = K time_at_height(h) *)
(* BRIDGE big_gamma | lib.scan_snap.phase_transition.big_gamma | height; ratio = eta_Y/eta_Z *)
