(* Lemma 7 of "Scan and Snap" (Appendix D.3): the recursion (33) against the flow (44).

   Proved for every real M > 1, every rate eta_Y > 0, every solution h of (44) and every step s:
   (a) 0 <= h*(s) - h(s) <= 2 eta_Y/M as printed, and sharper: eta_Y/M is enough; strict for s >= 1;
       h*(s) <= h(s + c) up to s = ln M/eta_Y, and there with one c = e^(eta_Y) ln(2)/2 for
       all M, and one c = 3/2 for all M and all eta_Y;
   (b) h*(s) - h(s) -> 0, with the rate that the paper does not print: at most
       e^(eta_Y) (ln(1 + M eta_Y s) + eta_Y) / (2 s).
   Nothing had to be corrected; the proof of (b) is another one than the paper's. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder lag.
Open Scope R_scope.

Section Lemma7.
Variables (M eta : R) (h : R -> R).
Hypothesis M_gt1 : 1 < M.
Hypothesis eta_pos : 0 < eta.
Hypothesis flow : decoder_flow M eta h.

Let implicit := flow_implicit M eta h M_gt1 flow.

Lemma clock_h : forall t, 0 <= t -> clock M eta (h t) = t.
Proof. intros t Ht. apply clock_of_flow; auto. Qed.

(* h* is ahead: its clock never shows less than s *)
Lemma ahead : forall s, h (INR s) <= h_star M eta s.
Proof.
  intros s. apply (clock_le_inv M eta); auto. rewrite clock_h by apply pos_INR.
  pose proof (lag_nonneg M eta M_gt1 eta_pos s). unfold lag in H. lra.
Qed.

(* (33) moves by at most eta_Y/M a step *)
Lemma star_step : forall s, h_star M eta (S s) - h_star M eta s <= eta / M.
Proof.
  intros s. pose proof (step_small M eta M_gt1 eta_pos s) as H. unfold step in H. simpl.
  apply Rmult_le_reg_l with M; [lra|]. replace (M * (eta / M)) with eta by (field; lra). lra.
Qed.

(* The two cases of the paper's proof: either the flow has passed h*(s), and the gap is one step at
   most; or it has not, and then it was the faster of the two and the gap shrank. *)
Lemma gap : forall s, h_star M eta s - h (INR s) <= eta / M.
Proof.
  induction s as [|s IH].
  - pose proof flow as [H0 _]. simpl. rewrite H0.
    assert (0 < eta / M) by (apply Rdiv_lt_0_compat; lra). lra.
  - pose proof (star_step s) as St. pose proof (pos_INR s) as Ps.
    destruct (Rle_or_lt (h_star M eta s) (h (INR (S s)))) as [C|C]; [lra|].
    assert (E1 := implicit (INR (S s)) (pos_INR _)). assert (E0 := implicit (INR s) Ps).
    set (y := M * h (INR s)) in *. set (x := M * h (INR (S s))) in *.
    replace ((M - 1) * M * h (INR (S s))) with ((M - 1) * x) in E1 by (unfold x; ring).
    replace ((M - 1) * M * h (INR s)) with ((M - 1) * y) in E0 by (unfold y; ring).
    replace (M * eta * INR (S s)) with (M * eta * INR s + M * eta) in E1 by (rewrite S_INR; ring).
    set (v := M * h_star M eta s). assert (Hv : x < v) by (unfold x, v; nra).
    assert (Hx : exp x < exp v) by (apply exp_increasing; auto).
    pose proof (exp_minus_le x y) as L. pose proof (exp_pos x) as Px.
    (* x - y >= M eta / (M - 1 + e^v), the step of M h* *)
    assert (Hd : (M - 1 + exp x) * (x - y) >= M * eta) by nra.
    assert (Hp : 0 < x - y) by nra.
    assert (Hs : (M - 1 + exp v) * (M * (h_star M eta (S s) - h_star M eta s)) = M * eta).
    { simpl. unfold speed. fold v. field. lra. }
    assert ((M - 1 + exp v) * (x - y) >=
            (M - 1 + exp v) * (M * (h_star M eta (S s) - h_star M eta s))) by nra.
    assert (M * (h_star M eta (S s) - h_star M eta s) <= x - y).
    { apply Rmult_le_reg_l with (M - 1 + exp v); lra. }
    assert (h_star M eta (S s) - h_star M eta s <= h (INR (S s)) - h (INR s)).
    { apply Rmult_le_reg_l with M; [lra|]. unfold x, y in *. lra. }
    lra.
Qed.

(* the flow reaches height x at speed at least eta_Y/(M-1+e^(M x)) before it *)
Lemma clock_slope : forall x y, x <= y ->
  (y - x) * (M - 1 + exp (M * x)) <= eta * (clock M eta y - clock M eta x).
Proof.
  intros x y H. unfold clock. pose proof (exp_minus_le (M * x) (M * y)) as L.
  pose proof (exp_pos (M * x)).
  replace (eta * ((exp (M * y) - 1 + (M - 1) * M * y) / (M * eta) -
                  (exp (M * x) - 1 + (M - 1) * M * x) / (M * eta)))
    with ((exp (M * y) - exp (M * x)) / M + (M - 1) * (y - x)) by (field; lra).
  assert (exp (M * x) * (y - x) <= (exp (M * y) - exp (M * x)) / M) by (apply le_div; lra).
  nra.
Qed.

Lemma half_log_below : forall x, 0 <= x -> half_log M x <= M * x / 2.
Proof.
  intros x Hx. unfold half_log. pose proof (exp_ge_line (M * x)).
  assert (1 <= exp (M * x)) by nra.
  assert (Q : (M - 1 + exp (M * x)) / M <= exp (M * x)).
  { apply div_le; nra. }
  assert (0 < (M - 1 + exp (M * x)) / M) by (apply Rdiv_lt_0_compat; lra).
  assert (ln ((M - 1 + exp (M * x)) / M) <= M * x).
  { apply Rle_trans with (ln (exp (M * x))); [apply ln_le_mono; auto|rewrite ln_exp; lra]. }
  lra.
Qed.

(* the law of the gap, from the lag and the speed of the flow *)
Lemma gap_rate : forall s, (1 <= s)%nat -> h_star M eta s - h (INR s) <=
  exp eta * (ln (1 + M * eta * INR s) + eta) / (2 * INR s).
Proof.
  intros s Hs. assert (Ps : 1 <= INR s) by (apply (le_INR 1); auto).
  pose proof (implicit (INR s) (pos_INR s)) as E.
  pose proof (ahead s) as A. pose proof (gap s) as G.
  set (x := h (INR s)) in *. set (y := h_star M eta s) in *.
  assert (Hx : 0 <= x) by (apply (flow_nonneg M eta); auto; lra).
  pose proof (clock_slope x y A) as C.
  assert (CH : clock M eta x = INR s) by (apply clock_h; lra). rewrite CH in C.
  pose proof (lag_upper M eta M_gt1 eta_pos s) as L. unfold lag in L. fold y in L.
  pose proof (half_log_below y ltac:(lra)) as B. pose proof (exp_ge_line (M * x)) as X.
  assert (D : eta * INR s <= M - 1 + exp (M * x)).
  { assert ((M - 1) * (1 + M * x) <= (M - 1) * exp (M * x)) by (apply Rmult_le_compat_l; lra).
    assert (eta * INR s <= exp (M * x)) by (apply Rmult_le_reg_l with M; lra). lra. }
  assert (U : M * x <= ln (1 + M * eta * INR s)).
  { assert (0 <= (M - 1) * (M * x)) by (repeat apply Rmult_le_pos; lra).
    apply ln_le_of_exp; [|lra]. assert (0 <= M * eta * INR s) by (repeat apply Rmult_le_pos; lra).
    lra. }
  assert (V : M * y <= ln (1 + M * eta * INR s) + eta).
  { assert (Y : M * (y - x) <= M * (eta / M)) by (apply Rmult_le_compat_l; lra).
    replace (M * (eta / M)) with eta in Y by (field; lra). lra. }
  pose proof (exp_pos eta) as Pe.
  assert (W : exp eta * half_log M y <= exp eta * (ln (1 + M * eta * INR s) + eta) / 2) by
    (apply Rle_trans with (exp eta * ((ln (1 + M * eta * INR s) + eta) / 2));
     [apply Rmult_le_compat_l; lra|lra]).
  assert (Z : (y - x) * (eta * INR s) <= (y - x) * (M - 1 + exp (M * x)))
    by (apply Rmult_le_compat_l; lra).
  assert (F : (y - x) * INR s <= exp eta * (ln (1 + M * eta * INR s) + eta) / 2).
  { apply Rmult_le_reg_l with eta; [lra|].
    apply Rle_trans with (eta * (clock M eta y - INR s)); [lra|]. apply Rmult_le_compat_l; lra. }
  apply Rmult_le_reg_r with (INR s); [lra|].
  replace (exp eta * (ln (1 + M * eta * INR s) + eta) / (2 * INR s) * INR s)
    with (exp eta * (ln (1 + M * eta * INR s) + eta) / 2) by (field; lra). exact F.
Qed.

Lemma ln_below_root : forall x, 0 < x -> ln x <= 2 * sqrt x.
Proof.
  intros x Hx. assert (P : 0 < sqrt x) by (apply sqrt_lt_R0; auto).
  assert (ln x = 2 * ln (sqrt x)).
  { rewrite <- (sqrt_sqrt x) at 1 by lra. rewrite ln_mult; auto. ring. }
  pose proof (exp_ge_line (ln (sqrt x))) as H1. rewrite exp_ln in H1 by auto. lra.
Qed.

(* (a) as printed, with its strict form *)
Theorem lemma_7a : forall s, 0 <= h_star M eta s - h (INR s) <= 2 * eta / M.
Proof.
  intros s. pose proof (ahead s). pose proof (gap s).
  assert (0 < eta / M) by (apply Rdiv_lt_0_compat; lra).
  replace (2 * eta / M) with (2 * (eta / M)) by (field; lra). lra.
Qed.

Theorem lemma_7a_constant_1 : forall s, 0 <= h_star M eta s - h (INR s) <= eta / M.
Proof. intros s. pose proof (ahead s). pose proof (gap s). lra. Qed.

(* "hence for some c = Theta(1)": one c serves all M *)
Theorem lemma_7a_shift : forall s, INR s <= ln M / eta ->
  h (INR s) <= h_star M eta s <= h (INR s + exp eta * ln 2 / 2).
Proof.
  intros s Hs. split; [apply ahead|].
  pose proof (pos_INR s) as Ps. pose proof (exp_pos eta) as Pe.
  assert (L2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  assert (Pc : 0 <= INR s + exp eta * ln 2 / 2) by nra.
  apply (clock_le_inv M eta); auto. rewrite clock_h by auto.
  pose proof (lag_upper M eta M_gt1 eta_pos s) as L. unfold lag in L.
  (* in this stage M h* <= eta_Y s <= ln M, so that half_log is at most ln(2)/2 *)
  assert (U : forall k, h_star M eta k <= INR k * (eta / M)).
  { induction k as [|k IH]; [simpl; lra|]. pose proof (star_step k). rewrite S_INR. lra. }
  specialize (U s).
  assert (V : M * h_star M eta s <= ln M).
  { apply Rle_trans with (INR s * eta).
    - apply Rle_trans with (M * (INR s * (eta / M))); [apply Rmult_le_compat_l; lra|].
      right. field. lra.
    - replace (ln M) with (ln M / eta * eta) by (field; lra). apply Rmult_le_compat_r; lra. }
  assert (X : exp (M * h_star M eta s) <= M).
  { apply exp_le_of_ln; lra. }
  assert (Y : half_log M (h_star M eta s) <= / 2 * ln 2).
  { unfold half_log. apply Rmult_le_compat_l; [lra|].
    pose proof (exp_pos (M * h_star M eta s)).
    assert (Z : (M - 1 + exp (M * h_star M eta s)) / M < 2).
    { apply div_lt; lra. }
    left. apply ln_increasing; [apply Rdiv_lt_0_compat; lra|auto]. }
  nra.
Qed.

(* and one c serves all rates: up to the rate 1 the one above, beyond it the flow needs at most
   (e^(eta s) - 1 - eta s) / (M eta) <= 1/eta longer to reach eta s/M, which is not below h*(s) *)
Theorem lemma_7a_shift_all_rates : forall s, INR s <= ln M / eta ->
  h (INR s) <= h_star M eta s <= h (INR s + 3 / 2).
Proof.
  intros s Hs. split; [apply ahead|]. pose proof (pos_INR s) as Ps.
  apply (clock_le_inv M eta); auto. rewrite clock_h by lra.
  destruct (Rle_or_lt eta 1) as [E|E].
  - destruct (lemma_7a_shift s Hs) as [_ X]. pose proof (exp_pos eta) as Pe.
    assert (L0 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
    assert (L1 : ln 2 <= 1).
    { rewrite <- (ln_exp 1). destruct (Rle_or_lt 2 (exp 1)) as [Y|Y].
      - destruct Y as [Y|Y]; [left; apply ln_increasing; lra|rewrite <- Y; lra].
      - pose proof (exp_ineq1 1 ltac:(lra)). lra. }
    assert (E3 : exp eta <= 3).
    { pose proof exp_le_3. destruct E as [E|E]; [|rewrite E; lra].
      pose proof (exp_increasing eta 1 E). lra. }
    assert (C : 0 <= INR s + exp eta * ln 2 / 2) by nra.
    assert (Z : clock M eta (h_star M eta s) <= clock M eta (h (INR s + exp eta * ln 2 / 2))).
    { destruct X as [X|X]; [left; apply clock_increasing; auto|rewrite X; lra]. }
    rewrite clock_h in Z by auto. nra.
  - assert (U : forall k, h_star M eta k <= INR k * (eta / M)).
    { induction k as [|k IH]; [simpl; lra|]. pose proof (star_step k). rewrite S_INR. lra. }
    specialize (U s).
    assert (Z : clock M eta (h_star M eta s) <= clock M eta (INR s * (eta / M))).
    { destruct U as [U|U]; [left; apply clock_increasing; auto|rewrite U; lra]. }
    assert (V : INR s * eta <= ln M).
    { replace (ln M) with (ln M / eta * eta) by (field; lra). apply Rmult_le_compat_r; lra. }
    assert (X : exp (INR s * eta) <= M) by (apply exp_le_of_ln; lra).
    assert (Y : clock M eta (INR s * (eta / M)) <= INR s + / eta).
    { unfold clock. replace (M * (INR s * (eta / M))) with (INR s * eta) by (field; lra).
      replace ((M - 1) * M * (INR s * (eta / M))) with ((M - 1) * (INR s * eta)) by (field; lra).
      apply Rmult_le_reg_r with (M * eta); [nra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by nra.
      replace ((INR s + / eta) * (M * eta)) with (M * (INR s * eta) + M) by (field; lra).
      nra. }
    assert (I : / eta < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra.
Qed.

(* (b), in epsilon and in the explicit rate *)
Theorem lemma_7b_rate : forall s, (1 <= s)%nat -> h_star M eta s - h (INR s) <=
  exp eta * (ln (1 + M * eta * INR s) + eta) / (2 * INR s).
Proof. exact gap_rate. Qed.

Theorem lemma_7b : is_lim_seq (fun s => h_star M eta s - h (INR s)) 0.
Proof.
  set (A := exp eta * (2 * sqrt (1 + M * eta) + eta) / 2). pose proof (exp_pos eta) as Pe.
  assert (PA : 0 < A).
  { unfold A. assert (0 <= sqrt (1 + M * eta)) by apply sqrt_pos. nra. }
  apply is_lim_seq_spec. intros eps. pose proof (cond_pos eps) as He.
  destruct (INR_above ((A / eps) ^ 2 + 1)) as [N HN].
  exists (S N). intros s Hs. rewrite Rminus_0_r.
  pose proof (ahead s) as H0. rewrite Rabs_pos_eq by lra.
  assert (Ls : INR (S N) <= INR s) by (apply le_INR; auto). rewrite S_INR in Ls.
  assert (1 <= s)%nat as Hs1 by lia. pose proof (gap_rate s Hs1) as G.
  assert (Ps : 1 <= INR s) by (apply (le_INR 1); auto).
  set (r := sqrt (INR s)).
  assert (Pr : 1 <= r) by (unfold r; rewrite <- sqrt_1; apply sqrt_le_1; lra).
  assert (Rr : r * r = INR s) by (unfold r; apply sqrt_sqrt; lra).
  assert (Q : ln (1 + M * eta * INR s) <= 2 * (sqrt (1 + M * eta) * r)).
  { apply Rle_trans with (2 * sqrt (1 + M * eta * INR s)).
    - apply ln_below_root. assert (0 <= M * eta * INR s) by (repeat apply Rmult_le_pos; lra). lra.
    - apply Rmult_le_compat_l; [lra|]. unfold r.
      assert (0 < M * eta) by (apply Rmult_lt_0_compat; lra).
      assert (0 <= M * eta * INR s) by (apply Rmult_le_pos; lra).
      rewrite <- sqrt_mult by lra. apply sqrt_le_1; lra. }
  assert (B : exp eta * (ln (1 + M * eta * INR s) + eta) / (2 * INR s) <= A / r).
  { unfold A. apply Rmult_le_reg_r with (2 * (r * r)); [nra|]. rewrite <- Rr.
    replace (exp eta * (ln (1 + M * eta * (r * r)) + eta) / (2 * (r * r)) * (2 * (r * r)))
      with (exp eta * (ln (1 + M * eta * (r * r)) + eta)) by (field; lra).
    replace (exp eta * (2 * sqrt (1 + M * eta) + eta) / 2 / r * (2 * (r * r)))
      with (exp eta * ((2 * sqrt (1 + M * eta) + eta) * r)) by (field; lra).
    apply Rmult_le_compat_l; [lra|]. rewrite Rr. nra. }
  assert (C : A / r < eps).
  { apply Rmult_lt_reg_r with r; [lra|]. replace (A / r * r) with A by (field; lra).
    assert (PQ : 0 < A / eps) by (apply Rdiv_lt_0_compat; lra).
    assert (A / eps < r) by nra.
    apply Rmult_lt_compat_l with (r := eps) in H; [|lra].
    replace (eps * (A / eps)) with A in H by (field; lra). lra. }
  lra.
Qed.
End Lemma7.

(* THEOREM lemma_7a | holds-as-printed | at every step 0 <= h* - h <= 2 eta_Y/M *)
(* THEOREM lemma_7a_constant_1 | holds-as-printed | the constant 2 may be replaced by 1 *)
(* THEOREM lemma_7a_shift | holds-as-printed | h* <= h(s+c), c = e^eta ln(2)/2, up to ln(M)/eta_Y *)
(* THEOREM lemma_7a_shift_all_rates | holds-as-printed | up to ln(M)/eta_Y one c, 3/2, for all M, eta_Y *)
(* THEOREM lemma_7b | holds-as-printed | the difference h* - h goes to 0 *)
(* THEOREM lemma_7b_rate | holds-as-printed | it does so at least as fast as ln(s)/s *)
(* BRIDGE Shared.lag.lag | lib.scan_snap.decoder.lags | M, eta_y, s (last entry of lags(s)) *)
