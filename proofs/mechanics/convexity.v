(* "Convexity" of "Mechanics of Next Token Prediction": the log-loss of the layer is convex in W,
   its curvature is a mean of variances, and its flat directions are those that no sample sees.
   Proved for every number of tokens, dimensions and samples, every embedding (independent or
   not), all matrices W, V and all real multiplicities >= 0; the label must stand in its context.
   That the loss is a function of the label's mass alone is what the head with C E^T = I gives
   (setting.v). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums.
From Mechanics Require Import setting.
Open Scope R_scope.

(* mean and variance of v under the masses s *)
Definition mean (K : nat) (s v : nat -> R) : R := Sum K (fun j => s j * v j).
Definition variance (K : nat) (s v : nat -> R) : R := Sum K (fun j => s j * (v j - mean K s v) ^ 2).

(* (1-t) W + t V *)
Definition mix (t : R) (W V : matrix) : matrix := add (scale (1 - t) W) (scale t V).

(* V is orthogonal to (e_(y_i) - e_j) x_i^T for every sample i and every token j of its context *)
Definition unseen (D : data) (V : matrix) : Prop := forall i j,
  (i < samples D)%nat -> (j < tokens D)%nat -> 0 < count D i j ->
  inner D (pair D (last D i) (label D i) j) V = 0.

Definition curvature (D : data) (W V : matrix) : R :=
  Sum (samples D) (fun i => weight D i *
    variance (tokens D) (mass D W i) (score D V (last D i))).

(* ------------------------------------------------------------------ convexity along a chord *)

Lemma exp_convex : forall x y t, 0 <= t <= 1 ->
  exp ((1 - t) * x + t * y) <= (1 - t) * exp x + t * exp y.
Proof.
  intros x y t H. set (z := (1 - t) * x + t * y). pose proof (exp_pos z) as P.
  assert (X : exp z * (1 + (x - z)) <= exp x).
  { replace (exp x) with (exp z * exp (x - z)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [lra | apply exp_ineq1_le]. }
  assert (Y : exp z * (1 + (y - z)) <= exp y).
  { replace (exp y) with (exp z * exp (y - z)) by (rewrite <- exp_plus; f_equal; ring).
    apply Rmult_le_compat_l; [lra | apply exp_ineq1_le]. }
  assert (E : exp z = (1 - t) * (exp z * (1 + (x - z))) + t * (exp z * (1 + (y - z))))
    by (unfold z; ring).
  rewrite E at 1. apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
Qed.

Lemma total_normalised : forall K m a, 0 < total K m a ->
  Sum K (fun j => m j * exp (a j - ln (total K m a))) = 1.
Proof.
  intros K m a P. rewrite (Sum_ext K _ (fun j => m j * exp (a j) * / total K m a)).
  - rewrite Sum_scal_r. apply Rinv_r. lra.
  - intros. unfold Rminus. rewrite exp_plus, exp_Ropp, exp_ln; auto. ring.
Qed.

(* log-sum-exp is convex, for any number of terms *)
Lemma log_total_convex : forall K m a b t y,
  (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat -> 0 <= m j) -> 0 <= t <= 1 ->
  ln (total K m (fun j => (1 - t) * a j + t * b j)) <=
  (1 - t) * ln (total K m a) + t * ln (total K m b).
Proof.
  intros K m a b t y Hy P N Ht.
  pose proof (total_pos K m a y Hy P N) as A. pose proof (total_pos K m b y Hy P N) as B.
  pose proof (total_pos K m (fun j => (1 - t) * a j + t * b j) y Hy P N) as C.
  set (c := (1 - t) * ln (total K m a) + t * ln (total K m b)).
  rewrite <- (ln_exp c). apply Rcomplements.ln_le; [exact C|].
  apply Rle_trans with (exp c * ((1 - t) * Sum K (fun j => m j * exp (a j - ln (total K m a))) +
    t * Sum K (fun j => m j * exp (b j - ln (total K m b))))).
  2: rewrite (total_normalised K m a A), (total_normalised K m b B); lra.
  rewrite <- !Sum_scal, <- Sum_plus, <- Sum_scal. apply Sum_le. intros j Hj.
  replace (exp ((1 - t) * a j + t * b j)) with
    (exp c * exp ((1 - t) * (a j - ln (total K m a)) + t * (b j - ln (total K m b))))
    by (rewrite <- exp_plus; f_equal; unfold c; ring).
  pose proof (exp_convex (a j - ln (total K m a)) (b j - ln (total K m b)) t Ht).
  pose proof (exp_pos c). pose proof (N j Hj).
  replace (exp c * ((1 - t) * (m j * exp (a j - ln (total K m a))) +
    t * (m j * exp (b j - ln (total K m b))))) with
    (m j * (exp c * ((1 - t) * exp (a j - ln (total K m a)) + t * exp (b j - ln (total K m b)))))
    by ring.
  apply Rmult_le_compat_l; auto. apply Rmult_le_compat_l; lra.
Qed.

Lemma score_mix : forall D W V t k j,
  score D (mix t W V) k j = (1 - t) * score D W k j + t * score D V k j.
Proof. intros. unfold mix. rewrite score_add, !score_scale. reflexivity. Qed.

(* ------------------------------------------------------------------ the second derivative *)

Lemma variance_alt : forall K s v, Sum K s = 1 ->
  variance K s v = Sum K (fun j => s j * v j ^ 2) - mean K s v ^ 2.
Proof.
  intros K s v H. unfold variance. set (c := mean K s v).
  rewrite (Sum_ext K _ (fun j => s j * v j ^ 2 - (2 * c) * (s j * v j) + c ^ 2 * s j))
    by (intros; ring).
  rewrite Sum_plus, Sum_minus, !Sum_scal, H. fold (mean K s v). fold c. ring.
Qed.

Lemma mean_derive : forall K m a v t y,
  (y < K)%nat -> 0 < m y -> (forall j, (j < K)%nat -> 0 <= m j) ->
  is_derive (fun u => mean K (share K m (fun j => a j + u * v j)) v) t
    (variance K (share K m (fun j => a j + t * v j)) v).
Proof.
  intros K m a v t y Hy P N.
  pose (Z := fun u => total K m (fun j => a j + u * v j)).
  pose (X := fun u => Sum K (fun j => m j * exp (a j + u * v j) * v j)).
  assert (T : forall u, 0 < Z u) by (intros; apply (total_pos K m _ y); auto).
  assert (DZ : is_derive Z t (X t)).
  { unfold Z, X, total. apply (Sum_derive K (fun j u => m j * exp (a j + u * v j))
      (fun j => m j * exp (a j + t * v j) * v j)). intros. auto_derive; auto. ring. }
  assert (DX : is_derive X t (Sum K (fun j => m j * exp (a j + t * v j) * v j * v j))).
  { unfold X. apply (Sum_derive K (fun j u => m j * exp (a j + u * v j) * v j)
      (fun j => m j * exp (a j + t * v j) * v j * v j)). intros. auto_derive; auto. ring. }
  apply (is_derive_ext (fun u => X u / Z u)).
  { intros u. unfold mean, share, X, Rdiv. fold (Z u). rewrite <- Sum_scal_r. apply Sum_ext.
    intros. ring. }
  pose proof (T t) as Tt.
  evar_last.
  - apply @is_derive_div; [exact DX | exact DZ | lra].
  - rewrite variance_alt by (apply share_sum; apply Tt). unfold mean, share. fold (Z t).
    rewrite (Sum_ext K (fun j => m j * exp (a j + t * v j) / Z t * v j ^ 2)
      (fun j => m j * exp (a j + t * v j) * v j * v j * / Z t)) by (intros; unfold Rdiv; ring).
    rewrite (Sum_ext K (fun j => m j * exp (a j + t * v j) / Z t * v j)
      (fun j => m j * exp (a j + t * v j) * v j * / Z t)) by (intros; unfold Rdiv; ring).
    rewrite !Sum_scal_r. fold (X t). field. lra.
Qed.

Lemma variance_ext : forall K s r v, (forall j, (j < K)%nat -> s j = r j) ->
  variance K s v = variance K r v.
Proof.
  intros K s r v H. unfold variance.
  assert (E : mean K s v = mean K r v) by (apply Sum_ext; intros; rewrite H; auto).
  rewrite E. apply Sum_ext. intros. rewrite H; auto.
Qed.

Lemma mass_line : forall D W V t i j, (j < tokens D)%nat ->
  mass D (add W (scale t V)) i j =
  share (tokens D) (count D i) (fun l => score D W (last D i) l + t * score D V (last D i) l) j.
Proof. intros. apply share_ext; auto. intros. rewrite score_add, score_scale. reflexivity. Qed.

Lemma mass_sum : forall D W i, realisable D -> (i < samples D)%nat -> Sum (tokens D)
  (mass D W i) = 1.
Proof.
  intros D W i H Hi. destruct (H i Hi) as (A & B & _ & C). apply share_sum.
  apply (total_pos _ _ _ (label D i)); auto.
Qed.

Lemma mass_nonneg : forall D W i j, realisable D -> (i < samples D)%nat -> (j < tokens D)%nat ->
  0 <= mass D W i j.
Proof.
  intros D W i j H Hi Hj. destruct (H i Hi) as (A & B & _ & C).
  apply (share_nonneg _ _ _ (label D i)); auto.
Qed.

Lemma variance_nonneg : forall D W i v, realisable D -> (i < samples D)%nat ->
  0 <= variance (tokens D) (mass D W i) v.
Proof.
  intros. apply Sum_nonneg. intros. apply Rmult_le_pos; [apply mass_nonneg; auto | apply pow2_ge_0].
Qed.

(* ------------------------------------------------------------------ the theorems *)

(* At a mixture the loss never exceeds the mixture of the losses. *)
Theorem convex : forall D W V t, realisable D -> 0 <= t <= 1 ->
  loss D (mix t W V) <= (1 - t) * loss D W + t * loss D V.
Proof.
  intros D W V t H Ht. unfold loss. rewrite <- !Sum_scal, <- Sum_plus. apply Sum_le. intros i Hi.
  destruct (H i Hi) as (A & B & C & N). rewrite !loss_sample by auto. rewrite score_mix.
  pose proof (log_total_convex (tokens D) (count D i) (score D W (last D i)) (score D V
    (last D i)) t
    (label D i) A B N Ht) as Q.
  assert (E : total (tokens D) (count D i) (score D (mix t W V) (last D i)) =
    total (tokens D) (count D i) (fun j => (1 - t) * score D W (last D i) j + t * score D V
      (last D i) j))
    by (apply Sum_ext; intros; rewrite score_mix; reflexivity).
  rewrite E.
  set (x := ln (total _ _ (fun j => _))) in *. set (a := ln (total _ _ (score D W _))) in *.
  set (b := ln (total _ _ (score D V _))) in *.
  apply Rle_trans with (weight D i * (((1 - t) * a + t * b) - ((1 - t) * score D W (last D i)
    (label D i)
    + t * score D V (last D i) (label D i)) - ln (count D i (label D i)))).
  - apply Rmult_le_compat_l; lra.
  - apply Req_le. ring.
Qed.

(* The second derivative along V is a mean of variances under the attention masses. *)
Theorem second_derivative : forall D W V t, realisable D ->
  is_derive_n (fun u => loss D (add W (scale u V))) 2 t (curvature D (add W (scale t V)) V) /\
  0 <= curvature D (add W (scale t V)) V.
Proof.
  intros D W V t H. split.
  - simpl. apply (is_derive_ext (fun u => Sum (samples D) (fun i => weight D i *
      (mean (tokens D) (share (tokens D) (count D i)
         (fun l => score D W (last D i) l + u * score D V (last D i) l)) (score D V (last D i))
       - score D V (last D i) (label D i))))).
    { intros u. symmetry. apply is_derive_unique.
      erewrite Sum_ext; [apply loss_derive; auto|].
      intros i Hi. simpl. f_equal. f_equal. apply Sum_ext. intros j Hj.
      rewrite mass_line; auto. }
    unfold curvature.
    apply (Sum_derive (samples D) (fun i u => weight D i *
      (mean (tokens D) (share (tokens D) (count D i)
         (fun l => score D W (last D i) l + u * score D V (last D i) l)) (score D V (last D i))
       - score D V (last D i) (label D i)))).
    intros i Hi. destruct (H i Hi) as (A & B & _ & C).
    rewrite (variance_ext _ _ (share (tokens D) (count D i)
         (fun l => score D W (last D i) l + t * score D V (last D i) l)))
      by (intros; apply mass_line; auto).
    apply (is_derive_scal (fun u => mean (tokens D) (share (tokens D) (count D i)
         (fun l => score D W (last D i) l + u * score D V (last D i) l)) (score D V (last D i))
       - score D V (last D i) (label D i))).
    evar_last.
    + apply @is_derive_minus; [|apply @is_derive_const].
      apply (mean_derive _ _ _ _ _ (label D i)); auto.
    + unfold minus, plus, opp, zero; simpl. ring.
  - apply Sum_nonneg. intros i Hi. destruct (H i Hi) as (_ & _ & C & _).
    apply Rmult_le_pos; [lra | apply variance_nonneg; auto].
Qed.

(* Flat at one W is flat at every W: the curvature vanishes exactly in the directions that no sample
   sees, and there the loss does not depend on V at all. *)
Theorem flat_directions : forall D W V, realisable D ->
  (curvature D W V = 0 <-> unseen D V) /\
  (unseen D V -> forall c, loss D (add W (scale c V)) = loss D W).
Proof.
  intros D W V H. split; [split|].
  - intros Z i j Hi Hj Hc. rewrite pair_score. destruct (H i Hi) as (A & B & C & N).
    assert (V0 : variance (tokens D) (mass D W i) (score D V (last D i)) = 0).
    { assert (X : weight D i * variance (tokens D) (mass D W i) (score D V (last D i)) = 0).
      { apply (Sum_zero_terms (samples D) (fun i => weight D i *
          variance (tokens D) (mass D W i) (score D V (last D i))) i); auto.
        intros k Hk. destruct (H k Hk) as (_ & _ & Ck & _).
        apply Rmult_le_pos; [lra | apply variance_nonneg; auto]. }
      apply Rmult_integral in X. lra. }
    set (c := mean (tokens D) (mass D W i) (score D V (last D i))).
    assert (at_mean : forall l, (l < tokens D)%nat -> 0 < count D i l -> score D V
      (last D i) l = c).
    { intros l Hl Hcl.
      assert (X : mass D W i l * (score D V (last D i) l - c) ^ 2 = 0).
      { apply (Sum_zero_terms (tokens D) (fun j => mass D W i j * (score D V
          (last D i) j - c) ^ 2) l); auto.
        intros k Hk. apply Rmult_le_pos; [apply mass_nonneg; auto | apply pow2_ge_0]. }
      assert (0 < mass D W i l) by (apply share_pos; auto).
      apply Rmult_integral in X. destruct X as [X|X]; [lra|].
      assert (score D V (last D i) l - c = 0) by nra. lra. }
    rewrite (at_mean j), (at_mean (label D i)); auto. ring.
  - intros U. unfold curvature. apply Sum_zero. intros i Hi. destruct (H i Hi) as (A & B & C & N).
    apply Rmult_eq_0_compat_l.
    set (v := score D V (last D i)). set (s := mass D W i).
    assert (E : forall j, (j < tokens D)%nat -> s j * v j = s j * v (label D i)).
    { intros j Hj. destruct (Rle_lt_or_eq_dec 0 (count D i j) (N j Hj)) as [P | Z].
      - pose proof (U i j Hi Hj P) as Q. rewrite pair_score in Q. fold v in Q. f_equal. lra.
      - unfold s, mass, share. rewrite <- Z. unfold Rdiv. ring. }
    assert (M : mean (tokens D) s v = v (label D i)).
    { unfold mean. rewrite (Sum_ext _ _ (fun j => s j * v (label D i))) by exact E.
      rewrite Sum_scal_r. unfold s. rewrite mass_sum; auto. ring. }
    unfold variance. rewrite M. apply Sum_zero. intros j Hj.
    replace (s j * (v j - v (label D i)) ^ 2)
      with ((s j * v j - s j * v (label D i)) * (v j - v (label D i))) by ring.
    rewrite E; auto. ring.
  - intros U c. unfold loss. apply Sum_ext. intros i Hi. destruct (H i Hi) as (A & B & C & N).
    f_equal. f_equal. f_equal. rewrite mass_line; auto.
    set (v := score D V (last D i)). unfold mass.
    rewrite <- (share_shift _ _ (score D W (last D i)) (c * v (label D i))).
    unfold share. f_equal. unfold total. apply Sum_ext. intros j Hj.
    destruct (Rle_lt_or_eq_dec 0 (count D i j) (N j Hj)) as [P | Z].
    + pose proof (U i j Hi Hj P) as Q. rewrite pair_score in Q. fold v in Q.
      replace (v j) with (v (label D i)) by lra. reflexivity.
    + rewrite <- Z. ring.
Qed.

(* THEOREM convex | holds-as-printed | At a mixture of two matrices the log-loss is at most the mixture
   of the losses, for any number of tokens, dimensions and samples. *)
(* THEOREM second_derivative | holds-as-printed | Along any direction the second derivative of the
   log-loss is the mean, over the samples, of the variance of the direction's scores under the
   attention masses. *)
(* THEOREM flat_directions | holds-as-printed | The curvature vanishes exactly in the directions
   orthogonal to all (e_y - e_j) x^T, and in those the loss does not change at all. *)
