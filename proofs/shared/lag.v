(* How far the recursion (33) runs ahead of the flow (44), measured on the flow's clock:
   lag(s) = clock(h*(s)) - s, the time by which the flow reaches h*(s) late.
   Used by the proofs of Lemma 7 and Remark 2 of "Scan and Snap". *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus decoder.
Open Scope R_scope.

Definition lag (M eta : R) (s : nat) : R := clock M eta (h_star M eta s) - INR s.

(* a step of M h* *)
Definition step (M eta : R) (s : nat) : R := M * (eta * speed M (h_star M eta s)).

(* half the logarithm of the slowdown: the law of the lag *)
Definition half_log (M x : R) : R := / 2 * ln ((M - 1 + exp (M * x)) / M).

(* 1 + d + d^2/2 <= e^d for d >= 0 *)
Lemma exp_second_order : forall d, 0 <= d -> d ^ 2 / 2 <= exp d - 1 - d.
Proof.
  intros d Hd.
  assert (H : exp 0 - 1 - 0 - 0 ^ 2 / 2 <= exp d - 1 - d - d ^ 2 / 2).
  { apply (increasing_flow (fun t => exp t - 1 - t - t ^ 2 / 2) (fun t => exp t - 1 - t));
      try lra.
    - intros t _. auto_derive; [trivial|]. field.
    - intros t _. pose proof (exp_ge_line t). lra. }
  rewrite exp_0 in H. lra.
Qed.

(* e^d <= 1 + d + d^2 e^d / 2 for d >= 0 *)
Lemma exp_second_order_upper : forall d, 0 <= d -> exp d - 1 - d <= d ^ 2 / 2 * exp d.
Proof.
  intros d Hd.
  assert (H : 0 ^ 2 / 2 * exp 0 - exp 0 + 1 + 0 <= d ^ 2 / 2 * exp d - exp d + 1 + d).
  { apply (increasing_flow (fun t => t ^ 2 / 2 * exp t - exp t + 1 + t)
             (fun t => t ^ 2 / 2 * exp t + (1 - exp t * (1 - t)))); try lra.
    - intros t _. auto_derive; [trivial|]. field.
    - intros t Ht. pose proof (exp_pos t). pose proof (exp_minus_le t 0) as L.
      rewrite exp_0 in L. assert (0 <= t ^ 2 / 2 * exp t) by nra. lra. }
  rewrite exp_0 in H. lra.
Qed.

(* convexity of the exponential on two points, with any weight and any step *)
Lemma exp_mean : forall p d, 0 <= p <= 1 -> exp (p * d) <= 1 - p + p * exp d.
Proof.
  intros p d Hp. pose proof (exp_pos (p * d)) as P.
  assert (A : exp (p * d) * (1 - p * d) <= 1).
  { pose proof (exp_ge_line (- (p * d))) as H.
    assert (exp (p * d) * exp (- (p * d)) = 1).
    { rewrite <- exp_plus. replace (p * d + - (p * d)) with 0 by ring. apply exp_0. }
    nra. }
  assert (B : exp (p * d) * (1 + (1 - p) * d) <= exp d).
  { pose proof (exp_ge_line ((1 - p) * d)) as H.
    assert (exp (p * d) * exp ((1 - p) * d) = exp d) by (rewrite <- exp_plus; f_equal; ring).
    nra. }
  assert ((1 - p) * (exp (p * d) * (1 - p * d)) <= 1 - p) by nra.
  assert (p * (exp (p * d) * (1 + (1 - p) * d)) <= p * exp d) by nra.
  lra.
Qed.

(* ln(a + e^u) is convex in u *)
Lemma slowdown_convex : forall a u d, 0 < a ->
  exp u / (a + exp u) * d <= ln ((a + exp (u + d)) / (a + exp u)).
Proof.
  intros a u d Ha. pose proof (exp_pos u). pose proof (exp_pos d).
  set (p := exp u / (a + exp u)).
  assert (Hp : 0 <= p <= 1).
  { unfold p. split.
    - apply Rlt_le, Rdiv_lt_0_compat; lra.
    - apply Rmult_le_reg_r with (a + exp u); [lra|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l; lra. }
  replace ((a + exp (u + d)) / (a + exp u)) with (1 - p + p * exp d)
    by (unfold p; rewrite exp_plus; field; lra).
  rewrite <- (ln_exp (p * d)) at 1. pose proof (exp_mean p d Hp) as E.
  apply ln_le_mono; [apply exp_pos|exact E].
Qed.

Section Lag.
Variables M eta : R.
Hypothesis M_gt1 : 1 < M.
Hypothesis eta_pos : 0 < eta.

Notation u s := (M * h_star M eta s).
Notation share s := (exp (u s) / (M - 1 + exp (u s))).

Lemma step_pos : forall s, 0 < step M eta s.
Proof.
  intros s. unfold step. pose proof (speed_pos M (h_star M eta s) M_gt1).
  repeat apply Rmult_lt_0_compat; lra.
Qed.

Lemma u_nonneg : forall s, 0 <= u s.
Proof. intros s. pose proof (h_star_nonneg M eta s M_gt1 eta_pos). nra. Qed.

Lemma step_small : forall s, step M eta s <= eta.
Proof.
  intros s. unfold step, speed. pose proof (exp_ge_line (u s)). pose proof (u_nonneg s).
  apply Rmult_le_reg_r with (M - 1 + exp (u s)); [lra|].
  replace (M * (eta * / (M - 1 + exp (u s))) * (M - 1 + exp (u s))) with (M * eta) by (field; lra).
  nra.
Qed.

Lemma u_next : forall s, u (S s) = u s + step M eta s.
Proof. intros s. unfold step. simpl. ring. Qed.

(* the lag grows by e^u (e^d - 1 - d)/(M eta_Y) a step: what the tangent misses *)
Lemma lag_step : forall s, lag M eta (S s) - lag M eta s =
  exp (u s) * (exp (step M eta s) - 1 - step M eta s) / (M * eta).
Proof.
  intros s. unfold lag, clock. rewrite S_INR.
  replace (M * h_star M eta (S s)) with (u s + step M eta s) by (symmetry; apply u_next).
  replace ((M - 1) * M * h_star M eta (S s)) with ((M - 1) * (u s + step M eta s))
    by (rewrite <- u_next; ring).
  rewrite exp_plus. pose proof (exp_pos (u s)).
  assert (D : (M - 1 + exp (u s)) * step M eta s = M * eta).
  { unfold step, speed. field. lra. }
  set (d := step M eta s) in *. replace ((M - 1) * M * h_star M eta s) with ((M - 1) * u s) by ring.
  set (x := u s) in *. apply Rmult_eq_reg_r with (M * eta); [|nra].
  field_simplify; [|nra|nra]. nra.
Qed.

Lemma lag_step_share : forall s c,
  exp (u s) * (c * (step M eta s) ^ 2) / (M * eta) = c * (share s * step M eta s).
Proof. intros s c. unfold step, speed. pose proof (exp_pos (u s)). field. lra. Qed.

Lemma share_bounds : forall s, 0 <= share s <= 1.
Proof.
  intros s. pose proof (exp_pos (u s)). split.
  - apply Rlt_le, Rdiv_lt_0_compat; lra.
  - apply Rmult_le_reg_r with (M - 1 + exp (u s)); [lra|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l; lra.
Qed.

Lemma half_log_step : forall s, half_log M (h_star M eta (S s)) - half_log M (h_star M eta s) =
  / 2 * ln ((M - 1 + exp (u s + step M eta s)) / (M - 1 + exp (u s))).
Proof.
  intros s. unfold half_log. rewrite u_next.
  pose proof (exp_pos (u s)). pose proof (exp_pos (u s + step M eta s)).
  rewrite !ln_div; try lra.
Qed.

(* the lag lies within the factors e^(-eta_Y) and e^(eta_Y) of its law *)
Lemma lag_upper : forall s, lag M eta s <= exp eta * half_log M (h_star M eta s).
Proof.
  induction s as [|s IH].
  - unfold lag, clock, half_log. simpl. rewrite !Rmult_0_r, exp_0.
    replace ((M - 1 + 1) / M) with 1 by (field; lra). rewrite ln_1. unfold Rdiv. lra.
  - pose proof (lag_step s) as L. pose proof (half_log_step s) as H.
    pose proof (step_pos s) as P. pose proof (step_small s) as Q.
    pose proof (exp_second_order_upper (step M eta s) (Rlt_le _ _ P)) as E.
    pose proof (slowdown_convex (M - 1) (u s) (step M eta s) ltac:(lra)) as C.
    pose proof (lag_step_share s (/ 2 * exp (step M eta s))) as B.
    assert (X : exp (step M eta s) <= exp eta).
    { apply exp_le_mono. exact Q. }
    assert (I : exp (u s) * (exp (step M eta s) - 1 - step M eta s) / (M * eta) <=
                exp (u s) * (/ 2 * exp (step M eta s) * step M eta s ^ 2) / (M * eta)).
    { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|].
      apply Rmult_le_compat_l; [left; apply exp_pos|lra]. }
    rewrite B in I. pose proof (share_bounds s) as [S0 _].
    assert (0 <= share s * step M eta s) by nra. pose proof (exp_pos eta).
    assert (exp (step M eta s) * (share s * step M eta s) <=
            exp eta * ln ((M - 1 + exp (u s + step M eta s)) / (M - 1 + exp (u s))))
      by (apply Rmult_le_compat; auto; left; apply exp_pos).
    nra.
Qed.

Lemma lag_lower : forall s, exp (- eta) * half_log M (h_star M eta s) <= lag M eta s.
Proof.
  induction s as [|s IH].
  - unfold lag, clock, half_log. simpl. rewrite !Rmult_0_r, exp_0.
    replace ((M - 1 + 1) / M) with 1 by (field; lra). rewrite ln_1. unfold Rdiv. lra.
  - pose proof (lag_step s) as L. pose proof (half_log_step s) as H.
    pose proof (step_pos s) as P. pose proof (step_small s) as Q.
    pose proof (exp_second_order (step M eta s) (Rlt_le _ _ P)) as E.
    pose proof (slowdown_convex (M - 1) (u s + step M eta s) (- step M eta s) ltac:(lra)) as C.
    replace (u s + step M eta s + - step M eta s) with (u s) in C by ring.
    pose proof (lag_step_share s (/ 2)) as B.
    pose proof (exp_pos (u s)) as Pu. pose proof (exp_pos (u s + step M eta s)) as Pv.
    set (d := step M eta s) in *.
    assert (N : ln ((M - 1 + exp (u s)) / (M - 1 + exp (u s + d))) =
                - ln ((M - 1 + exp (u s + d)) / (M - 1 + exp (u s)))) by (rewrite !ln_div; lra).
    rewrite N in C.
    assert (I : exp (u s) * (/ 2 * d ^ 2) / (M * eta) <=
                exp (u s) * (exp d - 1 - d) / (M * eta)).
    { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|].
      apply Rmult_le_compat_l; lra. }
    rewrite B in I.
    (* the share after the step is at most e^d times the share before it *)
    assert (R : exp (- d) * (exp (u s + d) / (M - 1 + exp (u s + d))) <= share s).
    { rewrite exp_plus, exp_Ropp in *. pose proof (exp_pos d) as Pd.
      assert (1 <= exp d) by (pose proof (exp_ge_line d); lra).
      replace (/ exp d * (exp (u s) * exp d / (M - 1 + exp (u s) * exp d)))
        with (exp (u s) / (M - 1 + exp (u s) * exp d)) by (field; nra).
      unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; nra. }
    assert (X : exp (- eta) <= exp (- d)).
    { apply exp_le_mono. lra. }
    set (g := ln ((M - 1 + exp (u s + d)) / (M - 1 + exp (u s)))) in *.
    set (q := exp (u s + d) / (M - 1 + exp (u s + d))) in *.
    assert (G : g <= q * d) by lra.
    assert (0 <= q) by (apply Rlt_le, Rdiv_lt_0_compat; lra).
    pose proof (exp_pos (- eta)). pose proof (exp_pos (- d)).
    assert (exp (- eta) * g <= exp (- eta) * (q * d)) by (apply Rmult_le_compat_l; lra).
    assert (exp (- eta) * (q * d) <= exp (- d) * (q * d))
      by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|exact X]).
    assert (exp (- d) * (q * d) <= share s * d).
    { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [lra|exact R]. }
    replace (half_log M (h_star M eta (S s))) with (half_log M (h_star M eta s) + / 2 * g) by lra.
    lra.
Qed.

Lemma half_log_nonneg : forall s, 0 <= half_log M (h_star M eta s).
Proof.
  intros s. unfold half_log. pose proof (exp_ge_line (u s)). pose proof (u_nonneg s).
  assert (1 <= (M - 1 + exp (u s)) / M).
  { apply Rmult_le_reg_r with M; [lra|].
    replace ((M - 1 + exp (u s)) / M * M) with (M - 1 + exp (u s)) by (field; lra). lra. }
  assert (0 <= ln ((M - 1 + exp (u s)) / M)).
  { rewrite <- ln_1. apply ln_le_mono; lra. }
  lra.
Qed.

Lemma lag_nonneg : forall s, 0 <= lag M eta s.
Proof.
  intros s. pose proof (lag_lower s). pose proof (half_log_nonneg s). pose proof (exp_pos (- eta)).
  nra.
Qed.

End Lag.
