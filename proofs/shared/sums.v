(* Finite sums over 0, ..., K-1, vectors and matrices as functions of their indices.
   Shared by the proofs of both halves of the book: coqc -Q proofs/shared Shared <file>.
   A vector of length K is a function nat -> R that is only looked at below K, a matrix a function
   nat -> nat -> R.  No result here belongs to a paper. *)
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

(* Sum K f = f 0 + ... + f (K-1) *)
Fixpoint Sum (K : nat) (f : nat -> R) : R :=
  match K with O => 0 | S k => Sum k f + f k end.

(* the one-hot vector: 1 where the indices agree, else 0 *)
Definition delta (i j : nat) : R := if Nat.eq_dec i j then 1 else 0.

Definition dot (K : nat) (x y : nat -> R) : R := Sum K (fun k => x k * y k).

(* (A B)_ij, the inner dimension being K *)
Definition mul (K : nat) (A B : nat -> nat -> R) (i j : nat) : R := Sum K (fun k => A i k * B k j).

Lemma Sum_ext : forall K f g, (forall k, (k < K)%nat -> f k = g k) -> Sum K f = Sum K g.
Proof.
  induction K as [|K IH]; intros f g H; simpl; [reflexivity|].
  rewrite (IH f g), (H K); auto; intros; apply H; lia.
Qed.

Lemma Sum_zero : forall K f, (forall k, (k < K)%nat -> f k = 0) -> Sum K f = 0.
Proof.
  induction K as [|K IH]; intros f H; simpl; [reflexivity|].
  rewrite IH, H; [ring|lia|]. intros; apply H; lia.
Qed.

Lemma Sum_plus : forall K f g, Sum K (fun k => f k + g k) = Sum K f + Sum K g.
Proof. induction K as [|K IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Sum_minus : forall K f g, Sum K (fun k => f k - g k) = Sum K f - Sum K g.
Proof. induction K as [|K IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Sum_opp : forall K f, Sum K (fun k => - f k) = - Sum K f.
Proof. induction K as [|K IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Sum_scal : forall K c f, Sum K (fun k => c * f k) = c * Sum K f.
Proof. induction K as [|K IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Sum_scal_r : forall K c f, Sum K (fun k => f k * c) = Sum K f * c.
Proof. induction K as [|K IH]; intros; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma Sum_const : forall K c, Sum K (fun _ => c) = INR K * c.
Proof. induction K as [|K IH]; intros; [simpl; ring|]. rewrite S_INR. simpl. rewrite IH. ring. Qed.

Lemma Sum_swap : forall K L f,
  Sum K (fun i => Sum L (fun j => f i j)) = Sum L (fun j => Sum K (fun i => f i j)).
Proof.
  induction K as [|K IH]; intros; simpl.
  - symmetry. apply Sum_zero. auto.
  - rewrite IH, <- Sum_plus. reflexivity.
Qed.

Lemma Sum_le : forall K f g, (forall k, (k < K)%nat -> f k <= g k) -> Sum K f <= Sum K g.
Proof.
  induction K as [|K IH]; intros f g H; simpl; [lra|].
  assert (f K <= g K) by (apply H; lia).
  assert (Sum K f <= Sum K g) by (apply IH; intros; apply H; lia). lra.
Qed.

Lemma Sum_nonneg : forall K f, (forall k, (k < K)%nat -> 0 <= f k) -> 0 <= Sum K f.
Proof.
  intros K f H. replace 0 with (Sum K (fun _ => 0)) by (rewrite Sum_const; ring).
  apply Sum_le; auto.
Qed.

Lemma Sum_abs : forall K f, Rabs (Sum K f) <= Sum K (fun k => Rabs (f k)).
Proof.
  induction K as [|K IH]; intros f; simpl; [rewrite Rabs_R0; lra|].
  apply Rle_trans with (Rabs (Sum K f) + Rabs (f K)); [apply Rabs_triang|]. specialize (IH f). lra.
Qed.

(* one term of a sum of terms >= 0 is at most the sum *)
Lemma Sum_term_le : forall K f i, (i < K)%nat -> (forall k, (k < K)%nat -> 0 <= f k) ->
  f i <= Sum K f.
Proof.
  induction K as [|K IH]; intros f i Hi H; [lia|]. simpl.
  assert (0 <= f K) by (apply H; lia).
  assert (0 <= Sum K f) by (apply Sum_nonneg; intros; apply H; lia).
  destruct (Nat.eq_dec i K) as [->|Hne]; [lra|].
  assert (f i <= Sum K f) by (apply IH; [lia|]; intros; apply H; lia). lra.
Qed.

(* a sum of terms >= 0 that vanishes has no other terms than 0 *)
Lemma Sum_zero_terms : forall K f i, (i < K)%nat -> (forall k, (k < K)%nat -> 0 <= f k) ->
  Sum K f = 0 -> f i = 0.
Proof. intros K f i Hi H E. pose proof (Sum_term_le K f i Hi H). pose proof (H i Hi). lra. Qed.

Lemma Sum_pos : forall K f i, (i < K)%nat -> (forall k, (k < K)%nat -> 0 <= f k) ->
  0 < f i -> 0 < Sum K f.
Proof. intros K f i Hi H P. pose proof (Sum_term_le K f i Hi H). lra. Qed.

Lemma delta_eq : forall i, delta i i = 1.
Proof. intros i. unfold delta. destruct (Nat.eq_dec i i); [reflexivity|lia]. Qed.

Lemma delta_ne : forall i j, i <> j -> delta i j = 0.
Proof. intros i j H. unfold delta. destruct (Nat.eq_dec i j); [lia|reflexivity]. Qed.

Lemma delta_sym : forall i j, delta i j = delta j i.
Proof.
  intros i j. unfold delta. destruct (Nat.eq_dec i j), (Nat.eq_dec j i); lia || reflexivity.
Qed.

(* a one-hot vector picks one term *)
Lemma Sum_delta : forall K i f, (i < K)%nat -> Sum K (fun k => delta i k * f k) = f i.
Proof.
  induction K as [|K IH]; intros i f Hi; [lia|]. simpl.
  destruct (Nat.eq_dec i K) as [->|Hne].
  - rewrite delta_eq, Sum_zero; [ring|]. intros k Hk. rewrite delta_ne; [ring|lia].
  - rewrite IH, delta_ne; [ring|lia|lia].
Qed.

Lemma Sum_delta_r : forall K i f, (i < K)%nat -> Sum K (fun k => f k * delta k i) = f i.
Proof.
  intros K i f Hi. rewrite (Sum_ext _ _ (fun k => delta i k * f k)); [apply Sum_delta; auto|].
  intros k _. rewrite (delta_sym k i). ring.
Qed.

(* a sum whose terms agree except at one index *)
Lemma Sum_special : forall K n f c, (n < K)%nat -> (forall k, (k < K)%nat -> k <> n -> f k = c) ->
  Sum K f = f n + (INR K - 1) * c.
Proof.
  intros K n f c Hn H.
  rewrite (Sum_ext _ _ (fun k => c + delta n k * (f k - c))).
  - rewrite Sum_plus, Sum_const, Sum_delta by auto. ring.
  - intros k Hk. destruct (Nat.eq_dec n k) as [->|Hne]; [rewrite delta_eq; ring|].
    rewrite delta_ne, H; auto. ring.
Qed.

(* Cauchy and Schwarz, from 0 <= |x - t y|^2 summed in the form of Lagrange's identity *)
Lemma cauchy_schwarz : forall K x y, dot K x y ^ 2 <= dot K x x * dot K y y.
Proof.
  unfold dot. intros K x y.
  set (a := Sum K (fun k => x k * x k)). set (b := Sum K (fun k => x k * y k)).
  set (c := Sum K (fun k => y k * y k)).
  assert (Hc : 0 <= c) by (apply Sum_nonneg; intros; nra).
  assert (Ha : 0 <= a) by (apply Sum_nonneg; intros; nra).
  assert (Q : forall t s, 0 <= s * s * a - 2 * t * s * b + t * t * c).
  { intros t s.
    replace (s * s * a - 2 * t * s * b + t * t * c)
      with (Sum K (fun k => (s * x k - t * y k) * (s * x k - t * y k))).
    - apply Sum_nonneg. intros. apply Rle_0_sqr.
    - unfold a, b, c. rewrite <- !Sum_scal, <- Sum_minus, <- Sum_plus. apply Sum_ext.
      intros. ring. }
  destruct (Req_dec c 0) as [E|E].
  - assert (b = 0).
    { destruct (Req_dec b 0) as [|Hb]; auto. exfalso.
      pose proof (Q ((a + 1) / (2 * b)) 1) as P. rewrite E in P.
      assert (1 * 1 * a - 2 * ((a + 1) / (2 * b)) * 1 * b +
              (a + 1) / (2 * b) * ((a + 1) / (2 * b)) * 0 = -1) by (field; auto). lra. }
    rewrite H, E. lra.
  - pose proof (Q b c) as P. assert (0 < c) by lra.
    assert (c * c * a - 2 * b * c * b + b * b * c = c * (a * c - b ^ 2)) by ring.
    destruct (Rle_or_lt (b ^ 2) (a * c)) as [|L]; auto. exfalso.
    assert (0 < c * (b ^ 2 - a * c)) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

(* for unit vectors the inner product is at most 1 *)
Lemma dot_unit : forall K x y, dot K x x = 1 -> dot K y y = 1 -> Rabs (dot K x y) <= 1.
Proof.
  intros K x y Hx Hy. pose proof (cauchy_schwarz K x y) as H. rewrite Hx, Hy in H.
  apply Rabs_le. split; nra.
Qed.

(* with absolute values inside, as the proofs of Lemmas 13 and 17 need it *)
Lemma dot_abs_unit : forall K x y, dot K x x = 1 -> dot K y y = 1 ->
  Sum K (fun k => Rabs (x k) * Rabs (y k)) <= 1.
Proof.
  intros K x y Hx Hy.
  assert (A : forall z, dot K (fun k => Rabs (z k)) (fun k => Rabs (z k)) = dot K z z).
  { intros z. apply Sum_ext. intros. rewrite <- Rabs_mult. apply Rabs_pos_eq. nra. }
  pose proof (dot_unit K (fun k => Rabs (x k)) (fun k => Rabs (y k))) as H.
  rewrite !A in H. specialize (H Hx Hy). unfold dot in H.
  apply Rle_trans with (2 := H). apply Rle_abs.
Qed.

(* (A B) C = A (B C) *)
Lemma mul_assoc : forall K L A B C i j, mul L (mul K A B) C i j = mul K A (mul L B C) i j.
Proof.
  intros. unfold mul.
  rewrite (Sum_ext L _ (fun l => Sum K (fun k => A i k * B k l * C l j)))
    by (intros; rewrite <- Sum_scal_r; reflexivity).
  rewrite Sum_swap. apply Sum_ext. intros k _. rewrite <- Sum_scal. apply Sum_ext. intros; ring.
Qed.

(* a sum with a constant tail *)
Lemma Sum_tail : forall K d f c, (forall v, (K <= v)%nat -> (v < K + d)%nat -> f v = c) ->
  Sum (K + d) f = Sum K f + INR d * c.
Proof.
  intros K d f c. induction d as [|d IH]; intros H.
  - rewrite Nat.add_0_r. simpl. ring.
  - rewrite Nat.add_succ_r, S_INR. simpl. rewrite IH, H; [ring|lia|lia|].
    intros v Hv Hv'. apply H; lia.
Qed.
