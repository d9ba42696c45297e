(* Insight (c) after Theorem 4 of "Scan and Snap" (Section 6): a slower decoder, more gain.

   Proved for every real M >= 8, K > 0, C_0 > 0, eta_Z > 0 and all rates eta < eta' of the decoder:
   from the t_0 of the slower decoder on its gain B_n is the larger one.  Printed is t >= t_0
   without a word on whose t_0 is meant. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder lag numbers.
From ScanSnap Require Import theorem_04 insight_a insight_b.
Open Scope R_scope.

Lemma exp_3_below_21 : exp 3 < 21.
Proof.
  apply Rle_lt_trans with (209 / 10); [|lra].
  up (3 / 2) (457 / 100). up (3 / 4) (2137 / 1000). up (3 / 8) (14615 / 10000).
  up (3 / 16) (12088 / 10000). apply seed_upper; lra.
Qed.

(* from M = 8 on the terms of (45) are equal beyond 3 only, apart from the early crossing *)
Lemma beyond_3 : forall M u, 8 <= M -> 1 < u -> exp u = (M - 1) * u -> 3 <= u.
Proof.
  intros M u HM Hu E. destruct (Rle_or_lt 3 u) as [|L]; auto. exfalso.
  assert (C : 7 * (4 - u) * u <= exp 3).
  { replace (exp 3) with (exp u * exp (3 - u)) by (rewrite <- exp_plus; f_equal; ring).
    rewrite E. pose proof (exp_ge_line (3 - u)).
    apply Rle_trans with ((M - 1) * u * (1 + (3 - u))); [|apply Rmult_le_compat_l; nra].
    assert (0 <= (M - 8) * (u * (4 - u))) by (apply Rmult_le_pos; nra). nra. }
  pose proof exp_3_below_21. assert (3 < (4 - u) * u) by nra. nra.
Qed.

(* u^2 over what (45) says of the time falls where e^u >= c u and u >= 3 *)
Lemma falls : forall c u v, 0 < c -> 3 <= u < v -> c * u <= exp u ->
  v ^ 2 * (exp u + c * u - 1) < u ^ 2 * (exp v + c * v - 1).
Proof.
  intros c u v Hc [Hu Huv] L. set (X := exp u) in *. set (d := v - u).
  assert (Hd : 0 < d) by (unfold d; lra). replace v with (u + d) by (unfold d; ring).
  assert (V : X * (1 + d + d ^ 2 / 2) <= exp (u + d)).
  { rewrite exp_plus. apply Rmult_le_compat_l; [left; apply exp_pos|].
    pose proof (exp_second_order d ltac:(lra)). lra. }
  assert (P : 0 < X) by apply exp_pos.
  assert (A : 0 <= X * d * (u ^ 2 - 3 * u + d * (u ^ 2 / 2 - 2))).
  { apply Rmult_le_pos; [nra|]. assert (0 <= u ^ 2 - 3 * u) by nra.
    assert (0 <= u ^ 2 / 2 - 2) by nra. assert (0 <= d * (u ^ 2 / 2 - 2)) by nra. lra. }
  assert (B : 0 <= (X - c * u) * (d * (u + d))) by (apply Rmult_le_pos; nra).
  assert (U : u ^ 2 * (X * (1 + d + d ^ 2 / 2)) <= u ^ 2 * exp (u + d))
    by (apply Rmult_le_compat_l; nra).
  assert (Q : u ^ 2 * (X * (1 + d + d ^ 2 / 2)) + u ^ 2 * (c * (u + d) - 1) -
    (u + d) ^ 2 * (X + c * u - 1) =
    X * d * (u ^ 2 - 3 * u + d * (u ^ 2 / 2 - 2)) + (X - c * u) * (d * (u + d)) +
    2 * u * d + d ^ 2) by field.
  assert (0 < 2 * u * d + d ^ 2) by nra. lra.
Qed.

Theorem insight_c : forall M K eta eta' eta_Z C0 h B h' B' t_0, 8 <= M -> 0 < K -> 0 < eta < eta' ->
  0 < eta_Z -> 0 < C0 -> gains M K eta eta_Z C0 h B -> gains M K eta' eta_Z C0 h' B' ->
  snaps_at M K h t_0 -> forall t, t_0 <= t -> B' t < B t.
Proof.
  intros M K eta eta' eta_Z C0 h B h' B' t_0 HM HK He HZ HC G G' [H0 [U0 E0]] t Ht.
  assert (P0 : 0 <= t_0 / K) by (apply le_div; lra).
  assert (P : t_0 / K <= t / K).
  { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat|]; lra. }
  rewrite (gain_by_height M K eta eta_Z C0 h B) by (auto; lra).
  rewrite (gain_by_height M K eta' eta_Z C0 h' B') by (auto; lra).
  pose proof (beyond_3 M _ HM U0 E0) as T.
  pose proof (flow_implicit M eta h ltac:(lra) (proj1 G) (t / K) ltac:(lra)) as I.
  pose proof (flow_implicit M eta' h' ltac:(lra) (proj1 G') (t / K) ltac:(lra)) as I'.
  assert (S0 : h (t_0 / K) <= h (t / K)).
  { destruct P as [P|<-]; [|lra]. left. apply (rises M eta); [lra|lra|apply G|lra]. }
  assert (Z : 0 < t / K).
  { apply Rlt_le_trans with (t_0 / K); auto. destruct P0 as [|P0]; auto. exfalso.
    rewrite <- P0, (proj1 (proj1 G)) in U0. lra. }
  assert (S : h (t / K) < h' (t / K)).
  { rewrite (rescaled M eta eta' h h') by (auto; try apply G; try apply G'; lra).
    apply (rises M eta'); [lra|lra|apply G'|]. split.
    - apply Rmult_le_pos; [apply le_div|]; lra.
    - rewrite <- (Rmult_1_l (t / K)) at 2. apply Rmult_lt_compat_r; auto. apply div_lt; lra. }
  set (u0 := M * h (t_0 / K)) in *. set (u := M * h (t / K)) in *. set (v := M * h' (t / K)) in *.
  assert (Hu : u0 <= u) by (unfold u0, u; apply Rmult_le_compat_l; lra).
  assert (Hv : u < v) by (unfold u, v; apply Rmult_lt_compat_l; lra).
  assert (L : (M - 1) * u <= exp u) by (apply (leaves_line (M - 1) u0); lra).
  pose proof (falls (M - 1) u v ltac:(lra) ltac:(lra) L) as F.
  replace ((M - 1) * M * h (t / K)) with ((M - 1) * u) in I by (unfold u; ring).
  replace ((M - 1) * M * h' (t / K)) with ((M - 1) * v) in I' by (unfold v; ring).
  replace (exp u + (M - 1) * u - 1) with (M * eta * (t / K)) in F by lra.
  replace (exp v + (M - 1) * v - 1) with (M * eta' * (t / K)) in F by lra.
  (* so h'^2/eta' < h^2/eta *)
  assert (Q : h' (t / K) ^ 2 / eta' < h (t / K) ^ 2 / eta).
  { apply Rmult_lt_reg_l with (M ^ 2 * (M * (t / K)) * (eta * eta')).
    - repeat (assumption || apply Rmult_lt_0_compat || lra).
    - replace (M ^ 2 * (M * (t / K)) * (eta * eta') * (h' (t / K) ^ 2 / eta'))
        with (v ^ 2 * (M * eta * (t / K))) by (unfold v; field; lra).
      replace (M ^ 2 * (M * (t / K)) * (eta * eta') * (h (t / K) ^ 2 / eta))
        with (u ^ 2 * (M * eta' * (t / K))) by (unfold u; field; lra). exact F. }
  set (a := 2 * eta_Z * K * (M - 1) ^ 2 / C0).
  assert (A : 0 < a).
  { unfold a. apply Rdiv_lt_0_compat; auto. repeat (lra || apply Rmult_lt_0_compat). }
  replace (2 * (eta_Z / eta') * K * (M - 1) ^ 2 * h' (t / K) ^ 2 / C0)
    with (a * (h' (t / K) ^ 2 / eta')) by (unfold a; field; lra).
  replace (2 * (eta_Z / eta) * K * (M - 1) ^ 2 * h (t / K) ^ 2 / C0)
    with (a * (h (t / K) ^ 2 / eta)) by (unfold a; field; lra).
  apply gain_strict; auto. split; [|exact Q]. apply le_div; [lra|].
  rewrite Rmult_0_l. apply pow2_ge_0.
Qed.

(* THEOREM insight_c | holds-as-corrected | from the slower decoder's t_0 on it has gained more,
   M >= 8 *)
