(* Lemma 12 of "Scan and Snap" (Appendix D.4), Eqs. (66)-(69): the deterministic part.

   Proved for every vocabulary M >= 2, every rate eta_Y > 0, every sequence of labels below M and
   every number of steps N: under the decoupled dynamics (8) row n is (M-1) h*(N_n) zeta_n, N_n
   being the number of visits of class n among the N steps, whatever their order; hence w_n = (1
   + theta_n)(M-1) h(N-bar) zeta_n with theta_n = h*(N_n)/h(N-bar) - 1 whenever h(N-bar) > 0.
   Not proved here: that theta_n is small with high probability (Hoeffding, Lemmas 10 and 11),
   and that h* may be replaced by h (Lemma 7). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums decoder softmax.
Open Scope R_scope.

(* (8) in steps: w_j(s+1) = w_j(s) + eta_Y I(j = n)(e_n - softmax(w_n(s))), n the label of the
   step *)
Fixpoint rows (M : nat) (eta : R) (label : nat -> nat) (s j v : nat) : R :=
  match s with
  | O => 0
  | S s => rows M eta label s j v +
      (if Nat.eq_dec j (label s)
       then eta * (delta j v - softmax M (rows M eta label s j) v) else 0)
  end.

(* N_n *)
Fixpoint visits (label : nat -> nat) (n s : nat) : nat :=
  match s with
  | O => O
  | S s => if Nat.eq_dec n (label s) then S (visits label n s) else visits label n s
  end.

(* a row depends on the visits of its class only, not on their order *)
Theorem equation_66 : forall M eta label s n v, (2 <= M)%nat -> (n < M)%nat -> (v < M)%nat ->
  rows M eta label s n v = (INR M - 1) * h_star (INR M) eta (visits label n s) * zeta M n v.
Proof.
  intros M eta label s n v HM Hn. revert v. induction s as [|s IH]; intros v Hv; simpl; [ring|].
  destruct (Nat.eq_dec n (label s)) as [E|E].
  - rewrite (residual_along_zeta M n _ (h_star (INR M) eta (visits label n s)) v), IH by auto.
    simpl. ring.
  - rewrite IH by auto. ring.
Qed.

(* the visits of all classes add up to the steps *)
Theorem visits_sum : forall label K s, (forall i, (i < s)%nat -> (label i < K)%nat) ->
  Sum K (fun n => INR (visits label n s)) = INR s.
Proof.
  intros label K s. induction s as [|s IH]; intros H; simpl visits; [apply Sum_zero; auto|].
  rewrite S_INR, <- IH by (intros; apply H; lia).
  rewrite (Sum_ext K _ (fun n => INR (visits label n s) + delta (label s) n * 1)).
  - rewrite Sum_plus, (Sum_delta K (label s) (fun _ => 1)); auto.
  - intros n Hn. unfold delta. destruct (Nat.eq_dec n (label s)), (Nat.eq_dec (label s) n); try lia.
    + rewrite S_INR. ring.
    + ring.
Qed.

(* (69): w_n(N) = (1 + theta_n) times the row after N-bar steps of the flow h *)
Theorem lemma_12 : forall M eta label N (h : R -> R) (N_bar : R), (2 <= M)%nat -> h N_bar <> 0 ->
  exists theta : nat -> R, forall n v, (n < M)%nat -> (v < M)%nat ->
    theta n = (h_star (INR M) eta (visits label n N) - h N_bar) / h N_bar /\
    rows M eta label N n v = (1 + theta n) * ((INR M - 1) * h N_bar * zeta M n v).
Proof.
  intros M eta label N h N_bar HM Hh.
  exists (fun n => (h_star (INR M) eta (visits label n N) - h N_bar) / h N_bar).
  intros n v Hn Hv. split; [reflexivity|]. rewrite equation_66 by auto. field. exact Hh.
Qed.

(* THEOREM equation_66 | holds-as-printed | w_n(N) = (M-1) h*(N_n) zeta_n for any order of labels *)
(* THEOREM visits_sum | holds-as-printed | the N_n add up to N *)
(* THEOREM lemma_12 | holds-as-printed | (69) exactly; the size of theta is not treated here *)
(* BRIDGE rows | lib.scan_snap.decoder_training.decoder_ascent | labels, M, eta_y; entry W[s, j, v] *)
