(* Section 7 of "Scan and Snap": the residual connection.

   The decoder sees LN(f_n + e_psi(n)) instead of f_n.  Proved for every number M of tokens,
   every K, all unit vectors f_n and all query tokens psi(n) that occur in no context (f_n has no
   entry at any of them): the Gram matrix is (f_n . f_n' + I(psi(n) = psi(n')))/2, half of what
   Section 7 gives beta the size of; and the two projectors give half the speed along the same
   direction: diag(f)(I - f f^T)(I - f' f'^T) g/|f + e_m| = diag(f)(I - f f^T) f_k/2 for g = f'_k
   of another class.
   Not proved here: which coefficients beta the decoder has on these features. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums.
Open Scope R_scope.

Section Residual.
Variables (M K : nat) (f : nat -> nat -> R) (psi : nat -> nat).
Hypothesis unit_f : forall n, (n < K)%nat -> dot M (f n) (f n) = 1.
Hypothesis psi_in : forall n, (n < K)%nat -> (psi n < M)%nat.
(* no context contains a query token *)
Hypothesis apart : forall n k, (n < K)%nat -> (k < K)%nat -> f n (psi k) = 0.

(* LN(f_n + e_psi(n)) *)
Definition shifted (n l : nat) : R := f n l + delta (psi n) l.
Definition bar (n l : nat) : R := shifted n l / sqrt (dot M (shifted n) (shifted n)).
Definition same (n k : nat) : R := if Nat.eq_dec (psi n) (psi k) then 1 else 0.

Lemma dot_shifted : forall n k, (n < K)%nat -> (k < K)%nat ->
  dot M (shifted n) (shifted k) = dot M (f n) (f k) + same n k.
Proof.
  intros n k Hn Hk. unfold dot, shifted.
  rewrite (Sum_ext M _ (fun l => f n l * f k l + delta (psi n) l * f k l + delta (psi k) l * f n l +
    delta (psi n) l * delta (psi k) l)) by (intros; ring).
  rewrite !Sum_plus, (Sum_delta M (psi n) (f k)), (Sum_delta M (psi k) (f n)),
    (Sum_delta M (psi n) (delta (psi k))) by auto.
  rewrite !apart by auto. unfold same, delta.
  destruct (Nat.eq_dec (psi k) (psi n)), (Nat.eq_dec (psi n) (psi k)); lia || ring.
Qed.

Lemma shifted_length : forall n, (n < K)%nat -> dot M (shifted n) (shifted n) = 2.
Proof.
  intros n Hn. rewrite dot_shifted, unit_f by auto. unfold same.
  destruct (Nat.eq_dec (psi n) (psi n)); [lra|lia].
Qed.

Lemma root_2 : sqrt 2 * sqrt 2 = 2.
Proof. apply sqrt_sqrt. lra. Qed.

Lemma root_2_pos : 0 < sqrt 2.
Proof. apply sqrt_lt_R0. lra. Qed.

(* the Gram matrix *)
Theorem residual_gram : forall n k, (n < K)%nat -> (k < K)%nat ->
  dot M (bar n) (bar k) = (dot M (f n) (f k) + same n k) / 2.
Proof.
  intros n k Hn Hk. rewrite <- dot_shifted by auto. unfold dot at 1, bar.
  rewrite !shifted_length by auto.
  rewrite (Sum_ext M _ (fun l => / 2 * (shifted n l * shifted k l))).
  - rewrite Sum_scal. unfold dot. field.
  - intros l Hl. pose proof root_2 as Rr. pose proof root_2_pos as Rp. set (r := sqrt 2) in *.
    replace (/ 2) with (/ (r * r)) by (rewrite Rr; reflexivity). field. lra.
Qed.

(* the step of z_m: two projectors and the length of f + e_m *)
Definition step (n : nat) (g : nat -> R) (l : nat) : R :=
  let inner j := (g j - bar n j * dot M (bar n) g) / sqrt (dot M (shifted n) (shifted n)) in
  f n l * (inner l - f n l * dot M (f n) inner).
(* without the residual connection: one projector *)
Definition plain_step (n : nat) (g : nat -> R) (l : nat) : R :=
  f n l * (g l - f n l * dot M (f n) g).

Lemma dot_scal : forall v x c, dot M v (fun j => c * x j) = c * dot M v x.
Proof. intros v x c. unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros. ring. Qed.

Lemma dot_minus : forall v x y, dot M v (fun j => x j - y j) = dot M v x - dot M v y.
Proof. intros v x y. unfold dot. rewrite <- Sum_minus. apply Sum_ext. intros. ring. Qed.

Lemma dot_f_bar : forall n k, (n < K)%nat -> (k < K)%nat ->
  dot M (f n) (bar k) = dot M (f n) (f k) / sqrt 2.
Proof.
  intros n k Hn Hk. unfold dot, bar. rewrite shifted_length by auto. unfold Rdiv.
  rewrite (Sum_ext M _ (fun l => / sqrt 2 * (f n l * f k l) + / sqrt 2 * (delta (psi k) l * f n l)))
    by (intros; unfold shifted; ring).
  rewrite Sum_plus, !Sum_scal, (Sum_delta M (psi k) (f n)), apart by auto. ring.
Qed.

(* Half the speed: for g = f'_k, one term of (9), the step is half the plain step with f_k, at every
   token l of a context (at a query token both are 0). *)
Theorem half_speed : forall n k l, (n < K)%nat -> (k < K)%nat -> (l < M)%nat ->
  step n (bar k) l = / 2 * plain_step n (f k) l.
Proof.
  intros n k l Hn Hk Hl. unfold step, plain_step. cbv zeta. rewrite shifted_length by auto.
  set (r := sqrt 2). assert (Rr : r * r = 2) by apply root_2.
  assert (Rp : 0 < r) by apply root_2_pos.
  set (d := dot M (bar n) (bar k)).
  assert (I : dot M (f n) (fun j => (bar k j - bar n j * d) / r) =
              / r * (dot M (f n) (bar k) - d * dot M (f n) (bar n))).
  { rewrite <- (dot_scal (f n) (bar n) d), <- dot_minus, <- dot_scal.
    apply Sum_ext. intros. unfold Rdiv. ring. }
  rewrite !dot_f_bar, unit_f in I by auto. fold r in I.
  rewrite I. destruct (Req_dec (f n l) 0) as [Z|Z]; [rewrite Z; ring|].
  (* l is no query token, as f_n does not vanish there *)
  assert (Q : forall j, (j < K)%nat -> delta (psi j) l = 0).
  { intros j Hj. apply delta_ne. intros E. apply Z. rewrite <- E. apply apart; auto. }
  unfold bar, shifted. rewrite !Q by auto.
  change (fun l0 => f n l0 + delta (psi n) l0) with (shifted n).
  change (fun l0 => f k l0 + delta (psi k) l0) with (shifted k).
  rewrite !shifted_length by auto. fold r.
  replace (/ 2) with (/ (r * r)) by (rewrite Rr; reflexivity). field. lra.
Qed.

End Residual.

(* THEOREM residual_gram | holds-as-corrected | the overlaps are (f_n . f_n' + I(same query))/2 *)
(* THEOREM half_speed | holds-as-corrected | two projectors: half the plain speed, same direction *)
(* BRIDGE bar | lib.scan_snap.residual_connection.residual_features | F, query; entry n, l *)
(* BRIDGE step | lib.scan_snap.residual_connection.residual_row_velocity | f_n, psi n, g; entry l *)
