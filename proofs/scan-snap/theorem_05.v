(* Theorem 5 of "Scan and Snap" (Appendix D.4), Eq. (70): the decoder matrix, the deterministic
   part.

   Proved for every M >= 2, K <= M, every F with Gram matrix I + E, every E' with (I+E)(I-E') =
   I, every rate eta_Y and every sequence of labels: from Y(0) = 0 the modified update (26) gives
   at every step Y = F (I - E') W with w_n = (M-1) h*(N_n) zeta_n, so Y = F (I - E')(I + Theta)
   W-bar with theta_n = h*(N_n)/h(N-bar) - 1.  F (I - E') are the columns of (F^+)^T: their
   products with the f_j are 0 and 1.  Not proved here: that theta is small with high probability
   (Lemmas 10, 11, 12). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums decoder softmax.
Open Scope R_scope.

(* N_n *)
Fixpoint visits (label : nat -> nat) (n s : nat) : nat :=
  match s with
  | O => O
  | S s => if Nat.eq_dec n (label s) then S (visits label n s) else visits label n s
  end.

Section Theorem5.
Variables (M K : nat) (F E E_prime : nat -> nat -> R) (eta : R).
Hypothesis M_two : (2 <= M)%nat.
Hypothesis K_le_M : (K <= M)%nat.
Hypothesis gram : forall i j, (i < K)%nat -> (j < K)%nat ->
  Sum M (fun l => F l i * F l j) = delta i j + E i j.
Hypothesis right_inverse : forall i j, (i < K)%nat -> (j < K)%nat ->
  Sum K (fun k => (delta i k + E i k) * (delta k j - E_prime k j)) = delta i j.

(* F (I - E') e_n: column n of (F^+)^T *)
Definition dual (n l : nat) : R := Sum K (fun k => F l k * (delta k n - E_prime k n)).

(* (26), a label a step, from Y = 0; Y^T f_n are the logits of class n *)
Definition logits (Y : nat -> nat -> R) (n v : nat) : R := Sum M (fun l => F l n * Y l v).
Fixpoint decoder (label : nat -> nat) (s l v : nat) : R :=
  match s with
  | O => 0
  | S s => decoder label s l v + eta * dual (label s) l *
      (delta (label s) v - softmax M (logits (decoder label s) (label s)) v)
  end.

(* the rows of W *)
Definition row (label : nat -> nat) (s n v : nat) : R :=
  (INR M - 1) * h_star (INR M) eta (visits label n s) * zeta M n v.

Theorem dual_products : forall j n, (j < K)%nat -> (n < K)%nat ->
  Sum M (fun l => F l j * dual n l) = delta j n.
Proof.
  intros j n Hj Hn. unfold dual. rewrite <- (right_inverse j n Hj Hn).
  rewrite (Sum_ext M _ (fun l => Sum K (fun k => F l j * F l k * (delta k n - E_prime k n)))).
  - rewrite Sum_swap. apply Sum_ext. intros k Hk. rewrite Sum_scal_r, gram; auto.
  - intros l Hl. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
Qed.

Lemma logits_of_form : forall (Y : nat -> nat -> R) (W : nat -> nat -> R),
  (forall l v, (v < M)%nat -> Y l v = Sum K (fun n => dual n l * W n v)) ->
  forall j v, (j < K)%nat -> (v < M)%nat -> logits Y j v = W j v.
Proof.
  intros Y W HY j v Hj Hv. unfold logits.
  rewrite (Sum_ext M _ (fun l => Sum K (fun n => F l j * dual n l * W n v))).
  - rewrite Sum_swap. rewrite (Sum_ext K _ (fun n => delta j n * W n v)).
    + apply (Sum_delta K j (fun n => W n v)); auto.
    + intros n Hn. rewrite Sum_scal_r, dual_products; auto.
  - intros l Hl. rewrite HY, <- Sum_scal by auto. apply Sum_ext. intros. ring.
Qed.

(* (70) before the means are split off *)
Theorem equation_70_exact : forall label, (forall s, (label s < K)%nat) ->
  forall s l v, (v < M)%nat ->
  decoder label s l v = Sum K (fun n => dual n l * row label s n v).
Proof.
  intros label HL s. induction s as [|s IH]; intros l v Hv.
  - simpl. symmetry. apply Sum_zero. intros n Hn. unfold row. simpl. ring.
  - simpl decoder. set (m := label s).
    assert (Hm : (m < K)%nat) by apply HL.
    assert (R : delta m v - softmax M (logits (decoder label s) m) v =
      (INR M - 1) * speed (INR M) (h_star (INR M) eta (visits label m s)) * zeta M m v).
    { apply residual_along_zeta; auto; [lia|]. intros i Hi.
      rewrite (logits_of_form _ (row label s)); auto. }
    rewrite R, IH by auto.
    rewrite (Sum_ext K (fun n => dual n l * row label (S s) n v) (fun n =>
      dual n l * row label s n v + delta m n * (eta * dual n l *
        ((INR M - 1) * speed (INR M) (h_star (INR M) eta (visits label n s)) * zeta M n v)))).
    + rewrite Sum_plus. f_equal. symmetry. apply (Sum_delta K m (fun n => eta * dual n l *
        ((INR M - 1) * speed (INR M) (h_star (INR M) eta (visits label n s)) * zeta M n v))). auto.
    + intros n Hn. unfold row. simpl visits. fold m. destruct (Nat.eq_dec n m) as [->|Hne].
      * rewrite delta_eq. simpl. ring.
      * rewrite delta_ne by auto. ring.
Qed.

(* (70): Y = F (I - E')(I + Theta) W-bar *)
Theorem theorem_5 : forall label (h : R -> R) N_bar, (forall s, (label s < K)%nat) ->
  h N_bar <> 0 ->
  forall s, let theta n := h_star (INR M) eta (visits label n s) / h N_bar - 1 in
  forall l v, (v < M)%nat ->
  decoder label s l v = Sum K (fun j => F l j * Sum K (fun n => (delta j n - E_prime j n) *
    ((1 + theta n) * ((INR M - 1) * h N_bar * zeta M n v)))).
Proof.
  intros label h N_bar HL Hh s theta l v Hv. unfold theta.
  rewrite equation_70_exact by auto. unfold dual.
  rewrite (Sum_ext K _ (fun n => Sum K (fun j => F l j * ((delta j n - E_prime j n) *
    row label s n v)))) by (intros; rewrite <- Sum_scal_r; apply Sum_ext; intros; ring).
  rewrite Sum_swap. apply Sum_ext. intros j Hj. rewrite <- Sum_scal. apply Sum_ext. intros n Hn.
  unfold row. field. exact Hh.
Qed.
End Theorem5.

(* THEOREM dual_products | holds-as-printed | the columns of F (I - E') are dual to the f_j *)
(* THEOREM equation_70_exact | holds-as-printed | Y = F (I - E') W for any order of the labels *)
(* THEOREM theorem_5 | holds-as-printed | (70) with theta_n = h*(N_n)/h(N-bar) - 1; how small that
   is, is not treated here *)
(* BRIDGE decoder | lib.scan_snap.overlaps.feature_ascent | labels 0..s-1, F transposed, eta_y *)
(* BRIDGE dual | lib.scan_snap.overlaps.dual_vectors | F transposed; entry n, l *)
