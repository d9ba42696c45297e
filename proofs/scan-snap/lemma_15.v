(* Lemma 15 of "Scan and Snap" (Appendix D.5), Eq. (78): the eigenvalues of E'.

   Proved for every K and all eigenvalues with |lambda_k| <= |lambda_1| <= lambda < 1:
   |lambda_k/(1 + lambda_k)| <= |lambda_1|/(1 - |lambda_1|) <= |lambda_1|/(1 - lambda) and the
   last <= lambda/(1 - lambda); that these are the eigenvalues of E'; and that the first bound is
   attained for an eigenvalue -|lambda_1| only.  Nothing had to be corrected. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums spectrum calculus.
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

(* E' u_k = lambda_k/(1+lambda_k) u_k *)
Theorem eigenvalues_of_E_prime : forall K lam u k i, orthogonal K u -> (k < K)%nat -> (i < K)%nat ->
  Sum K (fun j => function_of K lam u (fun x => x / (1 + x)) i j * u k j) =
  lam k / (1 + lam k) * u k i.
Proof.
  intros K lam u k i [O _] Hk Hi. unfold function_of.
  rewrite (Sum_ext K _ (fun j => Sum K (fun a => lam a / (1 + lam a) * u a i * (u a j * u k j)))).
  - rewrite Sum_swap.
    rewrite (Sum_ext K _ (fun a => delta k a * (lam a / (1 + lam a) * u a i))).
    + apply Sum_delta; auto.
    + intros a Ha. rewrite Sum_scal, O, (delta_sym a k) by auto. ring.
  - intros j Hj. rewrite <- Sum_scal_r. apply Sum_ext. intros. ring.
Qed.

Theorem lemma_15 : forall (K : nat) (lam : nat -> R) (bound : R),
  (forall k, (k < K)%nat -> Rabs (lam k) <= Rabs (lam 0%nat)) ->
  Rabs (lam 0%nat) <= bound -> bound < 1 ->
  forall k, (k < K)%nat ->
  Rabs (lam k / (1 + lam k)) <= Rabs (lam 0%nat) / (1 - Rabs (lam 0%nat)) /\
  Rabs (lam k / (1 + lam k)) <= Rabs (lam 0%nat) / (1 - bound) /\
  Rabs (lam 0%nat) / (1 - bound) <= bound / (1 - bound).
Proof.
  intros K lam bound H Hb Hl k Hk. specialize (H k Hk).
  set (a := Rabs (lam 0%nat)) in *. assert (0 <= a) by (unfold a; apply Rabs_pos).
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

(* THEOREM eigenvalues_of_E_prime | holds-as-printed | E' has the eigenvalues lambda/(1+lambda) *)
(* THEOREM lemma_15 | holds-as-printed | they are at most |lambda_1|/(1-lambda), for every K *)
(* THEOREM lemma_15_sharp | holds-as-printed | the bound is attained exactly at -|lambda_1| *)
