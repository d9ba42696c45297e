(* Insight (b) after Theorem 4 of "Scan and Snap" (Section 6): both rates larger, more gain.

   Proved for every real M > 1, K > 0, C_0 > 0, all rates and every factor c > 1: with (118), (119)
   and B_n = eta_Z int xi_n, the gain with the rates c eta_Y, c eta_Z is larger at every time
   t > 0. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder.
From ScanSnap Require Import theorem_04 insight_a.
Open Scope R_scope.

(* B is the gain B_n: (118), (119), Gamma = eta_Z int gamma, B = eta_Z int xi, as in Theorem 4 *)
Definition gains (M K eta_Y eta_Z C0 : R) (h B : R -> R) : Prop :=
  decoder_flow M eta_Y h /\ exists z Gam xi : R -> R,
  z 0 = 0 /\ Gam 0 = 0 /\ B 0 = 0 /\ forall t, 0 <= t ->
  is_derive z t (- / C0 * eta_Z * gamma M K h t * exp (4 * z t)) /\
  xi t = / C0 * gamma M K h t * exp (4 * z t) /\
  is_derive Gam t (eta_Z * gamma M K h t) /\ is_derive B t (eta_Z * xi t).

Lemma gain_by_height : forall M K eta_Y eta_Z C0 h B, 1 < M -> 0 < K -> 0 < eta_Y -> 0 < eta_Z ->
  0 < C0 -> gains M K eta_Y eta_Z C0 h B -> forall t, 0 <= t ->
  B t = / 4 * ln (1 + 2 * (eta_Z / eta_Y) * K * (M - 1) ^ 2 * h (t / K) ^ 2 / C0).
Proof.
  intros M K eta_Y eta_Z C0 h B HM HK HY HZ HC [F [z [Gam [xi [z0 [G0 [B0 D]]]]]]].
  apply (equation_129_corrected M K eta_Y eta_Z C0 h z B Gam xi); auto; intros; apply D; auto.
Qed.

(* less height, less gain, strictly *)
Lemma gain_strict : forall a x y, 0 < a -> 0 <= x < y ->
  / 4 * ln (1 + a * x) < / 4 * ln (1 + a * y).
Proof. intros a x y Ha H. apply Rmult_lt_compat_l; [lra|]. apply ln_increasing; nra. Qed.

Lemma rises : forall M eta h s t, 1 < M -> 0 < eta -> decoder_flow M eta h -> 0 <= s < t ->
  h s < h t.
Proof.
  intros M eta h s t HM He [H0 Hd] H.
  apply (strictly_increasing_flow h (fun u => eta * speed M (h u))); auto; [|lra|lra].
  intros u Hu. apply Rmult_lt_0_compat; auto. apply speed_pos; auto.
Qed.

Theorem insight_b : forall M K eta_Y eta_Z C0 c h B h' B', 1 < M -> 0 < K -> 0 < eta_Y ->
  0 < eta_Z -> 0 < C0 -> 1 < c ->
  gains M K eta_Y eta_Z C0 h B -> gains M K (c * eta_Y) (c * eta_Z) C0 h' B' ->
  forall t, 0 < t -> B t < B' t.
Proof.
  intros M K eta_Y eta_Z C0 c h B h' B' HM HK HY HZ HC Hc G G' t Ht.
  assert (cY : 0 < c * eta_Y) by nra. assert (cZ : 0 < c * eta_Z) by nra.
  assert (P : 0 < t / K) by (apply Rdiv_lt_0_compat; lra).
  rewrite (gain_by_height M K eta_Y eta_Z C0 h B) by (auto; lra).
  rewrite (gain_by_height M K (c * eta_Y) (c * eta_Z) C0 h' B') by (auto; lra).
  pose proof (rescaled M (c * eta_Y) eta_Y h' h (t / K) HM cY HY (proj1 G') (proj1 G)) as E.
  rewrite E by lra. replace (c * eta_Y / eta_Y) with c by (field; lra).
  assert (H0 : h 0 = 0) by apply G.
  assert (H1 : 0 < h (t / K)).
  { rewrite <- H0. apply (rises M eta_Y); auto; [apply G|lra]. }
  assert (H2 : h (t / K) < h (c * (t / K))) by (apply (rises M eta_Y); [| |apply G|]; auto; nra).
  set (a := 2 * (eta_Z / eta_Y) * K * (M - 1) ^ 2 / C0).
  assert (A : 0 < a).
  { unfold a. assert (0 < eta_Z / eta_Y) by (apply Rdiv_lt_0_compat; auto).
    assert (0 < (M - 1) ^ 2) by nra. apply Rdiv_lt_0_compat; auto.
    apply Rmult_lt_0_compat; auto. apply Rmult_lt_0_compat; auto. lra. }
  replace (2 * (eta_Z / eta_Y) * K * (M - 1) ^ 2 * h (t / K) ^ 2 / C0)
    with (a * h (t / K) ^ 2) by (unfold a; field; lra).
  replace (2 * (c * eta_Z / (c * eta_Y)) * K * (M - 1) ^ 2 * h (c * (t / K)) ^ 2 / C0)
    with (a * h (c * (t / K)) ^ 2) by (unfold a; field; lra).
  apply gain_strict; auto. split; [apply pow2_ge_0|nra].
Qed.

(* THEOREM insight_b | holds-as-printed | both rates c times as large, c > 1: more gain at
   every t > 0 *)
