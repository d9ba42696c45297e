(* "Soft composition" of "Mechanics of Next Token Prediction": inside the top component attention
   settles on fixed odds, given by the finite part; with one common choice set they are the label
   frequencies.
   Proved for every number of tokens, dimensions and samples, and every context (seen in training
   or not) in which one component is above all other tokens.  Without any limit: at F plus c times
   a matrix that meets the priorities the top's mass is divided as F says, exactly, and what is
   missing to the limit's softmax is at most a multiple of e^(-c).  What is taken from "Global
   convergence" and "Convergence of the finite part", and not proved here, are the two hypotheses
   of the theorem on W(t): it grows in the direction of a matrix that meets the priorities, and its score
   differences inside components converge. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
From Mechanics Require Import setting token_priority_graph graph_svm hard_retrieval loss_split w_fin.
Open Scope R_scope.

(* m_j inside the top component, 0 below it *)
Definition kept (m : nat -> R) (top : nat -> bool) (j : nat) : R := if top j then m j else 0.

(* what W(t) does inside components converges to what F does there *)
Definition settles_inside (D : data) (W : nat -> matrix) (F : matrix) : Prop := forall k i j,
  (k < tokens D)%nat -> (i < tokens D)%nat -> (j < tokens D)%nat -> same D k i j ->
  is_lim_seq (fun t => inner D (pair D k i j) (W t)) (inner D (pair D k i j) F).

(* all samples that end in k offer the same tokens of the label's component, equally often *)
Definition common_choice (D : data) (inside : nat -> nat -> bool) (k : nat) (m : nat -> R) : Prop :=
  forall i j, (i < samples D)%nat -> (j < tokens D)%nat -> last D i = k -> count
    (cut D inside) i j = m j.

(* the weight of all samples that end in k, and the part of it whose label is j *)
Definition occasions (D : data) (k : nat) : R := Sum (samples D) (fun i => weight D i * delta
  (last D i) k).
Definition frequency (D : data) (k j : nat) : R := observed D k j / occasions D k.

(* ------------------------------------------------------------------ lemmas *)

Lemma exp_lim : forall (u : nat -> R) (l : R), is_lim_seq u l -> is_lim_seq (fun t => exp (u t))
  (exp l).
Proof.
  intros u l H. apply (is_lim_seq_continuous exp u l); auto.
  apply derivable_continuous_pt, derivable_pt_exp.
Qed.

(* the exponential of a present token's score, seen from a present token of the top *)
Lemma term_lim : forall D W S F k m top i j,
  feasible D S -> grows_along D W S -> settles_inside D W F -> topped D k m top ->
  (i < tokens D)%nat -> top i = true -> 0 < m i -> (j < tokens D)%nat ->
  is_lim_seq (fun t => m j * exp (score D (W t) k j - score D (W t) k i))
    (kept m top j * exp (score D F k j - score D F k i)).
Proof.
  intros D W S F k m top i j FS G SI (Hk & _ & N & O) Hi Ti Pi Hj. unfold kept.
  destruct (Rle_lt_or_eq_dec 0 (m j) (N j Hj)) as [Q | Z].
  - pose proof (O i j Hi Hj Ti Pi Q) as X. destruct (top j).
    + apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply exp_lim.
      pose proof (SI k j i Hk Hj Hi (conj (proj2 X) (proj1 X))) as L. rewrite pair_score in L.
      apply (is_lim_seq_ext (fun t => inner D (pair D k j i) (W t))); [intros;
        apply pair_score | exact L].
    + rewrite Rmult_0_l. replace 0 with (m j * 0) by ring.
      apply is_lim_seq_mult'; [apply is_lim_seq_const|]. apply (loser_vanishes D W S); auto.
  - replace (if top j then m j else 0) with 0 by (destruct (top j); auto). rewrite <- Z, Rmult_0_l.
    apply (is_lim_seq_ext (fun _ => 0)); [intros; ring | apply is_lim_seq_const].
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* Inside the top component c does not matter: the masses are F's softmax over it, times its mass. *)
Theorem composition_inside : forall D F S k m top c j,
  feasible D S -> topped D k m top -> (j < tokens D)%nat -> top j = true ->
  mass_at D k m (add F (scale c S)) j =
  top_mass D k m top (add F (scale c S)) * share (tokens D) (kept m top) (score D F k) j.
Proof.
  intros D F S k m top c j FS (Hk & (i & Hi & Ti & Pi) & N & O) Hj Tj.
  set (a := score D (add F (scale c S)) k). set (u := exp (c * score D S k i)).
  assert (U : 0 < u) by apply exp_pos.
  assert (E : forall l, (l < tokens D)%nat ->
    (if top l then m l * exp (a l) else 0) = u * (kept m top l * exp (score D F k l))).
  { intros l Hl. unfold kept. destruct (top l) eqn:Tl; [|ring].
    destruct (Rle_lt_or_eq_dec 0 (m l) (N l Hl)) as [Q | Z]; [|rewrite <- Z; ring].
    pose proof (O i l Hi Hl Ti Pi Q) as X. rewrite Tl in X.
    destruct (FS k i l Hk Hi Hl) as [G _]. specialize (G X). rewrite pair_score in G.
    unfold a, u. rewrite score_add, score_scale, exp_plus.
    replace (score D S k l) with (score D S k i) by lra. ring. }
  assert (Z0 : 0 < total (tokens D) m a) by (apply (total_pos _ _ _ i); auto).
  assert (Z1 : 0 < total (tokens D) (kept m top) (score D F k)).
  { apply (total_pos _ _ _ i); auto.
    - unfold kept. rewrite Ti. auto.
    - intros l Hl. unfold kept. destruct (top l); [auto|lra]. }
  assert (T : top_mass D k m top (add F (scale c S)) =
    u * total (tokens D) (kept m top) (score D F k) / total (tokens D) m a).
  { unfold top_mass, mass_at, share. fold a. unfold Rdiv. unfold total at 2.
    rewrite <- Sum_scal, <- Sum_scal_r. apply Sum_ext. intros l Hl. rewrite <- (E l Hl).
    destruct (top l); ring. }
  rewrite T. unfold mass_at, share. fold a. pose proof (E j Hj) as Ej. rewrite Tj in Ej.
  rewrite Ej. field. lra.
Qed.

(* ... and how far the masses are from that softmax alone *)
Theorem composition_by_size : forall D F S k m top c i j,
  feasible D S -> topped D k m top -> 0 <= c ->
  (i < tokens D)%nat -> top i = true -> 0 < m i -> (j < tokens D)%nat ->
  Rabs (mass_at D k m (add F (scale c S)) j - share (tokens D) (kept m top) (score D F k) j) <=
  exp (- c) * Sum (tokens D) (fun l =>
    if top l then 0 else m l / m i * exp (score D F k l - score D F k i)).
Proof.
  intros D F S k m top c i j FS T Hc Hi Ti Pi Hj. pose proof T as (Hk & _ & N & O).
  set (W := add F (scale c S)).
  destruct (topped_share D k m top W T) as [One Pos].
  (* what the tokens below the top have *)
  set (rest := Sum (tokens D) (fun l => if top l then 0 else mass_at D k m W l)).
  assert (R : top_mass D k m top W = 1 - rest).
  { unfold top_mass, rest. rewrite <- One, <- Sum_minus. apply Sum_ext. intros l Hl.
    destruct (top l); ring. }
  assert (B : rest <= exp (- c) * Sum (tokens D) (fun l =>
    if top l then 0 else m l / m i * exp (score D F k l - score D F k i))).
  { unfold rest. rewrite <- Sum_scal. apply Sum_le. intros l Hl. destruct (top l) eqn:Tl; [lra|].
    pose proof (retrieval_by_size D F S k m top c i l FS T Hc Hi Ti Pi Hl Tl) as [_ Q].
    fold W in Q. lra. }
  assert (R0 : 0 <= rest).
  { apply Sum_nonneg. intros l Hl. destruct (top l); [lra|auto]. }
  apply Rle_trans with (2 := B).
  destruct (top j) eqn:Tj.
  - pose proof (composition_inside D F S k m top c j FS T Hj Tj) as E. fold W in E.
    rewrite E, R. set (s := share (tokens D) (kept m top) (score D F k) j).
    assert (K0 : kept m top i = m i) by (unfold kept; rewrite Ti; auto).
    assert (Kn : forall l, (l < tokens D)%nat -> 0 <= kept m top l)
      by (intros l Hl; unfold kept; destruct (top l); [auto | lra]).
    assert (S0 : 0 <= s) by (apply (share_nonneg _ _ _ i); auto; lra).
    assert (S1 : s <= 1).
    { rewrite <- (share_sum (tokens D) (kept m top) (score D F k)).
      - apply (Sum_term_le (tokens D) (share (tokens D) (kept m top) (score D F k))); auto.
        intros l Hl. apply (share_nonneg _ _ _ i); auto; lra.
      - apply (total_pos _ _ _ i); auto. lra. }
    apply Rabs_le. nra.
  - assert (Z : share (tokens D) (kept m top) (score D F k) j = 0).
    { unfold share, kept. rewrite Tj. unfold Rdiv. ring. }
    rewrite Z, Rminus_0_r, Rabs_pos_eq by auto. unfold rest.
    apply Rle_trans with ((fun l => if top l then 0 else mass_at D k m W l) j).
    + cbv beta. rewrite Tj. lra.
    + apply (Sum_term_le (tokens D) (fun l => if top l then 0 else mass_at D k m W l)); auto.
      intros l Hl. destruct (top l); [lra|auto].
Qed.

(* In the limit the masses are a softmax of the finite part's scores over the top component. *)
Theorem composition : forall D W S F k m top,
  feasible D S -> grows_along D W S -> settles_inside D W F -> topped D k m top ->
  (forall j, (j < tokens D)%nat -> is_lim_seq (fun t => mass_at D k m (W t) j)
     (share (tokens D) (kept m top) (score D F k) j)) /\
  (forall a, is_lim_seq (fun t => Sum (tokens D) (fun j => mass_at D k m (W t) j * embedding D j a))
     (Sum (tokens D) (fun j => share (tokens D) (kept m top) (score D F k) j * embedding D j a))) /\
  Sum (tokens D) (share (tokens D) (kept m top) (score D F k)) = 1.
Proof.
  intros D W S F k m top FS G SI T. pose proof T as (Hk & (i & Hi & Ti & Pi) & N & O).
  assert (Ki : kept m top i = m i) by (unfold kept; rewrite Ti; auto).
  assert (Kn : forall j, (j < tokens D)%nat -> 0 <= kept m top j)
    by (intros j Hj; unfold kept; destruct (top j); [auto | lra]).
  assert (main : forall j, (j < tokens D)%nat -> is_lim_seq (fun t => mass_at D k m (W t) j)
     (share (tokens D) (kept m top) (score D F k) j)).
  { intros j Hj. rewrite <- (share_shift _ _ (score D F k) (- score D F k i)).
    apply (is_lim_seq_ext (fun t => share (tokens D) m (fun l => score D (W t) k l + - score D
      (W t) k i) j)).
    { intros t. apply share_shift. }
    unfold share. apply is_lim_seq_div'.
    - apply (term_lim D W S F k m top i j); auto.
    - unfold total. apply (Sum_lim (tokens D)
        (fun l t => m l * exp (score D (W t) k l + - score D (W t) k i))).
      intros l Hl. apply (term_lim D W S F k m top i l); auto.
    - apply Rgt_not_eq. apply (total_pos _ _ _ i); auto. lra. }
  split; [exact main | split].
  - intros a. apply (Sum_lim (tokens D) (fun j t => mass_at D k m (W t) j * embedding D j a)).
    intros j Hj. apply is_lim_seq_mult'; [auto | apply is_lim_seq_const].
  - apply share_sum. apply (total_pos _ _ _ i); auto. lra.
Qed.

(* With one common choice set the finite part gives the label frequencies. *)
Theorem composition_is_frequency : forall D inside C W k m,
  realisable D -> component_of_label D inside -> head D C ->
  (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) ->
  minimises (cut D inside) W -> common_choice D inside k m ->
  (k < tokens D)%nat -> 0 < occasions D k ->
  forall j, (j < tokens D)%nat -> share (tokens D) m (score D W k) j = frequency D k j.
Proof.
  intros D inside C W k m H CO HC HL M U Hk P j Hj.
  pose proof (proj1 (likelihood_equations (cut D inside) C W
    (cut_realisable D inside H CO) HC HL) M k j Hk Hj) as E.
  unfold frequency. change (observed D k j) with (observed (cut D inside) k j). rewrite <- E.
  unfold expected.
  rewrite (Sum_ext (samples (cut D inside)) _ (fun i => weight D i * delta (last D i) k *
    share (tokens D) m (score D W k) j)).
  - rewrite Sum_scal_r. fold (occasions D k).
    change (Sum (samples (cut D inside)) (fun i => weight D i * delta (last D i) k)) with
      (occasions D k).
    field. lra.
  - intros i Hi. simpl in Hi. simpl. rewrite Rmult_assoc. f_equal. unfold delta.
    destruct (Nat.eq_dec (last D i) k) as [L | L]; [|ring]. f_equal.
    unfold mass, share, total. simpl last. rewrite L. simpl tokens.
    change (score (cut D inside)) with (score D). rewrite (U i j Hi Hj L). f_equal.
    apply Sum_ext. intros l Hl. rewrite (U i l Hi Hl L). reflexivity.
Qed.

(* THEOREM composition_inside | holds-as-printed | At F plus c times a matrix that meets the
   priorities, the top component's mass is divided by the softmax of F's scores, exactly. *)
(* THEOREM composition_by_size | holds-as-printed | There attention is that softmax up to a multiple
   of e^(-c), for all F and c >= 0. *)
(* THEOREM composition | holds-as-printed | If W grows in the direction of the priorities while its
   scores inside components settle at those of W_fin, attention converges to a softmax of W_fin's
   scores over the top component, and the output to that convex combination of embeddings. *)
(* THEOREM composition_is_frequency | holds-as-printed | If all samples of a last token offer the same
   choice, the minimiser of the cyclic part gives every token its frequency as a label. *)
