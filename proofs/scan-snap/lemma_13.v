(* Lemma 13 of "Scan and Snap" (Appendix D.5), Eq. (74): no overlap exceeds |lambda_1|.

   Proved twice, for every K, every symmetric E and every pair i, j < K.  First for the eigenvalue
   lambda_1 of largest modulus, by E = U^T D U, which the spectral theorem gives (proved in
   shared/eigenvectors.v).  Then without it, where |lambda_1| is replaced by any bound b of the
   quadratic form, |x^T E x| <= b |x|^2.
   Nothing had to be corrected. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums spectrum eigenvectors calculus.
Open Scope R_scope.

(* x^T E y *)
Definition form (K : nat) (E : nat -> nat -> R) (x y : nat -> R) : R :=
  Sum K (fun i => Sum K (fun j => x i * E i j * y j)).

Lemma form_delta : forall K E i j, (i < K)%nat -> (j < K)%nat ->
  form K E (delta i) (delta j) = E i j.
Proof.
  intros K E i j Hi Hj. unfold form.
  rewrite (Sum_ext K _ (fun a => delta i a * E a j)).
  { apply (Sum_delta K i (fun a => E a j)); auto. }
  intros a Ha. rewrite (Sum_ext K _ (fun b => delta j b * (delta i a * E a b))).
  - apply (Sum_delta K j (fun b => delta i a * E a b)); auto.
  - intros. ring.
Qed.

Lemma form_plus : forall K E s x y, (forall i j, (i < K)%nat -> (j < K)%nat -> E i j = E j i) ->
  form K E (fun i => x i + s * y i) (fun i => x i + s * y i) =
  form K E x x + 2 * s * form K E x y + s * s * form K E y y.
Proof.
  intros K E s x y S. unfold form.
  rewrite (Sum_ext K _ (fun i => Sum K (fun j => x i * E i j * x j) +
    s * Sum K (fun j => x i * E i j * y j) + s * Sum K (fun j => y i * E i j * x j) +
    s * s * Sum K (fun j => y i * E i j * y j))).
  - rewrite !Sum_plus, !Sum_scal.
    rewrite (Sum_swap K K (fun i j => y i * E i j * x j)).
    rewrite (Sum_ext K (fun j => Sum K (fun i => y i * E i j * x j))
                       (fun i => Sum K (fun j => x i * E i j * y j))); [ring|].
    intros i Hi. apply Sum_ext. intros j Hj. rewrite (S j i); auto. ring.
  - intros i Hi. rewrite <- !Sum_scal, <- !Sum_plus. apply Sum_ext. intros. ring.
Qed.

(* the printed statement *)
Theorem lemma_13 : forall K E lam_1, symmetric K E -> largest K E lam_1 ->
  forall i j, (i < K)%nat -> (j < K)%nat -> Rabs (E i j) <= Rabs lam_1.
Proof.
  intros K E lam_1 Sy L i j Hi Hj. destruct (spectral_theorem K E Sy) as [lam [u D]].
  pose proof (spectral_largest K lam u E lam_1 D L) as B. destruct D as [O S]. rewrite S by auto.
  apply function_bound; auto. apply Rabs_pos.
Qed.

(* the same from the quadratic form: 4 E_ij is its difference at e_i + e_j and e_i - e_j *)
Theorem lemma_13_quadratic_form : forall K E b,
  (forall i j, (i < K)%nat -> (j < K)%nat -> E i j = E j i) ->
  (forall x, Rabs (form K E x x) <= b * dot K x x) ->
  forall i j, (i < K)%nat -> (j < K)%nat -> Rabs (E i j) <= b.
Proof.
  intros K E b S B i j Hi Hj.
  assert (N : forall s, s * s = 1 -> dot K (fun k => delta i k + s * delta j k)
                                           (fun k => delta i k + s * delta j k) =
                         2 + 2 * s * delta i j).
  { intros s Hs. unfold dot.
    rewrite (Sum_ext K _ (fun k => delta i k * (1 + 2 * s * delta j k) + delta j k * (s * s))).
    - rewrite Sum_plus, !Sum_delta by auto. rewrite (delta_sym j i), Hs. ring.
    - intros k Hk. unfold delta. destruct (Nat.eq_dec i k), (Nat.eq_dec j k); ring. }
  pose proof (B (fun k => delta i k + 1 * delta j k)) as P.
  pose proof (B (fun k => delta i k + -1 * delta j k)) as Q.
  rewrite form_plus, N, !form_delta in P, Q by (auto; ring).
  apply Rabs_bounds in P, Q. apply Rabs_le. lra.
Qed.

(* THEOREM lemma_13 | holds-as-printed | every entry of a symmetric E is at most |lambda_1| *)
(* THEOREM lemma_13_quadratic_form | holds-as-printed | every entry is at most a bound of
   the quadratic form *)
