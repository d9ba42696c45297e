(* Lemma 16 of "Scan and Snap" (Appendix D.5), Eq. (79): the diagonal of E'.

   Proved for every K and every symmetric E with zero diagonal whose eigenvalues have a modulus
   below 1 (Assumption 2 asks for |lambda_1| < 1/K): E = U^T D U for some U and D, and for all of
   them E'_ii = - sum_k lambda_k^2/(1+lambda_k) u_ki^2 <= 0, and E'_ii < 0 as soon as one overlap of
   i differs from 0 (the paper: is positive).  Beyond the print: how negative it is, in terms of the
   row's own length.  Nothing had to be corrected. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums spectrum eigenvectors calculus.
Open Scope R_scope.

Section Lemma16.
Variables (K : nat) (lam : nat -> R) (u E : nat -> nat -> R).
Hypothesis decomposition : spectral K lam u E.
Hypothesis small : forall k, (k < K)%nat -> Rabs (lam k) < 1.
Hypothesis zero_diagonal : forall i, (i < K)%nat -> E i i = 0.

(* E' of Lemma 14 *)
Let E_prime := function_of K lam u (fun x => x / (1 + x)).

Lemma lam_bounds : forall k, (k < K)%nat -> -1 < lam k < 1.
Proof. intros k Hk. pose proof (small k Hk) as H. apply Rabs_def2 in H. lra. Qed.

(* x/(1+x) = x - x^2/(1+x); the diagonal of E is 0 *)
Lemma both_sums : forall i, (i < K)%nat ->
  E_prime i i = Sum K (fun k => lam k / (1 + lam k) * (u k i) ^ 2) /\
  E_prime i i = - Sum K (fun k => (lam k) ^ 2 / (1 + lam k) * (u k i) ^ 2).
Proof.
  intros i Hi. destruct decomposition as [O S]. split.
  - apply Sum_ext. intros. ring.
  - assert (Z : function_of K lam u (fun x => x) i i = 0) by (rewrite <- S; auto).
    unfold E_prime. rewrite <- Sum_opp.
    rewrite (function_ext K lam u _ (fun x => x + - (x ^ 2 / (1 + x)))).
    + rewrite function_plus, Z, Rplus_0_l. apply Sum_ext. intros. ring.
    + intros k Hk. pose proof (lam_bounds k Hk). field. lra.
Qed.

Lemma sign : forall i, (i < K)%nat ->
  E_prime i i <= 0 /\ forall j, (j < K)%nat -> j <> i -> 0 < E j i -> E_prime i i < 0.
Proof.
  intros i Hi. destruct (both_sums i Hi) as [_ D].
  assert (N : forall k, (k < K)%nat -> 0 <= (lam k) ^ 2 / (1 + lam k) * (u k i) ^ 2).
  { intros k Hk. pose proof (lam_bounds k Hk). apply Rmult_le_pos; [|apply pow2_ge_0].
    apply le_div; [lra|]. pose proof (pow2_ge_0 (lam k)). lra. }
  pose proof (Sum_nonneg K _ N) as P. split; [lra|].
  intros j Hj Hne Hpos. destruct (Req_dec (E_prime i i) 0) as [Z|Z]; [|lra]. exfalso.
  (* if the sum vanishes, so does every lambda_k u_ki, and with it column i of E *)
  rewrite D in Z. assert (Z0 : Sum K (fun k => (lam k) ^ 2 / (1 + lam k) * (u k i) ^ 2) = 0) by lra.
  assert (E j i = 0); [|lra].
  destruct decomposition as [_ S]. rewrite S by auto. apply Sum_zero. intros k Hk.
  pose proof (Sum_zero_terms K _ k Hk N Z0) as T. cbv beta in T. pose proof (lam_bounds k Hk).
  assert (Q : (lam k * u k i) ^ 2 = 0).
  { replace ((lam k * u k i) ^ 2)
      with ((1 + lam k) * ((lam k) ^ 2 / (1 + lam k) * (u k i) ^ 2)) by (field; lra).
    rewrite T. ring. }
  assert (lam k * u k i = 0) by nra.
  replace (lam k * u k j * u k i) with (u k j * (lam k * u k i)) by ring. rewrite H0. ring.
Qed.

(* How negative: with |lambda_k| <= a < 1 it lies between -|E_i|^2/(1-a) and -|E_i|^2/(1+a),
   |E_i|^2 = sum_j E_ij^2 being the row's squared length. *)
Theorem lemma_16_two_sided : forall a i, (i < K)%nat -> a < 1 ->
  (forall k, (k < K)%nat -> Rabs (lam k) <= a) ->
  - (Sum K (fun j => (E i j) ^ 2) / (1 - a)) <= E_prime i i <=
  - (Sum K (fun j => (E i j) ^ 2) / (1 + a)).
Proof.
  intros a i Hi Ha Hl. destruct (both_sums i Hi) as [_ D]. destruct decomposition as [O S].
  assert (R : Sum K (fun j => (E i j) ^ 2) = Sum K (fun k => (lam k) ^ 2 * (u k i) ^ 2)).
  { pose proof (function_mul K lam u (fun x => x) (fun x => x) i i O Hi Hi) as F.
    transitivity (function_of K lam u (fun x => x * x) i i).
    - rewrite <- F. apply Sum_ext. intros j Hj.
      rewrite (function_sym K lam u _ j i), <- S by auto. ring.
    - apply Sum_ext. intros. ring. }
  assert (B : forall k, (k < K)%nat -> - a <= lam k <= a)
    by (intros k Hk; apply Rabs_bounds; auto).
  rewrite D, R. unfold Rdiv. rewrite <- !Sum_scal_r. split.
  - apply Ropp_le_contravar, Sum_le. intros k Hk. specialize (B k Hk).
    pose proof (lam_bounds k Hk). pose proof (pow2_ge_0 (lam k)). pose proof (pow2_ge_0 (u k i)).
    assert (/ (1 + lam k) <= / (1 - a)) by (apply Rinv_le_contravar; lra).
    assert (0 <= (lam k) ^ 2 * (u k i) ^ 2) by (apply Rmult_le_pos; lra). nra.
  - apply Ropp_le_contravar, Sum_le. intros k Hk. specialize (B k Hk).
    pose proof (lam_bounds k Hk). pose proof (pow2_ge_0 (lam k)). pose proof (pow2_ge_0 (u k i)).
    assert (/ (1 + a) <= / (1 + lam k)) by (apply Rinv_le_contravar; lra).
    assert (0 <= (lam k) ^ 2 * (u k i) ^ 2) by (apply Rmult_le_pos; lra). nra.
Qed.
End Lemma16.

Section Overlaps.
Variables (K : nat) (E : nat -> nat -> R).
Hypothesis E_symmetric : symmetric K E.
Hypothesis eigenvalues_small : forall mu, eigenvalue K E mu -> Rabs mu < 1.
Hypothesis zero_diagonal : forall i, (i < K)%nat -> E i i = 0.

Lemma small : forall lam u, spectral K lam u E -> forall k, (k < K)%nat -> Rabs (lam k) < 1.
Proof.
  intros lam u D k Hk. apply eigenvalues_small, (spectral_eigenvalue K lam u E); auto.
Qed.

Theorem equation_79 : (exists lam u, spectral K lam u E) /\
  forall lam u, spectral K lam u E -> forall i, (i < K)%nat ->
  let E_prime := function_of K lam u (fun x => x / (1 + x)) in
  E_prime i i = Sum K (fun k => lam k / (1 + lam k) * (u k i) ^ 2) /\
  E_prime i i = - Sum K (fun k => (lam k) ^ 2 / (1 + lam k) * (u k i) ^ 2).
Proof.
  split; [apply spectral_theorem; auto|]. intros lam u D.
  exact (both_sums K lam u E D (small lam u D) zero_diagonal).
Qed.

Theorem lemma_16 : (exists lam u, spectral K lam u E) /\
  forall lam u, spectral K lam u E -> forall i, (i < K)%nat ->
  let E_prime := function_of K lam u (fun x => x / (1 + x)) in
  E_prime i i <= 0 /\ forall j, (j < K)%nat -> j <> i -> 0 < E j i -> E_prime i i < 0.
Proof.
  split; [apply spectral_theorem; auto|]. intros lam u D.
  exact (sign K lam u E D (small lam u D) zero_diagonal).
Qed.
End Overlaps.

(* THEOREM equation_79 | holds-as-printed | both sums of (79) give the diagonal of E' *)
(* THEOREM lemma_16 | holds-as-printed | E'_ii <= 0, and < 0 if class i overlaps another one *)
(* THEOREM lemma_16_two_sided | holds-as-printed | E'_ii is -|E_i|^2 up to the factors 1/(1 +- a),
   where no |lambda_k| is above a < 1 *)
