(* Lemma 3 of "Scan and Snap" (Section 4, Appendix D.2), Eqs. (8), (25)-(30) and (40).

   Proved for every vocabulary of M tokens, every number K of classes, every matrix F of
   attention vectors with Gram matrix I + E, every rate eta_Y and every sequence of labels: the
   modified update (26) of Y moves W = F^T Y by (8), each row by its own softmax error alone, the
   rows decoupled. I - E' is a right inverse of I + E (Lemma 14).  M here is the number of tokens
   that F and Y know.  (8) is the gradient of J in the entries of W, along every curve; and for
   |lambda_1| < 1 the piece F E' e_n that (26) takes off is at most |lambda_1|/sqrt(1 - |lambda_1|)
   long.
   Correction: with the E' = (I+E)^(-1) - I of Appendix D.1 the update (26) does not give (30),
   for any F with an overlap other than 0 (refuted). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums softmax calculus spectrum eigenvectors.
From ScanSnap Require Import lemma_01 lemma_17.
Open Scope R_scope.

(* J of a sample of class n in the coordinates W: f_n is column n of F, so it reads row n alone *)
Definition J_in_W (M n : nat) (W : nat -> nat -> R) : R :=
  W n n - ln (Sum M (fun v => exp (W n v))).

(* (8) *)
Definition equation_8 (M n : nat) (W : nat -> nat -> R) (j v : nat) : R :=
  if Nat.eq_dec j n then delta n v - softmax M (W n) v else 0.

Theorem gradient_in_W : forall (M K n : nat) (W : R -> nat -> nat -> R) dW s,
  (n < M)%nat -> (n < K)%nat ->
  (forall j v, (j < K)%nat -> (v < M)%nat -> is_derive (fun r => W r j v) s (dW j v)) ->
  is_derive (fun r => J_in_W M n (W r)) s
    (Sum K (fun j => Sum M (fun v => dW j v * equation_8 M n (W s) j v))).
Proof.
  intros M K n W dW s HM HK H. pose proof (total_pos M (W s n) ltac:(lia)) as P. evar_last.
  - apply (is_derive_minus (fun r => W r n n)); [apply H; auto|].
    apply (is_derive_comp ln (fun r => Sum M (fun v => exp (W r n v)))).
    + apply is_derive_ln. exact P.
    + apply derive_sum. intros v Hv. apply derive_exp. apply H; auto.
  - rewrite (Sum_ext K _ (fun j => delta n j *
      Sum M (fun v => delta n v * dW n v - softmax M (W s n) v * dW n v))).
    + rewrite (Sum_delta K n (fun _ => _)), Sum_minus, (Sum_delta M n (dW n)) by auto.
      rewrite (Sum_ext M (fun v => softmax M (W s n) v * dW n v)
        (fun v => / Sum M (fun i => exp (W s n i)) * (exp (W s n v) * dW n v)))
        by (intros; unfold softmax, Rdiv; ring).
      rewrite Sum_scal. unfold minus, plus, opp, scal, mult; simpl. unfold mult; simpl. ring.
    + intros j Hj. unfold equation_8. destruct (Nat.eq_dec j n) as [->|N].
      * rewrite delta_eq, Rmult_1_l. apply Sum_ext. intros. ring.
      * rewrite delta_ne by auto. rewrite Rmult_0_l. apply Sum_zero. intros. ring.
Qed.

(* the remark after (26): |F E' e_n|^2 = (E^2 (I+E)^(-1))_nn *)
Theorem small_change : forall (M K : nat) (F E : nat -> nat -> R) lam_1,
  (forall i j, (i < K)%nat -> (j < K)%nat ->
     Sum M (fun l => F l i * F l j) = delta i j + E i j) ->
  symmetric K E -> largest K E lam_1 -> Rabs lam_1 < 1 ->
  forall lam u, spectral K lam u E -> forall n, (n < K)%nat ->
  sqrt (Sum M (fun l => Sum K (fun k =>
    F l k * function_of K lam u (fun x => x / (1 + x)) k n) ^ 2)) <=
  Rabs lam_1 / sqrt (1 - Rabs lam_1).
Proof.
  intros M K F E lam_1 G Sy L H1 lam u D n Hn.
  pose proof (spectral_largest K lam u E lam_1 D L) as B. destruct D as [O S].
  set (p := fun x => x / (1 + x)). set (a := Rabs lam_1) in *.
  assert (Ha : 0 <= a) by apply Rabs_pos.
  assert (X : Sum M (fun l => Sum K (fun k => F l k * function_of K lam u p k n) ^ 2) =
    function_of K lam u (fun x => p x * ((1 + x) * p x)) n n).
  { rewrite <- (function_mul K lam u p (fun x => (1 + x) * p x)) by auto. unfold mul.
    rewrite (Sum_ext M _ (fun l => Sum K (fun k => Sum K (fun k' =>
      function_of K lam u p n k * (function_of K lam u p k' n * (F l k * F l k')))))).
    - rewrite Sum_swap. apply Sum_ext. intros k Hk. rewrite Sum_swap.
      rewrite <- (function_mul K lam u (fun x => 1 + x) p) by auto. unfold mul.
      rewrite <- Sum_scal. apply Sum_ext. intros k' Hk'. rewrite !Sum_scal, G by auto.
      rewrite function_plus, function_one, <- S by auto. ring.
    - intros l Hl. rewrite <- Rsqr_pow2. unfold Rsqr. rewrite <- Sum_scal_r. apply Sum_ext.
      intros k Hk. rewrite <- Sum_scal. apply Sum_ext. intros k' Hk'.
      rewrite (function_sym K lam u p n k). ring. }
  rewrite X. apply Rsqr_incr_0_var.
  - rewrite Rsqr_sqrt.
    + rewrite Rsqr_div' by (apply Rgt_not_eq, sqrt_lt_R0; lra). rewrite Rsqr_sqrt by lra.
      apply Rle_trans with (1 := Rle_abs _). apply function_bound; auto.
      * apply le_div; [lra|]. rewrite Rmult_0_l. apply Rle_0_sqr.
      * intros k Hk. pose proof (gap_bound a (lam k) (B k Hk) H1) as Q.
        pose proof (B k Hk) as Bk. apply Rabs_bounds in Bk. rewrite Rsqr_pow2.
        replace (p (lam k) * ((1 + lam k) * p (lam k))) with (- (p (lam k) - lam k))
          by (unfold p; field; lra).
        rewrite Rabs_Ropp. exact Q.
    + rewrite <- X. apply Sum_nonneg. intros. apply pow2_ge_0.
  - apply le_div; [apply sqrt_lt_R0; lra|]. rewrite Rmult_0_l. exact Ha.
Qed.

Section Lemma3.
Variables (M K : nat) (F : nat -> nat -> R) (E E_prime : nat -> nat -> R) (eta : R).
(* column n of F is f_n; F^T F = I + E *)
Hypothesis gram : forall i j, (i < K)%nat -> (j < K)%nat ->
  Sum M (fun l => F l i * F l j) = delta i j + E i j.
(* (I + E)(I - E') = I *)
Hypothesis right_inverse : forall i j, (i < K)%nat -> (j < K)%nat ->
  Sum K (fun k => (delta i k + E i k) * (delta k j - E_prime k j)) = delta i j.

(* f_n - F E' e_n *)
Definition direction (n l : nat) : R := F l n - Sum K (fun k => F l k * E_prime k n).
Definition error (logits : nat -> R) (n v : nat) : R := delta n v - softmax M logits v.
(* Y^T f_n, and row n of W = F^T Y: the same numbers (25) *)
Definition W (Y : nat -> nat -> R) (n v : nat) : R := Sum M (fun l => F l n * Y l v).

(* gradient ascent by (26), one label a step, from Y(0) *)
Fixpoint decoder (Y0 : nat -> nat -> R) (label : nat -> nat) (s l v : nat) : R :=
  match s with
  | O => Y0 l v
  | S s => decoder Y0 label s l v +
      eta * direction (label s) l * error (W (decoder Y0 label s) (label s)) (label s) v
  end.

(* F^T (f_n - F E' e_n) = (I + E)(I - E') e_n = e_n *)
Lemma direction_dual : forall j n, (j < K)%nat -> (n < K)%nat ->
  Sum M (fun l => F l j * direction n l) = delta j n.
Proof.
  intros j n Hj Hn. unfold direction.
  rewrite (Sum_ext M _ (fun l => F l j * F l n - Sum K (fun k => F l j * F l k * E_prime k n))).
  - rewrite Sum_minus, gram, Sum_swap by auto. pose proof (right_inverse j n Hj Hn) as H.
    rewrite (Sum_ext K _ (fun k => (delta j k + E j k) * E_prime k n)).
    + rewrite (Sum_ext K _ (fun k => (delta j k + E j k) * delta k n -
        (delta j k + E j k) * E_prime k n)) in H by (intros; ring).
      rewrite Sum_minus, (Sum_delta_r K n (fun k => delta j k + E j k)) in H by auto. lra.
    + intros k Hk. rewrite Sum_scal_r, gram; auto.
  - intros l Hl. rewrite Rmult_minus_distr_l, <- Sum_scal. f_equal. apply Sum_ext. intros. ring.
Qed.

(* (27)-(30) = (8): one step of (26), whatever the error vector r *)
Theorem equation_30 : forall (j n : nat) (r : nat -> R) (v : nat), (j < K)%nat -> (n < K)%nat ->
  Sum M (fun l => F l j * (eta * direction n l * r v)) = eta * delta j n * r v.
Proof.
  intros j n r v Hj Hn. rewrite <- (direction_dual j n Hj Hn), <- Sum_scal, <- Sum_scal_r.
  apply Sum_ext. intros. ring.
Qed.

(* (40): the plain update (7) moves W by F^T f_n = e_n + (I + E) E' e_n, so every overlapping row *)
Theorem equation_40 : forall j n, (j < K)%nat -> (n < K)%nat ->
  Sum M (fun l => F l j * F l n) =
  delta j n + Sum K (fun k => (delta j k + E j k) * E_prime k n).
Proof.
  intros j n Hj Hn. rewrite gram by auto. pose proof (right_inverse j n Hj Hn) as H.
  rewrite (Sum_ext K _ (fun k => (delta j k + E j k) * delta k n -
                                 (delta j k + E j k) * E_prime k n)) in H by (intros; ring).
  rewrite Sum_minus, (Sum_delta_r K n (fun k => delta j k + E j k)) in H by auto. lra.
Qed.

(* the statement: along any sequence of labels, W moves by (8) *)
Theorem lemma_3 : forall Y0 label s j v, (label s < K)%nat -> (j < K)%nat ->
  let n := label s in
  W (decoder Y0 label (S s)) j v =
  W (decoder Y0 label s) j v +
  eta * (if Nat.eq_dec j n then delta n v - softmax M (W (decoder Y0 label s) n) v else 0).
Proof.
  intros Y0 label s j v Hn Hj n. unfold W at 1. simpl. fold n.
  rewrite (Sum_ext M _ (fun l => F l j * decoder Y0 label s l v +
    F l j * (eta * direction n l * error (W (decoder Y0 label s) n) n v))) by (intros; ring).
  rewrite Sum_plus, (equation_30 j n (error (W (decoder Y0 label s) n) n)) by auto.
  unfold W. f_equal. unfold error. destruct (Nat.eq_dec j n) as [Ej|Ej].
  - rewrite Ej, delta_eq. ring.
  - rewrite (delta_ne j n) by auto. ring.
Qed.

(* With D.1's E' = (I+E)^(-1) - I, that is with -E', (26) moves W along e_n + 2 E e_n. *)
Theorem equation_26_with_D1_sign_refuted : forall j n, (j < K)%nat -> (n < K)%nat -> E j n <> 0 ->
  Sum M (fun l => F l j * (F l n - Sum K (fun k => F l k * - E_prime k n))) <> delta j n.
Proof.
  intros j n Hj Hn HE H. apply HE.
  pose proof (direction_dual j n Hj Hn) as D. pose proof (gram j n Hj Hn) as G.
  unfold direction in D.
  assert (A : Sum M (fun l => F l j * (F l n - Sum K (fun k => F l k * - E_prime k n))) +
              Sum M (fun l => F l j * (F l n - Sum K (fun k => F l k * E_prime k n))) =
              2 * Sum M (fun l => F l j * F l n)).
  { rewrite <- Sum_plus, <- Sum_scal. apply Sum_ext. intros l Hl.
    rewrite (Sum_ext K (fun k => F l k * - E_prime k n) (fun k => - (F l k * E_prime k n)))
      by (intros; ring). rewrite Sum_opp. ring. }
  lra.
Qed.
End Lemma3.

(* THEOREM lemma_3 | holds-as-printed | along any labels (26) moves W by (8), rows decoupled *)
(* THEOREM equation_30 | holds-as-printed | (27)-(30) for every error vector, every K and M *)
(* THEOREM gradient_in_W | holds-as-printed | (8) is the derivative of J along every curve of W *)
(* THEOREM small_change | holds-as-printed | F E' e_n has at most the length
   |lambda_1|/sqrt(1-|lambda_1|) *)
(* THEOREM equation_40 | holds-as-printed | (40): by (7) row j moves by
   F^T f_n = e_n + (I+E) E' e_n *)
(* THEOREM equation_26_with_D1_sign_refuted | refuted-as-printed | D.1's E' breaks (30) *)
(* BRIDGE direction | lib.scan_snap.overlaps.dual_vectors | n, l: entry [n, l]; F transposed *)
(* BRIDGE decoder | lib.scan_snap.overlaps.feature_ascent | labels 0..s-1, eta; Y0 = 0 there *)
