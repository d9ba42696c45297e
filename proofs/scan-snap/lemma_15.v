(* Lemma 15 of "Scan and Snap" (Appendix D.5), Eq. (78): the eigenvalues of E'.

   Proved for every K and every symmetric E, lambda_1 its eigenvalue of largest modulus, with
   |lambda_1| <= lambda < 1: E = U^T D U for some U and D, and for all such U and D an eigenvalue of
   E' is a lambda_k/(1 + lambda_k), each of these is one, and its modulus is at most
   |lambda_1|/(1 - |lambda_1|) <= |lambda_1|/(1 - lambda) <= lambda/(1 - lambda); the first bound
   is attained for an eigenvalue -|lambda_1| only.  Nothing had to be corrected. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums spectrum eigenvectors calculus.
Open Scope R_scope.

(* a/(1-a) + x/(1+x) = (a+x)/((1-a)(1+x)) settles the negative side; on the positive one
   x/(1+x) <= x <= a <= a/(1-a), strictly *)
Lemma positive_side : forall a x, 0 <= x <= a -> 0 < a < 1 -> x / (1 + x) < a / (1 - a).
Proof.
  intros a x Hx Ha. apply Rle_lt_trans with x.
  - apply div_le; nra.
  - apply lt_div; nra.
Qed.

Lemma negative_side : forall a x, - a <= x -> a < 1 ->
  a / (1 - a) + x / (1 + x) = (a + x) / ((1 - a) * (1 + x)).
Proof. intros a x Hx Ha. field. lra. Qed.

Lemma eigenvalue_bound : forall a x, Rabs x <= a -> a < 1 -> Rabs (x / (1 + x)) <= a / (1 - a).
Proof.
  intros a x Hx Ha. apply Rabs_bounds in Hx. apply Rabs_le. split.
  - pose proof (negative_side a x ltac:(lra) Ha).
    assert (0 <= (a + x) / ((1 - a) * (1 + x))) by (apply le_div; nra). lra.
  - destruct (Rle_or_lt x 0) as [N|P].
    + apply Rle_trans with 0; [apply div_le; lra|apply le_div; lra].
    + left. apply positive_side; lra.
Qed.

(* E' of Lemma 14 *)
Definition E_prime (K : nat) (lam : nat -> R) (u : nat -> nat -> R) : nat -> nat -> R :=
  function_of K lam u (fun x => x / (1 + x)).

Theorem eigenvalues_of_E_prime : forall K E, symmetric K E ->
  (exists lam u, spectral K lam u E) /\
  forall lam u, spectral K lam u E -> forall mu,
  eigenvalue K (E_prime K lam u) mu <-> exists k, (k < K)%nat /\ mu = lam k / (1 + lam k).
Proof.
  intros K E Sy. split; [apply spectral_theorem; auto|]. intros lam u [O _] mu.
  apply (function_eigenvalues K lam u (fun x => x / (1 + x)) mu O).
Qed.

Theorem lemma_15 : forall (K : nat) (E : nat -> nat -> R) (lam_1 bound : R), symmetric K E ->
  largest K E lam_1 -> Rabs lam_1 <= bound -> bound < 1 ->
  forall lam u, spectral K lam u E -> forall mu, eigenvalue K (E_prime K lam u) mu ->
  Rabs mu <= Rabs lam_1 / (1 - Rabs lam_1) /\
  Rabs mu <= Rabs lam_1 / (1 - bound) <= bound / (1 - bound).
Proof.
  intros K E lam_1 bound Sy L Hb Hl lam u Dec mu V.
  apply (proj2 (eigenvalues_of_E_prime K E Sy) lam u Dec) in V. destruct V as [k [Hk ->]].
  pose proof (spectral_largest K lam u E lam_1 Dec L k Hk) as H.
  set (a := Rabs lam_1) in *. assert (0 <= a) by (unfold a; apply Rabs_pos).
  pose proof (eigenvalue_bound a (lam k) H ltac:(lra)) as B.
  assert (C : a / (1 - a) <= a / (1 - bound)).
  { unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra. }
  assert (D : a / (1 - bound) <= bound / (1 - bound)).
  { unfold Rdiv. apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|lra]. }
  repeat split; lra.
Qed.

(* the first bound is sharp at a negative eigenvalue of largest modulus, only there *)
Theorem lemma_15_sharp : forall a x, 0 < a < 1 -> Rabs x <= a ->
  (Rabs (x / (1 + x)) = a / (1 - a) <-> x = - a).
Proof.
  intros a x Ha Hx. apply Rabs_bounds in Hx. split.
  - intros E. destruct (Rle_or_lt 0 x) as [P|P].
    + assert (0 <= x / (1 + x)) by (apply le_div; lra). rewrite Rabs_pos_eq in E by auto.
      pose proof (positive_side a x ltac:(lra) Ha). lra.
    + assert (x / (1 + x) < 0) by (apply div_lt; lra). rewrite Rabs_left in E by auto.
      pose proof (negative_side a x ltac:(lra) ltac:(lra)) as F.
      destruct (Rle_or_lt (a + x) 0) as [G|G]; [lra|].
      assert (0 < (a + x) / ((1 - a) * (1 + x))) by (apply Rdiv_lt_0_compat; nra). lra.
  - intros ->. replace (- a / (1 + - a)) with (- (a / (1 - a))) by (field; lra).
    rewrite Rabs_Ropp. apply Rabs_pos_eq. apply le_div; lra.
Qed.

(* THEOREM eigenvalues_of_E_prime | holds-as-printed | E' has just the eigenvalues
   lambda/(1+lambda) *)
(* THEOREM lemma_15 | holds-as-printed | they are at most |lambda_1|/(1-lambda) in modulus *)
(* THEOREM lemma_15_sharp | holds-as-printed | the bound is attained exactly at -|lambda_1| *)
