(* Softmax over M tokens 0, ..., M-1 and the direction zeta_n of "Scan and Snap", Appendix D.1. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums decoder.
Open Scope R_scope.

(* softmax(w)_j = e^(w_j) / sum_i e^(w_i) *)
Definition softmax (M : nat) (w : nat -> R) (j : nat) : R :=
  exp (w j) / Sum M (fun i => exp (w i)).

(* zeta_n = M/(M-1) (e_n - 1/M) *)
Definition zeta (M n j : nat) : R := INR M / (INR M - 1) * (delta n j - / INR M).

Lemma INR_gt1 : forall M, (2 <= M)%nat -> 1 < INR M.
Proof. intros M H. apply (lt_INR 1). lia. Qed.

Lemma INR_ge2 : forall M, (2 <= M)%nat -> 2 <= INR M.
Proof. intros M H. apply (le_INR 2). lia. Qed.

(* its entries: 1 at n, -1/(M-1) elsewhere *)
Lemma zeta_at : forall M n, (2 <= M)%nat -> zeta M n n = 1.
Proof. intros M n H. pose proof (INR_gt1 M H). unfold zeta. rewrite delta_eq. field. lra. Qed.

Lemma zeta_off : forall M n j, (2 <= M)%nat -> n <> j -> zeta M n j = - / (INR M - 1).
Proof.
  intros M n j H E. pose proof (INR_gt1 M H). unfold zeta. rewrite delta_ne; auto. field. lra.
Qed.

Lemma softmax_ext : forall M v w j, (forall i, (i < M)%nat -> v i = w i) -> (j < M)%nat ->
  softmax M v j = softmax M w j.
Proof.
  intros M v w j H Hj. unfold softmax. rewrite (H j Hj).
  rewrite (Sum_ext M _ (fun i => exp (w i))); auto. intros i Hi. rewrite H; auto.
Qed.

Lemma total_pos : forall M w, (0 < M)%nat -> 0 < Sum M (fun i => exp (w i)).
Proof.
  intros M w H. apply (Sum_pos M _ 0%nat); auto; intros; try (left; apply exp_pos). apply exp_pos.
Qed.

Lemma softmax_sum : forall M w, (0 < M)%nat -> Sum M (softmax M w) = 1.
Proof.
  intros M w H. unfold softmax, Rdiv. rewrite Sum_scal_r. pose proof (total_pos M w H).
  apply Rinv_r. lra.
Qed.

(* Softmax of logits along zeta_n: with logits (M-1) H zeta_n the prediction error is along zeta_n
   again.  This is the reason why one number describes the whole row. *)
Lemma softmax_along_zeta : forall M n w H, (2 <= M)%nat -> (n < M)%nat ->
  (forall j, (j < M)%nat -> w j = (INR M - 1) * H * zeta M n j) ->
  softmax M w n = exp (INR M * H) * speed (INR M) H /\
  forall j, (j < M)%nat -> j <> n -> softmax M w j = speed (INR M) H.
Proof.
  intros M n w H HM Hn Hw. pose proof (INR_gt1 M HM) as GM.
  assert (Wn : w n = (INR M - 1) * H) by (rewrite Hw, zeta_at; auto; ring).
  assert (Wj : forall j, (j < M)%nat -> j <> n -> w j = - H).
  { intros j Hj Hne. rewrite Hw, zeta_off; auto. field. lra. }
  assert (P : 0 < exp (- H)) by apply exp_pos. pose proof (exp_pos (INR M * H)) as Q.
  assert (X : exp ((INR M - 1) * H) = exp (INR M * H) * exp (- H))
    by (rewrite <- exp_plus; f_equal; ring).
  assert (T : Sum M (fun i => exp (w i)) = (INR M - 1 + exp (INR M * H)) * exp (- H)).
  { rewrite (Sum_special M n _ (exp (- H))); auto.
    - rewrite Wn, X. ring.
    - intros k Hk Hne. rewrite Wj; auto. }
  unfold softmax, speed. rewrite T. split.
  - rewrite Wn, X. field. lra.
  - intros j Hj Hne. rewrite Wj; auto. field. lra.
Qed.

Lemma residual_along_zeta : forall M n w H j, (2 <= M)%nat -> (n < M)%nat -> (j < M)%nat ->
  (forall i, (i < M)%nat -> w i = (INR M - 1) * H * zeta M n i) ->
  delta n j - softmax M w j = (INR M - 1) * speed (INR M) H * zeta M n j.
Proof.
  intros M n w H j HM Hn Hj Hw. destruct (softmax_along_zeta M n w H HM Hn Hw) as [A B].
  pose proof (INR_gt1 M HM) as GM. pose proof (exp_pos (INR M * H)) as Q.
  destruct (Nat.eq_dec n j) as [<-|Hne].
  - rewrite delta_eq, zeta_at, A by auto. unfold speed. field. lra.
  - rewrite delta_ne, zeta_off, B by auto. unfold speed. field. lra.
Qed.
