(* The layer of "Mechanics of Next Token Prediction" and its log-loss: the definitions that the
   other files of this folder use, and what the chapter "Setting" says of them.
   Proved for every number of tokens, of dimensions and of samples, every embedding, every matrix
   W, every length of the context and every multiplicity.  The head's hypothesis C E^T = I is
   used where a theorem names the head, and nowhere else. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
Open Scope R_scope.

(* ------------------------------------------------------------------ definitions *)

(* A data set.  Tokens are 0 .. tokens-1, embedded as rows in R^dims; sample i has the token j in
   its
   context count i j times, ends in the token last i, and is followed by the token label i. *)
Record data := Data {
  tokens : nat;
  dims : nat;
  samples : nat;
  embedding : nat -> nat -> R;
  count : nat -> nat -> R;
  last : nat -> nat;
  label : nat -> nat;
  weight : nat -> R
}.

(* What a data set must meet: the label stands in its own context. *)
Definition realisable (D : data) : Prop := forall i, (i < samples D)%nat ->
  (label D i < tokens D)%nat /\ 0 < count D i (label D i) /\ 0 < weight D i /\
  forall j, (j < tokens D)%nat -> 0 <= count D i j.

Definition matrix := nat -> nat -> R.
Definition add (A B : matrix) : matrix := fun a b => A a b + B a b.
Definition scale (c : R) (A : matrix) : matrix := fun a b => c * A a b.

(* the Frobenius product <A, B> *)
Definition inner (D : data) (A B : matrix) : R :=
  Sum (dims D) (fun a => Sum (dims D) (fun b => A a b * B a b)).

(* e_j^T W e_k: the score of token j when the last token is k *)
Definition score (D : data) (W : matrix) (k j : nat) : R :=
  Sum (dims D) (fun a => Sum (dims D) (fun b => embedding D j a * W a b * embedding D k b)).

(* (e_i - e_j) e_k^T: what one constraint of the Graph-SVM, or one rival of a label, looks at *)
Definition pair (D : data) (k i j : nat) : matrix := fun a b =>
  (embedding D i a - embedding D j a) * embedding D k b.

(* a weighted softmax: m_j e^(a_j) over its sum *)
Definition total (K : nat) (m a : nat -> R) : R := Sum K (fun j => m j * exp (a j)).
Definition share (K : nat) (m a : nat -> R) (j : nat) : R := m j * exp (a j) / total K m a.

(* s_ij, the attention mass of token j in sample i *)
Definition mass (D : data) (W : matrix) (i j : nat) : R :=
  share (tokens D) (count D i) (score D W (last D i)) j.

(* L(W) = sum_i weight_i (- log s_(i, y_i)) *)
Definition loss (D : data) (W : matrix) : R :=
  Sum (samples D) (fun i => weight D i * - ln (mass D W i (label D i))).

(* E^T (S - Y)^T Q, each sample with its weight, 1/n in the paper *)
Definition gradient (D : data) (W : matrix) : matrix := fun a b =>
  Sum (samples D) (fun i => weight D i *
    Sum (tokens D) (fun j => (mass D W i j - delta (label D i) j) *
      (embedding D j a * embedding D (last D i) b))).

(* The layer itself, position by position: the context is the sequence x 0, ..., x (T-1) of tokens,
   and f = X^T softmax(X W x_last), its coordinate a. *)
Definition layer (D : data) (W : matrix) (T : nat) (x : nat -> nat) (a : nat) : R :=
  Sum T (fun t => share T (fun _ => 1) (fun t => score D W (x (T - 1)%nat)
    (x t)) t * embedding D (x t) a).

(* how often token j stands in the sequence *)
Definition multiplicity (T : nat) (x : nat -> nat) (j : nat) : R := Sum T (fun t => delta (x t) j).

(* ------------------------------------------------------------------ the softmax *)

Lemma exp_mono : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H | ->]; [left; apply exp_increasing; auto | lra]. Qed.

Lemma total_pos : forall K m a y, (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat -> 0 <= m j) ->
  0 < total K m a.
Proof.
  intros K m a y Hy P N. apply (Sum_pos K _ y); auto.
  - intros j Hj. apply Rmult_le_pos; [auto | left; apply exp_pos].
  - apply Rmult_lt_0_compat; [auto | apply exp_pos].
Qed.

Lemma share_pos : forall K m a y, (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat -> 0 <= m j) ->
  0 < share K m a y.
Proof.
  intros.
  apply Rdiv_lt_0_compat; [apply Rmult_lt_0_compat; auto; apply exp_pos | apply
    (total_pos K m a y); auto].
Qed.

Lemma share_nonneg : forall K m a y j, (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat ->
  0 <= m j) ->
  (j < K)%nat -> 0 <= share K m a j.
Proof.
  intros. apply Rmult_le_pos.
  - apply Rmult_le_pos; auto. left; apply exp_pos.
  - left. apply Rinv_0_lt_compat. apply (total_pos K m a y); auto.
Qed.

Lemma share_sum : forall K m a, 0 < total K m a -> Sum K (share K m a) = 1.
Proof. intros. unfold share, Rdiv. rewrite Sum_scal_r. apply Rinv_r. apply Rgt_not_eq; auto. Qed.

Lemma log_share : forall K m a y, (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat -> 0 <= m j) ->
  - ln (share K m a y) = ln (total K m a) - a y - ln (m y).
Proof.
  intros K m a y Hy P N. pose proof (total_pos K m a y Hy P N) as T. unfold share, Rdiv.
  rewrite ln_mult, ln_mult, ln_exp, ln_Rinv; auto; try apply exp_pos; try lra.
  - apply Rmult_lt_0_compat; auto; apply exp_pos.
  - apply Rinv_0_lt_compat; auto.
Qed.

Lemma share_ext : forall K m a b j, (forall l, (l < K)%nat -> a l = b l) -> (j < K)%nat ->
  share K m a j = share K m b j.
Proof.
  intros K m a b j H Hj. unfold share, total. rewrite (H j Hj).
  rewrite (Sum_ext K (fun j => m j * exp (a j)) (fun j => m j * exp (b j))); auto.
  intros l Hl. rewrite (H l Hl). reflexivity.
Qed.

(* Moving all scores of a context together moves no mass. *)
Lemma share_shift : forall K m a c j, share K m (fun l => a l + c) j = share K m a j.
Proof.
  intros. unfold share, total.
  rewrite (Sum_ext K (fun j => m j * exp (a j + c)) (fun j => m j * exp (a j) * exp c)).
  2: intros; rewrite exp_plus; ring.
  rewrite Sum_scal_r, exp_plus. pose proof (exp_pos c).
  destruct (Req_dec (Sum K (fun j => m j * exp (a j))) 0) as [Z | NZ].
  - unfold Rdiv. rewrite Z, Rmult_0_l, Rinv_0. ring.
  - field. lra.
Qed.

(* ------------------------------------------------------------------ the scores *)

Lemma score_add : forall D W V k j, score D (add W V) k j = score D W k j + score D V k j.
Proof.
  intros. unfold score, add. rewrite <- Sum_plus. apply Sum_ext. intros.
  rewrite <- Sum_plus. apply Sum_ext. intros. ring.
Qed.

Lemma score_scale : forall D c V k j, score D (scale c V) k j = c * score D V k j.
Proof.
  intros. unfold score, scale. rewrite <- Sum_scal. apply Sum_ext. intros.
  rewrite <- Sum_scal. apply Sum_ext. intros. ring.
Qed.

(* the score is an inner product of W with e_j e_k^T *)
Lemma score_inner : forall D W k j,
  score D W k j = inner D (fun a b => embedding D j a * embedding D k b) W.
Proof. intros. unfold score, inner. apply Sum_ext; intros; apply Sum_ext; intros. ring. Qed.

Lemma inner_add : forall D A B C, inner D (add A B) C = inner D A C + inner D B C.
Proof.
  intros. unfold inner, add. rewrite <- Sum_plus. apply Sum_ext. intros.
  rewrite <- Sum_plus. apply Sum_ext. intros. ring.
Qed.

Lemma inner_scale : forall D c A C, inner D (scale c A) C = c * inner D A C.
Proof.
  intros. unfold inner, scale. rewrite <- Sum_scal. apply Sum_ext. intros.
  rewrite <- Sum_scal. apply Sum_ext. intros. ring.
Qed.

Lemma inner_sym : forall D A B, inner D A B = inner D B A.
Proof. intros. unfold inner. apply Sum_ext; intros; apply Sum_ext; intros. ring. Qed.

Lemma inner_ext : forall D A B C, (forall a b, A a b = B a b) -> inner D A C = inner D B C.
Proof. intros D A B C H. unfold inner. apply Sum_ext; intros; apply Sum_ext; intros. rewrite H.
ring. Qed.

Lemma pair_score : forall D W k i j, inner D (pair D k i j) W = score D W k i - score D W k j.
Proof.
  intros. unfold score, inner, pair. rewrite <- Sum_minus. apply Sum_ext. intros.
  rewrite <- Sum_minus. apply Sum_ext. intros. ring.
Qed.

Lemma inner_sum : forall D n (A : nat -> matrix) C,
  inner D (fun a b => Sum n (fun i => A i a b)) C = Sum n (fun i => inner D (A i) C).
Proof.
  intros. induction n as [|n IH]; simpl.
  - unfold inner. apply Sum_zero; intros; apply Sum_zero; intros; ring.
  - rewrite <- IH. rewrite <- inner_add. reflexivity.
Qed.

(* ------------------------------------------------------------------ derivatives *)

Lemma Sum_derive : forall K (f : nat -> R -> R) (g : nat -> R) t,
  (forall j, (j < K)%nat -> is_derive (f j) t (g j)) ->
  is_derive (fun u => Sum K (fun j => f j u)) t (Sum K g).
Proof.
  induction K as [|K IH]; intros f g t H; simpl.
  - apply @is_derive_const.
  - apply @is_derive_plus; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

(* d/dt of log total(a + t v) is the mean of v under the masses *)
Lemma log_total_derive : forall K m a v t y,
  (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat -> 0 <= m j) ->
  is_derive (fun u => ln (total K m (fun j => a j + u * v j))) t
    (Sum K (fun j => share K m (fun j => a j + t * v j) j * v j)).
Proof.
  intros K m a v t y Hy P N.
  pose proof (total_pos K m (fun j => a j + t * v j) y Hy P N) as T.
  evar_last.
  - apply (is_derive_comp ln (fun u => total K m (fun j => a j + u * v j))).
    + apply is_derive_Reals. apply derivable_pt_lim_ln. exact T.
    + unfold total. apply (Sum_derive K (fun j u => m j * exp (a j + u * v j))
        (fun j => m j * exp (a j + t * v j) * v j)).
      intros j Hj. auto_derive; auto. ring.
  - unfold scal; simpl; unfold mult; simpl. rewrite <- Sum_scal_r. apply Sum_ext. intros j Hj.
    unfold share. field. lra.
Qed.

Lemma loss_sample : forall D W i, realisable D -> (i < samples D)%nat ->
  - ln (mass D W i (label D i)) =
  ln (total (tokens D) (count D i) (score D W (last D i))) - score D W (last D i) (label D i)
    - ln (count D i (label D i)).
Proof. intros D W i H Hi. destruct (H i Hi) as (A & B & _ & C). apply log_share; auto. Qed.

(* the first derivative of the loss along a line, for every point of the line *)
Lemma loss_derive : forall D W V t, realisable D ->
  is_derive (fun u => loss D (add W (scale u V))) t
    (Sum (samples D) (fun i => weight D i *
      (Sum (tokens D) (fun j => mass D (add W (scale t V)) i j * score D V (last D i) j)
       - score D V (last D i) (label D i)))).
Proof.
  intros D W V t H. unfold loss.
  apply (Sum_derive (samples D)
    (fun i u => weight D i * - ln (mass D (add W (scale u V)) i (label D i)))).
  intros i Hi. destruct (H i Hi) as (A & B & _ & C).
  apply (is_derive_scal (fun u => - ln (mass D (add W (scale u V)) i (label D i)))).
  pose (a := score D W (last D i)). pose (v := score D V (last D i)).
  apply (is_derive_ext (fun u => ln (total (tokens D) (count D i) (fun j => a j + u * v j))
    - (a (label D i) + u * v (label D i)) - ln (count D i (label D i)))).
  { intros u. rewrite loss_sample by auto. unfold total. rewrite score_add, score_scale.
    do 3 f_equal. apply Sum_ext. intros. rewrite score_add, score_scale. reflexivity. }
  evar_last.
  - apply @is_derive_minus; [|apply @is_derive_const].
    apply @is_derive_minus.
    + apply (log_total_derive _ _ a v t (label D i)); auto.
    + auto_derive; [exact I | reflexivity].
  - unfold minus, plus, opp, zero; simpl. rewrite Rmult_1_l, Ropp_0, Rplus_0_r.
    unfold Rminus. f_equal. apply Sum_ext. intros j Hj. f_equal. apply share_ext; auto.
    intros. rewrite score_add, score_scale. reflexivity.
Qed.

(* ------------------------------------------------------------------ the theorems *)

Lemma by_token : forall K T x g, (forall t, (t < T)%nat -> (x t < K)%nat) ->
  Sum T (fun t => g (x t)) = Sum K (fun j => multiplicity T x j * g j).
Proof.
  intros K T x g H. unfold multiplicity.
  rewrite (Sum_ext K _ (fun j => Sum T (fun t => delta (x t) j * g j))).
  - rewrite Sum_swap. apply Sum_ext. intros t Ht. symmetry. apply Sum_delta. auto.
  - intros. symmetry. apply Sum_scal_r.
Qed.

(* Positions with the same token have the same mass: the layer is a mean over tokens, each weighted
   with its multiplicity. *)
Theorem layer_by_token : forall D W T x a,
  (forall t, (t < T)%nat -> (x t < tokens D)%nat) ->
  layer D W T x a =
  Sum (tokens D) (fun j =>
    share (tokens D) (multiplicity T x) (score D W (x (T - 1)%nat)) j * embedding D j a).
Proof.
  intros D W T x a H. unfold layer, share. set (s := score D W (x (T - 1)%nat)).
  assert (E : total T (fun _ => 1) (fun t => s (x t)) = total (tokens D) (multiplicity T x) s).
  { unfold total. rewrite <- (by_token _ T x (fun j => exp (s j))); auto.
    apply Sum_ext. intros. ring. }
  rewrite E. set (Z := total (tokens D) (multiplicity T x) s).
  rewrite (by_token (tokens D) T x (fun j => 1 * exp (s j) / Z * embedding D j a)); auto.
  apply Sum_ext. intros. unfold Rdiv. ring.
Qed.

(* A head with C E^T = I reads the mass of a token off the layer's output. *)
Theorem head_reads_mass : forall D W T x (C : nat -> nat -> R) y,
  (forall t, (t < T)%nat -> (x t < tokens D)%nat) ->
  (forall j, (j < tokens D)%nat -> Sum (dims D) (fun a => C y a * embedding D j a) = delta y j) ->
  (y < tokens D)%nat ->
  Sum (dims D) (fun a => C y a * layer D W T x a) =
  share (tokens D) (multiplicity T x) (score D W (x (T - 1)%nat)) y.
Proof.
  intros D W T x C y H I Hy.
  set (s := share (tokens D) (multiplicity T x) (score D W (x (T - 1)%nat))).
  rewrite (Sum_ext (dims D) _ (fun a => Sum (tokens D) (fun j => s j * (C y a * embedding D j a)))).
  - rewrite Sum_swap. rewrite (Sum_ext (tokens D) _ (fun j => delta y j * s j)).
    + apply Sum_delta. auto.
    + intros j Hj. rewrite Sum_scal, I; auto. ring.
  - intros a Ha. rewrite layer_by_token, <- Sum_scal; auto. apply Sum_ext. intros. unfold s. ring.
Qed.

(* The printed gradient is the gradient: the derivative of the loss in every direction V. *)
Theorem gradient_correct : forall D W V, realisable D ->
  is_derive (fun u => loss D (add W (scale u V))) 0 (inner D (gradient D W) V).
Proof.
  intros D W V H. evar_last; [apply loss_derive; auto|].
  unfold gradient. rewrite (inner_sum D (samples D) (fun i a b => weight D i *
    Sum (tokens D) (fun j => (mass D W i j - delta (label D i) j) *
      (embedding D j a * embedding D (last D i) b)))).
  apply Sum_ext. intros i Hi. destruct (H i Hi) as (A & _).
  rewrite (inner_scale D (weight D i) (fun a b => Sum (tokens D) (fun j =>
    (mass D W i j - delta (label D i) j) * (embedding D j a * embedding D (last D i) b)))).
  f_equal.
  rewrite (inner_sum D (tokens D) (fun j a b => (mass D W i j - delta (label D i) j) *
    (embedding D j a * embedding D (last D i) b))).
  rewrite (Sum_ext (tokens D) (fun j => inner D _ V)
    (fun j => mass D W i j * score D V (last D i) j - delta (label D i) j * score D V
      (last D i) j)).
  - rewrite Sum_minus, Sum_delta by auto. f_equal. apply Sum_ext. intros j Hj. f_equal.
    unfold mass. apply share_ext; auto. intros. rewrite score_add, score_scale. ring.
  - intros j Hj.
    rewrite (inner_scale D (mass D W i j - delta (label D i) j) (fun a b =>
      embedding D j a * embedding D (last D i) b)).
    rewrite <- score_inner. ring.
Qed.

(* THEOREM layer_by_token | holds-as-printed | The layer sees a context only through how often each
   token stands in it: its output is the mean of the embeddings under a softmax that counts a token
   as often as it occurs, for every length and every vocabulary. *)
(* THEOREM head_reads_mass | holds-as-printed | A head with C E^T = I gives back the attention mass
   of the token, so the prediction is the attention map. *)
(* THEOREM gradient_correct | holds-as-printed | The derivative of the log-loss in any direction V is
   the inner product of V with E^T (S - Y)^T Q. *)
(* BRIDGE score | lib.mechanics.attention_layer.scores | embeddings, W, last token *)
(* BRIDGE share | lib.mechanics.attention_layer.softmax | multiplicities, scores *)
(* BRIDGE mass | lib.mechanics.attention_layer.attention | data, W *)
(* BRIDGE loss | lib.mechanics.attention_layer.risk | data, W *)
(* BRIDGE gradient | lib.mechanics.attention_layer.gradient | data, W *)
(* BRIDGE layer | lib.mechanics.attention_layer.layer_output | data, W, the sequence *)
