(* Corollary 2 of "Scan and Snap" (Appendix E), Eqs. (101)-(107).

   Setting: K classes of one query m_0, M tokens of which those below C are common with
   probability kappa_n rho_l in class n (the paper: kappa_n = 1) and no other is in two classes.
   f_n is c~_n of the row z divided by its length, the velocity is (97), (10) in components.
   Proved for every K, M, C, all such probabilities, every row z (so at all times, from any
   start), every beta:
   - f_nl = a_n v_l for the common tokens with v_l = rho_l e^(z_l), and with V = |v|^2 the bracket
     of (107) is -(v_l^2/V)(1 - a_n^2 V) f_n . f_n'; as printed where the a_n agree;
   - the velocity of a common token is -eta_Z sum (v_l^2/V)(1 - a_n^2 V) xi_n, which is < 0 where
     all xi_n > 0 and some class has a distinct token;
   - under Assumption 2, with beta of (89), this holds without those two conditions.
   Nothing is asked of the distinct tokens' probabilities, of Z(0), or of beta's sign.
   The paper's own proof goes through (101)-(106), which hold where beta is one number for all
   pairs.  Correction: (102), (106) print o_n for the sum of squares; it is o_n^2 (refuted unless
   o_n is 0, 1). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums calculus spectrum.
From ScanSnap Require Import theorem_01 theorem_02.
Open Scope R_scope.

Section Profile.
Variables (M K C m_0 : nat) (P : nat -> nat -> R) (kappa rho z : nat -> R).
Variables (beta : nat -> nat -> R) (eta_Z gamma : R).
Hypothesis C_in : (C <= M)%nat.
(* (3), and what common and distinct mean *)
Hypothesis profile : forall n l, (n < K)%nat -> (l < C)%nat -> P n l = kappa n * rho l.
Hypothesis apart : forall n k l, (n < K)%nat -> (k < K)%nat -> n <> k -> (C <= l)%nat ->
  (l < M)%nat -> P n l * P k l = 0.
Hypothesis occupied : forall n, (n < K)%nat -> exists l, (l < M)%nat /\ P n l <> 0.

(* c~_l|n, its length o_n, and f_nl *)
Definition weight (n l : nat) : R := P n l * exp (z l).
Definition length (n : nat) : R := sqrt (Sum M (fun l => weight n l ^ 2)).
Definition f (n l : nat) : R := weight n l / length n.
(* one profile for all classes *)
Definition v (l : nat) : R := rho l * exp (z l).
Definition V : R := Sum C (fun l => v l ^ 2).
Definition a (n : nat) : R := kappa n / length n.

Lemma square_pos : forall x, x <> 0 -> 0 < x ^ 2.
Proof. intros x H. pose proof (Rsqr_pos_lt _ H) as Q. rewrite Rsqr_pow2 in Q. exact Q. Qed.

Lemma weight_ne : forall n l, P n l <> 0 -> weight n l <> 0.
Proof.
  intros n l H. unfold weight. pose proof (exp_pos (z l)).
  apply Rmult_integral_contrapositive_currified; lra.
Qed.

Lemma length_squared : forall n, (n < K)%nat ->
  0 < length n /\ length n * length n = Sum M (fun l => weight n l ^ 2).
Proof.
  intros n Hn. destruct (occupied n Hn) as [l [Hl HP]].
  assert (S : 0 < Sum M (fun l => weight n l ^ 2)).
  { apply (Sum_pos M _ l); auto; [intros; apply pow2_ge_0|apply square_pos, weight_ne; auto]. }
  split; [apply sqrt_lt_R0; auto|apply sqrt_sqrt; lra].
Qed.

Lemma f_unit : forall n, (n < K)%nat -> dot M (f n) (f n) = 1.
Proof.
  intros n Hn. destruct (length_squared n Hn) as [L S]. unfold dot, f.
  rewrite (Sum_ext M _ (fun l => weight n l ^ 2 * / (length n * length n)))
    by (intros; field; lra).
  rewrite Sum_scal_r, <- S. field. lra.
Qed.

(* c~_l|n = kappa_n v_l whatever z: the profile of the common tokens outlasts every motion *)
Lemma f_common : forall n l, (n < K)%nat -> (l < C)%nat -> f n l = a n * v l.
Proof. intros n l Hn Hl. unfold f, a, v, weight, Rdiv. rewrite profile by auto. ring. Qed.

Lemma f_apart : forall n k l, (n < K)%nat -> (k < K)%nat -> n <> k -> (C <= l)%nat ->
  (l < M)%nat -> f n l * f k l = 0.
Proof.
  intros n k l Hn Hk Hne Hl HM. unfold f, weight, Rdiv.
  replace (P n l * exp (z l) * / length n * (P k l * exp (z l) * / length k))
    with (P n l * P k l * (exp (z l) * / length n * (exp (z l) * / length k))) by ring.
  rewrite apart by auto. ring.
Qed.

(* a sum over all tokens whose terms vanish from C on *)
Lemma Sum_common : forall g, (forall l, (C <= l)%nat -> (l < M)%nat -> g l = 0) ->
  Sum M g = Sum C g.
Proof.
  intros g H. replace M with (C + (M - C))%nat by lia. rewrite (Sum_tail C (M - C) g 0); [ring|].
  intros l Hl Hl'. apply H; lia.
Qed.

Lemma overlap_common : forall n k, (n < K)%nat -> (k < K)%nat -> n <> k ->
  dot M (f n) (f k) = a n * a k * V.
Proof.
  intros n k Hn Hk Hne. unfold dot. rewrite Sum_common by (intros; apply f_apart; auto).
  unfold V. rewrite <- Sum_scal. apply Sum_ext. intros l Hl. rewrite !f_common by auto. ring.
Qed.

(* what a class keeps on its distinct tokens *)
Lemma distinct_share : forall n, (n < K)%nat ->
  1 - a n ^ 2 * V = Sum M (fun l => if Nat.ltb l C then 0 else f n l ^ 2).
Proof.
  intros n Hn. rewrite <- (f_unit n Hn). unfold dot.
  rewrite (Sum_ext M _ (fun l => (if Nat.ltb l C then f n l ^ 2 else 0) +
    (if Nat.ltb l C then 0 else f n l ^ 2))) by (intros; destruct (Nat.ltb k C); ring).
  rewrite Sum_plus, (Sum_common (fun l => if Nat.ltb l C then f n l ^ 2 else 0)).
  - unfold V. rewrite <- Sum_scal. rewrite (Sum_ext C _ (fun l => a n ^ 2 * v l ^ 2)); [ring|].
    intros l Hl. destruct (Nat.ltb_spec l C); [|lia]. rewrite f_common by auto. ring.
  - intros l Hl _. destruct (Nat.ltb_spec l C); [lia|reflexivity].
Qed.

Lemma distinct_share_nonneg : forall n, (n < K)%nat -> 0 <= 1 - a n ^ 2 * V.
Proof.
  intros n Hn. rewrite distinct_share by auto. apply Sum_nonneg. intros l Hl.
  destruct (Nat.ltb l C); [lra|apply pow2_ge_0].
Qed.

Lemma distinct_share_pos : forall n j, (n < K)%nat -> (C <= j)%nat -> (j < M)%nat -> P n j <> 0 ->
  0 < 1 - a n ^ 2 * V.
Proof.
  intros n j Hn Hj HM HP. rewrite distinct_share by auto. apply (Sum_pos M _ j); auto.
  - intros l Hl. destruct (Nat.ltb l C); [lra|apply pow2_ge_0].
  - destruct (Nat.ltb_spec j C); [lia|]. destruct (length_squared n Hn) as [L _].
    apply square_pos. unfold f, Rdiv. pose proof (weight_ne n j HP).
    apply Rmult_integral_contrapositive_currified; auto. apply Rinv_neq_0_compat. lra.
Qed.

Lemma nonzero_term : forall n, (n < K)%nat -> 1 - a n ^ 2 * V <> 0 ->
  exists j, (C <= j)%nat /\ (j < M)%nat /\ P n j <> 0.
Proof.
  intros n Hn H. rewrite distinct_share in H by auto.
  assert (G : forall m, (m <= M)%nat ->
    Sum m (fun l => if Nat.ltb l C then 0 else f n l ^ 2) <> 0 ->
    exists j, (C <= j)%nat /\ (j < m)%nat /\ P n j <> 0).
  { induction m as [|m IH]; intros Hm S; [cbn [Sum] in S; lra|]. cbn [Sum] in S.
    destruct (Req_dec (Sum m (fun l => if Nat.ltb l C then 0 else f n l ^ 2)) 0) as [Z|Z].
    - rewrite Z in S. exists m. destruct (Nat.ltb_spec m C); [lra|]. repeat split; auto.
      intros Q. apply S. unfold f, weight. rewrite Q. unfold Rdiv. ring.
    - destruct (IH ltac:(lia) Z) as [j [H1 [H2 H3]]]. exists j. repeat split; auto; lia. }
  apply (G M); auto.
Qed.

Lemma V_pos : forall l, (l < C)%nat -> rho l <> 0 -> 0 < V.
Proof.
  intros l Hl Hr. apply (Sum_pos C _ l); auto; [intros; apply pow2_ge_0|].
  apply square_pos. unfold v. pose proof (exp_pos (z l)).
  apply Rmult_integral_contrapositive_currified; lra.
Qed.

(* (107) for unequal a_n *)
Theorem bracket : forall n k l, (n < K)%nat -> (k < K)%nat -> n <> k -> (l < C)%nat ->
  rho l <> 0 -> f n l * (dot M (f n) (f k) * f n l - f k l) =
  - (v l ^ 2 / V) * (1 - a n ^ 2 * V) * dot M (f n) (f k).
Proof.
  intros n k l Hn Hk Hne Hl Hr. pose proof (V_pos l Hl Hr).
  rewrite overlap_common, !f_common by auto. field. lra.
Qed.

(* (107) as printed, where classes have the same kappa and length *)
Theorem equation_107 : forall n k l, (n < K)%nat -> (k < K)%nat -> n <> k -> (l < C)%nat ->
  a n = a k -> f n l * (dot M (f n) (f k) * f n l - f k l) =
  - (f n l ^ 2) * (1 - dot M (f n) (f k)).
Proof.
  intros n k l Hn Hk Hne Hl E. rewrite (f_common k l), (f_common n l), <- E by auto. ring.
Qed.

Notation velocity := (velocity M K f beta (fun _ => m_0) eta_Z gamma m_0).
Notation xi := (xi M K f beta gamma).
Notation others := (others K).

Theorem common_velocity : forall l, (l < C)%nat -> rho l <> 0 ->
  velocity l = - eta_Z * (v l ^ 2 / V) * Sum K (fun n => (1 - a n ^ 2 * V) * xi n).
Proof.
  intros l Hl Hr. pose proof (V_pos l Hl Hr) as HV. unfold theorem_02.velocity, theorem_02.xi.
  rewrite <- (Sum_scal K (eta_Z * gamma)), <- (Sum_scal K (- eta_Z * (v l ^ 2 / V))).
  apply Sum_ext. intros n Hn.
  destruct (Nat.eq_dec m_0 m_0); [|lia]. rewrite <- !others_scal.
  apply others_ext. intros k Hk Hne.
  transitivity (eta_Z * gamma * beta n k * (f n l * (dot M (f n) (f k) * f n l - f k l)));
    [ring|]. rewrite bracket by auto. field. lra.
Qed.

(* the corollary, where the pushes are positive *)
Theorem corollary_2 : 0 < eta_Z -> (forall n, (n < K)%nat -> 0 < xi n) ->
  (exists n j, (n < K)%nat /\ (C <= j)%nat /\ (j < M)%nat /\ P n j <> 0) ->
  forall l, (l < C)%nat -> rho l <> 0 -> velocity l < 0.
Proof.
  intros He Hx [n [j [Hn [Hj [HM HP]]]]] l Hl Hr. rewrite common_velocity by auto.
  pose proof (V_pos l Hl Hr) as HV.
  assert (W : 0 < v l ^ 2 / V).
  { apply Rdiv_lt_0_compat; auto. apply square_pos. unfold v. pose proof (exp_pos (z l)).
    apply Rmult_integral_contrapositive_currified; lra. }
  assert (S : 0 < Sum K (fun n => (1 - a n ^ 2 * V) * xi n)).
  { apply (Sum_pos K _ n); auto.
    - intros k Hk. pose proof (distinct_share_nonneg k Hk). pose proof (Hx k Hk).
      apply Rmult_le_pos; lra.
    - pose proof (distinct_share_pos n j Hn Hj HM HP). pose proof (Hx n Hn).
      apply Rmult_lt_0_compat; lra. }
  pose proof (Rmult_lt_0_compat _ _ (Rmult_lt_0_compat _ _ He W) S). lra.
Qed.

(* the overlaps, without the diagonal *)
Definition overlaps (n k : nat) : R := if Nat.eq_dec n k then 0 else dot M (f n) (f k).

(* under Assumption 2 some class has a distinct token: without any, f_n = +- f_n' *)
Lemma some_distinct : forall n k, (n < K)%nat -> (k < K)%nat -> n <> k ->
  Rabs (overlaps n k) < 1 -> exists j, (C <= j)%nat /\ (j < M)%nat /\ (P n j <> 0 \/ P k j <> 0).
Proof.
  intros n k Hn Hk Hne HE.
  destruct (Req_dec (1 - a n ^ 2 * V) 0) as [Zn|Zn];
    [destruct (Req_dec (1 - a k ^ 2 * V) 0) as [Zk|Zk]|].
  - exfalso. unfold overlaps in HE. destruct (Nat.eq_dec n k); [lia|].
    rewrite overlap_common in HE by auto. apply Rabs_def2 in HE.
    assert ((a n * a k * V) ^ 2 = 1).
    { replace ((a n * a k * V) ^ 2) with (a n ^ 2 * V * (a k ^ 2 * V)) by ring.
      replace (a n ^ 2 * V) with 1 by lra. replace (a k ^ 2 * V) with 1 by lra. ring. }
    nra.
  - destruct (nonzero_term k Hk Zk) as [j [H1 [H2 H3]]]. exists j. auto.
  - destruct (nonzero_term n Hn Zn) as [j [H1 [H2 H3]]]. exists j. auto.
Qed.

(* Corollary 2 under Assumption 2, with beta of (89): Theorem 1(a) gives the sign of xi_n *)
Theorem corollary_2_under_assumption_2 : forall lam u (sigma d1 : nat -> R) (d3 : nat -> nat -> R),
  (2 <= K)%nat -> 0 < eta_Z -> 0 < gamma ->
  spectral K lam u overlaps -> (forall k, (k < K)%nat -> Rabs (lam k) <= Rabs (lam 0%nat)) ->
  Rabs (lam 0%nat) < / INR K ->
  (forall k, (k < K)%nat -> 6 / sqrt (INR M) <= Rabs (lam k)) ->
  (forall n, (n < K)%nat -> -1 < sigma n /\ Rabs (d1 n) <= / 4) ->
  (forall n k, (n < K)%nat -> (k < K)%nat -> Rabs (d3 n k) <= 3 / INR M) ->
  (forall n k, (n < K)%nat -> (k < K)%nat -> n <> k -> beta n k =
    (1 + sigma n) * (function_of K lam u (fun x => x / (1 + x)) n k * (1 + d1 n) + d3 n k)) ->
  forall l, (l < C)%nat -> rho l <> 0 -> velocity l < 0.
Proof.
  intros lam u sigma d1 d3 HK He Hg HE Hl H1 Hm Hs Hd3 Hb l HC Hr.
  assert (HM : 0 < INR M) by (apply lt_0_INR; lia).
  apply corollary_2; auto.
  - intros n Hn. destruct (Hs n Hn) as [Hsn Hd1]. unfold theorem_02.xi.
    apply Rmult_lt_0_compat; auto.
    pose proof (theorem_1a (INR M) K lam u overlaps n (d1 n) (d3 n) HK HM HE) as T.
    assert (D : forall i, (i < K)%nat -> overlaps i i = 0).
    { intros i _. unfold overlaps. destruct (Nat.eq_dec i i); [auto|lia]. }
    specialize (T D Hl H1 Hm Hn Hd1 (fun k => Hd3 n k Hn)).
    assert (S1 : 0 < 1 + sigma n) by lra. pose proof (Rmult_lt_0_compat _ _ S1 T) as Q.
    rewrite <- Sum_scal in Q. unfold others.
    erewrite Sum_ext; [exact Q|]. intros k Hk. cbv beta.
    destruct (Nat.eq_dec k n) as [->|Hne]; [ring|].
      rewrite Hb by auto. unfold overlaps. destruct (Nat.eq_dec n k); [lia|ring].
  - assert (B : Rabs (overlaps 0 1) < 1).
    { destruct HE as [O S]. rewrite S by lia.
      assert (K2 : 2 <= INR K) by (apply (le_INR 2); auto).
      apply Rle_lt_trans with (Rabs (lam 0%nat)).
      - apply function_bound; auto using Rabs_pos; lia.
      - apply Rlt_le_trans with (1 := H1). rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    destruct (some_distinct 0 1 ltac:(lia) ltac:(lia) ltac:(lia) B) as [j [Hj [HjM [Q|Q]]]];
      [exists 0%nat|exists 1%nat]; exists j; repeat split; auto; lia.
Qed.
End Profile.

(* The paper's own proof, where distinct token b of class n has the probability P b in every class
   (2), their logits y agree between classes, and beta is one number for all pairs. *)
Section Matched.
Variables (K C D : nat) (rho P z : nat -> R) (y : nat -> nat -> R) (eta_Z gamma beta : R).
(* the invariant z_l = z_phi(l) *)
Hypothesis symmetric : forall n n' b, (n < K)%nat -> (n' < K)%nat -> (b < D)%nat -> y n b = y n' b.

(* c~ of a common token, the same in every class, and of distinct token b of class n *)
Definition common (l : nat) : R := rho l * exp (z l).
Definition own (n b : nat) : R := P b * exp (y n b).
(* o_n^2 = |c~_n|^2; tokens of other classes do not occur in class n *)
Definition norm_squared (n : nat) : R :=
  Sum C (fun l => common l ^ 2) + Sum D (fun b => own n b ^ 2).
Definition f_shared (n l : nat) : R := common l / sqrt (norm_squared n).
Definition f_own (n b : nat) : R := own n b / sqrt (norm_squared n).
(* f_n . f_n' for n <> n': only common tokens are shared *)
Definition overlap (n n' : nat) : R := Sum C (fun l => f_shared n l * f_shared n' l).

(* (97) with one number beta, for distinct token b of class n *)
Definition dz_own (n b : nat) : R := eta_Z * gamma *
  (f_own n b * others K n (fun k => beta * (overlap n k * f_own n b - 0))).

(* (102)-(106) *)
Theorem norms_agree : forall n n', (n < K)%nat -> (n' < K)%nat ->
  norm_squared n = norm_squared n'.
Proof.
  intros n n' Hn Hn'. unfold norm_squared. f_equal. apply Sum_ext. intros b Hb.
  unfold own. rewrite (symmetric n n' b); auto.
Qed.

Theorem overlaps_agree : forall n k n' k', (n < K)%nat -> (k < K)%nat -> (n' < K)%nat ->
  (k' < K)%nat -> overlap n k = overlap n' k'.
Proof.
  intros n k n' k' H1 H2 H3 H4. apply Sum_ext. intros l Hl. unfold f_shared.
  rewrite (norms_agree n n'), (norms_agree k k'); auto.
Qed.

Lemma others_const : forall n x c, (n < K)%nat -> (forall k, (k < K)%nat -> k <> n -> x k = c) ->
  others K n x = (INR K - 1) * c.
Proof.
  intros n x c Hn H. unfold others. rewrite (Sum_special K n _ c Hn).
  - destruct (Nat.eq_dec n n); [ring|lia].
  - intros k Hk Hne. destruct (Nat.eq_dec k n); [lia|auto].
Qed.

(* (101): the two tokens of a bijection move alike *)
Theorem equation_101 : forall n n' b, (n < K)%nat -> (n' < K)%nat -> (b < D)%nat ->
  dz_own n b = dz_own n' b.
Proof.
  intros n n' b Hn Hn' Hb. unfold dz_own.
  assert (F : f_own n b = f_own n' b).
  { unfold f_own, own. rewrite (norms_agree n n'), (symmetric n n' b); auto. }
  rewrite (others_const n _ (beta * (overlap n n * f_own n b - 0)) Hn)
    by (intros; rewrite (overlaps_agree n k n n); auto).
  rewrite (others_const n' _ (beta * (overlap n n * f_own n b - 0)) Hn').
  - rewrite F. reflexivity.
  - intros k Hk Hne. rewrite (overlaps_agree n' k n n), F; auto.
Qed.

(* (102), (106): the sum of squares is the norm's square, the norm itself only if it is 0 or 1 *)
Theorem equation_102_refuted : forall n, norm_squared n <> 0 -> norm_squared n <> 1 ->
  sqrt (norm_squared n) <> norm_squared n.
Proof.
  intros n H0 H1 H. set (q := norm_squared n) in *.
  assert (N : 0 <= q).
  { unfold q, norm_squared. apply Rplus_le_le_0_compat; apply Sum_nonneg; intros; apply pow2_ge_0. }
  assert (S : sqrt q * sqrt q = q) by (apply sqrt_sqrt; auto). rewrite H in S.
  assert (Z : q * (q - 1) = 0) by lra. apply Rmult_integral in Z. destruct Z; [auto|lra].
Qed.
End Matched.

(* THEOREM corollary_2_under_assumption_2 | holds-as-printed | under Assumption 2, with beta of
   (89), every common token falls, in every state *)
(* THEOREM corollary_2 | holds-as-printed | every common token falls wherever all xi_n > 0 and some
   class has a distinct token *)
(* THEOREM common_velocity | holds-as-corrected | its velocity, in closed form, for any beta *)
(* THEOREM bracket | holds-as-corrected | the bracket of (107) for any a_n *)
(* THEOREM equation_107 | holds-as-printed | the bracket as printed, where a_n = a_n' *)
(* THEOREM equation_101 | holds-as-corrected | with one number for all beta, matched tokens move
   alike in a symmetric state *)
(* THEOREM norms_agree | holds-as-corrected | in a symmetric state o_n^2 is the same for all n *)
(* THEOREM overlaps_agree | holds-as-corrected | and so are all overlaps *)
(* THEOREM equation_102_refuted | refuted-as-printed | (102), (106) print o_n for o_n^2 *)
(* BRIDGE f | lib.scan_snap.sequence_classes.normalized_attention | P, z; row n *)
