(* Remark 2 of "Scan and Snap" (Appendix D.3): one constant c with h(s) <= h*(s) <= h(s + c)?

   The remark says: for eta_Y = O(1) there is a constant c = O(ln M) with h(s) <= h*(s) <= h(s +
   c) for all s > s_1.  Proved for every M > 1, every eta_Y > 0 and every solution h of (44):
   - no constant serves (refuted): for every c, from some step on h*(s) > h(s + c);
   - what holds at every step: h*(s) = h(s + lag(s)) with a lag that lies within the factors
     e^(-eta_Y) and e^(eta_Y) of (1/2) ln((M - 1 + e^(M h* (s)))/M), so grows like (1/2) ln s. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder lag.
Open Scope R_scope.

Section Remark2.
Variables (M eta : R) (h : R -> R).
Hypothesis M_gt1 : 1 < M.
Hypothesis eta_pos : 0 < eta.
Hypothesis flow : decoder_flow M eta h.

Let implicit := flow_implicit M eta h M_gt1 flow.

(* the flow reaches h*(s) at the time s + lag(s) *)
Theorem reached : forall s, h_star M eta s = h (INR s + lag M eta s).
Proof.
  intros s. pose proof (lag_nonneg M eta M_gt1 eta_pos s) as L. pose proof (pos_INR s) as P.
  assert (C : clock M eta (h (INR s + lag M eta s)) = INR s + lag M eta s)
    by (apply clock_of_flow; auto; lra).
  assert (D : clock M eta (h_star M eta s) = INR s + lag M eta s) by (unfold lag; lra).
  apply Rle_antisym; apply (clock_le_inv M eta); auto; lra.
Qed.

Theorem lag_law : forall s,
  exp (- eta) * half_log M (h_star M eta s) <= lag M eta s <= exp eta * half_log M (h_star M eta s).
Proof. intros s. split; [apply lag_lower|apply lag_upper]; auto. Qed.

(* e^(M h*(s)) >= eta_Y s *)
Lemma star_grows : forall s, eta * INR s <= exp (M * h_star M eta s).
Proof.
  intros s. pose proof (lag_nonneg M eta M_gt1 eta_pos s) as L. unfold lag, clock in L.
  pose proof (exp_ge_line (M * h_star M eta s)) as X.
  assert (A : INR s <= (exp (M * h_star M eta s) - 1 + (M - 1) * M * h_star M eta s) /
    (M * eta)) by lra.
  assert (P : 0 < M * eta) by (apply Rmult_lt_0_compat; lra).
  apply (Rmult_le_compat_r (M * eta)) in A; [|lra].
  replace ((exp (M * h_star M eta s) - 1 + (M - 1) * M * h_star M eta s) / (M * eta) * (M * eta))
    with (exp (M * h_star M eta s) - 1 + (M - 1) * M * h_star M eta s) in A by (field; lra).
  assert (B : (M - 1) * (1 + M * h_star M eta s) <= (M - 1) * exp (M * h_star M eta s))
    by (apply Rmult_le_compat_l; lra).
  apply Rmult_le_reg_l with M; lra.
Qed.

(* the lag passes every bound, and stays above it *)
Theorem lag_unbounded : forall c, exists s0, forall s, (s0 <= s)%nat -> c < lag M eta s.
Proof.
  intros c. destruct (INR_above (M * exp (2 * (Rabs c + 1) * exp eta) / eta)) as [s0 Hs0].
  exists s0. intros s Hs. apply le_INR in Hs.
  pose proof (lag_lower M eta M_gt1 eta_pos s) as L. pose proof (star_grows s) as G.
  set (X := exp (2 * (Rabs c + 1) * exp eta)) in *. assert (PX : 0 < X) by (unfold X;
    apply exp_pos).
  assert (A : M * X < eta * INR s).
  { apply Rlt_le_trans with (eta * INR s0); [|apply Rmult_le_compat_l; lra].
    apply (Rmult_lt_compat_l eta) in Hs0; [|lra].
    replace (eta * (M * X / eta)) with (M * X) in Hs0 by (field; lra). exact Hs0. }
  assert (B : X <= (M - 1 + exp (M * h_star M eta s)) / M) by (apply le_div; lra).
  assert (C : 2 * (Rabs c + 1) * exp eta <= ln ((M - 1 + exp (M * h_star M eta s)) / M))
    by (apply ln_le_of_exp; [lra|exact B]).
  assert (D : (Rabs c + 1) * exp eta <= half_log M (h_star M eta s)) by (unfold half_log; lra).
  assert (P : exp (- eta) * exp eta = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  pose proof (exp_pos (- eta)) as Q.
  apply (Rmult_le_compat_l (exp (- eta))) in D; [|lra].
  replace (exp (- eta) * ((Rabs c + 1) * exp eta)) with ((Rabs c + 1) * (exp
    (- eta) * exp eta)) in D
    by ring.
  rewrite P in D. pose proof (Rle_abs c). lra.
Qed.

Lemma h_increasing : forall a b, 0 <= a -> a < b -> h a < h b.
Proof.
  pose proof flow as [_ Hd].
  apply (strictly_increasing_flow h (fun t => eta * speed M (h t))); auto.
  intros t _. apply Rmult_lt_0_compat; [auto|apply speed_pos; auto].
Qed.

(* As printed, for whatever s_1 and c, and more: the inequality is reversed for good. *)
Theorem remark_2_constant_refuted : forall c, 0 <= c -> exists s0, forall s, (s0 <= s)%nat ->
  h (INR s + c) < h_star M eta s.
Proof.
  intros c Hc. destruct (lag_unbounded c) as [s0 H]. exists s0. intros s Hs.
  rewrite reached. pose proof (pos_INR s). apply h_increasing; [lra|]. specialize (H s Hs). lra.
Qed.
End Remark2.

(* THEOREM remark_2_constant_refuted | refuted-as-printed | no constant c serves, for any M, eta *)
(* THEOREM reached | holds-as-corrected | h*(s) = h(s + lag(s)) *)
(* THEOREM lag_law | holds-as-corrected | the lag is ln((M-1+e^(M h* ))/M)/2 up to e^(+-eta_Y) *)
(* THEOREM lag_unbounded | holds-as-corrected | the lag passes every bound for good *)
(* BRIDGE Shared.lag.lag | lib.scan_snap.decoder.lags | M, eta_y, s (last entry of lags(s)) *)
