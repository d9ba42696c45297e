(* Does snapping have a direction?  Whatever moves the pushes: if every pair of a sample's winner
   and another token of it is pushed apart by beta T^ask e^(-lead) d ln T, 0 < least <= beta <= most,
   each pair with a number ask of its own, then Z stays within the square root of ln T of W ln T, W
   the least Z in which each pair leads by ask.

   s = ln T >= 0; N coordinates of Z, P pairs, pair p along the vector A p.  W is given by its
   conditions of optimality: W = sum lambda_p A p, lambda >= 0, leads mu_p >= ask_p, and
   mu_p = ask_p wherever lambda_p > 0. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums calculus.
Open Scope R_scope.

Lemma line_below_exp : forall y, y * exp (- y) <= exp (-1).
Proof.
  intros y. pose proof (exp_ge_line (y - 1)) as H.
  replace (exp (y - 1)) with (exp (-1) * exp y) in H by (rewrite <- exp_plus; f_equal; ring).
  rewrite exp_Ropp. apply div_le; [apply exp_pos|]. lra.
Qed.

(* one pair: y is how far its margin is ahead *)
Lemma pair_bound : forall least most beta lam y, 0 < least -> least <= beta <= most -> 0 <= lam ->
  y * (beta * exp (- y) - lam) <= (most + lam ^ 2 / (4 * least)) * exp (-1).
Proof.
  intros b B beta lam y Hb [H1 H2] Hl. pose proof (exp_pos (-1)) as E.
  assert (Q0 : 0 <= lam ^ 2 / (4 * b)) by (apply le_div; [lra|]; pose proof (pow2_ge_0 lam); lra).
  assert (Q : 0 <= lam ^ 2 / (4 * b) * exp (-1)) by (apply Rmult_le_pos; lra).
  destruct (Rle_dec 0 y) as [Hy|Hy].
  - pose proof (line_below_exp y) as L. pose proof (exp_pos (- y)).
    assert (0 <= y * exp (- y)) by (apply Rmult_le_pos; lra).
    assert (beta * (y * exp (- y)) <= B * exp (-1)) by (apply Rmult_le_compat; lra).
    assert (0 <= lam * y) by (apply Rmult_le_pos; lra). lra.
  - pose proof (exp_pos 1) as F.
    assert (L : exp 1 * - y <= exp (- y)).
    { pose proof (exp_ge_line (- y - 1)) as L0.
      replace (exp (- y)) with (exp 1 * exp (- y - 1)) by (rewrite <- exp_plus; f_equal; ring).
      apply Rmult_le_compat_l; lra. }
    assert (b * (exp 1 * - y) <= beta * exp (- y)).
    { apply Rmult_le_compat; try lra. apply Rmult_le_pos; lra. }
    assert (y * (beta * exp (- y)) <= y * (b * (exp 1 * - y))) by nra.
    assert (S : - (b * exp 1) * y ^ 2 - lam * y <= lam ^ 2 / (4 * (b * exp 1))).
    { assert (0 < b * exp 1) by (apply Rmult_lt_0_compat; lra).
      apply Rle_div_r; [lra|]. pose proof (pow2_ge_0 (2 * (b * exp 1) * y + lam)). nra. }
    replace (lam ^ 2 / (4 * (b * exp 1))) with (lam ^ 2 / (4 * b) * exp (-1)) in S.
    2:{ replace (exp (-1)) with (/ exp 1) by (rewrite <- exp_Ropp; reflexivity). field; lra. }
    assert (0 <= B * exp (-1)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma derive_Sum : forall N (f df : nat -> R -> R) s,
  (forall j, (j < N)%nat -> is_derive (f j) s (df j s)) ->
  is_derive (fun r => Sum N (fun j => f j r)) s (Sum N (fun j => df j s)).
Proof.
  induction N as [|N IH]; intros f df s H; simpl; [apply @is_derive_const|].
  apply (is_derive_plus (fun r => Sum N (fun j => f j r)) (f N)); [|apply H; lia].
  apply IH. intros j Hj. apply H. lia.
Qed.

Section Drift.
Variables (N P : nat) (A : nat -> nat -> R) (ask lam : nat -> R) (beta : nat -> R -> R).
Variables (Z : nat -> R -> R) (least most : R).
Let W (j : nat) : R := Sum P (fun p => lam p * A p j).
Let mu (p : nat) : R := Sum N (fun j => A p j * W j).
Let m (p : nat) (s : R) : R := Sum N (fun j => A p j * Z j s).
Let force (p : nat) (s : R) : R := exp (s * ask p) * beta p s * exp (- m p s).
Hypothesis least_pos : 0 < least.
Hypothesis beta_in : forall p s, (p < P)%nat -> 0 <= s -> least <= beta p s <= most.
Hypothesis lam_nonneg : forall p, (p < P)%nat -> 0 <= lam p.
Hypothesis feasible : forall p, (p < P)%nat -> ask p <= mu p.
Hypothesis slack : forall p, (p < P)%nat -> lam p * (mu p - ask p) = 0.
Hypothesis Z_flow : forall j s, (j < N)%nat -> 0 <= s ->
  is_derive (Z j) s (Sum P (fun p => force p s * A p j)).

Definition distance (s : R) : R := Sum N (fun j => (Z j s - s * W j) ^ 2).
Definition constant : R := Sum P (fun p => (most + lam p ^ 2 / (4 * least)) * exp (-1)).

Lemma distance_flow : forall s, 0 <= s ->
  is_derive distance s (2 * Sum P (fun p => (m p s - s * mu p) * (force p s - lam p))).
Proof.
  intros s Hs. unfold distance.
  apply (derive_value _ _ (Sum N (fun j =>
    2 * (Z j s - s * W j) * (Sum P (fun p => force p s * A p j) - W j)))).
  - apply (derive_Sum N (fun j r => (Z j r - r * W j) ^ 2)
      (fun j r => 2 * (Z j r - r * W j) * (Sum P (fun p => force p r * A p j) - W j))).
    intros j Hj. evar_last.
    + auto_derive; [eexists; apply Z_flow; auto|reflexivity].
    + change (Derive (fun x => Z j x) s) with (Derive (Z j) s).
      rewrite (is_derive_unique _ _ _ (Z_flow j s Hj Hs)). ring.
  - rewrite <- Sum_scal.
    rewrite (Sum_ext N _ (fun j => Sum P (fun p =>
      2 * ((A p j * Z j s - s * (A p j * W j)) * (force p s - lam p))))).
    + rewrite Sum_swap. apply Sum_ext. intros p Hp.
      rewrite Sum_scal, Sum_scal_r, Sum_minus, Sum_scal. unfold m, mu. ring.
    + intros j Hj. unfold W at 2. rewrite <- Sum_minus, <- Sum_scal. apply Sum_ext.
      intros p Hp. ring.
Qed.

Lemma pair_of_force : forall p s, (p < P)%nat -> 0 <= s ->
  (m p s - s * mu p) * (force p s - lam p) <= (most + lam p ^ 2 / (4 * least)) * exp (-1).
Proof.
  intros p s Hp Hs. set (y := m p s - s * mu p). pose proof (feasible p Hp) as F.
  pose proof (beta_in p s Hp Hs) as Bb. pose proof (lam_nonneg p Hp) as L.
  assert (E : force p s = beta p s * exp (s * (ask p - mu p)) * exp (- y)).
  { unfold force, y. rewrite !Rmult_assoc, <- exp_plus.
    rewrite (Rmult_comm (exp (s * ask p))), Rmult_assoc, <- exp_plus. do 2 f_equal. ring. }
  rewrite E. destruct (Req_dec (lam p) 0) as [Z0|NZ].
  - rewrite Z0. set (c := exp (s * (ask p - mu p))).
    assert (C : 0 < c <= 1).
    { split; [apply exp_pos|]. unfold c. apply Rle_trans with (exp 0);
        [apply exp_le_mono; nra|rewrite exp_0; lra]. }
    assert (T : y * exp (- y) <= exp (-1)) by apply line_below_exp.
    pose proof (exp_pos (-1)). assert (R : 0 < beta p s * c <= most) by nra.
    assert (beta p s * c * (y * exp (- y)) <= most * exp (-1)).
    { destruct (Rle_dec 0 (y * exp (- y))); [apply Rmult_le_compat; lra|].
      assert (0 <= most * exp (-1)) by (apply Rmult_le_pos; lra). nra. }
    replace (0 ^ 2 / (4 * least)) with 0 by (field; lra). lra.
  - assert (M : mu p = ask p).
    { pose proof (slack p Hp) as Sl. apply Rmult_integral in Sl. destruct Sl; [contradiction|lra]. }
    rewrite M. replace (s * (ask p - ask p)) with 0 by ring. rewrite exp_0, Rmult_1_r.
    apply pair_bound; auto.
Qed.

Theorem drift : forall s, 0 <= s -> distance s <= distance 0 + 2 * constant * s.
Proof.
  intros s Hs.
  assert (I : 2 * constant * 0 - distance 0 <= 2 * constant * s - distance s); [|lra].
  apply (increasing_flow (fun r => 2 * constant * r - distance r) (fun r => 2 * constant
    - 2 * Sum P (fun p => (m p r - r * mu p) * (force p r - lam p)))); try lra.
  - intros r Hr. apply (is_derive_minus (fun x => 2 * constant * x) distance);
      [auto_derive; [auto|ring]|apply distance_flow; auto].
  - intros r Hr. unfold constant.
    assert (Sum P (fun p => (m p r - r * mu p) * (force p r - lam p))
      <= Sum P (fun p => (most + lam p ^ 2 / (4 * least)) * exp (-1))); [|lra].
    apply Sum_le. intros p Hp. apply pair_of_force; auto.
Qed.

(* so Z / ln T goes to W, like one over the square root of ln T *)
Theorem direction : forall j s, (j < N)%nat -> 0 < s ->
  (Z j s / s - W j) ^ 2 <= (distance 0 + 2 * constant * s) / s ^ 2.
Proof.
  intros j s Hj Hs. pose proof (drift s (Rlt_le _ _ Hs)) as D.
  pose proof (Sum_term_le N (fun i => (Z i s - s * W i) ^ 2) j Hj
    (fun i _ => pow2_ge_0 (Z i s - s * W i))) as T. simpl in T. fold (distance s) in T.
  replace ((Z j s / s - W j) ^ 2) with ((Z j s - s * W j) ^ 2 / s ^ 2) by (field; lra).
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat, pow_lt; auto|].
  unfold distance in D, T |- *. simpl in *. lra.
Qed.
End Drift.

(* The ally step: a force a e^(-x) (1 + p) against a clock 1 - r, both known up to e, holds e^x
   near a, and the start is forgotten at the rate 1 - e, so small leaks are not added up. *)
Section Ally.
Variables (a e : R) (x p r : R -> R).
Hypothesis a_pos : 0 < a.
Hypothesis e_small : 0 <= e < 1.
Hypothesis x_flow : forall s, 0 <= s ->
  is_derive x s (a * exp (- x s) * (1 + p s) - 1 + r s).
Hypothesis p_small : forall s, 0 <= s -> - e <= p s <= e.
Hypothesis r_small : forall s, 0 <= s -> - e <= r s <= e.

Lemma pulled_flow : forall c k s, 0 <= s ->
  is_derive (fun v => (exp (x v) / a - c) * exp (k * v)) s
    ((1 + p s - (1 - r s) * (exp (x s) / a) + k * (exp (x s) / a - c)) * exp (k * s)).
Proof.
  intros c k s Hs. pose proof (exp_pos (x s)) as P. evar_last.
  - apply (is_derive_mult (fun v => exp (x v) / a - c) (fun v => exp (k * v)));
      [| |intros; apply Rmult_comm].
    + apply (is_derive_comp (fun z => exp z / a - c) x); [|exact (x_flow s Hs)].
      auto_derive; [exact I|reflexivity].
    + auto_derive; [exact I|reflexivity].
  - unfold plus, scal, mult; simpl; unfold mult; simpl. rewrite exp_Ropp. field. split; lra.
Qed.

Theorem leaks_are_forgotten : forall s, 0 <= s ->
  (exp (x s) / a - (1 + e) / (1 - e)) * exp ((1 - e) * s) <= exp (x 0) / a - (1 + e) / (1 - e)
  /\ exp (x 0) / a - (1 - e) / (1 + e) <= (exp (x s) / a - (1 - e) / (1 + e)) * exp ((1 + e) * s).
Proof.
  intros s Hs. split.
  - pose (c := (1 + e) / (1 - e)). assert (C : (1 - e) * c = 1 + e) by (unfold c; field; lra).
    assert (I : - ((exp (x 0) / a - c) * exp ((1 - e) * 0))
      <= - ((exp (x s) / a - c) * exp ((1 - e) * s))).
    { apply (increasing_flow (fun v => - ((exp (x v) / a - c) * exp ((1 - e) * v)))
        (fun v => - ((1 + p v - (1 - r v) * (exp (x v) / a)
          + (1 - e) * (exp (x v) / a - c)) * exp ((1 - e) * v)))); try lra.
      - intros v Hv. apply (is_derive_opp (fun v => (exp (x v) / a - c) * exp ((1 - e) * v))).
        apply pulled_flow; auto.
      - intros v Hv. pose proof (p_small v Hv). pose proof (r_small v Hv).
        assert (W : 0 < exp (x v) / a) by (apply Rdiv_lt_0_compat; [apply exp_pos|auto]).
        set (w := exp (x v) / a) in *. pose proof (exp_pos ((1 - e) * v)).
        assert (0 <= (e - r v) * w) by (apply Rmult_le_pos; lra).
        rewrite <- Ropp_mult_distr_l_reverse. apply Rmult_le_pos; lra. }
    rewrite Rmult_0_r, exp_0 in I. unfold c in I. lra.
  - pose (c := (1 - e) / (1 + e)). assert (C : (1 + e) * c = 1 - e) by (unfold c; field; lra).
    assert (I : (exp (x 0) / a - c) * exp ((1 + e) * 0)
      <= (exp (x s) / a - c) * exp ((1 + e) * s)).
    { apply (increasing_flow (fun v => (exp (x v) / a - c) * exp ((1 + e) * v))
        (fun v => (1 + p v - (1 - r v) * (exp (x v) / a)
          + (1 + e) * (exp (x v) / a - c)) * exp ((1 + e) * v))); try lra.
      - intros v Hv. apply pulled_flow; auto.
      - intros v Hv. pose proof (p_small v Hv). pose proof (r_small v Hv).
        assert (W : 0 < exp (x v) / a) by (apply Rdiv_lt_0_compat; [apply exp_pos|auto]).
        set (w := exp (x v) / a) in *. pose proof (exp_pos ((1 + e) * v)).
        assert (0 <= (e + r v) * w) by (apply Rmult_le_pos; lra).
        apply Rmult_le_pos; lra. }
    rewrite Rmult_0_r, exp_0 in I. unfold c in I. lra.
Qed.
End Ally.

(* THEOREM pair_bound | holds-as-printed | what one pair can add to the distance *)
(* THEOREM drift | holds-as-printed | the squared distance from W ln T grows by at most 2 C ln T, whatever lead W asks of each pair *)
(* THEOREM direction | holds-as-printed | Z / ln T goes to W, within O(1 / sqrt(ln T)) *)
(* THEOREM leaks_are_forgotten | holds-as-printed | a scalar force known up to e holds e^x near a, and the start is forgotten *)
