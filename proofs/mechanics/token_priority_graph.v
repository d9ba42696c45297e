(* "Token-priority graph" of "Mechanics of Next Token Prediction": a graph for each last token, its
   components, the order between them, and heights that respect both.
   Proved for every number of tokens and samples and every data set whose labels stand in their own
   contexts.  Nothing is assumed about the embeddings. *)
From Coq Require Import Reals Lra Lia Classical.
From Mechanics Require Import setting.
Open Scope R_scope.

(* In the graph of the last token k: label -> every other token of a context that ends in k. *)
Definition edge (D : data) (k i j : nat) : Prop := exists s,
  (s < samples D)%nat /\ last D s = k /\ label D s = i /\
  (j < tokens D)%nat /\ 0 < count D s j /\ j <> i.

(* there is a path from i to j, perhaps an empty one *)
Inductive reach (D : data) (k : nat) : nat -> nat -> Prop :=
  | stay : forall i, reach D k i i
  | walk : forall i j l, edge D k i j -> reach D k j l -> reach D k i l.

(* one strongly connected component; strict priority *)
Definition same (D : data) (k i j : nat) : Prop := reach D k i j /\ reach D k j i.
Definition above (D : data) (k i j : nat) : Prop := reach D k i j /\ ~ reach D k j i.

(* ------------------------------------------------------------------ finite choice and counting *)

Lemma finite_choice : forall (A : Type) (Q : nat -> A -> Prop) (a0 : A) N,
  (forall k, (k < N)%nat -> exists a, Q k a) -> exists F, forall k, (k < N)%nat -> Q k (F k).
Proof.
  intros A Q a0. induction N as [|N IH]; intros H.
  - exists (fun _ => a0). lia.
  - destruct IH as [F HF]; [intros; apply H; lia|]. destruct (H N) as [a Ha]; [lia|].
    exists (fun k => if Nat.eq_dec k N then a else F k). intros k Hk.
    destruct (Nat.eq_dec k N) as [->|E]; [exact Ha | apply HF; lia].
Qed.

Lemma decide : forall (P : nat -> nat -> Prop) N K,
  exists b, forall i l, (i < N)%nat -> (l < K)%nat -> (b i l = true <-> P i l).
Proof.
  intros P N K.
  destruct (finite_choice (nat -> bool) (fun i b => forall l, (l < K)%nat -> (b l = true <-> P i l))
    (fun _ => true) N) as [b Hb]; [|exists b; auto].
  intros i _. apply (finite_choice bool (fun l b => b = true <-> P i l) true K).
  intros l _. destruct (classic (P i l)).
  - exists true. tauto.
  - exists false. split; [discriminate | tauto].
Qed.

Fixpoint number (K : nat) (b : nat -> bool) : nat :=
  match K with O => O | S k => (number k b + if b k then 1 else 0)%nat end.

Lemma number_le : forall K b c, (forall l, (l < K)%nat -> b l = true -> c l = true) ->
  (number K b <= number K c)%nat.
Proof.
  induction K as [|K IH]; intros b c H; simpl; [lia|].
  assert (number K b <= number K c)%nat by (apply IH; intros; apply H; auto; lia).
  destruct (b K) eqn:B; [rewrite (H K); [lia|lia|auto]|]. destruct (c K); lia.
Qed.

Lemma number_lt : forall K b c i, (forall l, (l < K)%nat -> b l = true -> c l = true) ->
  (i < K)%nat -> b i = false -> c i = true -> (number K b < number K c)%nat.
Proof.
  induction K as [|K IH]; intros b c i H Hi B C; simpl; [lia|].
  destruct (Nat.eq_dec i K) as [->|E].
  - rewrite B, C.
    assert (number K b <= number K c)%nat by (apply number_le; intros; apply H; auto; lia). lia.
  - assert (number K b < number K c)%nat by (apply (IH b c i); auto; try lia; intros; apply H;
      auto; lia).
    destruct (b K) eqn:BK; [rewrite (H K); [lia|lia|auto]|]. destruct (c K); lia.
Qed.

(* ------------------------------------------------------------------ paths *)

Lemma reach_trans : forall D k i j l, reach D k i j -> reach D k j l -> reach D k i l.
Proof. intros D k i j l H. induction H; auto. intros. eapply walk; eauto. Qed.

Lemma reach_edge : forall D k i j, edge D k i j -> reach D k i j.
Proof. intros. eapply walk; [eauto | apply stay]. Qed.

Lemma same_or_above : forall D k i j, reach D k i j -> same D k i j \/ above D k i j.
Proof. intros D k i j H. destruct (classic (reach D k j i)); [left | right]; split; auto. Qed.

(* Inside a training context the label's component is above every other. *)
Lemma context : forall D s j, realisable D -> (s < samples D)%nat -> (j < tokens D)%nat ->
  0 < count D s j -> same D (last D s) (label D s) j \/ above D (last D s) (label D s) j.
Proof.
  intros D s j H Hs Hj Hc. apply same_or_above. destruct (Nat.eq_dec j (label D s)) as [->|E].
  - apply stay.
  - apply reach_edge. exists s. repeat split; auto.
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* Strict priority is a strict partial order, and a matter of components alone. *)
Theorem strict_order : forall D k,
  (forall i, ~ above D k i i) /\
  (forall i j l, above D k i j -> above D k j l -> above D k i l) /\
  (forall i i' j j', same D k i i' -> same D k j j' -> above D k i j -> above D k i' j').
Proof.
  intros D k. repeat split.
  - intros i [A B]. auto.
  - destruct H, H0. eapply reach_trans; eauto.
  - intros R. destruct H, H0. apply H2. eapply reach_trans; eauto.
  - destruct H, H0, H1. eapply reach_trans; [eassumption|]. eapply reach_trans; eauto.
  - intros R. destruct H, H0, H1. apply H4. eapply reach_trans; [eassumption|].
    eapply reach_trans; [eassumption|]. auto.
Qed.

(* In the context of a training sample every token is in the label's component or below it, and no
   token is above the label. *)
Theorem label_on_top : forall D s j, realisable D -> (s < samples D)%nat -> (j < tokens D)%nat ->
  0 < count D s j ->
  (same D (last D s) (label D s) j \/ above D (last D s) (label D s) j) /\
  ~ above D (last D s) j (label D s).
Proof.
  intros D s j H Hs Hj Hc. pose proof (context D s j H Hs Hj Hc) as X. split; auto.
  intros [A B]. destruct X as [[X _]|[X _]]; auto.
Qed.

(* The components can be stacked: there are heights, whole numbers, equal inside a component and
   lower by at least one along every priority. 
     (A token's height is the number of tokens it reaches.) *)
Theorem heights : forall D, exists h : nat -> nat -> nat, forall k i j,
  (k < tokens D)%nat -> (i < tokens D)%nat -> (j < tokens D)%nat ->
  (same D k i j -> h k i = h k j) /\ (above D k i j -> (h k j + 1 <= h k i)%nat).
Proof.
  intros D.
  destruct (finite_choice (nat -> nat) (fun k h => forall i j, (i < tokens D)%nat ->
    (j < tokens D)%nat ->
    (same D k i j -> h i = h j) /\ (above D k i j -> (h j + 1 <= h i)%nat)) (fun _ => O) (tokens D))
    as [h Hh]; [|exists h; auto].
  intros k _. destruct (decide (reach D k) (tokens D) (tokens D)) as [b Hb].
  exists (fun i => number (tokens D) (b i)). intros i j Hi Hj. split.
  - intros [A B]. apply Nat.le_antisymm; apply number_le; intros l Hl T.
    + apply Hb; auto. apply Hb in T; auto. eapply reach_trans; eauto.
    + apply Hb; auto. apply Hb in T; auto. eapply reach_trans; eauto.
  - intros [A B]. enough (number (tokens D) (b j) < number (tokens D) (b i))%nat by lia.
    apply (number_lt _ _ _ i); auto.
    + intros l Hl T. apply Hb; auto. apply Hb in T; auto. eapply reach_trans; eauto.
    + destruct (b j i) eqn:T; auto. apply Hb in T; auto. contradiction.
    + apply Hb; auto. apply stay.
Qed.

(* One list of scores can put every label strictly above its rivals exactly if no graph has a
   circle. *)
Theorem circles_obstruct : forall D k, realisable D -> (k < tokens D)%nat ->
  ((exists a : nat -> R, forall i j, edge D k i j -> a j < a i) <->
   (forall i j, edge D k i j -> ~ reach D k j i)).
Proof.
  intros D k H Hk. split.
  - intros [a Ha].
    assert (mono : forall i j, reach D k i j -> a j <= a i).
    { intros i j R. induction R as [|i j l E R IH]; [lra|]. pose proof (Ha i j E). lra. }
    intros i j E R. pose proof (Ha i j E). pose proof (mono j i R). lra.
  - intros acyclic. destruct (heights D) as [h Hh]. exists (fun i => INR (h k i)).
    intros i j E. destruct E as (s & Hs & L & Y & Hj & C & N).
    assert (Hi : (i < tokens D)%nat) by (destruct (H s Hs) as (A & _); rewrite <- Y; auto).
    assert (E : edge D k i j) by (exists s; repeat split; auto).
    destruct (Hh k i j Hk Hi Hj) as [_ X]. apply lt_INR. enough (h k j + 1 <= h k i)%nat by lia.
    apply X. split; [apply reach_edge; auto | apply acyclic; auto].
Qed.

(* THEOREM strict_order | holds-as-printed | Strict priority is irreflexive and transitive, and two
   tokens of one component have the same tokens above and below them. *)
(* THEOREM label_on_top | holds-as-printed | In the context of a training sample every token is in the
   component of the label or strictly below it. *)
(* THEOREM heights | holds-as-printed | The components can be listed from the top, for every last token
   of every data set: whole-numbered heights, equal inside a component, at least one lower along
   every priority. *)
(* THEOREM circles_obstruct | holds-as-printed | Scores that put every label strictly above the other
   tokens of its context exist exactly if the graph has no circle. *)
