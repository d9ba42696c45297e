(* "Global convergence" of "Mechanics of Next Token Prediction", as far as it is proved here:
   gradient descent from any start brings the loss to its infimum, with a rate and an explicit
   step size; so it empties attention outside the label's component in every training context.
   That W / |W| converges to the Graph-SVM's direction is not proved
   here.
   Proved for every number of tokens, dimensions and samples, every start, all multiplicities >=
   0, and embeddings of squared length at most b, which need not be orthogonal; the step size eta
   is any with 0 < eta and eta b^2 <= 1, the weights of the samples sum to at most one. *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums calculus.
From Mechanics Require Import setting convexity token_priority_graph graph_svm loss_split w_fin.
Open Scope R_scope.

(* W(t): t steps of size eta against the gradient, from W0 *)
Fixpoint descent (D : data) (eta : R) (W0 : matrix) (t : nat) : matrix :=
  match t with
  | O => W0
  | S t => add (descent D eta W0 t) (scale (- eta) (gradient D (descent D eta W0 t)))
  end.

(* embeddings of squared length at most b, weights that sum to at most one, last tokens that
   exist *)
Definition bounded (D : data) (b : R) : Prop :=
  (forall j, (j < tokens D)%nat -> Sum (dims D) (fun a => embedding D j a ^ 2) <= b) /\
  Sum (samples D) (weight D) <= 1 /\
  forall i, (i < samples D)%nat -> (last D i < tokens D)%nat.

Definition minus (A B : matrix) : matrix := add A (scale (-1) B).

(* ------------------------------------------------------------------ how fast the loss can bend *)

Lemma inner_cauchy : forall D A V, inner D A V ^ 2 <= norm2 D A * norm2 D V.
Proof.
  intros D A V. pose proof (norm2_nonneg D V) as P. destruct (Req_dec (norm2 D V) 0) as [Z | NZ].
  - assert (E : inner D A V = 0).
    { unfold inner. apply Sum_zero. intros a Ha. apply Sum_zero. intros c Hc.
      rewrite (norm2_zero D V a c Z Ha Hc). ring. }
    rewrite E, Z. lra.
  - set (x := inner D A V / norm2 D V).
    pose proof (norm2_nonneg D (add A (scale (- x) V))) as Q. unfold norm2 in Q at 1.
    rewrite inner_add, inner_scale, (inner_sym D A (add _ _)), (inner_sym D V (add _ _)) in Q.
    rewrite !inner_add, !inner_scale, (inner_sym D V A) in Q.
    change (inner D A A) with (norm2 D A) in Q. change (inner D V V) with (norm2 D V) in Q.
    assert (E : norm2 D A + - x * inner D A V + - x * (inner D A V + - x * norm2 D V) =
      norm2 D A - inner D A V ^ 2 / norm2 D V) by (unfold x; field; auto).
    rewrite E in Q. assert (0 < norm2 D V) by lra.
    replace (inner D A V ^ 2) with (inner D A V ^ 2 / norm2 D V * norm2 D V) by (field; auto).
    apply Rmult_le_compat_r; lra.
Qed.

Lemma score_bound : forall D b V k j, bounded D b -> (k < tokens D)%nat -> (j < tokens D)%nat ->
  score D V k j ^ 2 <= b ^ 2 * norm2 D V.
Proof.
  intros D b V k j (B & _) Hk Hj. rewrite score_inner.
  eapply Rle_trans; [apply inner_cauchy|]. apply Rmult_le_compat_r; [apply norm2_nonneg|].
  assert (E : norm2 D (fun a c => embedding D j a * embedding D k c) =
    Sum (dims D) (fun a => embedding D j a ^ 2) * Sum (dims D) (fun c => embedding D k c ^ 2)).
  { unfold norm2, inner. rewrite <- Sum_scal_r. apply Sum_ext. intros a Ha. rewrite <- Sum_scal.
    apply Sum_ext. intros. ring. }
  rewrite E. pose proof (B k Hk). pose proof (B j Hj).
  assert (0 <= Sum (dims D) (fun a => embedding D j a ^ 2)) by (apply Sum_nonneg; intros;
    apply pow2_ge_0).
  assert (0 <= Sum (dims D) (fun a => embedding D k a ^ 2)) by (apply Sum_nonneg; intros;
    apply pow2_ge_0).
  simpl. rewrite Rmult_1_r. apply Rmult_le_compat; auto.
Qed.

Lemma variance_le : forall K s v B, Sum K s = 1 -> (forall j, (j < K)%nat -> 0 <= s j) ->
  (forall j, (j < K)%nat -> v j ^ 2 <= B) -> variance K s v <= B.
Proof.
  intros K s v B H N V. rewrite variance_alt by auto. pose proof (pow2_ge_0 (mean K s v)).
  assert (Sum K (fun j => s j * v j ^ 2) <= B).
  { rewrite <- (Rmult_1_l B), <- H, <- Sum_scal_r. apply Sum_le. intros j Hj.
    apply Rmult_le_compat_l; auto. }
  lra.
Qed.

(* the loss of a sample lies below a parabola: Taylor's theorem with the variance's bound *)
Lemma gap_le : forall K m a v B y, (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat -> 0 <= m j) ->
  (forall j, (j < K)%nat -> v j ^ 2 <= B) -> gap K (share K m a) v <= B / 2.
Proof.
  intros K m a v B y Hy P N V.
  pose (phi := fun u => ln (total K m (fun j => a j + u * v j))).
  pose (mu := fun u => mean K (share K m (fun j => a j + u * v j)) v).
  assert (Dphi : forall u, is_derive phi u (mu u)) by (intros; apply
    (log_total_derive K m a v u y); auto).
  assert (Dmu : forall u, is_derive mu u (variance K (share K m (fun j => a j + u * v j)) v))
    by (intros; apply (mean_derive K m a v u y); auto).
  assert (slope : forall u, 0 <= u -> 0 <= B * u + mu 0 - mu u).
  { intros u Hu. replace 0 with ((fun u => B * u + mu 0 - mu u) 0) at 1 by (simpl; ring).
    apply (increasing_flow (fun u => B * u + mu 0 - mu u)
      (fun u => B - variance K (share K m (fun j => a j + u * v j)) v)); try lra.
    - intros t _. evar_last.
      + apply @is_derive_minus; [|apply Dmu]. auto_derive; [exact I | reflexivity].
      + unfold Hierarchy.minus, plus, opp; simpl. ring.
    - intros t _. enough (variance K (share K m (fun j => a j + t * v j)) v <= B) by lra.
      apply variance_le; auto.
      + apply share_sum. apply (total_pos _ _ _ y); auto.
      + intros. apply (share_nonneg _ _ _ y); auto. }
  assert (Q : 0 <= B * 1 ^ 2 / 2 + 1 * mu 0 + phi 0 - phi 1).
  { replace 0 with ((fun u => B * u ^ 2 / 2 + u * mu 0 + phi 0 - phi u) 0) at 1 by (simpl; field).
    apply (increasing_flow (fun u => B * u ^ 2 / 2 + u * mu 0 + phi 0 - phi u)
      (fun u => B * u + mu 0 - mu u)); try lra; auto.
    intros t _. evar_last.
    - apply @is_derive_minus; [|apply Dphi]. auto_derive; [exact I | reflexivity].
    - unfold Hierarchy.minus, plus, opp; simpl. field. }
  assert (T : 0 < total K m a) by (apply (total_pos _ _ _ y); auto).
  assert (X : 0 < Sum K (fun j => share K m a j * exp (v j))).
  { apply (Sum_pos _ _ y); auto.
    - intros. apply Rmult_le_pos; [apply (share_nonneg _ _ _ y); auto | left; apply exp_pos].
    - apply Rmult_lt_0_compat; [apply share_pos; auto | apply exp_pos]. }
  assert (E1 : phi 1 = ln (total K m a) + ln (Sum K (fun j => share K m a j * exp (v j)))).
  { unfold phi. rewrite <- ln_mult, <- total_ratio by auto. f_equal. unfold total. apply Sum_ext.
    intros.
    f_equal. f_equal. ring. }
  assert (E0 : phi 0 = ln (total K m a)).
  { unfold phi. f_equal. unfold total. apply Sum_ext. intros. f_equal. f_equal. ring. }
  assert (M0 : mu 0 = mean K (share K m a) v).
  { unfold mu, mean. apply Sum_ext. intros. f_equal. apply share_ext; auto. intros. ring. }
  unfold gap. lra.
Qed.

Lemma slope_is_gradient : forall D W V, realisable D ->
  Sum (samples D) (fun i => weight D i *
    (mean (tokens D) (mass D W i) (score D V (last D i)) - score D V (last D i) (label D i))) =
  inner D (gradient D W) V.
Proof.
  intros D W V H. pose proof (is_derive_unique _ _ _ (gradient_correct D W V H)) as A.
  pose proof (is_derive_unique _ _ _ (loss_derive D W V 0 H)) as B.
  rewrite <- (eq_trans (eq_sym B) A). apply Sum_ext. intros i Hi. f_equal. f_equal. unfold mean.
  apply Sum_ext. intros j Hj. f_equal. apply share_ext; auto. intros.
  rewrite score_add, score_scale. ring.
Qed.

(* The loss lies above its tangent and below a parabola of curvature b^2. *)
Lemma between : forall D b W V, realisable D -> bounded D b ->
  loss D W + inner D (gradient D W) V <= loss D (add W V) <=
  loss D W + inner D (gradient D W) V + b ^ 2 * norm2 D V / 2.
Proof.
  intros D b W V H B. rewrite loss_above_tangent, slope_is_gradient by auto. split.
  - pose proof (Sum_nonneg (samples D) _ (fun i Hi => gaps_nonneg D W V i H Hi)). lra.
  - apply Rplus_le_compat_l. pose proof B as (_ & S1 & HL). pose proof (norm2_nonneg D V).
    set (M := b ^ 2 * norm2 D V). assert (0 <= M) by (apply Rmult_le_pos; [apply pow2_ge_0 | auto]).
    apply Rle_trans with (Sum (samples D) (weight D) * (M / 2)).
    + rewrite <- Sum_scal_r. apply Sum_le. intros i Hi. destruct (H i Hi) as (A & C & P & N).
      apply Rmult_le_compat_l; [lra|]. apply (gap_le _ _ _ _ _ (label D i)); auto.
      intros j Hj. apply score_bound; auto.
    + nra.
Qed.

(* ------------------------------------------------------------------ one step *)

(* the loss at W + V from below by the tangent at W, from above by the parabola there *)
Lemma at_point : forall D b W V U, realisable D -> bounded D b ->
  (forall a c, U a c = add W V a c) ->
  loss D W + inner D (gradient D W) V <= loss D U <=
  loss D W + inner D (gradient D W) V + b ^ 2 * norm2 D V / 2.
Proof.
  intros D b W V U H B E. replace (loss D U) with (loss D (add W V)); [apply between; auto|].
  apply Sum_ext. intros i Hi. destruct (H i Hi) as (Hy & _). do 3 f_equal. apply share_ext; auto.
  intros. apply Sum_ext. intros. apply Sum_ext. intros. rewrite E. reflexivity.
Qed.

Lemma norm2_scale : forall D A x, norm2 D (scale x A) = x ^ 2 * norm2 D A.
Proof. intros. unfold norm2. rewrite inner_scale, inner_sym, inner_scale. ring. Qed.

Lemma norm2_add_scale : forall D A B x,
  norm2 D (add A (scale x B)) = norm2 D A + 2 * x * inner D A B + x ^ 2 * norm2 D B.
Proof.
  intros. unfold norm2. rewrite inner_add, inner_scale, (inner_sym D A (add _ _)),
    (inner_sym D B (add _ _)), !inner_add, !inner_scale, (inner_sym D B A). ring.
Qed.

(* What a step W' = W - eta g gains, with the gradients g and g' before and after it: tangents and
   parabolas at W' + eta g' and at W - eta g'. *)
Lemma one_step : forall D b eta W, realisable D -> bounded D b -> 0 < eta -> eta * b ^ 2 <= 1 ->
  let g := gradient D W in
  let W' := add W (scale (- eta) g) in
  let g' := gradient D W' in
  loss D W' <= loss D W - eta / 2 * (norm2 D g + norm2 D g') /\ norm2 D g' <= norm2 D g.
Proof.
  intros D b eta W H B Heta Hb g W' g'. set (d := add (scale eta g') (scale (- eta) g)).
  set (A := norm2 D g). set (A' := norm2 D g'). set (P := inner D g g').
  assert (Ed : norm2 D d = eta ^ 2 * (A - 2 * P + A')).
  { unfold d. rewrite norm2_add_scale, norm2_scale, inner_scale, (inner_sym D g' g). fold A A' P.
    ring. }
  pose proof (norm2_nonneg D d) as Nd. rewrite Ed in Nd.
  assert (apart : 0 <= A - 2 * P + A') by (assert (0 < eta ^ 2) by (apply pow_lt; auto); nra).
  assert (curve : b ^ 2 * norm2 D d / 2 <= eta * (A - 2 * P + A') / 2).
  { rewrite Ed. replace (b ^ 2 * (eta ^ 2 * (A - 2 * P + A')) / 2) with
      ((eta * b ^ 2) * (eta * (A - 2 * P + A') / 2)) by field.
    assert (0 <= eta * (A - 2 * P + A') / 2) by nra. nra. }
  pose proof (at_point D b W' (scale eta g') (add W' (scale eta g')) H B
    (fun _ _ => eq_refl)) as [low1 _].
  pose proof (at_point D b W d (add W' (scale eta g')) H B
    ltac:(intros; unfold d, W', add, scale; ring)) as [_ up1].
  pose proof (at_point D b W (scale (- eta) g') (add W (scale (- eta) g')) H B
    (fun _ _ => eq_refl)) as [low2 _].
  pose proof (at_point D b W' (scale (-1) d) (add W (scale (- eta) g')) H B
    ltac:(intros; unfold d, W', add, scale; ring)) as [_ up2].
  fold g in up1, low2. fold g' in low1, up2.
  rewrite inner_sym, inner_scale in low1, low2. fold (norm2 D g') in low1.
  rewrite (inner_sym D g' g) in low2.
  assert (Gd : inner D g d = eta * P - eta * A).
  { unfold d. rewrite inner_sym, inner_add, !inner_scale, (inner_sym D g' g). fold P.
    fold (norm2 D g). fold A. ring. }
  assert (Gd' : inner D g' (scale (-1) d) = eta * P - eta * A').
  { rewrite inner_sym, inner_scale. unfold d. rewrite inner_add, !inner_scale. fold P.
    fold (norm2 D g'). fold A'. ring. }
  rewrite Gd in up1. rewrite Gd', norm2_scale in up2. fold A' in low1. fold P in low2.
  split; nra.
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* The loss never rises, nor does the gradient, and after T steps it exceeds the loss of any V by at
   most |W0 - V|^2 / (4 eta T): |W - V|^2 + 2 eta T (loss W - loss V) + eta^2 T^2 |gradient|^2 never
   rises. *)
Theorem descent_rate : forall D b eta W0, realisable D -> bounded D b -> 0 < eta ->
  eta * b ^ 2 <= 1 ->
  (forall t, loss D (descent D eta W0 (S t)) <= loss D (descent D eta W0 t)) /\
  forall V T, (0 < T)%nat ->
    loss D (descent D eta W0 T) <= loss D V + norm2 D (minus W0 V) / (4 * eta * INR T).
Proof.
  intros D b eta W0 H B Heta Hb. set (W := descent D eta W0). set (g := fun t => gradient D (W t)).
  assert (step : forall t, loss D (W (S t)) <= loss D (W t) - eta / 2 * (norm2 D (g t) +
    norm2 D (g (S t))) /\ norm2 D (g (S t)) <= norm2 D (g t))
    by (intros; apply (one_step D b eta (W t) H B Heta Hb)).
  split.
  { intros t. destruct (step t) as [M _]. pose proof (norm2_nonneg D (g t)).
    pose proof (norm2_nonneg D (g (S t))). nra. }
  intros V T HT.
  assert (tangent : forall t, loss D (W t) - loss D V <= inner D (g t) (minus (W t) V)).
  { intros t. pose proof (at_point D b (W t) (minus V (W t)) V H B
      ltac:(intros; unfold minus, add, scale; ring)) as [L _]. fold (g t) in L.
    replace (inner D (g t) (minus V (W t))) with (- inner D (g t) (minus (W t) V)) in L; [lra|].
    unfold minus. rewrite !(inner_sym D (g t)), !inner_add, !inner_scale. ring. }
  assert (apart : forall t x, norm2 D (minus (add (W t) (scale (- x) (g t))) V) =
    norm2 D (minus (W t) V) - 2 * x * inner D (g t) (minus (W t) V) + x ^ 2 * norm2 D (g t)).
  { intros t x. transitivity (norm2 D (add (minus (W t) V) (scale (- x) (g t)))).
    - unfold norm2, inner. apply Sum_ext. intros. apply Sum_ext. intros. unfold minus, add, scale.
      ring.
    - rewrite norm2_add_scale, (inner_sym D (minus (W t) V)). ring. }
  assert (potential : forall t, norm2 D (minus (W t) V) + 2 * eta * INR t * (loss D (W t) -
    loss D V) + (eta * INR t) ^ 2 * norm2 D (g t) <= norm2 D (minus W0 V)).
  { induction t as [|t IH].
    - simpl. apply Req_le. unfold W. simpl. ring.
    - rewrite S_INR. eapply Rle_trans; [|exact IH]. destruct (step t) as [M N].
      pose proof (tangent t) as L. pose proof (pos_INR t) as Pt.
      change (W (S t)) with (add (W t) (scale (- eta) (g t))) at 1. rewrite apart.
      set (f := loss D (W t) - loss D V) in *. set (f' := loss D (W (S t)) - loss D V).
      set (A := norm2 D (g t)) in *. set (A' := norm2 D (g (S t))) in *. set (n := INR t) in *.
      assert (F : f' <= f - eta / 2 * (A + A')) by (unfold f, f'; lra).
      assert (X : 2 * eta * (n + 1) * f' <= 2 * eta * (n + 1) * (f - eta / 2 * (A + A')))
        by (apply Rmult_le_compat_l; [nra | exact F]).
      assert (Y : 2 * eta * f <= 2 * eta * inner D (g t) (minus (W t) V))
        by (apply Rmult_le_compat_l; lra).
      assert (Z : eta ^ 2 * (n * (n + 1)) * A' <= eta ^ 2 * (n * (n + 1)) * A)
        by (apply Rmult_le_compat_l; [apply Rmult_le_pos; nra | exact N]).
      nra. }
  assert (PT : 0 < INR T) by (apply lt_0_INR; auto).
  pose proof (potential T) as S. pose proof (tangent T) as L.
  pose proof (norm2_nonneg D (minus (add (W T) (scale (- (eta * INR T)) (g T))) V)) as Q.
  rewrite apart in Q.
  assert (Y : 2 * (eta * INR T) * (loss D (W T) - loss D V) <=
    2 * (eta * INR T) * inner D (g T) (minus (W T) V)) by (apply Rmult_le_compat_l; [nra | lra]).
  assert (P4 : 0 < 4 * eta * INR T) by nra.
  apply Rmult_le_reg_l with (4 * eta * INR T); auto. rewrite Rmult_plus_distr_l.
  replace (4 * eta * INR T * (norm2 D (minus W0 V) / (4 * eta * INR T))) with (norm2 D (minus W0 V))
    by (field; lra).
  lra.
Qed.

(* From any start the loss converges to its infimum, the least value of the cyclic part. *)
Theorem loss_to_infimum : forall D b eta W0 inside C F,
  realisable D -> bounded D b -> 0 < eta -> eta * b ^ 2 <= 1 -> head D C ->
  component_of_label D inside -> minimises (cut D inside) F ->
  is_lim_seq (fun t => loss D (descent D eta W0 t)) (loss (cut D inside) F).
Proof.
  intros D b eta W0 inside C F H B Heta Hb HC CO MF. pose proof B as (_ & _ & HL).
  destruct (feasibility D C HC) as [G FS].
  set (A := Sum (samples D) (fun i => weight D i *
    (mass_outside D inside F i / mass_inside D inside F i))).
  assert (A0 : 0 <= A).
  { apply Sum_nonneg. intros i Hi. destruct (H i Hi) as (_ & _ & P & _).
    apply Rmult_le_pos; [lra | apply leak_terms; auto]. }
  assert (lower : forall W, loss (cut D inside) F <= loss D W).
  { intros W. rewrite (split D inside W W H CO HL) by (intros k p q _ _ _ _; reflexivity).
    pose proof (leak_nonneg D inside W H CO). pose proof (MF W). lra. }
  apply is_lim_seq_spec. intros eps. pose proof (cond_pos eps) as Pe.
  set (c := 2 * A / eps). assert (Hc : 0 <= c) by (apply Rdiv_le_0_compat; lra).
  set (V := add F (scale c G)).
  pose proof (proj2 (leak_dies D inside F G c H CO HL FS Hc)) as LV. fold A V in LV.
  assert (small : exp (- c) * A < eps / 2).
  { rewrite exp_Ropp. pose proof (exp_ineq1_le c) as X. pose proof (exp_pos c).
    apply Rle_lt_trans with (/ (1 + c) * A).
    - apply Rmult_le_compat_r; auto. apply Rinv_le_contravar; lra.
    - unfold c. replace (/ (1 + 2 * A / eps) * A) with (A * eps / (eps + 2 * A)) by (field; lra).
      apply Rmult_lt_reg_r with (eps + 2 * A); [lra|].
      replace (A * eps / (eps + 2 * A) * (eps + 2 * A)) with (A * eps) by (field; lra). nra. }
  pose proof (norm2_nonneg D (minus W0 V)) as PV. set (n2 := norm2 D (minus W0 V)) in *.
  assert (Pee : 0 < eta * eps) by (apply Rmult_lt_0_compat; lra).
  destruct (nfloor_ex (n2 / (eta * eps)) (Rdiv_le_0_compat _ _ PV Pee)) as [N [_ HN]].
  exists (S N)%nat. intros T HT.
  assert (PT : 0 < INR T) by (apply lt_0_INR; lia).
  assert (NT : n2 / (eta * eps) < INR T).
  { apply Rlt_le_trans with (INR (S N)); [rewrite S_INR; auto | apply le_INR; auto]. }
  destruct (descent_rate D b eta W0 H B Heta Hb) as [_ R].
  pose proof (R V T ltac:(lia)) as X. fold n2 in X. pose proof (lower (descent D eta W0 T)) as Y.
  assert (Z : n2 / (4 * eta * INR T) < eps / 2).
  { apply Rmult_lt_reg_r with (4 * eta * INR T); [apply Rmult_lt_0_compat; lra|].
    replace (n2 / (4 * eta * INR T) * (4 * eta * INR T)) with n2 by (field; lra).
    apply (Rmult_lt_compat_r (eta * eps)) in NT; [|apply Rmult_lt_0_compat; lra].
    replace (n2 / (eta * eps) * (eta * eps)) with n2 in NT by (field; lra). lra. }
  rewrite Rabs_pos_eq by lra. lra.
Qed.

(* So both parts of the loss converge, and in every training context attention leaves all tokens
   outside of the label's component: hard retrieval on the training data, with nothing assumed. *)
Theorem training_contexts : forall D b eta W0 inside C F,
  realisable D -> bounded D b -> 0 < eta -> eta * b ^ 2 <= 1 -> head D C ->
  component_of_label D inside -> minimises (cut D inside) F ->
  is_lim_seq (fun t => loss (cut D inside) (descent D eta W0 t)) (loss (cut D inside) F) /\
  is_lim_seq (fun t => leak D inside (descent D eta W0 t)) 0 /\
  forall i, (i < samples D)%nat -> is_lim_seq (fun t => mass_outside D inside
    (descent D eta W0 t) i) 0.
Proof.
  intros D b eta W0 inside C F H B Heta Hb HC CO MF. pose proof B as (_ & _ & HL).
  pose proof (loss_to_infimum D b eta W0 inside C F H B Heta Hb HC CO MF) as L.
  set (m := loss (cut D inside) F) in *. set (W := descent D eta W0) in *.
  assert (E : forall t, loss D (W t) = loss (cut D inside) (W t) + leak D inside (W t))
    by (intros; apply split; auto; intros k p q _ _ _ _; reflexivity).
  assert (K : is_lim_seq (fun t => leak D inside (W t)) 0).
  { apply is_lim_seq_le_le with (fun _ => 0) (fun t => loss D (W t) - m).
    - intros t. pose proof (leak_nonneg D inside (W t) H CO). pose proof (MF (W t)) as X.
      fold m in X.
      rewrite E. lra.
    - apply is_lim_seq_const.
    - replace 0 with (m - m) by ring. apply is_lim_seq_minus'; [exact L | apply is_lim_seq_const]. }
  split; [|split; [exact K|]].
  - apply (is_lim_seq_ext (fun t => loss D (W t) - leak D inside (W t))); [intros; rewrite E;
      ring|].
    replace m with (m - 0) by ring. apply is_lim_seq_minus'; auto.
  - intros i Hi. destruct (H i Hi) as (Hy & My & Pw & N).
    assert (bound : forall t, 0 <= mass_outside D inside (W t) i <= exp (leak D inside
      (W t) * / weight D i) - 1).
    { intros t. pose proof (mass_sum D (W t) i H Hi) as S1.
      assert (O : 0 <= mass_outside D inside (W t) i).
      { apply Sum_nonneg. intros j Hj. destruct (inside i j); [lra | apply mass_nonneg; auto]. }
      assert (IO : mass_inside D inside (W t) i + mass_outside D inside (W t) i = 1).
      { unfold mass_inside, mass_outside. rewrite <- Sum_plus, <- S1. apply Sum_ext. intros.
        destruct (inside i k); ring. }
      assert (I0 : 0 < mass_inside D inside (W t) i).
      { apply (Sum_pos _ _ (label D i)); auto.
        - intros j Hj. destruct (inside i j); [apply mass_nonneg; auto | lra].
        - rewrite (label_inside D inside i H CO Hi). apply share_pos; auto. }
      split; auto.
      set (q := mass_outside D inside (W t) i / mass_inside D inside (W t) i).
      assert (Oq : mass_outside D inside (W t) i <= q).
      { unfold q, Rdiv. rewrite <- (Rmult_1_r (mass_outside D inside (W t) i)) at 1.
        apply Rmult_le_compat_l; auto. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
      assert (T : weight D i * ln (1 + q) <= leak D inside (W t)).
      { apply (Sum_term_le (samples D) (fun i => weight D i *
          ln (1 + mass_outside D inside (W t) i / mass_inside D inside (W t) i)) i); auto.
        intros k Hk. destruct (H k Hk) as (_ & _ & P & _).
        pose proof (leak_terms D inside (W t) k H CO Hk).
        apply Rmult_le_pos; [lra|]. rewrite <- ln_1. apply Rcomplements.ln_le; lra. }
      assert (X : ln (1 + q) <= leak D inside (W t) * / weight D i).
      { apply Rmult_le_reg_l with (weight D i); auto.
        replace (weight D i * (leak D inside (W t) * / weight D i)) with (leak D inside
          (W t)) by (field; lra).
        exact T. }
      apply exp_mono in X. rewrite exp_ln in X by lra. lra. }
    apply is_lim_seq_le_le with (fun _ => 0) (fun t => exp (leak D inside
      (W t) * / weight D i) - 1);
      [exact bound | apply is_lim_seq_const|].
    replace 0 with (exp (0 * / weight D i) - 1) by (rewrite Rmult_0_l, exp_0; ring).
    apply is_lim_seq_minus'; [|apply is_lim_seq_const].
    apply (is_lim_seq_continuous exp (fun t => leak D inside (W t) * / weight D i)).
    + apply derivable_continuous_pt, derivable_pt_exp.
    + apply is_lim_seq_mult'; [exact K | apply is_lim_seq_const].
Qed.

(* THEOREM descent_rate | holds-as-printed | Gradient descent with step size eta, eta b^2 at most 1,
   never raises the loss, and after T steps exceeds the loss of any matrix V by at most
   |W(0) - V|^2 / (4 eta T). *)
(* THEOREM loss_to_infimum | holds-as-printed | From any start the loss converges to its infimum, which
   is the least value of the cyclic part. *)
(* THEOREM training_contexts | holds-as-printed | From any start gradient descent empties attention
   outside the label's component in every training context, and brings the cyclic part to its least
   value. *)
(* BRIDGE descent | lib.mechanics.descent.descend | W, data, eta, steps; entry a, b of the last W *)
