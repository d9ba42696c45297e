(* "The automaton" of "Mechanics of Next Token Prediction": the law of the next token, in the
   limit of training, is a function of the graphs and of the finite part alone.
   Proved for every number of tokens, dimensions and samples, every embedding, and every context
   in which one component is above all other tokens; convergence of W(t) itself is the
   hypothesis, but for the theorem at a finite size. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
From Mechanics Require Import setting token_priority_graph graph_svm hard_retrieval loss_split w_fin.
From Mechanics Require Import soft_composition.
Open Scope R_scope.

(* A run of training as global convergence describes it: W grows in the direction of a matrix that
   meets the priorities, and settles inside components at a minimiser of the cyclic part. *)
Definition trained (D : data) (inside : nat -> nat -> bool) (W : nat -> matrix) : Prop :=
  exists S F, feasible D S /\ grows_along D W S /\ minimises
    (cut D inside) F /\ settles_inside D W F.

(* two minimisers of the cyclic part mix the top component alike *)
Lemma kept_share : forall D inside F F' k m top j,
  realisable D -> component_of_label D inside -> minimises (cut D inside) F ->
  minimises (cut D inside) F' -> topped D k m top -> (j < tokens D)%nat ->
  share (tokens D) (kept m top) (score D F k) j = share (tokens D) (kept m top) (score D F' k) j.
Proof.
  intros D inside F F' k m top j H C MF MF' T Hj.
  pose proof (unique_inside D inside F F' H C MF MF') as U.
  destruct T as (Hk & (i & Hi & Ti & Pi) & N & O).
  rewrite <- (share_shift _ _ (score D F' k) (score D F k i - score D F' k i)).
  assert (E : forall l, (l < tokens D)%nat ->
    kept m top l * exp (score D F' k l + (score D F k i - score D F' k i)) =
    kept m top l * exp (score D F k l)).
  { intros l Hl. unfold kept. destruct (top l) eqn:Tl; [|ring].
    destruct (Rle_lt_or_eq_dec 0 (m l) (N l Hl)) as [Q | Z]; [|rewrite <- Z; ring].
    pose proof (O i l Hi Hl Ti Pi Q) as X. rewrite Tl in X.
    pose proof (U k i l Hk Hi Hl X) as Y. rewrite !pair_score in Y. f_equal. f_equal. lra. }
  unfold share. rewrite (E j Hj). f_equal. unfold total. apply Sum_ext. intros l Hl.
  symmetry. apply E. exact Hl.
Qed.

(* Two runs, from any starts, along any such directions, with any step sizes, end with the same
   law of
   the next token; and it is zero below the top component. *)
Theorem same_law : forall D inside W V k m top j,
  realisable D -> component_of_label D inside -> trained D inside W -> trained D inside V ->
  topped D k m top -> (j < tokens D)%nat ->
  exists law : R,
    is_lim_seq (fun t => mass_at D k m (W t) j) law /\
    is_lim_seq (fun t => mass_at D k m (V t) j) law /\
    (top j = false -> law = 0).
Proof.
  intros D inside W V k m top j H C (S & F & FS & GS & MF & SF)
    (S' & F' & FS' & GS' & MF' & SF') T Hj.
  exists (share (tokens D) (kept m top) (score D F k) j).
  destruct (composition D W S F k m top FS GS SF T) as [A _].
  destruct (composition D V S' F' k m top FS' GS' SF' T) as [B _].
  split; [auto | split].
  - rewrite (kept_share D inside F F' k m top j); auto.
  - intros Tj. unfold share, kept. rewrite Tj. unfold Rdiv. ring.
Qed.

(* That law is the automaton's: strength times multiplicity on the top component. *)
Theorem automaton_law : forall D inside W k m top j,
  realisable D -> component_of_label D inside -> trained D inside W -> topped D k m top ->
  (j < tokens D)%nat ->
  forall F, minimises (cut D inside) F ->
  is_lim_seq (fun t => mass_at D k m (W t) j) (share (tokens D) (kept m top) (score D F k) j).
Proof.
  intros D inside W k m top j H C TW T Hj F MF.
  destruct TW as (S & F' & FS & GS & MF' & SF).
  destruct (composition D W S F' k m top FS GS SF T) as [A _].
  rewrite (kept_share D inside F F' k m top j H C MF MF' T Hj). auto.
Qed.

(* Without a limit: at F + c S, F a minimiser of the cyclic part, the law is the automaton's, read
   off any other minimiser G, up to a multiple of e^(-c). *)
Theorem law_by_size : forall D inside F G S k m top c i j,
  realisable D -> component_of_label D inside -> minimises (cut D inside) F ->
  minimises (cut D inside) G -> feasible D S -> topped D k m top -> 0 <= c ->
  (i < tokens D)%nat -> top i = true -> 0 < m i -> (j < tokens D)%nat ->
  Rabs (mass_at D k m (add F (scale c S)) j - share (tokens D) (kept m top) (score D G k) j) <=
  exp (- c) * Sum (tokens D) (fun l =>
    if top l then 0 else m l / m i * exp (score D F k l - score D F k i)).
Proof.
  intros D inside F G S k m top c i j H C MF MG FS T Hc Hi Ti Pi Hj.
  rewrite <- (kept_share D inside F G k m top j); auto. apply composition_by_size; auto.
Qed.

(* THEOREM law_by_size | holds-as-printed | At a minimiser of the cyclic part plus c times a matrix
   that meets the priorities, the law is the automaton's up to a multiple of e^(-c). *)
(* THEOREM automaton_law | holds-as-printed | In every context with a top component the trained
   layer's law tends to the automaton's: strengths of W_fin times multiplicities, on that component. *)
(* THEOREM same_law | holds-as-printed | Two runs that converge as global convergence says end with
   the same law of the next token in every context with a top component: the graphs and W_fin say
   it all. *)
