(* "Exact split" of "Mechanics of Next Token Prediction": the log-loss is the loss of the cyclic
   sub-data, which sees only what W does inside components, plus a leak that can be driven to
   zero.
   Proved for every number of tokens, dimensions and samples, every embedding, all multiplicities
   >= 0 and all weights > 0; labels stand in their own contexts.  A sample without a rival inside
   its component costs log 1 = 0 in the cyclic part, so that it does not matter that it is kept
   here. *)
From Coq Require Import Reals Lra Lia Classical.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
From Mechanics Require Import setting token_priority_graph graph_svm.
Open Scope R_scope.

(* inside i j says whether token j is in the component of the label of sample i *)
Definition component_of_label (D : data) (inside : nat -> nat -> bool) : Prop := forall i j,
  (i < samples D)%nat -> (j < tokens D)%nat ->
  (inside i j = true <-> same D (last D i) (label D i) j).

(* the cyclic sub-data: the same samples and weights, each context cut down to the label's
   component *)
Definition cut (D : data) (inside : nat -> nat -> bool) : data :=
  Data (tokens D) (dims D) (samples D) (embedding D)
    (fun i j => if inside i j then count D i j else 0) (last D) (label D) (weight D).

(* attention mass inside and outside of the label's component *)
Definition mass_inside (D : data) (inside : nat -> nat -> bool) (W : matrix) (i : nat) : R :=
  Sum (tokens D) (fun j => if inside i j then mass D W i j else 0).
Definition mass_outside (D : data) (inside : nat -> nat -> bool) (W : matrix) (i : nat) : R :=
  Sum (tokens D) (fun j => if inside i j then 0 else mass D W i j).

(* sum_i weight_i log(1 + mass outside / mass inside) *)
Definition leak (D : data) (inside : nat -> nat -> bool) (W : matrix) : R :=
  Sum (samples D) (fun i => weight D i *
    ln (1 + mass_outside D inside W i / mass_inside D inside W i)).

(* W and P agree inside components: their difference is orthogonal to S_fin, as is the difference
   of W
   and its projection onto S_fin *)
Definition agree_inside (D : data) (W P : matrix) : Prop := forall k i j,
  (k < tokens D)%nat -> (i < tokens D)%nat -> (j < tokens D)%nat -> same D k i j ->
  inner D (pair D k i j) W = inner D (pair D k i j) P.

(* ------------------------------------------------------------------ lemmas *)

Lemma cut_score : forall D inside W k j, score (cut D inside) W k j = score D W k j.
Proof. reflexivity. Qed.

Lemma label_inside : forall D inside i, realisable D -> component_of_label D inside ->
  (i < samples D)%nat -> inside i (label D i) = true.
Proof.
  intros D inside i H C Hi. destruct (H i Hi) as (A & _). apply C; auto. split; apply stay.
Qed.

Lemma cut_realisable : forall D inside, realisable D -> component_of_label D inside ->
  realisable (cut D inside).
Proof.
  intros D inside H C i Hi. simpl in *. destruct (H i Hi) as (A & B & E & N).
  rewrite (label_inside D inside i H C Hi). repeat split; auto.
  intros j Hj. destruct (inside i j); [auto | lra].
Qed.

Section Masses.
Variables (D : data) (inside : nat -> nat -> bool).
Hypothesis H : realisable D.
Hypothesis C : component_of_label D inside.

Let Zin (W : matrix) (i : nat) : R :=
  total (tokens D) (fun j => if inside i j then count D i j else 0) (score D W (last D i)).
Let Zout (W : matrix) (i : nat) : R :=
  total (tokens D) (fun j => if inside i j then 0 else count D i j) (score D W (last D i)).

Lemma total_split : forall W i,
  total (tokens D) (count D i) (score D W (last D i)) = Zin W i + Zout W i.
Proof.
  intros. unfold Zin, Zout, total. rewrite <- Sum_plus. apply Sum_ext. intros.
  destruct (inside i k); ring.
Qed.

Lemma Zin_pos : forall W i, (i < samples D)%nat -> 0 < Zin W i.
Proof.
  intros W i Hi. destruct (cut_realisable D inside H C i Hi) as (A & B & _ & N).
  exact (total_pos _ _ (score D W (last D i)) _ A B N).
Qed.

Lemma Zout_nonneg : forall W i, (i < samples D)%nat -> 0 <= Zout W i.
Proof.
  intros W i Hi. destruct (H i Hi) as (_ & _ & _ & N). apply Sum_nonneg. intros j Hj.
  apply Rmult_le_pos; [|left; apply exp_pos]. destruct (inside i j); [lra | auto].
Qed.

Lemma odds : forall W i, (i < samples D)%nat ->
  mass_outside D inside W i / mass_inside D inside W i = Zout W i / Zin W i.
Proof.
  intros W i Hi. pose proof (Zin_pos W i Hi). pose proof (Zout_nonneg W i Hi).
  set (Z := total (tokens D) (count D i) (score D W (last D i))).
  assert (Zpos : 0 < Z) by (unfold Z; rewrite total_split; lra).
  assert (I : mass_inside D inside W i = Zin W i / Z).
  { unfold mass_inside, mass, share, Zin, total, Rdiv. fold Z. rewrite <- Sum_scal_r. apply Sum_ext.
    intros. unfold Z. destruct (inside i k); unfold total; ring. }
  assert (O : mass_outside D inside W i = Zout W i / Z).
  { unfold mass_outside, mass, share, Zout, total, Rdiv. fold Z. rewrite <- Sum_scal_r.
    apply Sum_ext.
    intros. unfold Z. destruct (inside i k); unfold total; ring. }
  rewrite I, O. field. lra.
Qed.

Lemma sample_split : forall W i, (i < samples D)%nat ->
  - ln (mass D W i (label D i)) = - ln (mass (cut D inside) W i (label D i)) +
    ln (1 + mass_outside D inside W i / mass_inside D inside W i).
Proof.
  intros W i Hi. pose proof (Zin_pos W i Hi) as P. pose proof (Zout_nonneg W i Hi) as Q.
  rewrite odds, loss_sample by auto.
  pose proof (loss_sample (cut D inside) W i (cut_realisable D inside H C) Hi) as E.
  simpl label in E. simpl last in E. rewrite E. simpl tokens. simpl count.
  rewrite (label_inside D inside i H C Hi). rewrite total_split.
  change (score (cut D inside) W (last D i)) with (score D W (last D i)).
  fold (Zin W i).
  replace (1 + Zout W i / Zin W i) with ((Zin W i + Zout W i) * / Zin W i) by (field; lra).
  rewrite ln_mult, ln_Rinv; try lra. apply Rinv_0_lt_compat; auto.
Qed.

(* The cyclic part is the same for matrices that agree inside components. *)
Lemma cyclic_part : forall W P, (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) ->
  agree_inside D W P -> loss (cut D inside) W = loss (cut D inside) P.
Proof.
  intros W P HL A. unfold loss. simpl. apply Sum_ext. intros i Hi.
  destruct (H i Hi) as (Hy & _). unfold mass. simpl. f_equal. f_equal. f_equal.
  set (y := label D i). set (k := last D i).
  rewrite <- (share_shift _ _ (score (cut D inside) P k) (score D W k y - score D P k y)).
  change (score (cut D inside)) with (score D). unfold share.
  replace (score D P k y + (score D W k y - score D P k y)) with (score D W k y) by ring.
  f_equal. unfold total. apply Sum_ext. intros j Hj. destruct (inside i j) eqn:I; [|ring].
  apply C in I; auto. pose proof (A k y j (HL i Hi) Hy Hj I) as X. rewrite !pair_score in X.
  f_equal. f_equal. lra.
Qed.

End Masses.

Lemma leak_terms : forall D inside W i, realisable D -> component_of_label D inside ->
  (i < samples D)%nat -> 0 <= mass_outside D inside W i / mass_inside D inside W i.
Proof.
  intros D inside W i H C Hi. rewrite odds by auto.
  apply Rdiv_le_0_compat; [apply Zout_nonneg | apply Zin_pos]; auto.
Qed.

Lemma leak_nonneg : forall D inside W, realisable D -> component_of_label D inside ->
  0 <= leak D inside W.
Proof.
  intros D inside W H C. apply Sum_nonneg. intros i Hi. destruct (H i Hi) as (_ & _ & P & _).
  pose proof (leak_terms D inside W i H C Hi).
  apply Rmult_le_pos; [lra|]. rewrite <- ln_1. apply Rcomplements.ln_le; lra.
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* The loss is the loss of the cyclic sub-data, at the projected matrix, plus the leak. *)
Theorem split : forall D inside W P, realisable D -> component_of_label D inside ->
  (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) -> agree_inside D W P ->
  loss D W = loss (cut D inside) P + leak D inside W.
Proof.
  intros D inside W P H C HL A. rewrite <- (cyclic_part D inside H C W P HL A).
  unfold loss, leak. simpl. rewrite <- Sum_plus. apply Sum_ext. intros i Hi.
  rewrite (sample_split D inside H C W i Hi). ring.
Qed.

(* Adding c times a matrix that meets the priorities leaves the cyclic part alone, and the leak
   falls
   at least as fast as e^(-c). *)
Theorem leak_dies : forall D inside W S c, realisable D -> component_of_label D inside ->
  (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) -> feasible D S -> 0 <= c ->
  loss (cut D inside) W <= loss D (add W (scale c S)) <=
  loss (cut D inside) W + exp (- c) * Sum (samples D) (fun i => weight D i *
    (mass_outside D inside W i / mass_inside D inside W i)).
Proof.
  intros D inside W S c H C HL F Hc.
  rewrite (split D inside (add W (scale c S)) W H C HL).
  2: { intros k i j Hk Hi Hj X. destruct (F k i j Hk Hi Hj) as [E _]. specialize (E X).
       rewrite pair_score in *. rewrite pair_score, !score_add, !score_scale. nra. }
  split; [pose proof (leak_nonneg D inside (add W (scale c S)) H C); lra|].
  apply Rplus_le_compat_l. unfold leak. rewrite <- Sum_scal. apply Sum_le. intros i Hi.
  destruct (H i Hi) as (Hy & My & P & N).
  rewrite !odds by auto. set (k := last D i). set (y := label D i).
  replace (exp (- c) * (weight D i * _)) with
    (weight D i * (exp (- c) * (total (tokens D) (fun j =>
      if inside i j then 0 else count D i j) (score D W k)
      / total (tokens D) (fun j => if inside i j then count D i j else 0) (score D W k)))) by
        (unfold k; ring).
  apply Rmult_le_compat_l; [lra|].
  set (Zi := total (tokens D) (fun j => if inside i j then count D i j else 0) (score D W k)).
  set (Zo := total (tokens D) (fun j => if inside i j then 0 else count D i j) (score D W k)).
  set (Ni := total (tokens D) (fun j => if inside i j then count D i j else 0) (score D (add W
    (scale c S)) k)).
  set (No := total (tokens D) (fun j => if inside i j then 0 else count D i j) (score D (add W
    (scale c S)) k)).
  assert (Zp : 0 < Zi) by (apply (Zin_pos D inside H C); auto).
  assert (No0 : 0 <= No) by (apply (Zout_nonneg D inside H); auto).
  set (s := c * score D S k y).
  assert (EN : Ni = exp s * Zi).
  { unfold Ni, Zi, total. rewrite <- Sum_scal. apply Sum_ext. intros j Hj.
    destruct (inside i j) eqn:I; [|ring]. apply C in I; auto.
    destruct (F k y j (HL i Hi) Hy Hj) as [E _]. specialize (E I). rewrite pair_score in E.
    rewrite score_add, score_scale, exp_plus. unfold s.
    replace (score D S k j) with (score D S k y) by lra. ring. }
  assert (LN : No <= exp (s - c) * Zo).
  { unfold No, Zo, total. rewrite <- Sum_scal. apply Sum_le. intros j Hj.
    destruct (inside i j) eqn:I; [lra|].
    destruct (Rle_lt_or_eq_dec 0 (count D i j) (N j Hj)) as [Q | Z]; [|rewrite <- Z; lra].
    assert (A : above D k y j).
    { destruct (context D i j H Hi Hj Q) as [X | X]; auto. apply C in X; auto. congruence. }
    destruct (F k y j (HL i Hi) Hy Hj) as [_ E]. specialize (E A). rewrite pair_score in E.
    rewrite score_add, score_scale.
    replace (exp (s - c) * (count D i j * exp (score D W k j))) with
      (count D i j * (exp (score D W k j + (s - c)))) by (rewrite exp_plus; ring).
    apply Rmult_le_compat_l; [lra|]. apply exp_mono. unfold s. nra. }
  apply Rle_trans with (No / Ni).
  - pose proof (exp_pos s). assert (0 < Ni) by (rewrite EN; nra).
    pose proof (Rdiv_le_0_compat No Ni No0 ltac:(auto)).
    apply Rle_trans with (ln (exp (No / Ni))); [|rewrite ln_exp; lra].
    apply Rcomplements.ln_le; [lra|]. apply exp_ineq1_le.
  - pose proof (exp_pos s). unfold Rdiv. rewrite EN.
    apply Rle_trans with (exp (s - c) * Zo * / (exp s * Zi)).
    + apply Rmult_le_compat_r; auto. left. apply Rinv_0_lt_compat. nra.
    + unfold Rminus. rewrite exp_plus. apply Req_le. field. lra.
Qed.

(* The loss and its cyclic part have the same lower bounds, hence one infimum, attained or not. *)
Theorem same_infimum : forall D inside S b, realisable D -> component_of_label D inside ->
  (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) -> feasible D S ->
  (forall W, b <= loss (cut D inside) W) <-> (forall W, b <= loss D W).
Proof.
  intros D inside S b H C HL F. split; intros B W.
  - pose proof (leak_dies D inside W S 0 H C HL F ltac:(lra)) as [L _].
    rewrite (split D inside W W H C HL); [|intros k p q _ _ _ _; reflexivity].
    pose proof (leak_nonneg D inside W H C). pose proof (B W). lra.
  - apply Rnot_lt_le. intros P. set (d := b - loss (cut D inside) W) in *.
    set (X := Sum (samples D) (fun i => weight D i *
      (mass_outside D inside W i / mass_inside D inside W i))).
    assert (X0 : 0 <= X).
    { apply Sum_nonneg. intros i Hi. destruct (H i Hi) as (_ & _ & Q & _).
      apply Rmult_le_pos; [lra|]. apply leak_terms; auto. }
    assert (d0 : 0 < d) by (unfold d; lra).
    assert (c0 : 0 <= X / d) by (apply Rdiv_le_0_compat; lra).
    pose proof (leak_dies D inside W S (X / d) H C HL F c0) as [_ U]. fold X in U.
    pose proof (B (add W (scale (X / d) S))) as BW.
    pose proof (exp_pos (- (X / d))) as E0. pose proof (exp_ineq1_le (X / d)) as E1.
    assert (E2 : exp (- (X / d)) * exp (X / d) = 1).
    { rewrite <- exp_plus. replace (- (X / d) + X / d) with 0 by ring. apply exp_0. }
    assert (E3 : exp (- (X / d)) * (1 + X / d) <= 1) by nra.
    assert (E4 : exp (- (X / d)) * (d + X) <= d).
    { replace (d + X) with ((1 + X / d) * d) by (field; lra). nra. }
    assert (exp (- (X / d)) * d > 0) by nra. unfold d in *. lra.
Qed.

(* So the loss has the infimum of the cyclic part, and wherever some context holds a token below its
   label it is never reached: the loss lies strictly above the cyclic part at every W. *)
Theorem not_attained : forall D inside W i j, realisable D -> component_of_label D inside ->
  (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) ->
  (i < samples D)%nat -> (j < tokens D)%nat -> 0 < count D i j -> above D (last D i)
    (label D i) j ->
  loss (cut D inside) W < loss D W.
Proof.
  intros D inside W i j H C HL Hi Hj Hc A.
  rewrite (split D inside W W H C HL); [|intros k p q _ _ _ _; reflexivity].
  enough (0 < leak D inside W) by lra. unfold leak.
  assert (T : forall l, (l < samples D)%nat ->
    0 <= weight D l * ln (1 + mass_outside D inside W l / mass_inside D inside W l)).
  { intros l Hl. destruct (H l Hl) as (_ & _ & P & _). pose proof (leak_terms D inside W l H C Hl).
    apply Rmult_le_pos; [lra|]. rewrite <- ln_1. apply Rcomplements.ln_le; lra. }
  apply (Sum_pos _ _ i); auto. destruct (H i Hi) as (_ & _ & P & N).
  apply Rmult_lt_0_compat; auto. rewrite <- ln_1. apply ln_increasing; [lra|]. rewrite odds by auto.
  enough (0 < total (tokens D) (fun j => if inside i j then 0 else count D i j) (score D W
    (last D i))).
  { pose proof (Zin_pos D inside H C W i Hi). pose proof (Rdiv_lt_0_compat _ _ H0 H1). lra. }
  apply (total_pos _ _ _ j); auto.
  - destruct (inside i j) eqn:I; auto. apply C in I; auto. destruct A, I. contradiction.
  - intros l Hl. destruct (inside i l); [lra | auto].
Qed.

(* THEOREM split | holds-as-printed | The log-loss is the log-loss of the cyclic sub-data at the
   projected matrix plus the mean of log(1 + mass outside / mass inside), for all data and all W. *)
(* THEOREM leak_dies | holds-as-printed | From any W, c times a matrix that meets the priorities leaves
   the cyclic part alone and brings the loss down to it, up to a multiple of e^(-c). *)
(* THEOREM same_infimum | holds-as-printed | The loss and the cyclic part have the same lower bounds,
   hence the same infimum. *)
(* THEOREM not_attained | holds-as-printed | Where some context holds a token below its label, the loss
   lies strictly above its infimum at every W. *)
(* BRIDGE leak | lib.mechanics.loss_split.SplitLoss.leak | data, W *)
(* BRIDGE mass_outside | lib.mechanics.loss_split.SplitLoss.outside_mass | data, W *)
(* BRIDGE cut | lib.mechanics.loss_split.SplitLoss.cyclic | data, W: the loss of the cut data *)
