(* "Graph-SVM" of "Mechanics of Next Token Prediction": feasible, at most one solution,
   recognised by a certificate, and the edges of the graphs say it all.
   Proved for every number of tokens, dimensions and samples.  Feasibility needs a head with C
   E^T = I, that is, independent embeddings; the other theorems need nothing of the embeddings.
   That a matrix of least norm exists is not proved here; where a solver gives one,
   optimal_from_certificate proves that it is the one. *)
From Coq Require Import Reals Lra Lia Classical.
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
