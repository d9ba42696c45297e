(* Theorem 2 of "Scan and Snap" (Section 5, Appendix E), Eqs. (98), (99), (100).

   Proved for every number M of tokens, every K, every query map psi, all unit vectors f_n
   and all coefficients beta, under (10) in its component form (97):
   - a distinct token l of class n moves at eta_Z f_nl^2 xi_n, so it rises where xi_n > 0;
   - a single common token moves at -eta_Z sum (1 - f_nl^2) xi_n over the classes of its query,
     so it falls where all xi_n > 0 and one class of the query has another token in its support.
   xi_n > 0 is Theorem 1(a)'s, taken as a hypothesis.  Nothing had to be corrected. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums.
Open Scope R_scope.

Section Theorem2.
Variables (M K : nat) (f : nat -> nat -> R) (beta : nat -> nat -> R) (psi : nat -> nat).
Variables (eta_Z gamma : R).
Hypothesis unit_f : forall n, (n < K)%nat -> dot M (f n) (f n) = 1.

Definition others (n : nat) (x : nat -> R) : R := Sum K (fun k =>
  if Nat.eq_dec k n then 0 else x k).

(* xi_n = gamma sum_(n' <> n) beta_nn' f_n . f_n' *)
Definition xi (n : nat) : R := gamma * others n (fun k => beta n k * dot M (f n) (f k)).

(* (97): dz_ml/dt *)
Definition velocity (m l : nat) : R :=
  eta_Z * gamma * Sum K (fun n => if Nat.eq_dec (psi n) m then
    f n l * others n (fun k => beta n k * (dot M (f n) (f k) * f n l - f k l)) else 0).

(* l is a distinct token of class n: it occurs in no other class *)
Definition distinct (n l : nat) : Prop := forall k, (k < K)%nat -> k <> n -> f k l = 0.
(* l is the only common token: two classes share nothing else *)
Definition only_common (l : nat) : Prop := forall n k j, (n < K)%nat -> (k < K)%nat -> n <> k ->
  (j < M)%nat -> j <> l -> f n j * f k j = 0.

Lemma others_ext : forall n x y, (forall k, (k < K)%nat -> k <> n -> x k = y k) ->
  others n x = others n y.
Proof. intros n x y H. apply Sum_ext. intros k Hk. destruct (Nat.eq_dec k n); auto. Qed.

Lemma others_scal : forall n c x, others n (fun k => c * x k) = c * others n x.
Proof.
  intros n c x. unfold others. rewrite <- Sum_scal. apply Sum_ext. intros k Hk.
  destruct (Nat.eq_dec k n); ring.
Qed.

(* (98) *)
Theorem equation_98 : forall n l, (n < K)%nat -> distinct n l ->
  velocity (psi n) l = eta_Z * f n l ^ 2 * xi n.
Proof.
  intros n l Hn Hd. unfold velocity, xi.
  rewrite (Sum_ext K _ (fun k => delta n k * (f n l ^ 2 *
    others n (fun k => beta n k * dot M (f n) (f k))))).
  - rewrite (Sum_delta K n (fun _ => f n l ^ 2 * others n (fun k => beta n k * dot M (f n) (f k))));
      auto. ring.
  - intros k Hk. destruct (Nat.eq_dec n k) as [<-|Hne].
    + rewrite delta_eq. destruct (Nat.eq_dec (psi n) (psi n)); [|lia].
      rewrite (others_ext n _ (fun j => f n l * (beta n j * dot M (f n) (f j)))).
      * rewrite others_scal. ring.
      * intros j Hj Hne. rewrite (Hd j) by auto. ring.
    + rewrite delta_ne, (Hd k) by auto. destruct (Nat.eq_dec (psi k) (psi n)); ring.
Qed.

(* with one common token the inner product is one product: f_n . f_n' = f_nl f_n'l *)
Lemma one_product : forall n k l, (n < K)%nat -> (k < K)%nat -> n <> k -> (l < M)%nat ->
  only_common l -> dot M (f n) (f k) = f n l * f k l.
Proof.
  intros n k l Hn Hk Hne Hl H. unfold dot.
  rewrite (Sum_special M l _ 0); [ring|auto|]. intros j Hj Hjl. apply H; auto.
Qed.

(* (99) *)
Theorem equation_99 : forall n k l, (n < K)%nat -> (k < K)%nat -> n <> k -> (l < M)%nat ->
  only_common l ->
  f n l * (dot M (f n) (f k) * f n l - f k l) = - (1 - f n l ^ 2) * dot M (f n) (f k).
Proof. intros n k l Hn Hk Hne Hl H. rewrite (one_product n k l) by auto. ring. Qed.

(* (100) *)
Theorem equation_100 : forall m l, (l < M)%nat -> only_common l ->
  velocity m l = - eta_Z * Sum K (fun n => if Nat.eq_dec (psi n) m
                                           then (1 - f n l ^ 2) * xi n else 0).
Proof.
  intros m l Hl H. unfold velocity, xi.
  rewrite Rmult_assoc, <- Sum_scal, <- (Sum_scal K (- eta_Z)), <- (Sum_scal K eta_Z).
  apply Sum_ext. intros n Hn. destruct (Nat.eq_dec (psi n) m); [|ring].
  rewrite <- others_scal.
  rewrite (others_ext n _ (fun k => - (1 - f n l ^ 2) * (beta n k * dot M (f n) (f k)))).
  - rewrite others_scal. ring.
  - intros k Hk Hne. rewrite <- (Rmult_assoc (- (1 - f n l ^ 2))), (Rmult_comm _ (beta n k)).
    rewrite (Rmult_assoc (beta n k)), <- equation_99 by auto. ring.
Qed.

(* entries of a unit vector: f_nl^2 <= 1, and < 1 if another entry differs from 0 *)
Lemma entry_le_one : forall n l, (n < K)%nat -> (l < M)%nat -> f n l ^ 2 <= 1.
Proof.
  intros n l Hn Hl. pose proof (unit_f n Hn) as U. unfold dot in U.
  replace (f n l ^ 2) with (f n l * f n l) by ring. rewrite <- U.
  apply (Sum_term_le M (fun k => f n k * f n k)); auto. intros. apply Rle_0_sqr.
Qed.

Lemma entry_lt_one : forall n l j, (n < K)%nat -> (l < M)%nat -> (j < M)%nat -> j <> l ->
  f n j <> 0 -> f n l ^ 2 < 1.
Proof.
  intros n l j Hn Hl Hj Hne Hf. pose proof (unit_f n Hn) as U. unfold dot in U.
  assert (P : 0 < f n j * f n j) by (pose proof (Rsqr_pos_lt _ Hf) as Q; exact Q).
  assert (S : f n j * f n j <= Sum M (fun k => f n k * f n k - delta l k * (f n l * f n l))).
  { apply Rle_trans with (f n j * f n j - delta l j * (f n l * f n l)).
    - rewrite delta_ne by auto. lra.
    - apply (Sum_term_le M (fun k => f n k * f n k - delta l k * (f n l * f n l))); auto.
      intros k Hk. destruct (Nat.eq_dec l k) as [<-|E].
      + rewrite delta_eq. lra.
      + rewrite delta_ne by auto. pose proof (Rle_0_sqr (f n k)) as Q. unfold Rsqr in Q. lra. }
  rewrite Sum_minus, U, (Sum_delta M l (fun _ => f n l * f n l)) in S by auto.
  replace (f n l ^ 2) with (f n l * f n l) by ring. lra.
Qed.

(* (a) and (b) as printed *)
Theorem theorem_2a : 0 < eta_Z -> forall n l, (n < K)%nat -> distinct n l -> f n l <> 0 ->
  0 < xi n -> 0 < velocity (psi n) l.
Proof.
  intros He n l Hn Hd Hf Hx. rewrite equation_98 by auto.
  pose proof (Rsqr_pos_lt _ Hf) as Q. rewrite Rsqr_pow2 in Q.
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; auto.
Qed.

Theorem theorem_2b : 0 < eta_Z -> forall m l n j, (l < M)%nat -> only_common l ->
  (forall k, (k < K)%nat -> 0 < xi k) ->
  (n < K)%nat -> psi n = m -> (j < M)%nat -> j <> l -> f n j <> 0 ->
  velocity m l < 0.
Proof.
  intros He m l n j Hl Hc Hx Hn Hm Hj Hne Hf. rewrite equation_100 by auto.
  assert (P : 0 < Sum K (fun n => if Nat.eq_dec (psi n) m then (1 - f n l ^ 2) * xi n else 0)).
  { apply (Sum_pos K _ n); auto.
    - intros k Hk. destruct (Nat.eq_dec (psi k) m); [|lra].
      pose proof (entry_le_one k l Hk Hl). pose proof (Hx k Hk). apply Rmult_le_pos; lra.
    - destruct (Nat.eq_dec (psi n) m); [|lia].
      pose proof (entry_lt_one n l j Hn Hl Hj Hne Hf). pose proof (Hx n Hn).
      apply Rmult_lt_0_compat; lra. }
  assert (0 < eta_Z * Sum K (fun n => if Nat.eq_dec (psi n) m then (1 - f n l ^ 2) * xi n else 0))
    by (apply Rmult_lt_0_compat; auto).
  lra.
Qed.
End Theorem2.

(* THEOREM theorem_2a | holds-as-printed | a distinct token rises wherever xi_n > 0 *)
(* THEOREM theorem_2b | holds-as-printed | a single common token falls wherever all xi_n > 0 *)
(* THEOREM equation_98 | holds-as-printed | a distinct token moves at eta_Z f_nl^2 xi_n *)
(* THEOREM equation_99 | holds-as-printed | the bracket of (97) for a single common token *)
(* THEOREM equation_100 | holds-as-printed | it moves at -eta_Z sum (1 - f_nl^2) xi_n *)
(* BRIDGE xi | lib.scan_snap.attention_flow.xi | F, beta; entry n (gamma = 1) *)
(* BRIDGE velocity | lib.scan_snap.attention_flow.attention_velocity | visits = 1; entry m, l *)
