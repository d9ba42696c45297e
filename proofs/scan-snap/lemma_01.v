(* Lemma 1 of "Scan and Snap" (Section 3.1, Appendix C), Eqs. (3), (4), (15)-(19).

   Proved for every number M of tokens, every sequence of T >= 1 of them, every query and next
   token, and all Y and Z: along every curve (Y(s), Z(s)) that has a derivative, J of (15) has the
   derivative <Y', dJ/dY> + <Z', dJ/dZ> with the two matrices of (3); so these are its gradients.
   Row m of dJ/dZ is that of (4), and the rows of both add up to 0.  Nothing had to be corrected. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums decoder softmax.
Open Scope R_scope.

Section Model.
(* the sequence x, of tokens below M, its query, and the token that follows *)
Variables (M T : nat) (x : nat -> nat) (query next : nat).

(* b_T, position by position; z is the row of Z that belongs to the query *)
Definition b (z : nat -> R) (t : nat) : R := softmax T (fun t => z (x t)) t.
(* v = X^T b_T *)
Definition mixture (z : nat -> R) (l : nat) : R := Sum T (fun t => delta (x t) l * b z t).
Definition length (v : nat -> R) : R := sqrt (dot M v v).
(* LN(X^T b_T) *)
Definition normed (z : nat -> R) (l : nat) : R := mixture z l / length (mixture z).
Definition logits (Y : nat -> nat -> R) (z : nat -> R) (j : nat) : R :=
  Sum M (fun l => Y l j * normed z l).
(* (15), one sequence *)
Definition J (Y Z : nat -> nat -> R) : R :=
  logits Y (Z query) next - ln (Sum M (fun j => exp (logits Y (Z query) j))).

(* x_(T+1) - alpha, with (16) *)
Definition error (Y : nat -> nat -> R) (z : nat -> R) (j : nat) : R :=
  delta next j - softmax M (logits Y z) j.
(* Y (x_(T+1) - alpha) *)
Definition back (Y : nat -> nat -> R) (z : nat -> R) (l : nat) : R :=
  Sum M (fun j => Y l j * error Y z j).
(* P_v = I - v v^T/|v|^2 *)
Definition projector (v : nat -> R) (l k : nat) : R := delta l k - v l * v k / dot M v v.
(* X^T diag(b_T) X *)
Definition weighted (z : nat -> R) (l k : nat) : R :=
  Sum T (fun t => delta (x t) l * b z t * delta (x t) k).

(* (3): LN(X^T b) (x_(T+1) - alpha)^T and x_T (x_(T+1) - alpha)^T Y^T P/|X^T b| X^T diag(b) X *)
Definition gradient_Y (Y Z : nat -> nat -> R) (l j : nat) : R :=
  normed (Z query) l * error Y (Z query) j.
Definition row (Y : nat -> nat -> R) (z : nat -> R) (k : nat) : R := Sum M (fun l =>
  Sum M (fun i => back Y z i * projector (mixture z) i l) / length (mixture z) * weighted z l k).
Definition gradient_Z (Y Z : nat -> nat -> R) (m k : nat) : R :=
  delta query m * row Y (Z query) k.
(* (4): X^T diag(b) X P/|X^T b| Y (x_(T+1) - alpha) *)
Definition equation_4 (Y : nat -> nat -> R) (z : nat -> R) (k : nat) : R := Sum M (fun l =>
  weighted z k l * (Sum M (fun i => projector (mixture z) l i * back Y z i) / length (mixture z))).

Hypothesis some_token : (0 < T)%nat.
Hypothesis tokens_below : forall t, (t < T)%nat -> (x t < M)%nat.
Hypothesis next_below : (next < M)%nat.
Hypothesis query_below : (query < M)%nat.

Lemma M_pos : (0 < M)%nat.
Proof. lia. Qed.

Lemma derive_sum : forall K (f : nat -> R -> R) df s,
  (forall k, (k < K)%nat -> is_derive (f k) s (df k)) ->
  is_derive (fun r => Sum K (fun k => f k r)) s (Sum K df).
Proof.
  induction K as [|K IH]; intros f df s H; simpl.
  - apply @is_derive_const.
  - apply (is_derive_plus (fun r => Sum K (fun k => f k r)) (f K)); auto.
Qed.

Lemma derive_exp : forall (f : R -> R) s d, is_derive f s d ->
  is_derive (fun r => exp (f r)) s (exp (f s) * d).
Proof.
  intros f s d H. evar_last.
  - auto_derive; [exists d; exact H|reflexivity].
  - change (Derive (fun x => f x) s) with (Derive f s). rewrite (is_derive_unique _ _ _ H). ring.
Qed.

(* (18): the Jacobian of a softmax is diag(b) - b b^T *)
Lemma derive_softmax : forall K (a : nat -> R -> R) da s j, (0 < K)%nat -> (j < K)%nat ->
  (forall k, (k < K)%nat -> is_derive (a k) s (da k)) ->
  let p := softmax K (fun k => a k s) in
  is_derive (fun r => softmax K (fun k => a k r) j) s
    (p j * (da j - Sum K (fun k => p k * da k))).
Proof.
  intros K a da s j HK Hj H p. pose proof (total_pos K (fun k => a k s) HK) as P.
  assert (D : is_derive (fun r => Sum K (fun k => exp (a k r))) s
    (Sum K (fun k => exp (a k s) * da k))) by (apply derive_sum; intros; apply derive_exp; auto).
  unfold p, softmax. evar_last.
  - apply (is_derive_div (fun r => exp (a j r)) _ s _ _ (derive_exp _ _ _ (H j Hj)) D). lra.
  - set (S := Sum K (fun i => exp (a i s))) in *.
    rewrite (Sum_ext K (fun k => exp (a k s) / S * da k) (fun k => / S * (exp (a k s) * da k)))
      by (intros; unfold Rdiv; ring).
    rewrite Sum_scal. unfold minus, plus, opp, scal, mult; simpl. unfold mult; simpl. field. lra.
Qed.

Lemma b_sum : forall z, Sum T (b z) = 1.
Proof. intros z. apply softmax_sum. auto. Qed.

Lemma b_pos : forall z t, 0 < b z t.
Proof.
  intros z t. apply Rdiv_lt_0_compat; [apply exp_pos|].
  apply (total_pos T (fun t => z (x t))). auto.
Qed.

(* what a sum over positions reads, token by token *)
Lemma by_token : forall z w, Sum T (fun t => b z t * w (x t)) = Sum M (fun l => mixture z l * w l).
Proof.
  intros z w. unfold mixture.
  rewrite (Sum_ext M _ (fun l => Sum T (fun t => delta (x t) l * (b z t * w l))))
    by (intros; rewrite <- Sum_scal_r; apply Sum_ext; intros; ring).
  rewrite Sum_swap. apply Sum_ext. intros t Ht. symmetry.
  apply (Sum_delta M (x t) (fun l => b z t * w l)). auto.
Qed.

Lemma mixture_length_pos : forall z, 0 < dot M (mixture z) (mixture z).
Proof.
  intros z. apply (Sum_pos M _ (x 0%nat)); [apply tokens_below; auto| |].
  - intros. apply Rle_0_sqr.
  - assert (0 < mixture z (x 0%nat)); [|nra].
    apply (Sum_pos T _ 0%nat); auto.
    + intros t Ht. apply Rmult_le_pos; [|left; apply b_pos].
      unfold delta. destruct (Nat.eq_dec (x t) (x 0%nat)); lra.
    + rewrite delta_eq. pose proof (b_pos z 0). lra.
Qed.

Lemma length_pos : forall z, 0 < length (mixture z).
Proof. intros z. apply sqrt_lt_R0, mixture_length_pos. Qed.

Lemma length_square : forall z,
  length (mixture z) * length (mixture z) = dot M (mixture z) (mixture z).
Proof. intros z. apply sqrt_sqrt. left. apply mixture_length_pos. Qed.

(* X^T diag(b) X is the diagonal of X^T b *)
Lemma weighted_diagonal : forall z l k, weighted z l k = delta l k * mixture z l.
Proof.
  intros z l k. unfold weighted, mixture. rewrite <- Sum_scal. apply Sum_ext. intros t Ht.
  unfold delta. destruct (Nat.eq_dec (x t) l), (Nat.eq_dec (x t) k), (Nat.eq_dec l k);
    try ring; subst; congruence.
Qed.

(* g - v (v . g)/|v|^2 *)
Definition project (v g : nat -> R) (l : nat) : R := g l - v l * dot M v g / dot M v v.

Lemma project_left : forall v g l, (l < M)%nat ->
  Sum M (fun i => g i * projector v i l) = project v g l.
Proof.
  intros v g l Hl. unfold projector, project.
  rewrite (Sum_ext M _ (fun i => g i * delta i l - v l / dot M v v * (v i * g i)))
    by (intros; unfold Rdiv; ring).
  rewrite Sum_minus, Sum_scal, (Sum_delta_r M l g) by auto. fold (dot M v g). unfold Rdiv. ring.
Qed.

Lemma project_right : forall v g l, (l < M)%nat ->
  Sum M (fun i => projector v l i * g i) = project v g l.
Proof.
  intros v g l Hl. rewrite <- project_left by auto. apply Sum_ext. intros i Hi. unfold projector.
  rewrite (delta_sym l i). unfold Rdiv. ring.
Qed.

(* P_v v = 0 *)
Lemma project_orthogonal : forall v g, 0 < dot M v v -> Sum M (fun l => project v g l * v l) = 0.
Proof.
  intros v g H. unfold project.
  rewrite (Sum_ext M _ (fun l => v l * g l - dot M v g / dot M v v * (v l * v l)))
    by (intros; unfold Rdiv; ring).
  rewrite Sum_minus, Sum_scal. fold (dot M v g). fold (dot M v v). field. lra.
Qed.

Lemma row_by_token : forall Y z k, (k < M)%nat ->
  row Y z k = mixture z k * project (mixture z) (back Y z) k / length (mixture z).
Proof.
  intros Y z k Hk. unfold row.
  rewrite (Sum_ext M _ (fun l => delta k l *
    (project (mixture z) (back Y z) l / length (mixture z) * mixture z l))).
  - rewrite Sum_delta by auto. unfold Rdiv. ring.
  - intros l Hl. rewrite project_left, weighted_diagonal, (delta_sym l k) by auto. ring.
Qed.

(* (17): the Jacobian of LN is P_v/|v| *)
Lemma derive_normed : forall (z : R -> nat -> R) dz s l, (l < M)%nat ->
  (forall k, (k < M)%nat -> is_derive (fun r => z r k) s (dz k)) ->
  let v := mixture (z s) in
  let dv := fun k => v k * (dz k - dot M v dz) in
  is_derive (fun r => normed (z r) l) s (project v dv l / length v).
Proof.
  intros z dz s l Hl H v dv.
  assert (Dv : forall k, is_derive (fun r => mixture (z r) k) s (dv k)).
  { intros k. evar_last.
    - apply (derive_sum T (fun t r => delta (x t) k * b (z r) t)). intros t Ht.
      apply (is_derive_scal (fun r => b (z r) t)).
      apply (derive_softmax T (fun t r => z r (x t)) (fun t => dz (x t))); auto.
    - cbv beta. fold (b (z s)).
      rewrite (Sum_ext T _ (fun t => (dz k - dot M v dz) * (delta (x t) k * b (z s) t))).
      + rewrite Sum_scal. fold (mixture (z s) k). unfold dv, v. ring.
      + intros t Ht. pose proof (by_token (z s) dz) as B. unfold b at 1 in B. unfold b in B.
        change (softmax T (fun t0 => z s (x t0)) t) with (b (z s) t).
        rewrite B. fold v. fold (dot M v dz).
        unfold scal; simpl; unfold mult; simpl. unfold delta.
        destruct (Nat.eq_dec (x t) k) as [->|]; ring. }
  assert (P : 0 < dot M v v) by apply mixture_length_pos.
  assert (L : 0 < length v) by apply length_pos.
  assert (LL : length v * length v = dot M v v) by apply length_square.
  assert (Dn : is_derive (fun r => length (mixture (z r))) s (dot M v dv / length v)).
  { evar_last.
    - apply (is_derive_comp sqrt (fun r => dot M (mixture (z r)) (mixture (z r)))).
      + apply is_derive_sqrt with (df := 1). apply @is_derive_id. exact P.
      + apply derive_sum. intros k Hk.
        apply (is_derive_mult (fun r => mixture (z r) k) (fun r => mixture (z r) k) s _ _
          (Dv k) (Dv k)). intros. apply Rmult_comm.
    - fold v. unfold scal; simpl; unfold mult; simpl.
      rewrite (Sum_ext M _ (fun k => 2 * (v k * dv k))).
      + rewrite Sum_scal. fold (dot M v dv). fold (length v). field. lra.
      + intros k Hk. unfold plus, mult; simpl. unfold v. ring. }
  unfold normed. evar_last.
  - apply (is_derive_div (fun r => mixture (z r) l) _ s _ _ (Dv l) Dn). fold v. lra.
  - fold v. unfold minus, plus, opp, scal, mult; simpl. unfold project. rewrite <- LL. field. lra.
Qed.

(* (15)-(19): along every curve *)
Theorem lemma_1 : forall (Y Z : R -> nat -> nat -> R) dY dZ s,
  (forall l j, (l < M)%nat -> (j < M)%nat -> is_derive (fun r => Y r l j) s (dY l j)) ->
  (forall m k, (m < M)%nat -> (k < M)%nat -> is_derive (fun r => Z r m k) s (dZ m k)) ->
  is_derive (fun r => J (Y r) (Z r)) s
    (Sum M (fun l => Sum M (fun j => dY l j * gradient_Y (Y s) (Z s) l j)) +
     Sum M (fun m => Sum M (fun k => dZ m k * gradient_Z (Y s) (Z s) m k))).
Proof.
  intros Y Z dY dZ s HY HZ. set (z := Z s query). set (v := mixture z).
  set (dz := dZ query). set (dv := fun k => v k * (dz k - dot M v dz)).
  set (dlogit := fun j => Sum M (fun l =>
    dY l j * normed z l + Y s l j * (project v dv l / length v))).
  assert (DL : forall j, (j < M)%nat ->
    is_derive (fun r => logits (Y r) (Z r query) j) s (dlogit j)).
  { intros j Hj. apply derive_sum. intros l Hl.
    pose proof (derive_normed (fun r => Z r query) dz s l Hl
      (fun k Hk => HZ query k query_below Hk)) as DN.
    apply (is_derive_mult (fun r => Y r l j) (fun r => normed (Z r query) l) s _ _
      (HY l j Hl Hj) DN). intros. apply Rmult_comm. }
  set (e := error (Y s) z).
  assert (DJ : is_derive (fun r => J (Y r) (Z r)) s (Sum M (fun j => e j * dlogit j))).
  { pose proof (total_pos M (logits (Y s) z) M_pos) as P. evar_last.
    - apply (is_derive_minus (fun r => logits (Y r) (Z r query) next)); [apply DL; auto|].
      apply (is_derive_comp ln (fun r => Sum M (fun j => exp (logits (Y r) (Z r query) j)))).
      + apply is_derive_ln. exact P.
      + apply derive_sum. intros j Hj. apply derive_exp. apply DL; auto.
    - fold z. unfold e, error. set (S := Sum M (fun j => exp (logits (Y s) z j))) in *.
      rewrite (Sum_ext M (fun j => (delta next j - softmax M (logits (Y s) z) j) * dlogit j)
        (fun j => delta next j * dlogit j - / S * (exp (logits (Y s) z j) * dlogit j))).
      + rewrite Sum_minus, Sum_scal, (Sum_delta M next dlogit) by auto.
        unfold minus, plus, opp, scal, mult; simpl. unfold mult; simpl.
        change (Z s query) with z. ring.
      + intros j Hj. unfold softmax, Rdiv. fold S. ring. }
  pose proof (mixture_length_pos z) as P. fold v in P. pose proof (length_pos z) as L. fold v in L.
  evar_last; [exact DJ|].
  set (g := back (Y s) z).
  assert (A : Sum M (fun m => Sum M (fun k => dZ m k * gradient_Z (Y s) (Z s) m k)) =
    Sum M (fun k => dz k * (v k * project v g k / length v))).
  { rewrite (Sum_ext M _ (fun m => delta query m * Sum M (fun k => dZ m k * row (Y s) z k))).
    - rewrite (Sum_delta M query (fun m => Sum M (fun k => dZ m k * row (Y s) z k))) by auto.
      apply Sum_ext. intros k Hk. rewrite row_by_token by auto. reflexivity.
    - intros m Hm. rewrite <- Sum_scal. apply Sum_ext. intros. unfold gradient_Z. fold z. ring. }
  (* P_v is symmetric and kills v, so the second term of (18) adds nothing *)
  assert (B : Sum M (fun l => g l * (project v dv l / length v)) =
    Sum M (fun k => dz k * (v k * project v g k / length v))).
  { transitivity (/ length v * Sum M (fun l => project v g l * dv l)).
    - assert (Q : Sum M (fun l => g l * project v dv l) = Sum M (fun l => project v g l * dv l)).
      { unfold project.
        rewrite (Sum_ext M _ (fun l => g l * dv l - dot M v dv / dot M v v * (v l * g l)))
          by (intros; unfold Rdiv; ring).
        rewrite (Sum_ext M (fun l => (g l - v l * dot M v g / dot M v v) * dv l)
          (fun l => g l * dv l - dot M v g / dot M v v * (v l * dv l)))
          by (intros; unfold Rdiv; ring).
        rewrite !Sum_minus, !Sum_scal. fold (dot M v g). fold (dot M v dv). unfold Rdiv. ring. }
      rewrite <- Q, <- Sum_scal. apply Sum_ext. intros. unfold Rdiv. ring.
    - unfold dv.
      rewrite (Sum_ext M _ (fun l => dz l * (v l * project v g l) -
        dot M v dz * (project v g l * v l))) by (intros; ring).
      rewrite Sum_minus, Sum_scal, project_orthogonal by auto.
      rewrite Rmult_0_r, Rminus_0_r, <- Sum_scal. apply Sum_ext. intros. unfold Rdiv. ring. }
  rewrite A, <- B. unfold dlogit.
  rewrite (Sum_ext M _ (fun j => Sum M (fun l => dY l j * (normed z l * e j)) +
    Sum M (fun l => Y s l j * e j * (project v dv l / length v)))).
  - rewrite Sum_plus. f_equal; rewrite Sum_swap; [reflexivity|].
    apply Sum_ext. intros l Hl. rewrite Sum_scal_r. reflexivity.
  - intros j Hj. rewrite <- Sum_scal, <- Sum_plus. apply Sum_ext. intros. ring.
Qed.

(* (4) is row m of (3) *)
Theorem rows_of_3 : forall Y Z k, (k < M)%nat ->
  gradient_Z Y Z query k = equation_4 Y (Z query) k /\
  forall m, m <> query -> gradient_Z Y Z m k = 0.
Proof.
  intros Y Z k Hk. split.
  - unfold gradient_Z, equation_4. rewrite delta_eq, row_by_token by auto.
    set (v := mixture (Z query)).
    rewrite (Sum_ext M _ (fun l =>
      delta k l * (v k * (project v (back Y (Z query)) l / length v)))).
    + rewrite Sum_delta by auto. unfold Rdiv. ring.
    + intros l Hl. rewrite project_right, weighted_diagonal by auto. fold v. ring.
  - intros m Hm. unfold gradient_Z. rewrite delta_ne by auto. ring.
Qed.

(* the sentence after (4): neither gradient moves a row sum *)
Theorem row_sums : forall Y Z,
  (forall l, Sum M (fun j => gradient_Y Y Z l j) = 0) /\
  (forall m, Sum M (fun k => gradient_Z Y Z m k) = 0).
Proof.
  intros Y Z. split.
  - intros l. unfold gradient_Y. rewrite Sum_scal. unfold error. rewrite Sum_minus.
    rewrite (softmax_sum M) by apply M_pos.
    rewrite (Sum_ext M _ (fun j => delta next j * 1)) by (intros; ring).
    rewrite (Sum_delta M next (fun _ => 1)) by auto. ring.
  - intros m. unfold gradient_Z. rewrite Sum_scal. set (z := Z query).
    rewrite (Sum_ext M _ (fun k => / length (mixture z) *
      (project (mixture z) (back Y z) k * mixture z k))).
    + rewrite Sum_scal, project_orthogonal by apply mixture_length_pos. ring.
    + intros k Hk. rewrite row_by_token by auto. unfold Rdiv. ring.
Qed.
End Model.

(* THEOREM lemma_1 | holds-as-printed | the derivative of J along every curve is that of (3) *)
(* THEOREM rows_of_3 | holds-as-printed | (4) is the query's row of (3), the others rest *)
(* THEOREM row_sums | holds-as-printed | the rows of both gradients add up to 0 *)
(* BRIDGE gradient_Y | lib.scan_snap.yz_transformer.sequence_gradients | [0] of one sequence *)
(* BRIDGE gradient_Z | lib.scan_snap.yz_transformer.sequence_gradients | [1] of one sequence *)
