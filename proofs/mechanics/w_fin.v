(* "The finite part" of "Mechanics of Next Token Prediction": what the minimiser of the loss of
   the cyclic sub-data is, and that there is at most one.
   Proved for every number of tokens, dimensions and samples, all multiplicities >= 0 and all
   weights > 0.  The likelihood equations need a head with C E^T = I, uniqueness nothing of the
   embeddings. The loss grows without bound along each ray of the cyclic subspace; that a convex
   function which does so has a minimiser is not proved here. *)
From Coq Require Import Reals Lra Lia Classical.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
From Mechanics Require Import setting convexity token_priority_graph graph_svm loss_split.
Open Scope R_scope.

Definition minimises (D : data) (W : matrix) : Prop := forall V, loss D W <= loss D V.

(* For each last token k and each token j: how often attention expects j, and how often j is the
   label.  (Counts of samples, each with its weight.) *)
Definition expected (D : data) (W : matrix) (k j : nat) : R :=
  Sum (samples D) (fun i => weight D i * (delta (last D i) k * mass D W i j)).
Definition observed (D : data) (k j : nat) : R :=
  Sum (samples D) (fun i => weight D i * (delta (last D i) k * delta (label D i) j)).

(* W lies in the cyclic subspace: it is a combination of (e_i - e_j) e_k^T with i, j in one
   component *)
Definition in_cyclic_subspace (D : data) (W : matrix) : Prop :=
  exists (n : nat) (k i j : nat -> nat) (lam : nat -> R),
    (forall r, (r < n)%nat -> (k r < tokens D)%nat /\ (i r < tokens D)%nat /\
      (j r < tokens D)%nat /\
       same D (k r) (i r) (j r)) /\
    forall a b, W a b = Sum n (fun r => lam r * pair D (k r) (i r) (j r) a b).

(* ------------------------------------------------------------------ Jensen's inequality *)

Definition gap (K : nat) (s v : nat -> R) : R := ln (Sum K (fun j => s j * exp (v j))) - mean K s v.

(* log of the mean of e^v is at least the mean of v, with equality only where v is its mean *)
Lemma jensen : forall K s v, Sum K s = 1 -> (forall j, (j < K)%nat -> 0 <= s j) ->
  0 <= gap K s v /\
  (gap K s v = 0 -> forall j, (j < K)%nat -> 0 < s j -> v j = mean K s v).
Proof.
  intros K s v H N. set (c := mean K s v).
  set (X := Sum K (fun j => s j * exp (v j - c))).
  assert (E : Sum K (fun j => s j * exp (v j)) = exp c * X).
  { unfold X. rewrite <- Sum_scal. apply Sum_ext. intros.
    replace (exp (v k)) with (exp c * exp (v k - c)) by (rewrite <- exp_plus; f_equal; ring).
    ring. }
  assert (Y : X - 1 = Sum K (fun j => s j * (exp (v j - c) - 1 - (v j - c)))).
  { rewrite (Sum_ext K _ (fun j => s j * exp (v j - c) - s j - (s j * v j - s j * c))) by
      (intros; ring).
    rewrite !Sum_minus, Sum_scal_r, H. fold (mean K s v). fold c. fold X. ring. }
  assert (P : forall j, (j < K)%nat -> 0 <= s j * (exp (v j - c) - 1 - (v j - c))).
  { intros j Hj. pose proof (exp_ineq1_le (v j - c)). pose proof (N j Hj).
    apply Rmult_le_pos; lra. }
  assert (X1 : 1 <= X) by (pose proof (Sum_nonneg _ _ P); lra).
  assert (G : gap K s v = ln X).
  { unfold gap. fold c. rewrite E, ln_mult, ln_exp; try lra. apply exp_pos. }
  split.
  - rewrite G, <- ln_1. apply Rcomplements.ln_le; lra.
  - intros Z j Hj Sj. rewrite G in Z. rewrite <- ln_1 in Z. apply ln_inv in Z; try lra.
    rewrite Z in Y. replace (1 - 1) with 0 in Y by ring.
    pose proof (Sum_zero_terms _ _ j Hj P (eq_sym Y)) as T. simpl in T.
    apply Rmult_integral in T. destruct T as [T | T]; [lra|].
    destruct (Req_dec (v j - c) 0) as [D | D]; [lra|]. pose proof (exp_ineq1 _ D). lra.
Qed.

(* ------------------------------------------------------------------ the loss above its tangent *)

Lemma total_ratio : forall K m a v, 0 < total K m a ->
  total K m (fun j => a j + v j) = total K m a * Sum K (fun j => share K m a j * exp (v j)).
Proof.
  intros K m a v P. unfold total at 1. rewrite <- Sum_scal. apply Sum_ext. intros.
  unfold share. rewrite exp_plus. field. lra.
Qed.

Lemma loss_above_tangent : forall D W V, realisable D ->
  loss D (add W V) = loss D W +
    Sum (samples D) (fun i => weight D i *
      (mean (tokens D) (mass D W i) (score D V (last D i)) - score D V (last D i) (label D i))) +
    Sum (samples D) (fun i => weight D i * gap (tokens D) (mass D W i) (score D V (last D i))).
Proof.
  intros D W V H. unfold loss. rewrite <- !Sum_plus. apply Sum_ext. intros i Hi.
  destruct (H i Hi) as (A & B & _ & N). rewrite !loss_sample by auto. rewrite score_add.
  pose proof (total_pos _ _ (score D W (last D i)) _ A B N) as T.
  assert (E : total (tokens D) (count D i) (score D (add W V) (last D i)) =
    total (tokens D) (count D i) (fun j => score D W (last D i) j + score D V (last D i) j))
    by (apply Sum_ext; intros; rewrite score_add; reflexivity).
  rewrite E, total_ratio by auto.
  assert (Q : 0 < Sum (tokens D) (fun j => mass D W i j * exp (score D V (last D i) j))).
  { apply (Sum_pos _ _ (label D i)); auto.
    - intros. apply Rmult_le_pos; [apply mass_nonneg; auto | left; apply exp_pos].
    - apply Rmult_lt_0_compat; [apply share_pos; auto | apply exp_pos]. }
  unfold gap. unfold mass in Q |- *. rewrite ln_mult; auto. ring.
Qed.

(* the slope at W in direction V, collected by last token and token *)
Lemma slope_by_counts : forall D W V, realisable D ->
  (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) ->
  Sum (samples D) (fun i => weight D i *
    (mean (tokens D) (mass D W i) (score D V (last D i)) - score D V (last D i) (label D i))) =
  Sum (tokens D) (fun k => Sum (tokens D) (fun j =>
    (expected D W k j - observed D k j) * score D V k j)).
Proof.
  intros D W V H HL. symmetry.
  rewrite (Sum_ext (tokens D) _ (fun k => Sum (samples D) (fun i => Sum (tokens D) (fun j =>
    delta (last D i) k * (weight D i * ((mass D W i j - delta (label D i) j) * score D V k j)))))).
  2: { intros k Hk. rewrite Sum_swap. apply Sum_ext. intros j Hj. unfold expected, observed.
       rewrite <- Sum_minus, <- Sum_scal_r. apply Sum_ext. intros. ring. }
  rewrite Sum_swap. apply Sum_ext. intros i Hi. destruct (H i Hi) as (A & _).
  rewrite (Sum_ext (tokens D) _ (fun k => delta (last D i) k * Sum (tokens D) (fun j =>
    weight D i * ((mass D W i j - delta (label D i) j) * score D V k j))))
    by (intros; apply Sum_scal).
  rewrite (Sum_delta _ (last D i) (fun k => Sum (tokens D) (fun j =>
    weight D i * ((mass D W i j - delta (label D i) j) * score D V k j)))) by auto.
  rewrite Sum_scal. f_equal.
  rewrite (Sum_ext _ _ (fun j => mass D W i j * score D V (last D i) j -
    delta (label D i) j * score D V (last D i) j)) by (intros; ring).
  rewrite Sum_minus, Sum_delta by auto. reflexivity.
Qed.

Lemma gaps_nonneg : forall D W V i, realisable D -> (i < samples D)%nat ->
  0 <= weight D i * gap (tokens D) (mass D W i) (score D V (last D i)).
Proof.
  intros D W V i H Hi. destruct (H i Hi) as (_ & _ & P & _). apply Rmult_le_pos; [lra|].
  apply jensen; [apply mass_sum; auto | intros; apply mass_nonneg; auto].
Qed.

Lemma slope_zero_at_minimum : forall D W V, realisable D -> minimises D W ->
  Sum (samples D) (fun i => weight D i *
    (mean (tokens D) (mass D W i) (score D V (last D i)) - score D V (last D i) (label D i))) = 0.
Proof.
  intros D W V H M.
  pose proof (loss_derive D W V 0 H) as X.
  assert (F : Derive (fun u => loss D (add W (scale u V))) 0 = 0).
  { assert (D0 : derivable_pt (fun u => loss D (add W (scale u V))) 0)
      by (apply ex_derive_Reals_0; eexists; apply X).
    rewrite <- (Derive_Reals _ 0 D0).
    apply (deriv_minimum (fun u => loss D (add W (scale u V))) (-1) 1 0 D0); try lra.
    intros x _ _. replace (loss D (add W (scale 0 V))) with (loss D W); [apply M|].
    unfold loss, mass. apply Sum_ext. intros i Hi. destruct (H i Hi) as (A & _).
    f_equal. f_equal. f_equal. apply share_ext; auto. intros. rewrite score_add, score_scale.
    ring. }
  assert (Y := is_derive_unique _ _ _ X). rewrite <- (eq_trans (eq_sym Y) F). apply Sum_ext.
  intros i Hi. f_equal. f_equal.
  unfold mean. apply Sum_ext. intros j Hj. f_equal. apply share_ext; auto.
  intros. rewrite score_add, score_scale. ring.
Qed.

Lemma difference : forall D W V i j, (j < tokens D)%nat ->
  mass D (add W (add V (scale (-1) W))) i j = mass D V i j.
Proof. intros. apply share_ext; auto. intros. rewrite !score_add, score_scale. ring. Qed.

Lemma loss_difference : forall D W V, realisable D -> loss D (add W (add V (scale (-1) W))) =
  loss D V.
Proof.
  intros D W V H. apply Sum_ext. intros i Hi. destruct (H i Hi) as (A & _).
  rewrite difference; auto.
Qed.

(* Two minimisers differ by the same score on all tokens of a context. *)
Lemma minimisers_agree_on_contexts : forall D W V i j, realisable D -> minimises D W ->
  minimises D V ->
  (i < samples D)%nat -> (j < tokens D)%nat -> 0 < count D i j ->
  score D V (last D i) j - score D W (last D i) j =
  score D V (last D i) (label D i) - score D W (last D i) (label D i).
Proof.
  intros D W V i j H MW MV Hi Hj Hc. set (U := add V (scale (-1) W)).
  assert (L : loss D (add W U) = loss D W).
  { unfold U. rewrite loss_difference by auto. apply Rle_antisym; auto. }
  rewrite loss_above_tangent, slope_zero_at_minimum in L by auto.
  assert (Z : Sum (samples D) (fun i => weight D i * gap (tokens D) (mass D W i) (score D U
    (last D i))) = 0) by lra.
  apply (Sum_zero_terms _ _ i) in Z; auto; [|intros; apply gaps_nonneg; auto].
  simpl in Z. destruct (H i Hi) as (A & B & P & N).
  apply Rmult_integral in Z. destruct Z as [Z | Z]; [lra|].
  destruct (jensen (tokens D) (mass D W i) (score D U (last D i))) as [_ J];
    [apply mass_sum; auto | intros; apply mass_nonneg; auto|].
  assert (X : forall l, (l < tokens D)%nat -> 0 < count D i l -> score D U (last D i) l =
    mean (tokens D) (mass D W i) (score D U (last D i)))
    by (intros; apply J; auto; apply share_pos; auto).
  pose proof (X j Hj Hc) as Xj. pose proof (X _ A B) as Xy.
  unfold U in Xj, Xy. rewrite score_add, score_scale in Xj, Xy. lra.
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* The minimisers are the solutions of the likelihood equations of Luce's choice model: for every
   last
   token, attention expects every token as often as it is the label. *)
Theorem likelihood_equations : forall D C W, realisable D -> head D C ->
  (forall i, (i < samples D)%nat -> (last D i < tokens D)%nat) ->
  (minimises D W <->
   forall k j, (k < tokens D)%nat -> (j < tokens D)%nat -> expected D W k j = observed D k j).
Proof.
  intros D C W H HC HL. split.
  - intros M k j Hk Hj.
    destruct (any_scores D C (fun l p => delta k l * delta j p) HC) as [V HV].
    pose proof (slope_zero_at_minimum D W V H M) as Z. rewrite slope_by_counts in Z by auto.
    rewrite (Sum_ext (tokens D) _ (fun l => delta k l * Sum (tokens D) (fun p =>
      delta j p * (expected D W l p - observed D l p)))) in Z.
    2: { intros l Hl. rewrite <- Sum_scal. apply Sum_ext. intros p Hp. rewrite HV by auto. ring. }
    rewrite (Sum_delta _ k (fun l => Sum (tokens D) (fun p =>
      delta j p * (expected D W l p - observed D l p)))) in Z by auto.
    rewrite (Sum_delta _ j (fun p => expected D W k p - observed D k p)) in Z by auto. lra.
  - intros E V. rewrite <- (loss_difference D W V H), loss_above_tangent, slope_by_counts by auto.
    rewrite (Sum_zero (tokens D)).
    2: { intros k Hk. apply Sum_zero. intros j Hj. rewrite E by auto. ring. }
    pose proof (Sum_nonneg (samples D) _ (fun i Hi => gaps_nonneg D W (add V (scale
      (-1) W)) i H Hi)).
    lra.
Qed.

(* Two minimisers of the cyclic part agree inside all components ... *)
Theorem unique_inside : forall D inside W V, realisable D -> component_of_label D inside ->
  minimises (cut D inside) W -> minimises (cut D inside) V -> agree_inside D W V.
Proof.
  intros D inside W V H C MW MV.
  assert (step : forall k p q, edge D k p q -> reach D k q p ->
    score D V k q - score D W k q = score D V k p - score D W k p).
  { intros k p q E R.
    pose proof (reach_edge D k p q E) as R'. destruct E as (s & Hs & L & Y & Hq & Hc & _).
    assert (I : inside s q = true) by (apply C; auto; rewrite L, Y; split; auto).
    pose proof (minimisers_agree_on_contexts (cut D inside) W V s q
      (cut_realisable D inside H C) MW MV Hs Hq) as X.
    simpl in X. rewrite I, L, Y in X. apply X. auto. }
  assert (along : forall k p q, reach D k p q -> reach D k q p ->
    score D V k q - score D W k q = score D V k p - score D W k p).
  { intros k p q R. induction R as [|p x q E R IH]; intros B; [reflexivity|].
    rewrite IH.
    - apply step; auto. eapply reach_trans; eauto.
    - eapply reach_trans; [exact B | apply reach_edge; auto]. }
  intros k i j Hk Hi Hj [A B]. rewrite !pair_score. pose proof (along k i j A B). lra.
Qed.

(* ... so in the cyclic subspace there is at most one. *)
Theorem unique : forall D inside W V, realisable D -> component_of_label D inside ->
  minimises (cut D inside) W -> minimises (cut D inside) V ->
  in_cyclic_subspace D W -> in_cyclic_subspace D V ->
  forall a b, (a < dims D)%nat -> (b < dims D)%nat -> W a b = V a b.
Proof.
  intros D inside W V H C MW MV SW SV a b Ha Hb.
  pose proof (unique_inside D inside W V H C MW MV) as A.
  set (U := add V (scale (-1) W)).
  assert (O : forall X, in_cyclic_subspace D X -> inner D X U = 0).
  { intros X (n & k & i & j & lam & HS & HX).
    rewrite (inner_ext D X (fun a b => Sum n (fun r => scale (lam r) (pair D (k r) (i r)
      (j r)) a b)))
      by (intros; apply HX).
    rewrite (inner_sum D n (fun r => scale (lam r) (pair D (k r) (i r) (j r)))).
    apply Sum_zero. intros r Hr. rewrite inner_scale. destruct (HS r Hr) as (Hk & Hi & Hj & S).
    pose proof (A _ _ _ Hk Hi Hj S) as E. unfold U.
    rewrite inner_sym, inner_add, inner_scale, !(inner_sym D _ (pair D (k r) (i r) (j r))).
    rewrite E. ring. }
  assert (Z : norm2 D U = 0).
  { unfold norm2. unfold U at 1. rewrite inner_add, inner_scale, (O V SV), (O W SW). ring. }
  pose proof (norm2_zero D U a b Z Ha Hb) as E. unfold U, add, scale in E. lra.
Qed.

(* A direction of the cyclic subspace along which no rival inside the component gains on the label
   of any sample changes nothing: around a circle of choices, however long, no score can fall. *)
Theorem no_escape : forall D inside V, realisable D -> component_of_label D inside ->
  in_cyclic_subspace D V ->
  (forall i j, (i < samples D)%nat -> (j < tokens D)%nat -> inside i j = true -> 0 < count D i j ->
    score D V (last D i) j <= score D V (last D i) (label D i)) ->
  forall a b, (a < dims D)%nat -> (b < dims D)%nat -> V a b = 0.
Proof.
  intros D inside V H C SV N a b Ha Hb.
  assert (falls : forall k p q, reach D k p q -> reach D k q p -> score D V k q <= score D V k p).
  { intros k p q R. induction R as [|p x q E R IH]; intros B; [lra|].
    assert (X : reach D k x p) by (eapply reach_trans; eauto).
    apply Rle_trans with (score D V k x).
    - apply IH. eapply reach_trans; [exact B | apply reach_edge; auto].
    - pose proof (reach_edge D k p x E) as R'. destruct E as (s & Hs & L & Y & Hx & Hc & _).
      rewrite <- L, <- Y. apply N; auto. apply C; auto. rewrite L, Y. split; auto. }
  assert (Z : norm2 D V = 0); [|apply (norm2_zero D V a b Z Ha Hb)].
  destruct SV as (n & k & i & j & lam & HS & HV). unfold norm2.
  rewrite (inner_ext D V (fun a b => Sum n (fun r => scale (lam r) (pair D (k r) (i r) (j r)) a b)))
    by (intros; apply HV).
  rewrite (inner_sum D n (fun r => scale (lam r) (pair D (k r) (i r) (j r)))).
  apply Sum_zero. intros r Hr. rewrite inner_scale, pair_score.
  destruct (HS r Hr) as (_ & _ & _ & A & B).
  pose proof (falls _ _ _ A B). pose proof (falls _ _ _ B A).
  replace (score D V (k r) (i r)) with (score D V (k r) (j r)) by lra. ring.
Qed.

Lemma share_below_1 : forall K m a y, (y < K)%nat -> 0 < m y ->
  (forall j, (j < K)%nat -> 0 <= m j) -> share K m a y <= 1.
Proof.
  intros K m a y Hy P N. rewrite <- (share_sum K m a (total_pos K m a y Hy P N)).
  apply (Sum_term_le K (share K m a)); auto.
  intros l Hl. apply (share_nonneg K m a y l); auto.
Qed.

(* one rival alone costs a sample at least its lead on the label *)
Lemma cost_of_rival : forall K m a y j, (y < K)%nat -> (j < K)%nat -> 0 < m y -> 0 < m j ->
  (forall l, (l < K)%nat -> 0 <= m l) -> a j - a y + ln (m j) - ln (m y) <= - ln (share K m a y).
Proof.
  intros K m a y j Hy Hj Py Pj N. rewrite log_share by auto.
  assert (T : m j * exp (a j) <= total K m a).
  { apply (Sum_term_le K (fun l => m l * exp (a l))); auto. intros l Hl.
    apply Rmult_le_pos; [auto | left; apply exp_pos]. }
  assert (L : ln (m j * exp (a j)) <= ln (total K m a)).
  { apply Rcomplements.ln_le; auto. apply Rmult_lt_0_compat; auto. apply exp_pos. }
  rewrite ln_mult, ln_exp in L; auto; [lra | apply exp_pos].
Qed.

(* The loss grows without bound along each ray of the cyclic subspace. *)
Theorem coercive : forall D inside W V top, realisable D -> component_of_label D inside ->
  in_cyclic_subspace D V ->
  (exists a b, (a < dims D)%nat /\ (b < dims D)%nat /\ V a b <> 0) ->
  exists from, forall t, from <= t -> top <= loss (cut D inside) (add W (scale t V)).
Proof.
  intros D inside W V top H C SV (a & b & Ha & Hb & Z).
  assert (E : exists i j, (i < samples D)%nat /\ (j < tokens D)%nat /\ inside i j = true /\
    0 < count D i j /\ score D V (last D i) (label D i) < score D V (last D i) j).
  { apply NNPP. intros X. apply Z. apply (no_escape D inside V H C SV); auto.
    intros i j Hi Hj I P. apply Rnot_lt_le. intros L. apply X. exists i, j. auto. }
  destruct E as (i & j & Hi & Hj & I & P & L). destruct (H i Hi) as (Y & PY & PW & N).
  pose proof (cut_realisable D inside H C) as HC. destruct (HC i Hi) as (_ & CY & _ & CN).
  simpl in CY, CN. set (d := score D V (last D i) j - score D V (last D i) (label D i)).
  set (m := fun l => if inside i l then count D i l else 0).
  set (c := score D W (last D i) j - score D W (last D i) (label D i) + ln (m j) -
    ln (m (label D i))).
  exists ((top / weight D i - c) / d). intros t Ht.
  apply Rle_trans with (weight D i * - ln (mass (cut D inside) (add W (scale t V)) i (label D i))).
  - assert (Q : top / weight D i <= c + t * d).
    { apply Rmult_le_compat_r with (r := d) in Ht; [|unfold d; lra].
      replace ((top / weight D i - c) / d * d) with (top / weight D i - c) in Ht
        by (field; unfold d; split; lra). lra. }
    apply Rmult_le_compat_l with (r := weight D i) in Q; [|lra].
    replace (weight D i * (top / weight D i)) with top in Q by (field; lra).
    apply Rle_trans with (weight D i * (c + t * d)); [exact Q|]. apply Rmult_le_compat_l; [lra|].
    unfold mass. simpl.
    pose proof (cost_of_rival (tokens D) m (score (cut D inside) (add W (scale t V)) (last D i))
      (label D i) j Y Hj CY) as X.
    unfold m in X at 1. rewrite I in X. specialize (X P CN).
    change (score (cut D inside)) with (score D) in X. rewrite !score_add, !score_scale in X.
    fold m. change (score (cut D inside)) with (score D). unfold c, d. lra.
  - apply (Sum_term_le (samples D) (fun i => weight D i *
      - ln (mass (cut D inside) (add W (scale t V)) i (label D i)))); auto.
    intros k Hk. destruct (HC k Hk) as (A & B & PW' & N'). apply Rmult_le_pos; [simpl in PW'; lra|].
    pose proof (share_pos (tokens (cut D inside)) (count (cut D inside) k)
      (score (cut D inside) (add W (scale t V)) (last (cut D inside) k)) (label D k) A B N') as S0.
    pose proof (share_below_1 (tokens (cut D inside)) (count (cut D inside) k)
      (score (cut D inside) (add W (scale t V)) (last (cut D inside) k)) (label D k) A B N') as S1.
    assert (X := Rcomplements.ln_le _ _ S0 S1). rewrite ln_1 in X. unfold mass. lra.
Qed.

(* THEOREM likelihood_equations | holds-as-printed | With a head C E^T = I, a matrix minimises the
   log-loss exactly if, for every last token, attention expects every token as often as it is the
   label: the maximum-likelihood equations of Luce's choice model. *)
(* THEOREM unique_inside | holds-as-printed | Any two minimisers of the cyclic part give equal score
   differences inside every component. *)
(* THEOREM no_escape | holds-as-printed | A direction of the cyclic subspace along which no rival
   gains on a label, in components of any size, is zero. *)
(* THEOREM coercive | holds-as-printed | In the cyclic subspace the loss of the cyclic part grows
   without bound along each ray. *)
(* THEOREM unique | holds-as-printed | In the cyclic subspace the cyclic part has at most one
   minimiser. *)
