(* "Hard retrieval" of "Mechanics of Next Token Prediction": when W grows in the direction of a
   matrix that meets the priorities, attention keeps the top component of the context and nothing
   else, and how fast it lets go of the rest.
   Proved for every number of tokens, dimensions and samples, every embedding, every context
   (seen in training or not) in which one component is above all other tokens.  Without any
   limit: a matrix F to which c times S is added, S meeting the priorities, leaves a token below
   the top at most a multiple of e^(-c).  What is taken from "Global convergence", and not proved
   here, is the hypothesis of the other two that training grows in that direction; the theorem on
   the rate takes the form log t times the Graph-SVM plus something bounded. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
From Mechanics Require Import setting token_priority_graph graph_svm.
Open Scope R_scope.

(* A context with last token k, token j in it m j times: the tokens of top are in one component, and
   every other token that is present is below them. *)
Definition topped (D : data) (k : nat) (m : nat -> R) (top : nat -> bool) : Prop :=
  (k < tokens D)%nat /\
  (exists i, (i < tokens D)%nat /\ top i = true /\ 0 < m i) /\
  (forall j, (j < tokens D)%nat -> 0 <= m j) /\
  (forall i j, (i < tokens D)%nat -> (j < tokens D)%nat -> top i = true -> 0 < m i -> 0 < m j ->
     if top j then same D k i j else above D k i j).

(* the attention mass of the context's token j, and of all tokens of the top component *)
Definition mass_at (D : data) (k : nat) (m : nat -> R) (W : matrix) (j : nat) : R :=
  share (tokens D) m (score D W k) j.
Definition top_mass (D : data) (k : nat) (m : nat -> R) (top : nat -> bool) (W : matrix) : R :=
  Sum (tokens D) (fun j => if top j then mass_at D k m W j else 0).

(* W(t) grows without bound in the direction of S *)
Definition grows_along (D : data) (W : nat -> matrix) (S : matrix) : Prop :=
  exists N : nat -> R, is_lim_seq N p_infty /\
    forall a b, (a < dims D)%nat -> (b < dims D)%nat -> is_lim_seq (fun t => W t a b / N t) (S a b).

(* ------------------------------------------------------------------ limits *)

Lemma Sum_lim : forall K (f : nat -> nat -> R) (g : nat -> R),
  (forall j, (j < K)%nat -> is_lim_seq (f j) (g j)) ->
  is_lim_seq (fun t => Sum K (fun j => f j t)) (Sum K g).
Proof.
  induction K as [|K IH]; intros f g H; simpl.
  - apply is_lim_seq_const.
  - apply is_lim_seq_plus'; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma score_lim : forall D (W : nat -> matrix) (S : matrix) k j,
  (forall a b, (a < dims D)%nat -> (b < dims D)%nat -> is_lim_seq (fun t => W t a b) (S a b)) ->
  is_lim_seq (fun t => score D (W t) k j) (score D S k j).
Proof.
  intros D W S k j H. unfold score.
  apply (Sum_lim (dims D) (fun a t => Sum (dims D) (fun b =>
    embedding D j a * W t a b * embedding D k b))).
  intros a Ha.
  apply (Sum_lim (dims D) (fun b t => embedding D j a * W t a b * embedding D k b)). intros b Hb.
  apply is_lim_seq_mult'; [|apply is_lim_seq_const].
  apply is_lim_seq_mult'; [apply is_lim_seq_const | apply H; auto].
Qed.

(* A gap that is in the end at least half of something that grows closes the exponential. *)
Lemma exp_gap_zero : forall (N g : nat -> R), is_lim_seq N p_infty ->
  eventually (fun t => N t / 2 <= g t) -> is_lim_seq (fun t => exp (- g t)) 0.
Proof.
  intros N g HN Hg.
  apply is_lim_seq_le_le_loc with (fun _ => 0) (fun t => 2 * / N t).
  - assert (P : eventually (fun t => 0 < N t)) by (apply (HN (fun x => 0 < x)); exists 0; auto).
    generalize (filter_and _ _ Hg P). apply filter_imp. intros t [A B].
    split; [left; apply exp_pos|].
    rewrite exp_Ropp. replace (2 * / N t) with (/ (N t / 2)) by (field; lra).
    apply Rinv_le_contravar; [lra|]. pose proof (exp_ineq1_le (g t)). lra.
  - apply is_lim_seq_const.
  - replace 0 with (2 * 0) by ring. apply is_lim_seq_mult'; [apply is_lim_seq_const|].
    apply (is_lim_seq_inv N p_infty); [auto | discriminate].
Qed.

(* Along a priority the score gap grows without bound, so its exponential goes to zero. *)
Lemma loser_vanishes : forall D (W : nat -> matrix) S k i j,
  feasible D S -> grows_along D W S -> (k < tokens D)%nat -> (i < tokens D)%nat ->
    (j < tokens D)%nat ->
  above D k i j -> is_lim_seq (fun t => exp (score D (W t) k j - score D (W t) k i)) 0.
Proof.
  intros D W S k i j F (N & HN & HW) Hk Hi Hj A.
  apply (is_lim_seq_ext (fun t => exp (- (score D (W t) k i - score D (W t) k j)))).
  { intros t. f_equal. ring. }
  apply (exp_gap_zero N); auto.
  assert (G : 1 <= score D S k i - score D S k j) by (rewrite <- pair_score; apply F; auto).
  assert (L : is_lim_seq (fun t => score D (scale (/ N t) (W t)) k i - score D (scale (/ N t)
    (W t)) k j)
    (score D S k i - score D S k j)).
  { apply is_lim_seq_minus'; apply (score_lim D (fun t => scale (/ N t) (W t))); intros a b Ha Hb;
    apply (is_lim_seq_ext (fun t => W t a b / N t)); auto; intros; unfold scale, Rdiv; ring. }
  assert (E : eventually (fun t => / 2 < score D (scale (/ N t) (W t)) k i - score D (scale
    (/ N t) (W t)) k j)).
  { apply is_lim_seq_spec in L. destruct (L (mkposreal (/ 2) ltac:(lra))) as [n Hn]. exists n.
    intros t Ht.
    specialize (Hn t Ht). simpl in Hn. apply Rabs_def2 in Hn. lra. }
  assert (P : eventually (fun t => 0 < N t)) by (apply (HN (fun x => 0 < x)); exists 0; auto).
  generalize (filter_and _ _ E P). apply filter_imp. intros t [B C]. rewrite !score_scale in B.
  apply Rmult_le_reg_l with (/ N t); [apply Rinv_0_lt_compat; auto|].
  replace (/ N t * (N t / 2)) with (/ 2) by (field; lra). lra.
Qed.

Lemma total_ge : forall K m a i, (i < K)%nat -> (forall j, (j < K)%nat -> 0 <= m j) ->
  m i * exp (a i) <= total K m a.
Proof.
  intros. apply (Sum_term_le K (fun j => m j * exp (a j)) i); auto.
  intros. apply Rmult_le_pos; auto. left; apply exp_pos.
Qed.

Lemma share_le : forall K m a i j, (i < K)%nat -> 0 < m i -> (forall j, (j < K)%nat -> 0 <= m j) ->
  (j < K)%nat -> share K m a j <= m j / m i * exp (a j - a i).
Proof.
  intros K m a i j Hi P N Hj. pose proof (total_ge K m a i Hi N) as T.
  pose proof (exp_pos (a i)) as X. pose proof (exp_pos (a j)) as Y. pose proof (N j Hj).
  assert (Q : 0 < m i * exp (a i)) by nra.
  unfold share, Rdiv. apply Rle_trans with (m j * exp (a j) * / (m i * exp (a i))).
  - apply Rmult_le_compat_l; [nra|]. apply Rinv_le_contravar; auto.
  - unfold Rminus. rewrite exp_plus, exp_Ropp. apply Req_le. field. lra.
Qed.

Lemma topped_share : forall D k m top W, topped D k m top ->
  Sum (tokens D) (mass_at D k m W) = 1 /\ forall j, (j < tokens D)%nat -> 0 <= mass_at D k m W j.
Proof.
  intros D k m top W (Hk & (i & Hi & _ & P) & N & _). split.
  - apply share_sum. apply (total_pos _ _ _ i); auto.
  - intros. apply (share_nonneg _ _ _ i); auto.
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* At F + c S a token j below the top has at most e^(-c) times what F gives it against a token i of
   the top. *)
Theorem retrieval_by_size : forall D F S k m top c i j,
  feasible D S -> topped D k m top -> 0 <= c ->
  (i < tokens D)%nat -> top i = true -> 0 < m i -> (j < tokens D)%nat -> top j = false ->
  0 <= mass_at D k m (add F (scale c S)) j <=
  m j / m i * exp (score D F k j - score D F k i) * exp (- c).
Proof.
  intros D F S k m top c i j FS T Hc Hi Ti Pi Hj Tj. pose proof T as (Hk & _ & N & O).
  split; [apply (topped_share D k m top _ T); auto|].
  eapply Rle_trans; [apply (share_le (tokens D) m _ i j); auto|].
  rewrite !score_add, !score_scale, Rmult_assoc, <- exp_plus.
  destruct (Rle_lt_or_eq_dec 0 (m j) (N j Hj)) as [Q | Z]; [|rewrite <- Z; unfold Rdiv; lra].
  apply Rmult_le_compat_l; [apply Rdiv_le_0_compat; lra|]. apply exp_mono.
  pose proof (O i j Hi Hj Ti Pi Q) as A. rewrite Tj in A.
  destruct (FS k i j Hk Hi Hj) as [_ G]. specialize (G A). rewrite pair_score in G. nra.
Qed.

(* Every token below the top component loses all its attention mass, and the top component gets
   it. *)
Theorem retrieval : forall D W S k m top,
  feasible D S -> grows_along D W S -> topped D k m top ->
  (forall j, (j < tokens D)%nat -> top j = false -> is_lim_seq (fun t => mass_at D k m
    (W t) j) 0) /\
  is_lim_seq (fun t => top_mass D k m top (W t)) 1.
Proof.
  intros D W S k m top F G T.
  assert (out : forall j, (j < tokens D)%nat -> top j = false ->
    is_lim_seq (fun t => mass_at D k m (W t) j) 0).
  { intros j Hj Tj. pose proof T as (Hk & (i & Hi & Ti & P) & N & O).
    destruct (Rle_lt_or_eq_dec 0 (m j) (N j Hj)) as [Q | Z].
    - apply is_lim_seq_le_le with (fun _ => 0)
        (fun t => m j / m i * exp (score D (W t) k j - score D (W t) k i)).
      + intros t. split; [apply (topped_share D k m top (W t) T); auto | apply share_le; auto].
      + apply is_lim_seq_const.
      + replace 0 with (m j / m i * 0) by ring. apply is_lim_seq_mult'; [apply is_lim_seq_const|].
        apply (loser_vanishes D W S); auto. pose proof (O i j Hi Hj Ti P Q) as A. rewrite Tj in A.
        exact A.
    - apply (is_lim_seq_ext (fun _ => 0)); [|apply is_lim_seq_const]. intros t.
      unfold mass_at, share. rewrite <- Z. unfold Rdiv. ring. }
  split; auto.
  apply (is_lim_seq_ext (fun t => 1 - Sum (tokens D) (fun j =>
    if top j then 0 else mass_at D k m (W t) j))).
  { intros t. destruct (topped_share D k m top (W t) T) as [E _]. unfold top_mass.
    rewrite <- E, <- Sum_minus.
    apply Sum_ext. intros j Hj. destruct (top j); ring. }
  replace 1 with (1 - Sum (tokens D) (fun _ => 0)) at 1 by (rewrite Sum_zero; auto; ring).
  apply is_lim_seq_minus'; [apply is_lim_seq_const|].
  apply (Sum_lim (tokens D) (fun j t => if top j then 0 else mass_at D k m (W t) j)).
  intros j Hj. destruct (top j) eqn:Tj; [apply is_lim_seq_const | auto].
Qed.

(* Along log t times S plus something bounded, the mass of a token below the top lies between two
   constants times t to the minus g, where g >= 1 is its distance from the top under S. *)
Lemma retrieval_between : forall D (W : R -> matrix) S B k m top i j,
  feasible D S -> topped D k m top ->
  (i < tokens D)%nat -> top i = true -> 0 < m i ->
  (j < tokens D)%nat -> top j = false -> 0 < m j ->
  (forall t l, 1 <= t -> (l < tokens D)%nat ->
     Rabs (score D (W t) k l - ln t * score D S k l) <= B) ->
  let g := inner D (pair D k i j) S in
  1 <= g /\ forall t, 1 <= t ->
    m j / Sum (tokens D) m * exp (- (4 * B)) * Rpower t (- g) <= mass_at D k m (W t) j <=
    m j / m i * exp (2 * B) * Rpower t (- g).
Proof.
  intros D W S B k m top i j F T Hi Ti Pi Hj Tj Pj HB g. pose proof T as (Hk & _ & N & O).
  assert (A : above D k i j) by (pose proof (O i j Hi Hj Ti Pi Pj) as X; rewrite Tj in X; exact X).
  assert (G : 1 <= g) by (apply F; auto). split; auto. intros t Ht.
  assert (L : 0 <= ln t) by (rewrite <- ln_1; apply Rcomplements.ln_le; lra).
  assert (near : forall l, (l < tokens D)%nat -> ln t * score D S k l - B <= score D
    (W t) k l <= ln t * score D S k l + B).
  { intros l Hl. pose proof (HB t l Ht Hl) as X. apply Rabs_le_between in X. lra. }
  unfold Rpower. set (a := score D (W t) k) in *.
  assert (E : score D S k i - score D S k j = g) by (symmetry; apply pair_score).
  pose proof (near i Hi) as Ni. pose proof (near j Hj) as Nj. split.
  - assert (TT : total (tokens D) m a <= Sum (tokens D) m * exp (a i + 2 * B)).
    { unfold total. rewrite <- Sum_scal_r. apply Sum_le. intros l Hl.
      destruct (Rle_lt_or_eq_dec 0 (m l) (N l Hl)) as [Q | Z].
      - apply Rmult_le_compat_l; [lra|]. apply exp_mono. pose proof (near l Hl) as Nl.
        assert (0 <= score D S k i - score D S k l).
        { rewrite <- pair_score. pose proof (O i l Hi Hl Ti Pi Q) as X.
          destruct (F k i l Hk Hi Hl) as [F1 F2].
          destruct (top l); [rewrite F1; auto; lra | pose proof (F2 X); lra]. }
        nra.
      - rewrite <- Z. lra. }
    assert (T0 : 0 < total (tokens D) m a) by (apply (total_pos _ _ _ i); auto).
    assert (M0 : 0 < Sum (tokens D) m) by (apply (Sum_pos _ _ i); auto).
    unfold mass_at, share. fold a. pose proof (exp_pos (a i + 2 * B)) as X.
    apply Rle_trans with (m j * exp (a j) / (Sum (tokens D) m * exp (a i + 2 * B))).
    + apply Rle_trans with (m j / Sum (tokens D) m * (exp (a j) * / exp (a i + 2 * B))).
      * rewrite Rmult_assoc, <- exp_plus, <- exp_Ropp, <- exp_plus.
        apply Rmult_le_compat_l; [apply Rdiv_le_0_compat; lra|]. apply exp_mono. nra.
      * apply Req_le. field. lra.
    + unfold Rdiv. apply Rmult_le_compat_l; [pose proof (exp_pos (a j)); nra|].
      apply Rinv_le_contravar; auto.
  - eapply Rle_trans; [apply (share_le _ m a i j); auto|].
    rewrite Rmult_assoc, <- exp_plus.
    apply Rmult_le_compat_l; [apply Rdiv_le_0_compat; lra|]. apply exp_mono. nra.
Qed.

(* The rate: multiplied by t^g, the mass stays between two positive constants. *)
Theorem retrieval_rate : forall D (W : R -> matrix) S B k m top i j,
  feasible D S -> topped D k m top ->
  (i < tokens D)%nat -> top i = true -> 0 < m i ->
  (j < tokens D)%nat -> top j = false -> 0 < m j ->
  (forall t l, 1 <= t -> (l < tokens D)%nat ->
     Rabs (score D (W t) k l - ln t * score D S k l) <= B) ->
  let g := inner D (pair D k i j) S in
  1 <= g /\ forall t, 1 <= t ->
    m j / Sum (tokens D) m * exp (- (4 * B)) <= mass_at D k m (W t) j * Rpower t g <=
    m j / m i * exp (2 * B).
Proof.
  intros D W S B k m top i j F T Hi Ti Pi Hj Tj Pj HB g.
  destruct (retrieval_between D W S B k m top i j F T Hi Ti Pi Hj Tj Pj HB) as [G H].
  fold g in G, H. split; [exact G|]. intros t Ht. specialize (H t Ht).
  assert (P : 0 < Rpower t g) by (unfold Rpower; apply exp_pos).
  assert (E : Rpower t (- g) * Rpower t g = 1) by
    (rewrite <- Rpower_plus, Rplus_opp_l; unfold Rpower; rewrite Rmult_0_l; apply exp_0).
  split; apply Rmult_le_reg_r with (Rpower t (- g)); try (unfold Rpower at 1; apply exp_pos);
    rewrite ?(Rmult_assoc (mass_at D k m (W t) j)), ?(Rmult_comm (Rpower t g)), ?E, ?Rmult_1_r;
    apply H.
Qed.

(* THEOREM retrieval_by_size | holds-as-printed | At F plus c times a matrix that meets the
   priorities, a token below the top keeps at most a multiple of e^(-c), for all F and c >= 0. *)
(* THEOREM retrieval | holds-as-printed | If W grows in the direction of a matrix that meets the
   priorities, every token below the top component loses all its attention mass, in every context,
   seen or new, whose top component is above all its other tokens. *)
(* THEOREM retrieval_rate | holds-as-printed | Along log t times the Graph-SVM plus something bounded,
   the mass of a token below the top lies between two constants times t^(-g), g >= 1 being its
   distance from the top under the Graph-SVM. *)
(* BRIDGE mass_at | lib.mechanics.attention_layer.softmax | scores of a context, multiplicities *)
