(* Lemma 4 of "Scan and Snap" (Section 5, Appendix E), Eqs. (10), (94)-(97).

   Proved for every number M of tokens, every K, all unit vectors f_n, all coefficients beta,
   iota, gamma and every query: the step (4) of z_m in the limit (6) with g of (9) is (95), (96)
   and (97); the component of g along f_n drops out.
   Correction: gamma of (85) counts single steps, t/K visits of a class.  The flow whose time
   unit is a step of batch size 1 with uniform classes is the mean over the K classes, 1/K times
   the sum that (10) prints. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums.
Open Scope R_scope.

Section Lemma4.
Variables (M K : nat) (f : nat -> nat -> R) (beta : nat -> nat -> R) (iota : nat -> R).
Variables (eta_Z gamma : R).
(* row n is f_n *)
Hypothesis unit_f : forall n, (n < K)%nat -> dot M (f n) (f n) = 1.

(* sums over n' <> n *)
Definition others (n : nat) (x : nat -> R) : R := Sum K (fun k =>
  if Nat.eq_dec k n then 0 else x k).

(* (9): g = gamma (iota_n f_n - sum_(n' <> n) beta_nn' f_n') *)
Definition back (n l : nat) : R := gamma * (iota n * f n l - others n (fun k => beta n k * f k l)).

(* (94): an event of class n moves its query's row by eta_Z diag(f_n) (I - f_n f_n^T) g *)
Definition event (n l : nat) : R := eta_Z * (f n l * (back n l - f n l * dot M (f n) (back n))).

(* (97), one class: f_nl sum_(n' <> n) beta_nn' [(f_n . f_n') f_nl - f_n'l] *)
Definition class_velocity (n l : nat) : R :=
  f n l * others n (fun k => beta n k * (dot M (f n) (f k) * f n l - f k l)).

(* the sum over the classes of a query, as (10) prints it, and the mean over all events *)
Definition of_query (query : nat -> nat) (m : nat) (x : nat -> R) : R :=
  Sum K (fun n => if Nat.eq_dec (query n) m then x n else 0).
Definition equation_10 (query : nat -> nat) (m l : nat) : R :=
  eta_Z * gamma * of_query query m (fun n => class_velocity n l).
Definition mean_step (query : nat -> nat) (m l : nat) : R :=
  / INR K * of_query query m (fun n => event n l).

Lemma others_ext : forall n x y, (forall k, (k < K)%nat -> k <> n -> x k = y k) ->
  others n x = others n y.
Proof.
  intros n x y H. apply Sum_ext. intros k Hk. destruct (Nat.eq_dec k n); auto.
Qed.

Lemma others_scal : forall n c x, others n (fun k => c * x k) = c * others n x.
Proof.
  intros n c x. unfold others. rewrite <- Sum_scal. apply Sum_ext. intros k Hk.
  destruct (Nat.eq_dec k n); ring.
Qed.

Lemma others_minus : forall n x y, others n (fun k => x k - y k) = others n x - others n y.
Proof.
  intros n x y. unfold others. rewrite <- Sum_minus. apply Sum_ext. intros k Hk.
  destruct (Nat.eq_dec k n); ring.
Qed.

Lemma dot_others : forall n (v : nat -> R) (x : nat -> nat -> R),
  Sum M (fun l => v l * others n (fun k => x k l)) = others n (fun k => Sum M (fun l =>
    v l * x k l)).
Proof.
  intros n v x. unfold others.
  rewrite (Sum_ext M _ (fun l => Sum K (fun k => if Nat.eq_dec k n then 0 else v l * x k l))).
  - rewrite Sum_swap. apply Sum_ext. intros k Hk. destruct (Nat.eq_dec k n); auto.
    apply Sum_zero. auto.
  - intros l Hl. rewrite <- Sum_scal. apply Sum_ext. intros k Hk. destruct (Nat.eq_dec k n); ring.
Qed.

(* f_n . g = gamma (iota_n - sum beta_nn' f_n . f_n') *)
Lemma dot_back : forall n, (n < K)%nat ->
  dot M (f n) (back n) = gamma * (iota n - others n (fun k => beta n k * dot M (f n) (f k))).
Proof.
  intros n Hn. unfold dot, back.
  rewrite (Sum_ext M _ (fun l => gamma * iota n * (f n l * f n l) -
    gamma * (f n l * others n (fun k => beta n k * f k l)))) by (intros; ring).
  rewrite Sum_minus, !Sum_scal. pose proof (unit_f n Hn) as U. unfold dot in U. rewrite U.
  rewrite (dot_others n (f n) (fun k l => beta n k * f k l)).
  rewrite (others_ext n (fun k => Sum M (fun l => f n l * (beta n k * f k l)))
    (fun k => beta n k * Sum M (fun l => f n l * f k l))); [ring|].
  intros k Hk Hne. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
Qed.

(* (94) = (97), one event *)
Theorem equation_97 : forall n l, (n < K)%nat ->
  event n l = eta_Z * gamma * class_velocity n l.
Proof.
  intros n l Hn. unfold event, class_velocity. rewrite dot_back by auto. unfold back.
  rewrite (others_ext n (fun k => beta n k * (dot M (f n) (f k) * f n l - f k l))
    (fun k => f n l * (beta n k * dot M (f n) (f k)) - beta n k * f k l)) by (intros; ring).
  rewrite others_minus, others_scal. ring.
Qed.

(* the printed statement: the sum over the events of a query, one event a class *)
Theorem lemma_4 : forall query m l,
  of_query query m (fun n => event n l) = equation_10 query m l.
Proof.
  intros query m l. unfold equation_10, of_query. rewrite <- Sum_scal. apply Sum_ext. intros n Hn.
  destruct (Nat.eq_dec (query n) m); [apply equation_97; auto|ring].
Qed.

(* the unit of time in which gamma(t) counts: 1/K times (10) *)
Theorem mean_step_weight : forall query m l,
  mean_step query m l = / INR K * equation_10 query m l.
Proof. intros query m l. unfold mean_step. rewrite lemma_4. reflexivity. Qed.

End Lemma4.

(* THEOREM lemma_4 | holds-as-printed | an event of each class of the query adds up to (10) *)
(* THEOREM equation_97 | holds-as-printed | (94) is (97), g's part along f_n drops out *)
(* THEOREM mean_step_weight | holds-as-corrected | per single step the flow is (10) times 1/K *)
(* BRIDGE event | lib.scan_snap.attention_flow.row_velocity | f_n, g = back n; entry l, eta_Z = 1 *)
(* BRIDGE class_velocity | lib.scan_snap.attention_flow.class_velocities | F, beta; entry n, l *)
(* BRIDGE mean_step | lib.scan_snap.attention_flow.attention_velocity | visits = 1/K each *)
