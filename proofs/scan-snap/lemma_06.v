(* Lemma 6 of "Scan and Snap" (Appendix D.3), Eqs. (44), (45).

   Proved for every real M > 1 and every rate eta_Y > 0 (the first half for every rate): a
   function h obeys (44) for t >= 0, that is h(0) = 0 and dh/dt = eta_Y/((M-1) + e^(M h)), only
   if (45) holds: e^(M h) + (M-1) M h = M eta_Y t + 1.  Beyond the print: (45) leaves one value
   h(t), so that (44) has at most one solution, and h(t) increases.  Nothing had to be corrected. *)
From Coq Require Import Reals Lra Ranalysis5.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder.
Open Scope R_scope.

Lemma implicit_unique : forall M eta h k t, 1 < M -> 0 < eta ->
  implicit_form M eta h -> implicit_form M eta k -> 0 <= t -> h t = k t.
Proof.
  intros M eta h k t HM He H K Ht.
  apply Rle_antisym; apply (clock_le_inv M eta); auto; rewrite !clock_of_flow; auto; lra.
Qed.

(* the printed statement *)
Theorem lemma_6 : forall M eta h, 1 < M ->
  h 0 = 0 -> (forall t, 0 <= t -> is_derive h t (eta / ((M - 1) + exp (M * h t)))) ->
  forall t, 0 <= t -> exp (M * h t) + (M - 1) * M * h t = M * eta * t + 1.
Proof. intros M eta h HM H0 Hd. apply flow_implicit; [auto|split; auto]. Qed.

Theorem lemma_6_one_solution : forall M eta h k, 1 < M -> 0 < eta ->
  decoder_flow M eta h -> decoder_flow M eta k -> forall t, 0 <= t -> h t = k t.
Proof.
  intros M eta h k HM He H K t Ht.
  apply (implicit_unique M eta); auto; apply flow_implicit; auto.
Qed.

Theorem lemma_6_increasing : forall M eta h, 1 < M -> 0 < eta -> decoder_flow M eta h ->
  forall s t, 0 <= s -> s < t -> h s < h t.
Proof.
  intros M eta h HM He [H0 Hd]. apply (strictly_increasing_flow h (fun t => eta * speed M (h t))).
  - exact Hd.
  - intros t _. pose proof (speed_pos M (h t) HM). nra.
Qed.

(* The flow exists: h is the inverse of the clock, so that no statement about (44) is empty. *)
Lemma clock_derivable : forall M eta x, 1 < M -> 0 < eta ->
  is_derive (clock M eta) x (/ (eta * speed M x)).
Proof.
  intros M eta x HM He. unfold clock, speed. pose proof (exp_pos (M * x)). evar_last.
  - auto_derive; [trivial|reflexivity].
  - field. split; [|split]; lra.
Qed.

Lemma clock_reaches : forall M eta t, 1 < M -> 0 < eta -> { x : R | clock M eta x = t }.
Proof.
  intros M eta t HM He.
  set (b := (Rabs t + 1) * eta / (M - 1) + 1). pose proof (Rabs_pos t) as A.
  assert (Hb : 0 < b).
  { unfold b. assert (0 <= (Rabs t + 1) * eta / (M - 1)); [|lra].
    apply le_div; [lra|]. rewrite Rmult_0_l. apply Rmult_le_pos; lra. }
  assert (Pb : Rabs t + 1 < b * (M - 1) / eta).
  { apply lt_div; [auto|]. unfold b.
    replace (((Rabs t + 1) * eta / (M - 1) + 1) * (M - 1)) with ((Rabs t + 1) * eta + (M - 1))
      by (field; lra). lra. }
  pose proof (Rle_abs t). pose proof (Rle_abs (- t)) as N. rewrite Rabs_Ropp in N.
  assert (C : forall x, clock M eta x = (exp (M * x) - 1) / (M * eta) + x * (M - 1) / eta)
    by (intros; unfold clock; field; lra).
  assert (P : 0 < M * eta) by (apply Rmult_lt_0_compat; lra).
  destruct (IVT (fun x => clock M eta x - t) (- b) b) as [x [_ Hx]].
  - intros x. apply continuity_pt_minus; [|apply continuity_pt_const; intros ? ?; reflexivity].
    apply continuity_pt_filterlim. apply (ex_derive_continuous (clock M eta)).
    eexists. apply clock_derivable; auto.
  - lra.
  - rewrite C. assert (E : exp (M * - b) < 1).
    { rewrite <- exp_0. apply exp_increasing. assert (0 < M * b) by (apply Rmult_lt_0_compat; lra).
      lra. }
    assert ((exp (M * - b) - 1) / (M * eta) < 0) by (apply div_lt; lra).
    replace (- b * (M - 1) / eta) with (- (b * (M - 1) / eta)) by (field; lra). lra.
  - rewrite C. assert (E : 1 < exp (M * b)).
    { rewrite <- exp_0. apply exp_increasing. apply Rmult_lt_0_compat; lra. }
    assert (0 < (exp (M * b) - 1) / (M * eta)) by (apply lt_div; lra). lra.
  - exists x. lra.
Qed.

Theorem lemma_6_solution_exists : forall M eta, 1 < M -> 0 < eta ->
  exists h, decoder_flow M eta h /\ implicit_form M eta h.
Proof.
  intros M eta HM He.
  set (h := fun t => proj1_sig (clock_reaches M eta t HM He)).
  assert (Ch : forall t, clock M eta (h t) = t) by (intros t; unfold h; apply proj2_sig).
  assert (Inc : forall s t, s < t -> h s < h t).
  { intros s t H. destruct (Rlt_or_le (h s) (h t)) as [|L]; auto. exfalso.
    destruct (Req_dec (h t) (h s)) as [E|E].
    - pose proof (Ch s) as A. pose proof (Ch t) as B. rewrite E in B. lra.
    - pose proof (clock_increasing M eta (h t) (h s) HM He ltac:(lra)). rewrite !Ch in H0. lra. }
  (* the clock runs at least at (M-1)/eta_Y, so h moves at most at eta_Y/(M-1) *)
  assert (Lip : forall s t, s < t -> h t - h s <= eta / (M - 1) * (t - s)).
  { intros s t H. pose proof (Inc s t H) as I. rewrite <- (Ch s) at 2. rewrite <- (Ch t) at 2.
    unfold clock. assert (X : exp (M * h s) < exp (M * h t)).
    { apply exp_increasing. apply Rmult_lt_compat_l; lra. }
    set (a := exp (M * h s)) in *. set (b := exp (M * h t)) in *.
    replace (eta / (M - 1) * ((b - 1 + (M - 1) * M * h t) / (M * eta) -
      (a - 1 + (M - 1) * M * h s) / (M * eta)))
      with ((b - a) / ((M - 1) * M) + (h t - h s)) by (field; lra).
    assert (0 < (b - a) / ((M - 1) * M)); [|lra].
    apply Rdiv_lt_0_compat; [lra|]. apply Rmult_lt_0_compat; lra. }
  assert (Cont : forall t, continuity_pt h t).
  { intros t eps Heps. assert (Pe : 0 < eta / (M - 1)) by (apply Rdiv_lt_0_compat; lra).
    exists (eps / (eta / (M - 1))). split; [apply Rdiv_lt_0_compat; auto|].
    intros s [[_ Hne] Hs]. simpl in *. unfold R_dist in *.
    assert (B : eta / (M - 1) * Rabs (s - t) < eps).
    { apply (Rmult_lt_compat_l (eta / (M - 1))) in Hs; [|auto].
      replace (eta / (M - 1) * (eps / (eta / (M - 1)))) with eps in Hs by (field; lra). exact Hs. }
    apply Rle_lt_trans with (2 := B). destruct (Rtotal_order s t) as [H|[H|H]].
    - pose proof (Inc s t H). pose proof (Lip s t H). rewrite !Rabs_left by lra. lra.
    - subst. lra.
    - pose proof (Inc t s H). pose proof (Lip t s H). rewrite !Rabs_pos_eq by lra. lra. }
  assert (Der : forall t, is_derive h t (eta * speed M (h t))).
  { intros t. apply is_derive_Reals.
    assert (Prf : forall a, h (t - 1) <= a <= h (t + 1) -> derivable_pt (clock M eta) a).
    { intros a _. exists (/ (eta * speed M a)). apply is_derive_Reals.
      apply clock_derivable; auto. }
    assert (In : h (t - 1) <= h t <= h (t + 1)).
    { pose proof (Inc (t - 1) t ltac:(lra)). pose proof (Inc t (t + 1) ltac:(lra)). lra. }
    assert (V : derive_pt (clock M eta) (h t) (Prf (h t) In) = / (eta * speed M (h t))).
    { apply derive_pt_eq_0. apply is_derive_Reals. apply clock_derivable; auto. }
    pose proof (speed_pos M (h t) HM) as S.
    assert (PS : 0 < eta * speed M (h t)) by (apply Rmult_lt_0_compat; auto).
    replace (eta * speed M (h t)) with (1 / derive_pt (clock M eta) (h t) (Prf (h t) In))
      by (rewrite V; field; lra).
    apply (derivable_pt_lim_recip_interv (clock M eta) h (t - 1) (t + 1) t Prf); try lra.
    - apply Cont.
    - intros x _. unfold comp, id. apply Ch.
    - rewrite V. apply Rinv_neq_0_compat. lra. }
  assert (H0 : h 0 = 0).
  { apply Rle_antisym; apply (clock_le_inv M eta); auto; rewrite Ch; unfold clock;
      rewrite !Rmult_0_r, exp_0; unfold Rdiv; lra. }
  assert (F : decoder_flow M eta h) by (split; [exact H0|intros t _; apply Der]).
  exists h. split; [exact F|]. apply flow_implicit; auto.
Qed.

(* THEOREM lemma_6 | holds-as-printed | the flow (44) obeys the closed form (45) at every time *)
(* THEOREM lemma_6_one_solution | holds-as-printed | two solutions of (44) agree at every time *)
(* THEOREM lemma_6_increasing | holds-as-printed | h increases strictly *)
(* THEOREM lemma_6_solution_exists | holds-as-printed | (44) has a solution for all M, eta *)
(* BRIDGE Shared.decoder.clock | lib.scan_snap.decoder.time_at_height | M, eta_y, h *)
