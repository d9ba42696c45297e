(* The overlaps E of "Scan and Snap", Appendix D.1: E = U^T D U with orthogonal U = [u_1, ..., u_K],
   D = diag(lambda_1, ..., lambda_K), and its functions.

   The decomposition is data, as in the paper; that every symmetric matrix has one is the spectral
   theorem, in eigenvectors.v.  Component i of the eigenvector k is u k i. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums.
Open Scope R_scope.

Definition orthogonal (K : nat) (u : nat -> nat -> R) : Prop :=
  (forall k l, (k < K)%nat -> (l < K)%nat -> Sum K (fun i => u k i * u l i) = delta k l) /\
  (forall i j, (i < K)%nat -> (j < K)%nat -> Sum K (fun k => u k i * u k j) = delta i j).

(* f(E) = U^T f(D) U; E itself is the function x |-> x *)
Definition function_of (K : nat) (lam : nat -> R) (u : nat -> nat -> R) (f : R -> R)
  (i j : nat) : R := Sum K (fun k => f (lam k) * u k i * u k j).

(* E is symmetric with eigenvalues lam and eigenvectors u *)
Definition spectral (K : nat) (lam : nat -> R) (u E : nat -> nat -> R) : Prop :=
  orthogonal K u /\
  forall i j, (i < K)%nat -> (j < K)%nat -> E i j = function_of K lam u (fun x => x) i j.

Lemma function_ext : forall K lam u f g i j, (forall k, (k < K)%nat -> f (lam k) = g (lam k)) ->
  function_of K lam u f i j = function_of K lam u g i j.
Proof. intros. apply Sum_ext. intros k Hk. rewrite H; auto. Qed.

Lemma function_sym : forall K lam u f i j,
  function_of K lam u f i j = function_of K lam u f j i.
Proof. intros. apply Sum_ext. intros. ring. Qed.

Lemma function_one : forall K lam u i j, orthogonal K u -> (i < K)%nat -> (j < K)%nat ->
  function_of K lam u (fun _ => 1) i j = delta i j.
Proof.
  intros K lam u i j [_ O] Hi Hj. rewrite <- (O i j Hi Hj). apply Sum_ext. intros. ring.
Qed.

Lemma function_plus : forall K lam u f g i j,
  function_of K lam u (fun x => f x + g x) i j =
  function_of K lam u f i j + function_of K lam u g i j.
Proof. intros. unfold function_of. rewrite <- Sum_plus. apply Sum_ext. intros. ring. Qed.

Lemma function_minus : forall K lam u f g i j,
  function_of K lam u (fun x => f x - g x) i j =
  function_of K lam u f i j - function_of K lam u g i j.
Proof. intros. unfold function_of. rewrite <- Sum_minus. apply Sum_ext. intros. ring. Qed.

Lemma function_opp : forall K lam u f i j,
  function_of K lam u (fun x => - f x) i j = - function_of K lam u f i j.
Proof. intros. unfold function_of. rewrite <- Sum_opp. apply Sum_ext. intros. ring. Qed.

(* functions of E multiply as functions of one number: f(E) g(E) = (f g)(E) *)
Lemma function_mul : forall K lam u f g i j, orthogonal K u -> (i < K)%nat -> (j < K)%nat ->
  mul K (function_of K lam u f) (function_of K lam u g) i j =
  function_of K lam u (fun x => f x * g x) i j.
Proof.
  intros K lam u f g i j [O _] Hi Hj. unfold mul, function_of.
  rewrite (Sum_ext K _ (fun k => Sum K (fun a => Sum K (fun b =>
    f (lam a) * u a i * (g (lam b) * u b j) * (u a k * u b k))))).
  - rewrite Sum_swap. apply Sum_ext. intros a Ha. rewrite Sum_swap.
    rewrite (Sum_ext K _ (fun b => delta a b * (f (lam a) * u a i * (g (lam b) * u b j)))).
    + rewrite Sum_delta by auto. ring.
    + intros b Hb. rewrite Sum_scal, O by auto. ring.
  - intros k Hk. rewrite <- Sum_scal_r. apply Sum_ext. intros a Ha. rewrite <- Sum_scal.
    apply Sum_ext. intros b Hb. ring.
Qed.

(* eigenvectors in the other order are unit vectors too: column i of U *)
Lemma column_unit : forall K u i, orthogonal K u -> (i < K)%nat ->
  dot K (fun k => u k i) (fun k => u k i) = 1.
Proof. intros K u i [_ O] Hi. unfold dot. rewrite O, delta_eq; auto. Qed.

(* an entry of f(E) is at most the largest |f(lambda_k)| *)
Lemma function_bound : forall K lam u f b i j, orthogonal K u -> (i < K)%nat -> (j < K)%nat ->
  0 <= b -> (forall k, (k < K)%nat -> Rabs (f (lam k)) <= b) ->
  Rabs (function_of K lam u f i j) <= b.
Proof.
  intros K lam u f b i j O Hi Hj Hb Hf. unfold function_of.
  apply Rle_trans with (1 := Sum_abs _ _).
  apply Rle_trans with (Sum K (fun k => b * (Rabs (u k i) * Rabs (u k j)))).
  - apply Sum_le. intros k Hk. rewrite !Rabs_mult.
    pose proof (Rabs_pos (u k i)). pose proof (Rabs_pos (u k j)). pose proof (Hf k Hk).
    assert (0 <= Rabs (u k i) * Rabs (u k j)) by nra. nra.
  - rewrite Sum_scal.
    pose proof (dot_abs_unit K (fun k => u k i) (fun k => u k j)
                  (column_unit K u i O Hi) (column_unit K u j O Hj)) as H. cbv beta in H. nra.
Qed.
