(* "Graph-SVM" of "Mechanics of Next Token Prediction": feasible, exactly one solution, which is
   orthogonal to all that scores no difference of tokens, recognised by a certificate, and the edges
   of the graphs say it all.
   Proved for every number of tokens, dimensions and samples.  Feasibility, and with it existence,
   needs a head with C E^T = I, that is, independent embeddings; the other theorems need nothing of
   the embeddings.  Existence: by the law of the parallelogram feasible matrices of nearly least norm
   are near one another, entry by entry; what the entries come near to is the solution. *)
From Coq Require Import Reals Lra Lia Classical.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
From Mechanics Require Import setting token_priority_graph.
Open Scope R_scope.

(* the constraints: (e_i - e_j)^T W e_k = 0 inside a component, >= 1 along a priority *)
Definition feasible (D : data) (W : matrix) : Prop := forall k i j,
  (k < tokens D)%nat -> (i < tokens D)%nat -> (j < tokens D)%nat ->
  (same D k i j -> inner D (pair D k i j) W = 0) /\
  (above D k i j -> 1 <= inner D (pair D k i j) W).

(* the same, asked for on the edges of the graphs alone *)
Definition feasible_on_edges (D : data) (W : matrix) : Prop := forall k i j,
  (k < tokens D)%nat -> (i < tokens D)%nat -> (j < tokens D)%nat ->
  (same D k i j -> inner D (pair D k i j) W = 0) /\
  (edge D k i j -> ~ reach D k j i -> 1 <= inner D (pair D k i j) W).

(* C is a head with C E^T = I *)
Definition head (D : data) (C : nat -> nat -> R) : Prop := forall i j,
  (i < tokens D)%nat -> (j < tokens D)%nat ->
  Sum (dims D) (fun a => C i a * embedding D j a) = delta i j.

Definition norm2 (D : data) (W : matrix) : R := inner D W W.

Definition graph_svm (D : data) (W : matrix) : Prop :=
  feasible D W /\ forall V, feasible D V -> norm2 D W <= norm2 D V.

(* W = sum_r lam_r (e_(i_r) - e_(j_r)) e_(k_r)^T with any sign where i_r and j_r are in one
   component,
   and lam_r >= 0, zero off the tight constraints, where i_r is above j_r *)
Definition certificate (D : data) (W : matrix) (n : nat) (k i j : nat -> nat) (lam : nat ->
  R) : Prop :=
  (forall r, (r < n)%nat -> (k r < tokens D)%nat /\ (i r < tokens D)%nat /\ (j r < tokens D)%nat /\
    (same D (k r) (i r) (j r) \/
     (above D (k r) (i r) (j r) /\ 0 <= lam r /\
      lam r * (inner D (pair D (k r) (i r) (j r)) W - 1) = 0))) /\
  forall a b, W a b = Sum n (fun r => lam r * pair D (k r) (i r) (j r) a b).

(* ------------------------------------------------------------------ lemmas *)

Lemma inner_bracket : forall D W V,
  norm2 D V = norm2 D W + 2 * inner D W (add V (scale (-1) W)) + norm2 D (add V (scale (-1) W)).
Proof.
  intros. unfold norm2.
  rewrite (inner_sym D W (add _ _)), !inner_add, !inner_scale.
  rewrite (inner_sym D V (add _ _)), (inner_sym D W (add _ _)), !inner_add, !inner_scale.
  rewrite (inner_sym D W V). ring.
Qed.

Lemma norm2_nonneg : forall D W, 0 <= norm2 D W.
Proof. intros. apply Sum_nonneg; intros; apply Sum_nonneg; intros. nra. Qed.

Lemma norm2_zero : forall D W a b, norm2 D W = 0 -> (a < dims D)%nat -> (b < dims D)%nat ->
  W a b = 0.
Proof.
  intros D W a b Z Ha Hb.
  assert (X : Sum (dims D) (fun b => W a b * W a b) = 0).
  { apply (Sum_zero_terms (dims D) (fun a => Sum (dims D) (fun b => W a b * W a b)) a); auto.
    intros; apply Sum_nonneg; intros; nra. }
  apply (Sum_zero_terms (dims D) (fun b => W a b * W a b) b) in X; auto.
  - nra.
  - intros; nra.
Qed.

Lemma score_rank_one : forall D u v k j, score D (fun a b => u a * v b) k j =
  Sum (dims D) (fun a => u a * embedding D j a) * Sum (dims D) (fun b => v b * embedding D k b).
Proof.
  intros. unfold score. rewrite <- Sum_scal_r. apply Sum_ext. intros a Ha.
  rewrite <- Sum_scal. apply Sum_ext. intros. ring.
Qed.

Lemma score_sum : forall D n (A : nat -> matrix) k j,
  score D (fun a b => Sum n (fun r => A r a b)) k j = Sum n (fun r => score D (A r) k j).
Proof.
  intros. rewrite score_inner, inner_sym, (inner_sum D n A). apply Sum_ext. intros.
  rewrite score_inner. apply inner_sym.
Qed.

(* Independent embeddings realise any table of scores, one column a last token. *)
Lemma any_scores : forall D C (g : nat -> nat -> R), head D C -> exists W, forall k i,
  (k < tokens D)%nat -> (i < tokens D)%nat -> score D W k i = g k i.
Proof.
  intros D C g HC. set (K := tokens D).
  exists (fun a b => Sum K (fun l => Sum K (fun j => (g l j * C j a) * C l b))).
  intros k i Hk Hi.
  rewrite (score_sum D K (fun l a b => Sum K (fun j => (g l j * C j a) * C l b))).
  rewrite (Sum_ext K _ (fun l => g l i * delta l k)); [apply (Sum_delta_r K k (fun l => g l i));
    auto|].
  intros l Hl. rewrite (score_sum D K (fun j a b => (g l j * C j a) * C l b)).
  rewrite (Sum_ext K _ (fun j => (g l j * delta l k) * delta j i)).
  - rewrite (Sum_delta_r K i (fun j => g l j * delta l k)); auto.
  - intros j Hj. rewrite (score_rank_one D (fun a => g l j * C j a) (fun b => C l b)).
    rewrite (HC l k Hl Hk).
    rewrite (Sum_ext (dims D) _ (fun a => g l j * (C j a * embedding D i a))) by (intros; ring).
    rewrite Sum_scal, (HC j i Hj Hi). ring.
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* All priorities of all graphs can be met by one matrix. *)
Theorem feasibility : forall D C, head D C -> exists W, feasible D W.
Proof.
  intros D C HC. destruct (heights D) as [h Hh].
  destruct (any_scores D C (fun k i => INR (h k i)) HC) as [W HW]. exists W.
  intros k i j Hk Hi Hj. rewrite pair_score, !HW by auto. destruct (Hh k i j Hk Hi Hj) as [S A].
  split; intros X.
  - rewrite (S X). ring.
  - apply A, le_INR in X. rewrite plus_INR in X. simpl in X. lra.
Qed.

(* Among the matrices that meet the constraints at most one has least norm. *)
Theorem uniqueness : forall D W V, graph_svm D W -> graph_svm D V ->
  forall a b, (a < dims D)%nat -> (b < dims D)%nat -> W a b = V a b.
Proof.
  intros D W V [FW OW] [FV OV] a b Ha Hb.
  set (M := add (scale (1 / 2) W) (scale (1 / 2) V)).
  assert (FM : feasible D M).
  { intros k i j Hk Hi Hj. destruct (FW k i j Hk Hi Hj) as [S1 A1], (FV k i j Hk Hi Hj) as [S2 A2].
    unfold M. rewrite inner_sym, inner_add, !inner_scale, !(inner_sym D _ (pair D k i j)).
    split; intros X; [rewrite S1, S2 | pose proof (A1 X); pose proof (A2 X)]; auto; lra. }
  pose proof (OW M FM) as L1. pose proof (OV W FW) as L2. pose proof (OW V FV) as L3.
  assert (P : norm2 D M = (norm2 D W + norm2 D V) / 2 - norm2 D (add V (scale (-1) W)) / 4).
  { unfold M, norm2. rewrite !inner_add, !inner_scale.
    rewrite !(inner_sym D W (add _ _)), !(inner_sym D V (add _ _)), !inner_add, !inner_scale.
    rewrite (inner_sym D V W). field. }
  pose proof (norm2_nonneg D (add V (scale (-1) W))) as N.
  assert (Z : norm2 D (add V (scale (-1) W)) = 0) by lra.
  pose proof (norm2_zero D _ a b Z Ha Hb) as E. unfold add, scale in E. lra.
Qed.

(* A certificate proves optimality: any other feasible matrix is longer, by its distance at
   least. *)
Theorem optimal_from_certificate : forall D W n k i j lam,
  feasible D W -> certificate D W n k i j lam ->
  graph_svm D W /\
  forall V, feasible D V -> norm2 D W + norm2 D (add V (scale (-1) W)) <= norm2 D V.
Proof.
  intros D W n k i j lam FW [HL HW].
  assert (main : forall V, feasible D V -> norm2 D W + norm2 D (add V (scale (-1) W)) <= norm2 D V).
  { intros V FV. rewrite (inner_bracket D W V).
    enough (0 <= inner D W (add V (scale (-1) W))) by lra.
    rewrite (inner_ext D W (fun a b => Sum n (fun r => scale (lam r) (pair D (k r) (i r)
      (j r)) a b)))
      by (intros; apply HW).
    rewrite (inner_sum D n (fun r => scale (lam r) (pair D (k r) (i r) (j r)))).
    apply Sum_nonneg. intros r Hr. rewrite inner_scale.
    rewrite inner_sym, inner_add, inner_scale, !(inner_sym D _ (pair D (k r) (i r) (j r))).
    destruct (HL r Hr) as (Hk & Hi & Hj & C).
    destruct (FW _ _ _ Hk Hi Hj) as [S1 A1], (FV _ _ _ Hk Hi Hj) as [S2 A2].
    destruct C as [X | (X & P & Z)].
    - rewrite S1, S2; auto. lra.
    - pose proof (A2 X). nra. }
  split; [split; auto|auto]. intros V FV. pose proof (main V FV).
  pose proof (norm2_nonneg D (add V (scale (-1) W))). lra.
Qed.

(* Margins add up along paths: the constraints on the edges imply those on all pairs. *)
Theorem edges_suffice : forall D W, realisable D -> (feasible D W <-> feasible_on_edges D W).
Proof.
  intros D W H. split.
  - intros F k i j Hk Hi Hj. destruct (F k i j Hk Hi Hj) as [S A]. split; auto.
    intros E N. apply A. split; [apply reach_edge; auto | auto].
  - intros F k i j Hk Hi Hj. split; [apply (F k i j Hk Hi Hj)|]. intros [R N]. rewrite pair_score.
    assert (edge_gap : forall p q, edge D k p q -> reach D k q p /\ score D W k p = score D W k q \/
      ~ reach D k q p /\ 1 <= score D W k p - score D W k q).
    { intros p q E. pose proof E as E'. destruct E' as (s & Hs & L & Y & Hq & _).
      assert (Hp : (p < tokens D)%nat) by (destruct (H s Hs) as (A & _); rewrite <- Y; auto).
      destruct (F k p q Hk Hp Hq) as [S A].
      rewrite pair_score in *. destruct (classic (reach D k q p)).
      - left. split; auto. enough (score D W k p - score D W k q = 0) by lra. apply S.
        split; auto. apply reach_edge; auto.
      - right. auto. }
    assert (weak : forall p q, reach D k p q -> score D W k q <= score D W k p).
    { intros p q X. induction X as [|p q l E X IH]; [lra|].
      destruct (edge_gap p q E) as [[_ ?]|[_ ?]]; lra. }
    clear Hi Hj. induction R as [|p q l E R IH].
    + exfalso. apply N. apply stay.
    + destruct (edge_gap p q E) as [[B G]|[B G]].
      * rewrite G. apply IH. intros X. apply N. eapply reach_trans; eauto.
      * pose proof (weak q l R). lra.
Qed.

(* ------------------------------------------------------------------ existence *)

Section Existence.
Variable D : data.
Variable W0 : matrix.
Hypothesis W0_feasible : feasible D W0.

(* m is the infimum of the squared norms; near e W: feasible and within e of it *)
Let norms (x : R) : Prop := exists W, feasible D W /\ x = - norm2 D W.
Let m : R := - real (Lub_Rbar norms).
Let near (e : R) (W : matrix) : Prop := feasible D W /\ norm2 D W <= m + e.

Lemma infimum : (forall W, feasible D W -> m <= norm2 D W) /\
  forall e, 0 < e -> exists W, near e W.
Proof.
  pose proof (Lub_Rbar_correct norms) as [U L].
  assert (B : Rbar_le (Lub_Rbar norms) 0).
  { apply L. intros x [W [_ ->]]. simpl. pose proof (norm2_nonneg D W). lra. }
  pose proof (U (- norm2 D W0) ltac:(exists W0; auto)) as B0.
  destruct (Lub_Rbar norms) as [l| |] eqn:E; simpl in B, B0; try contradiction.
  unfold m. try rewrite E. simpl. split.
  - intros W F. pose proof (U (- norm2 D W) ltac:(exists W; auto)) as Q. simpl in Q. lra.
  - intros e He. apply NNPP. intros N.
    assert (Q : Rbar_le l (l - e)); [|simpl in Q; lra].
    apply L. intros x [W [F ->]]. simpl. apply Rnot_lt_le. intros Hlt. apply N. exists W.
    split; auto. unfold m. try rewrite E. simpl. lra.
Qed.

Lemma midpoint : forall W V, feasible D W -> feasible D V ->
  feasible D (add (scale (1 / 2) W) (scale (1 / 2) V)).
Proof.
  intros W V FW FV k i j Hk Hi Hj.
  destruct (FW k i j Hk Hi Hj) as [S1 A1], (FV k i j Hk Hi Hj) as [S2 A2].
  rewrite inner_sym, inner_add, !inner_scale, !(inner_sym D _ (pair D k i j)).
  split; intros X; [rewrite S1, S2 | pose proof (A1 X); pose proof (A2 X)]; auto; lra.
Qed.

(* one entry is at most the norm *)
Lemma entry_norm : forall W a b, (a < dims D)%nat -> (b < dims D)%nat -> W a b ^ 2 <= norm2 D W.
Proof.
  intros W a b Ha Hb. apply Rle_trans with (Sum (dims D) (fun b => W a b * W a b)).
  - replace (W a b ^ 2) with (W a b * W a b) by ring.
    apply (Sum_term_le (dims D) (fun b => W a b * W a b)); auto. intros. nra.
  - apply (Sum_term_le (dims D) (fun a => Sum (dims D) (fun b => W a b * W a b))); auto.
    intros; apply Sum_nonneg; intros; nra.
Qed.

(* the law of the parallelogram *)
Lemma near_close : forall e W V a b, 0 <= e -> near e W -> near e V -> (a < dims D)%nat ->
  (b < dims D)%nat -> Rabs (V a b - W a b) <= 2 * sqrt e.
Proof.
  intros e W V a b He [FW NW] [FV NV] Ha Hb. destruct infimum as [I _].
  pose proof (I _ (midpoint W V FW FV)) as Q.
  assert (P : norm2 D (add (scale (1 / 2) W) (scale (1 / 2) V)) =
    (norm2 D W + norm2 D V) / 2 - norm2 D (add V (scale (-1) W)) / 4).
  { unfold norm2. rewrite !inner_add, !inner_scale.
    rewrite !(inner_sym D W (add _ _)), !(inner_sym D V (add _ _)), !inner_add, !inner_scale.
    rewrite (inner_sym D V W). field. }
  pose proof (entry_norm (add V (scale (-1) W)) a b Ha Hb) as N.
  change (add V (scale (-1) W) a b) with (V a b + -1 * W a b) in N.
  replace (V a b + -1 * W a b) with (V a b - W a b) in N by ring.
  pose proof (sqrt_pos e). pose proof (sqrt_sqrt e He).
  rewrite <- (Rabs_pos_eq (2 * sqrt e)) by lra. apply Rsqr_le_abs_0. unfold Rsqr. nra.
Qed.

(* entry by entry: the least upper bound of what nearly shortest matrices stay above *)
Let below (a b : nat) (x : R) : Prop := exists e, 0 < e /\ forall W, near e W -> x <= W a b.
Let limit : matrix := fun a b => real (Lub_Rbar (below a b)).

Lemma limit_close : forall e W a b, 0 < e -> near e W -> (a < dims D)%nat -> (b < dims D)%nat ->
  Rabs (limit a b - W a b) <= 2 * sqrt e.
Proof.
  intros e W a b He NW Ha Hb. pose proof (Lub_Rbar_correct (below a b)) as [U L].
  assert (LO : Rbar_le (W a b - 2 * sqrt e) (Lub_Rbar (below a b))).
  { apply U. exists e. split; auto. intros V NV.
    pose proof (near_close e W V a b ltac:(lra) NW NV Ha Hb) as Q. apply Rabs_le_between in Q. lra. }
  assert (HI : Rbar_le (Lub_Rbar (below a b)) (W a b + 2 * sqrt e)).
  { apply L. intros x [e' [He' Hx]]. simpl.
    destruct (proj2 infimum (Rmin e e') ltac:(apply Rmin_glb_lt; auto)) as [V [FV NV]].
    assert (N1 : near e V) by (split; auto; pose proof (Rmin_l e e'); lra).
    assert (N2 : near e' V) by (split; auto; pose proof (Rmin_r e e'); lra).
    pose proof (Hx V N2). pose proof (near_close e W V a b ltac:(lra) NW N1 Ha Hb) as Q.
    apply Rabs_le_between in Q. lra. }
  unfold limit. destruct (Lub_Rbar (below a b)) as [l| |]; simpl in LO, HI |- *; try contradiction.
  apply Rabs_le. lra.
Qed.

(* an inner product moves by at most the sum of |A| times the distance *)
Lemma inner_close : forall A W V r, 0 <= r ->
  (forall a b, (a < dims D)%nat -> (b < dims D)%nat -> Rabs (V a b - W a b) <= r) ->
  Rabs (inner D A V - inner D A W) <=
  r * Sum (dims D) (fun a => Sum (dims D) (fun b => Rabs (A a b))).
Proof.
  intros A W V r Hr H. unfold inner. rewrite <- Sum_minus.
  eapply Rle_trans; [apply Sum_abs|]. rewrite <- Sum_scal. apply Sum_le. intros a Ha.
  rewrite <- Sum_minus. eapply Rle_trans; [apply Sum_abs|]. rewrite <- Sum_scal. apply Sum_le.
  intros b Hb. replace (A a b * V a b - A a b * W a b) with (A a b * (V a b - W a b)) by ring.
  rewrite Rabs_mult, Rmult_comm. apply Rmult_le_compat_r; auto. apply Rabs_pos.
Qed.

(* what is at most a multiple of every r > 0 is not positive *)
Lemma vanishes : forall x c, (forall r, 0 < r -> x <= r * c) -> x <= 0.
Proof.
  intros x c H. apply Rnot_lt_le. intros P. pose proof (Rabs_pos c) as C.
  pose proof (H (x / (2 * (Rabs c + 1))) ltac:(apply Rdiv_lt_0_compat; lra)) as Q.
  assert (x / (2 * (Rabs c + 1)) * c <= x / (2 * (Rabs c + 1)) * (Rabs c + 1)).
  { apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|]. pose proof (Rle_abs c). lra. }
  replace (x / (2 * (Rabs c + 1)) * (Rabs c + 1)) with (x / 2) in H0 by (field; lra). lra.
Qed.

(* near W at every distance r *)
Lemma approached : forall r, 0 < r -> exists W, feasible D W /\ norm2 D W <= m + r ^ 2 / 4 /\
  forall a b, (a < dims D)%nat -> (b < dims D)%nat -> Rabs (limit a b - W a b) <= r.
Proof.
  intros r Hr. assert (E : 0 < r ^ 2 / 4) by (apply Rdiv_lt_0_compat; [apply pow_lt|]; lra).
  destruct (proj2 infimum _ E) as [W N]. exists W. destruct N as [F NW].
  split; [exact F|split; [exact NW|]]. intros a b Ha Hb. replace r with (2 * sqrt (r ^ 2 / 4)).
  - apply limit_close; auto. split; [exact F|exact NW].
  - replace (r ^ 2 / 4) with ((r / 2) ^ 2) by field. rewrite sqrt_pow2; lra.
Qed.

Lemma limit_solves : graph_svm D limit.
Proof.
  split.
  - intros k i j Hk Hi Hj.
    set (c := Sum (dims D) (fun a => Sum (dims D) (fun b => Rabs (pair D k i j a b)))).
    assert (A : forall r, 0 < r -> exists W, feasible D W /\
      Rabs (inner D (pair D k i j) limit - inner D (pair D k i j) W) <= r * c).
    { intros r Hr. destruct (approached r Hr) as [W [F [_ Q]]]. exists W. split; auto.
      apply inner_close; auto. lra. }
    split; intros X.
    + assert (P : inner D (pair D k i j) limit <= 0 /\ - inner D (pair D k i j) limit <= 0).
      { split; apply (vanishes _ c); intros r Hr; destruct (A r Hr) as [W [F Q]];
          destruct (F k i j Hk Hi Hj) as [S _]; rewrite (S X) in Q;
          apply Rabs_le_between in Q; lra. }
      lra.
    + assert (P : 1 - inner D (pair D k i j) limit <= 0); [|lra].
      apply (vanishes _ c). intros r Hr. destruct (A r Hr) as [W [F Q]].
      destruct (F k i j Hk Hi Hj) as [_ S]. specialize (S X).
      apply Rabs_le_between in Q. lra.
  - intros V FV. pose proof (proj1 infimum V FV) as I.
    enough (norm2 D limit - m <= 0) by lra.
    set (c := Sum (dims D) (fun a => Sum (dims D) (fun b => Rabs (limit a b)))).
    assert (C : 0 <= c) by (apply Sum_nonneg; intros; apply Sum_nonneg; intros; apply Rabs_pos).
    assert (B : forall r, 0 < r -> norm2 D limit - m <= r ^ 2 / 4 + 2 * (r * c)).
    { intros r Hr. destruct (approached r Hr) as [W [_ [N Q]]].
      pose proof (inner_close limit W limit r ltac:(lra) Q) as P. fold c in P.
      pose proof (inner_bracket D limit W) as T.
      pose proof (norm2_nonneg D (add W (scale (-1) limit))).
      assert (E : inner D limit (add W (scale (-1) limit)) = inner D limit W - inner D limit limit).
      { rewrite inner_sym, inner_add, inner_scale, (inner_sym D W). ring. }
      apply Rabs_le_between in P. lra. }
    apply Rnot_lt_le. intros P. set (x := norm2 D limit - m) in *.
    assert (G : 0 < Rmin 1 (x / (2 * (c + 1)))).
    { apply Rmin_glb_lt; [lra|]. apply Rdiv_lt_0_compat; lra. }
    set (r := Rmin 1 (x / (2 * (c + 1)))) in *.
    pose proof (B (r / 2) ltac:(lra)) as Q.
    assert (r <= 1) by apply Rmin_l.
    assert (R2 : r <= x / (2 * (c + 1))) by apply Rmin_r.
    assert (r * (c + 1) <= x / 2).
    { replace (x / 2) with (x / (2 * (c + 1)) * (c + 1)) by (field; lra).
      apply Rmult_le_compat_r; lra. }
    nra.
Qed.
End Existence.

(* There is exactly one solution, wherever some matrix is feasible. *)
Theorem solution_exists : forall D, (exists W, feasible D W) ->
  exists W, graph_svm D W /\ forall V, graph_svm D V ->
    forall a b, (a < dims D)%nat -> (b < dims D)%nat -> V a b = W a b.
Proof.
  intros D [W0 F]. pose proof (limit_solves D W0 F) as S. eexists. split; [exact S|].
  intros V SV. apply (uniqueness D V); auto.
Qed.

(* The solution is orthogonal to every matrix that changes no difference between a label and a token
   of its context: it lies in the span of the matrices (e_y - e_j) x^T of the data. *)
Theorem in_data_span : forall D W V, graph_svm D W ->
  (forall k i j, (k < tokens D)%nat -> edge D k i j -> inner D (pair D k i j) V = 0) ->
  inner D W V = 0.
Proof.
  intros D W V [F O] Z.
  assert (R : forall k i j, (k < tokens D)%nat -> reach D k i j -> inner D (pair D k i j) V = 0).
  { intros k i j Hk P. rewrite pair_score. induction P as [|i j l E P IH]; [lra|].
    pose proof (Z k i j Hk E) as G. rewrite pair_score in G. lra. }
  assert (Q : forall t, 0 <= 2 * t * inner D W V + t ^ 2 * norm2 D V).
  { intros t. assert (FT : feasible D (add W (scale t V))).
    { intros k i j Hk Hi Hj. destruct (F k i j Hk Hi Hj) as [S A].
      rewrite inner_sym, inner_add, inner_scale, !(inner_sym D _ (pair D k i j)).
      split; intros X; pose proof (R k i j Hk (proj1 X)) as G; rewrite G;
        [rewrite (S X)|pose proof (A X)]; lra. }
    pose proof (O _ FT) as L. unfold norm2 in *.
    rewrite inner_add, inner_scale, !(inner_sym D _ (add _ _)), !inner_add, !inner_scale in L.
    rewrite (inner_sym D V W) in L. lra. }
  pose proof (norm2_nonneg D V) as N. set (x := inner D W V) in *.
  pose proof (Q (- x / (norm2 D V + 1))) as P.
  assert (E : 2 * (- x / (norm2 D V + 1)) * x + (- x / (norm2 D V + 1)) ^ 2 * norm2 D V =
    - (x ^ 2 / (norm2 D V + 1) ^ 2) * (norm2 D V + 2)) by (field; lra).
  rewrite E in P. destruct (Req_dec x 0) as [|X]; auto. exfalso.
  assert (0 < x ^ 2 / (norm2 D V + 1) ^ 2).
  { apply Rdiv_lt_0_compat; [|apply pow_lt; lra].
    pose proof (Rsqr_pos_lt _ X) as Y. rewrite Rsqr_pow2 in Y. exact Y. }
  nra.
Qed.

(* Whatever meets a priority is not zero. *)
Theorem zero_only_if_unordered : forall D W k i j, feasible D W -> (k < tokens D)%nat ->
  (i < tokens D)%nat -> (j < tokens D)%nat -> above D k i j -> 0 < norm2 D W.
Proof.
  intros D W k i j F Hk Hi Hj A. destruct (F k i j Hk Hi Hj) as [_ G]. specialize (G A).
  destruct (Req_dec (norm2 D W) 0) as [Z|Z]; [|pose proof (norm2_nonneg D W); lra].
  enough (inner D (pair D k i j) W = 0) by lra.
  apply Sum_zero. intros a Ha. apply Sum_zero. intros b Hb.
  rewrite (norm2_zero D W a b Z Ha Hb). ring.
Qed.

(* THEOREM solution_exists | holds-as-printed | Wherever the priorities can be met, one matrix of
   least norm meets them, and one only. *)
(* THEOREM in_data_span | holds-as-printed | The solution is orthogonal to every matrix that changes
   no difference of scores between a label and another token of its context: it lies in the span of
   the matrices (e_y - e_j) x^T of the samples. *)
(* THEOREM zero_only_if_unordered | holds-as-printed | A matrix that meets a priority is not zero. *)
(* THEOREM feasibility | holds-as-printed | With a head C E^T = I, all priorities of all graphs can be
   met by one matrix. *)
(* THEOREM uniqueness | holds-as-printed | Among the matrices that meet the priorities at most one has
   least norm. *)
(* THEOREM optimal_from_certificate | holds-as-printed | A feasible combination of the constraints' own
   matrices, with non-negative multipliers on the tight inequalities,
     is the Graph-SVM's solution, and
   every other feasible matrix is longer by its squared distance at least. *)
(* THEOREM edges_suffice | holds-as-printed | Asking for the margin on the edges of the graphs alone is
   the same as asking for it on all pairs. *)
