(* Assumption 2 of "Scan and Snap" (Section 4): |lambda_1| < 1/K and |lambda_i(E)| >= 6/sqrt M
   for all i.

   Proved for every K >= 1, every M > 0 and every symmetric E with zero diagonal that meets it: M
   > 36 K^2, so "M >> K^2" is no separate hypothesis; K >= 2; E has an eigenvalue of either sign;
   and no class stands alone: every class overlaps another one.  First for E = U^T D U, which the
   spectral theorem gives (proved in shared/eigenvectors.v). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums spectrum eigenvectors calculus.
Open Scope R_scope.

Section Decomposed.
Variables (K : nat) (M : R) (lam : nat -> R) (u E : nat -> nat -> R).
Hypothesis K_one : (1 <= K)%nat.
Hypothesis M_pos : 0 < M.
Hypothesis decomposition : spectral K lam u E.
Hypothesis zero_diagonal : forall i, (i < K)%nat -> E i i = 0.
Hypothesis upper : forall k, (k < K)%nat -> Rabs (lam k) < / INR K.
Hypothesis lower : forall k, (k < K)%nat -> 6 / sqrt M <= Rabs (lam k).

Lemma room_decomposed : 36 * INR K ^ 2 < M.
Proof.
  assert (P : 0 < INR K) by (apply lt_0_INR; lia).
  assert (Q : 0 < sqrt M) by (apply sqrt_lt_R0; auto).
  assert (H : 6 / sqrt M < / INR K).
  { apply Rle_lt_trans with (Rabs (lam 0%nat)); [apply lower|apply upper]; lia. }
  apply (Rmult_lt_compat_r (sqrt M * INR K)) in H; [|apply Rmult_lt_0_compat; auto].
  replace (6 / sqrt M * (sqrt M * INR K)) with (6 * INR K) in H by (field; lra).
  replace (/ INR K * (sqrt M * INR K)) with (sqrt M) in H by (field; lra).
  rewrite <- (sqrt_sqrt M) by lra. nra.
Qed.

Lemma not_zero : forall k, (k < K)%nat -> lam k <> 0.
Proof.
  intros k Hk H. pose proof (lower k Hk) as L. rewrite H, Rabs_R0 in L.
  assert (0 < 6 / sqrt M) by (apply Rdiv_lt_0_compat; [lra|apply sqrt_lt_R0; auto]). lra.
Qed.

(* the trace is the sum of the eigenvalues, and it is 0 *)
Lemma trace : Sum K lam = 0.
Proof.
  destruct decomposition as [[O _] S].
  assert (T : Sum K (fun i => E i i) = 0) by (apply Sum_zero; auto).
  rewrite (Sum_ext K _ (fun i => Sum K (fun k => lam k * (u k i * u k i)))) in T.
  - rewrite Sum_swap in T. rewrite <- T. apply Sum_ext. intros k Hk.
    rewrite Sum_scal, O, delta_eq by auto. ring.
  - intros i Hi. rewrite S by auto. apply Sum_ext. intros. ring.
Qed.

Lemma sign_exists : forall (n : nat) (x : nat -> R), (exists k, (k < n)%nat /\ 0 < x k) \/
  (forall k, (k < n)%nat -> x k <= 0).
Proof.
  induction n as [|n IH]; intros x; [right; intros; lia|].
  destruct (Rlt_or_le 0 (x n)) as [H|H]; [left; exists n; split; [lia|auto]|].
  destruct (IH x) as [[k [Hk P]]|N].
  - left. exists k. split; [lia|auto].
  - right. intros k Hk. destruct (Nat.eq_dec k n) as [->|]; [auto|apply N; lia].
Qed.

Lemma both_signs_decomposed : (exists k, (k < K)%nat /\ 0 < lam k) /\ (exists k, (k < K)%nat /\ lam k < 0).
Proof.
  pose proof trace as T. split.
  - destruct (sign_exists K lam) as [|N]; auto. exfalso.
    assert (P : 0 < Sum K (fun k => - lam k)).
    { apply (Sum_pos K _ 0%nat); [lia| |].
      - intros k Hk. pose proof (N k Hk). lra.
      - pose proof (N 0%nat ltac:(lia)). pose proof (not_zero 0%nat ltac:(lia)). lra. }
    rewrite Sum_opp in P. lra.
  - destruct (sign_exists K (fun k => - lam k)) as [[k [Hk P]]|N].
    + exists k. split; [auto|lra].
    + exfalso. assert (P : 0 < Sum K lam).
      { apply (Sum_pos K _ 0%nat); [lia| |].
        - intros k Hk. pose proof (N k Hk). lra.
        - pose proof (N 0%nat ltac:(lia)). pose proof (not_zero 0%nat ltac:(lia)). lra. }
      lra.
Qed.

Lemma two_classes_decomposed : (2 <= K)%nat.
Proof.
  destruct both_signs_decomposed as [[k [Hk P]] [j [Hj N]]]. destruct (Nat.eq_dec k j) as [->|]; [lra|lia].
Qed.

(* no class stands alone: else e_i would be an eigenvector to the eigenvalue 0 *)
Lemma no_class_alone_decomposed : forall i, (i < K)%nat -> exists j, (j < K)%nat /\ E j i <> 0.
Proof.
  intros i Hi. destruct (sign_exists K (fun j => E j i ^ 2)) as [[j [Hj P]]|N].
  - exists j. split; auto. intros Z. cbv beta in P. rewrite Z in P. lra.
  - exfalso. destruct decomposition as [O S].
    assert (Z : function_of K lam u (fun x => x * x) i i = 0).
    { rewrite <- (function_mul K lam u (fun x => x) (fun x => x) i i O Hi Hi). unfold mul.
      apply Sum_zero. intros j Hj. pose proof (N j Hj) as W. cbv beta in W.
      rewrite <- (S j i) by auto. assert (E j i = 0) by nra. rewrite H. ring. }
    assert (U : dot K (fun k => u k i) (fun k => u k i) = 0).
    { unfold dot. apply Sum_zero. intros k Hk.
      assert (T : lam k * lam k * u k i * u k i = 0).
      { apply (Sum_zero_terms K (fun k => lam k * lam k * u k i * u k i) k Hk); [|exact Z].
        intros a Ha. replace (lam a * lam a * u a i * u a i) with ((lam a * u a i) ^ 2) by ring.
        apply pow2_ge_0. }
      pose proof (not_zero k Hk) as L.
      apply Rmult_eq_reg_l with (lam k * lam k); [rewrite Rmult_0_r, <- T; ring|].
      apply Rmult_integral_contrapositive_currified; auto. }
    rewrite (column_unit K u i O Hi) in U. lra.
Qed.
End Decomposed.

Section Assumption2.
Variables (K : nat) (M : R) (E : nat -> nat -> R).
Hypothesis K_one : (1 <= K)%nat.
Hypothesis M_pos : 0 < M.
Hypothesis symmetry : symmetric K E.
Hypothesis zero_diagonal : forall i, (i < K)%nat -> E i i = 0.
Hypothesis upper : forall mu, eigenvalue K E mu -> Rabs mu < / INR K.
Hypothesis lower : forall mu, eigenvalue K E mu -> 6 / sqrt M <= Rabs mu.

Ltac decompose lam u D eigen :=
  destruct (spectral_theorem K E symmetry) as [lam [u D]];
  pose proof (fun k => spectral_eigenvalue K lam u E k D) as eigen.

Theorem room : 36 * INR K ^ 2 < M.
Proof. decompose lam u D eigen. apply (room_decomposed K M lam); auto. Qed.

Theorem both_signs : (exists mu, eigenvalue K E mu /\ 0 < mu) /\
  (exists mu, eigenvalue K E mu /\ mu < 0).
Proof.
  decompose lam u D eigen.
  destruct (both_signs_decomposed K M lam u E) as [[k [Hk P]] [j [Hj N]]]; auto.
  split; [exists (lam k)|exists (lam j)]; auto.
Qed.

Theorem two_classes : (2 <= K)%nat.
Proof. decompose lam u D eigen. apply (two_classes_decomposed K M lam u E); auto. Qed.

Theorem no_class_alone : forall i, (i < K)%nat -> exists j, (j < K)%nat /\ E j i <> 0.
Proof. decompose lam u D eigen. apply (no_class_alone_decomposed K M lam u E); auto. Qed.
End Assumption2.

(* THEOREM room | holds-as-printed | Assumption 2 contains M > 36 K^2 *)
(* THEOREM both_signs | holds-as-printed | E then has a positive and a negative eigenvalue *)
(* THEOREM two_classes | holds-as-printed | one class cannot meet it *)
(* THEOREM no_class_alone | holds-as-printed | every class overlaps another one *)
