(* Lemma 11 of "Scan and Snap" (Appendix D.4), Eqs. (62), (64), (65): the third bound on sigma'.

   g(s) = 1/(M - 1 + e^(M h(s))), h of (44).  Proved:
   - (64): |dg/ds| <= g eta_Y M/(4 (M-1)) for every M > 1, and
     M/(4 (M-1)) <= 1/3 for M >= 4, so (65) forwards: |g(s + d) - g(s)| <= g(s) eta_Y d/3;
   - backwards, d visits too few, what holds is g(s - d) <= g(s) e^(eta_Y d M/(4(M-1))): the
     printed linear bound sigma' <= eta_Y Delta/3 of (62) fails there (refuted for M = 1000,
     eta_Y = 1, N-bar = 13, Delta = 10: sigma' is above 4, the bound 10/3). *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder numbers.
Open Scope R_scope.

(* x/(M-1+x)^2 <= 1/(4 (M-1)), x = e^(M h) *)
Lemma slope_bound : forall M x, 1 < M -> 0 < x -> x / (M - 1 + x) ^ 2 <= / (4 * (M - 1)).
Proof.
  intros M x HM Hx. apply div_le; [nra|]. pose proof (pow2_ge_0 (M - 1 - x)) as S.
  replace (/ (4 * (M - 1)) * (M - 1 + x) ^ 2) with ((M - 1 + x) ^ 2 / (4 * (M - 1))) by (field;
    lra).
  apply le_div; nra.
Qed.

Section Lemma11.
Variables (M eta : R) (h : R -> R).
Hypothesis M_gt1 : 1 < M.
Hypothesis eta_pos : 0 < eta.
Hypothesis flow : decoder_flow M eta h.

Definition g (s : R) : R := / (M - 1 + exp (M * h s)).
Definition slope (s : R) : R :=
  - (eta * M * exp (M * h s) / (M - 1 + exp (M * h s)) ^ 3).

Lemma g_pos : forall s, 0 < g s.
Proof. intros s. apply Rinv_0_lt_compat. pose proof (exp_pos (M * h s)). lra. Qed.

(* (64), with the sign that the print leaves out *)
Theorem equation_64 : forall s, 0 <= s -> is_derive g s (slope s) /\
  Rabs (slope s) <= g s * (M / (M - 1)) * (eta / 4).
Proof.
  intros s Hs. pose proof (exp_pos (M * h s)) as P. split.
  - unfold g, slope. evar_last.
    + auto_derive; [|reflexivity]. split; [eexists; apply (proj2 flow s Hs)|]. split; [lra|trivial].
    + change (Derive (fun x => h x) s) with (Derive h s).
      rewrite (is_derive_unique _ _ _ (proj2 flow s Hs)). unfold speed. field. lra.
  - unfold slope, g. set (x := exp (M * h s)) in *. rewrite Rabs_Ropp.
    assert (D : 0 < (M - 1 + x) ^ 3) by (apply pow_lt; lra).
    assert (N : 0 < eta * M) by (apply Rmult_lt_0_compat; lra).
    rewrite Rabs_pos_eq by (apply le_div; [auto|nra]).
    replace (eta * M * x / (M - 1 + x) ^ 3) with (eta * M / (M - 1 + x) * (x / (M - 1 + x) ^ 2))
      by (field; lra).
    replace (/ (M - 1 + x) * (M / (M - 1)) * (eta / 4))
      with (eta * M / (M - 1 + x) * / (4 * (M - 1))) by (field; lra).
    apply Rmult_le_compat_l; [apply le_div; lra|]. apply slope_bound; auto.
Qed.

Lemma constant_third : 4 <= M -> M / (M - 1) * (eta / 4) <= eta / 3.
Proof.
  intros H. assert (M / (M - 1) <= 4 / 3) by (apply div_le; lra). nra.
Qed.

(* ln g falls by at most eta M/(4(M-1)) a unit of time *)
Lemma log_slope : forall a b, 0 <= a -> a <= b ->
  g a <= g b * exp (M / (M - 1) * (eta / 4) * (b - a)).
Proof.
  intros a b Ha Hab. set (c := M / (M - 1) * (eta / 4)).
  assert (I : g a * exp (c * a) <= g b * exp (c * b)).
  { apply (increasing_flow (fun s => g s * exp (c * s))
             (fun s => slope s * exp (c * s) + g s * (c * exp (c * s)))); auto.
    - intros s Hs. destruct (equation_64 s Hs) as [D _].
      apply (is_derive_mult g (fun s => exp (c * s))); [exact D| |intros; apply Rmult_comm].
      evar_last; [auto_derive; trivial|]. ring.
    - intros s Hs. destruct (equation_64 s Hs) as [_ B]. apply Rabs_bounds in B.
      pose proof (exp_pos (c * s)) as E. fold c in B.
      assert (0 <= (slope s + g s * c) * exp (c * s)) by (apply Rmult_le_pos; unfold c in *; lra).
      lra. }
  apply Rmult_le_reg_r with (exp (c * a)); [apply exp_pos|].
  rewrite Rmult_assoc, <- exp_plus. replace (c * (b - a) + c * a) with (c * b) by ring. exact I.
Qed.

Lemma g_decreases : forall a b, 0 <= a -> a <= b -> g b <= g a.
Proof.
  intros a b Ha Hab. assert (- g a <= - g b); [|lra].
  apply (increasing_flow (fun s => - g s) (fun s => - slope s)); auto.
  - intros s Hs. apply (is_derive_opp g). apply equation_64; auto.
  - intros s Hs. unfold slope. pose proof (exp_pos (M * h s)).
    assert (0 < (M - 1 + exp (M * h s)) ^ 3) by (apply pow_lt; lra).
    assert (0 < eta * M) by (apply Rmult_lt_0_compat; lra).
    assert (0 <= eta * M * exp (M * h s) / (M - 1 + exp (M * h s)) ^ 3) by (apply le_div; nra). lra.
Qed.

(* (65), forwards *)
Theorem equation_65 : 4 <= M -> forall s d, 0 <= s -> 0 <= d ->
  Rabs (g (s + d) - g s) <= g s * (eta / 3 * d).
Proof.
  intros HM s d Hs Hd. pose proof (g_decreases s (s + d) Hs ltac:(lra)) as D.
  rewrite Rabs_left1 by lra. pose proof (constant_third HM) as C.
  pose proof (log_slope s (s + d) Hs ltac:(lra)) as L. replace (s + d - s) with d in L by ring.
  set (c := M / (M - 1) * (eta / 4)) in *. pose proof (g_pos s) as P.
  (* g(s+d) >= g(s) e^(-c d) >= g(s) (1 - c d) *)
  assert (E : g s * exp (- (c * d)) <= g (s + d)).
  { apply Rmult_le_reg_r with (exp (c * d)); [apply exp_pos|].
    rewrite Rmult_assoc, <- exp_plus. replace (- (c * d) + c * d) with 0 by ring.
    rewrite exp_0, Rmult_1_r. exact L. }
  pose proof (exp_ge_line (- (c * d))) as X.
  assert (g s * (1 + - (c * d)) <= g s * exp (- (c * d))) by (apply Rmult_le_compat_l; lra).
  assert (c * d <= eta / 3 * d) by (apply Rmult_le_compat_r; lra).
  assert (g s * (c * d) <= g s * (eta / 3 * d)) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* (62), backwards: the exponential that holds *)
Theorem equation_62_backwards : forall s d, 0 <= d <= s ->
  g (s - d) <= g s * exp (M / (M - 1) * (eta / 4) * d).
Proof.
  intros s d Hd. pose proof (log_slope (s - d) s ltac:(lra) ltac:(lra)) as L.
  replace (s - (s - d)) with d in L by ring. exact L.
Qed.
End Lemma11.

(* The instance: M = 1000, eta_Y = 1, N-bar = 13, Delta = 10.  M h(13) < 8.5 and M h(3) < 3.01, so
   sigma' = g(3)/g(13) - 1 > 4 against the printed 10/3. *)
Theorem equation_62_refuted : forall h, decoder_flow 1000 1 h ->
  g 1000 h 13 * (1 + 4) < g 1000 h (13 - 10) /\ 1 / 3 * 1 * 10 < 4.
Proof.
  intros h Hf. split; [|lra].
  assert (I : implicit_form 1000 1 h) by (apply flow_implicit; auto; lra).
  pose proof (I 13 ltac:(lra)) as E13. pose proof (I 3 ltac:(lra)) as E3.
  replace (13 - 10) with 3 by ring. unfold g.
  set (x := 1000 * h 13) in *. set (y := 1000 * h 3) in *.
  replace ((1000 - 1) * 1000 * h 13) with (999 * x) in E13 by (unfold x; ring).
  replace ((1000 - 1) * 1000 * h 3) with (999 * y) in E3 by (unfold y; ring).
  pose proof (exp_pos y) as Py.
  assert (Ey : exp y < 31).
  { apply Rle_lt_trans with (exp (301 / 100)); [apply exp_le_mono; lra|pose proof exp_301_upper;
      lra]. }
  assert (Xup : x < 85 / 10).
  { destruct (Rle_or_lt (85 / 10) x) as [N|]; auto. exfalso.
    assert (exp (85 / 10) <= exp x) by (apply exp_le_mono; auto).
    pose proof exp_850_lower. lra. }
  assert (A : / (1000 - 1 + exp x) < / 5508) by (apply Rinv_lt_contravar; lra).
  assert (B : / 1030 < / (1000 - 1 + exp y)) by (apply Rinv_lt_contravar; lra).
  apply Rlt_trans with (2 := B). lra.
Qed.

(* THEOREM equation_64 | holds-as-printed | the slope of g and its bound, for every M > 1 *)
(* THEOREM equation_65 | holds-as-printed | |g(s+d) - g(s)| <= g(s) eta_Y d/3 for every M >= 4 *)
(* THEOREM equation_62_backwards | holds-as-corrected | too few visits: the bound is exponential *)
(* THEOREM equation_62_refuted | refuted-as-printed | M = 1000, eta_Y = 1, N-bar = 13, Delta = 10 *)
(* BRIDGE g | lib.scan_snap.decoder.speed | g(s) = speed(h(s), M) *)
