(* Corollary 2 of "Scan and Snap" (Appendix E), Eqs. (101)-(107).

   Setting: K classes of one query m_0, with C common tokens of probability rho_l in every class
   and D distinct tokens a class; distinct token a of class n has probability P_a in every class
   (the bijections phi send token a of n to token a of n').  z_l of common, y_(n,a) of distinct
   tokens.
   Proved for every K >= 2, C, D, all rho, P >= 0 and every state with y_(n,a) = y_a for all n:
   the norms o_n^2 agree (102)-(106); the overlaps agree; dz of a distinct token does not depend
   on its class (101), so the invariant is kept by the right side of the flow; and (107) with
   dz_l < 0 for every common token with rho_l > 0, if beta > 0 off the diagonal is one number,
   gamma, eta_Z > 0, and some distinct token has P_a > 0.
   Correction: (102), (106) print o_n for the sum of squares; it is o_n^2 (refuted unless o_n is
   0, 1). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums calculus.
Open Scope R_scope.

Section Corollary2.
Variables (K C D : nat) (rho P z : nat -> R) (y : nat -> nat -> R) (eta_Z gamma beta : R).
Hypothesis K_two : (2 <= K)%nat.
(* the invariant z_l = z_phi(l) *)
Hypothesis symmetric : forall n n' a, (n < K)%nat -> (n' < K)%nat -> (a < D)%nat -> y n a = y n' a.

(* c~ of a common token, the same in every class, and of distinct token a of class n *)
Definition common (l : nat) : R := rho l * exp (z l).
Definition own (n a : nat) : R := P a * exp (y n a).
(* o_n^2 = |c~_n|^2; tokens of other classes do not occur in class n *)
Definition norm_squared (n : nat) : R :=
  Sum C (fun l => common l ^ 2) + Sum D (fun a => own n a ^ 2).
Definition f_common (n l : nat) : R := common l / sqrt (norm_squared n).
Definition f_own (n a : nat) : R := own n a / sqrt (norm_squared n).
(* f_n . f_n' for n <> n': only common tokens are shared *)
Definition overlap (n n' : nat) : R := Sum C (fun l => f_common n l * f_common n' l).
Definition others (n : nat) (x : nat -> R) : R := Sum K (fun k =>
  if Nat.eq_dec k n then 0 else x k).

(* (97) with one number beta, for a common token and for distinct token a of class n *)
Definition dz_common (l : nat) : R := eta_Z * gamma * Sum K (fun n =>
  f_common n l * others n (fun k => beta * (overlap n k * f_common n l - f_common k l))).
Definition dz_own (n a : nat) : R := eta_Z * gamma *
  (f_own n a * others n (fun k => beta * (overlap n k * f_own n a - 0))).

(* (102)-(106) *)
Theorem norms_agree : forall n n', (n < K)%nat -> (n' < K)%nat ->
  norm_squared n = norm_squared n'.
Proof.
  intros n n' Hn Hn'. unfold norm_squared. f_equal. apply Sum_ext. intros a Ha.
  unfold own. rewrite (symmetric n n' a); auto.
Qed.

Lemma f_common_agree : forall n n' l, (n < K)%nat -> (n' < K)%nat -> f_common n l = f_common n' l.
Proof. intros n n' l Hn Hn'. unfold f_common. rewrite (norms_agree n n'); auto. Qed.

Lemma f_own_agree : forall n n' a, (n < K)%nat -> (n' < K)%nat -> (a < D)%nat ->
  f_own n a = f_own n' a.
Proof.
  intros n n' a Hn Hn' Ha. unfold f_own, own. rewrite (norms_agree n n'), (symmetric n n' a); auto.
Qed.

Theorem overlaps_agree : forall n k n' k', (n < K)%nat -> (k < K)%nat -> (n' < K)%nat ->
  (k' < K)%nat ->
  overlap n k = overlap n' k'.
Proof.
  intros n k n' k' H1 H2 H3 H4. apply Sum_ext. intros l Hl.
  rewrite (f_common_agree n n' l), (f_common_agree k k' l); auto.
Qed.

Lemma others_const : forall n x c, (n < K)%nat -> (forall k, (k < K)%nat -> k <> n -> x k = c) ->
  others n x = (INR K - 1) * c.
Proof.
  intros n x c Hn H. unfold others. rewrite (Sum_special K n _ c Hn).
  - destruct (Nat.eq_dec n n); [ring|lia].
  - intros k Hk Hne. destruct (Nat.eq_dec k n); [lia|auto].
Qed.

(* (101): the two tokens of a bijection move alike *)
Theorem equation_101 : forall n n' a, (n < K)%nat -> (n' < K)%nat -> (a < D)%nat ->
  dz_own n a = dz_own n' a.
Proof.
  intros n n' a Hn Hn' Ha. unfold dz_own.
  rewrite (others_const n _ (beta * (overlap n n * f_own n a - 0)) Hn)
    by (intros; rewrite (overlaps_agree n k n n); auto).
  rewrite (others_const n' _ (beta * (overlap n n * f_own n a - 0)) Hn').
  - rewrite (f_own_agree n n' a); auto.
  - intros k Hk Hne. rewrite (overlaps_agree n' k n n), (f_own_agree n' n a); auto.
Qed.

(* (107), all bracketed terms alike: - f_l^2 (1 - f_n . f_n') *)
Theorem equation_107 : forall l, dz_common l =
  - (eta_Z * gamma * beta * INR K * (INR K - 1) * (f_common 0 l) ^ 2 * (1 - overlap 0 1)).
Proof.
  intros l. unfold dz_common.
  rewrite (Sum_ext K _ (fun _ => f_common 0 l * ((INR K - 1) *
    (beta * (overlap 0 1 * f_common 0 l - f_common 0 l))))).
  - rewrite Sum_const. ring.
  - intros n Hn. rewrite (others_const n _ (beta * (overlap 0 1 * f_common 0 l - f_common 0 l)) Hn).
    + rewrite (f_common_agree n 0 l) by lia. reflexivity.
    + intros k Hk Hne.
      rewrite (overlaps_agree n k 0 1), (f_common_agree n 0 l), (f_common_agree k 0 l);
        auto; lia.
Qed.

(* f_n . f_n' < 1 as soon as there is some mass on a distinct token *)
Lemma overlap_below_one : forall a, (a < D)%nat -> P a <> 0 -> overlap 0 1 < 1.
Proof.
  intros a Ha HP. assert (O : 0 < norm_squared 0).
  { unfold norm_squared. assert (0 <= Sum C (fun l => common l ^ 2))
      by (apply Sum_nonneg; intros; apply pow2_ge_0).
    assert (0 < Sum D (fun a => own 0 a ^ 2)); [|lra].
    apply (Sum_pos D _ a); auto; [intros; apply pow2_ge_0|].
    assert (own 0 a <> 0).
    { unfold own. apply Rmult_integral_contrapositive_currified; auto.
      pose proof (exp_pos (y 0%nat a)). lra. }
    pose proof (Rsqr_pos_lt _ H0) as Q. rewrite Rsqr_pow2 in Q. exact Q. }
  assert (E : overlap 0 1 = Sum C (fun l => common l ^ 2) / norm_squared 0).
  { unfold overlap, f_common. rewrite (norms_agree 1 0) by lia.
    unfold Rdiv at 3. rewrite <- Sum_scal_r. apply Sum_ext. intros l Hl.
    assert (S : sqrt (norm_squared 0) * sqrt (norm_squared 0) = norm_squared 0)
      by (apply sqrt_sqrt; lra).
    pose proof (sqrt_lt_R0 _ O) as Pr. set (r := sqrt (norm_squared 0)) in *.
    replace (/ norm_squared 0) with (/ (r * r)) by (rewrite S; reflexivity). field. lra. }
  rewrite E. apply div_lt; [auto|]. rewrite Rmult_1_l. unfold norm_squared.
  assert (0 < Sum D (fun a => own 0 a ^ 2)); [|lra].
  apply (Sum_pos D _ a); auto; [intros; apply pow2_ge_0|].
  assert (N : own 0 a <> 0).
  { unfold own. apply Rmult_integral_contrapositive_currified; auto.
    pose proof (exp_pos (y 0%nat a)). lra. }
  pose proof (Rsqr_pos_lt _ N) as Q. rewrite Rsqr_pow2 in Q. exact Q.
Qed.

Theorem corollary_2 : 0 < eta_Z -> 0 < gamma -> 0 < beta ->
  (exists a, (a < D)%nat /\ P a <> 0) ->
  forall l, (l < C)%nat -> rho l <> 0 -> dz_common l < 0.
Proof.
  intros He Hg Hb [a [Ha HP]] l Hl Hr. rewrite equation_107.
  pose proof (overlap_below_one a Ha HP) as O. assert (K2 : 2 <= INR K) by (apply (le_INR 2); auto).
  assert (N : 0 < norm_squared 0).
  { unfold norm_squared.
    assert (0 < Sum C (fun l => common l ^ 2)).
    { apply (Sum_pos C _ l); auto; [intros; apply pow2_ge_0|].
      assert (W : common l <> 0).
      { unfold common. apply Rmult_integral_contrapositive_currified; auto.
        pose proof (exp_pos (z l)). lra. }
      pose proof (Rsqr_pos_lt _ W) as Q. rewrite Rsqr_pow2 in Q. exact Q. }
    assert (0 <= Sum D (fun a => own 0 a ^ 2)) by (apply Sum_nonneg; intros; apply pow2_ge_0).
    lra. }
  assert (W : f_common 0 l <> 0).
  { unfold f_common, common, Rdiv. repeat apply Rmult_integral_contrapositive_currified; auto.
    - pose proof (exp_pos (z l)). lra.
    - apply Rinv_neq_0_compat. pose proof (sqrt_lt_R0 _ N). lra. }
  pose proof (Rsqr_pos_lt _ W) as Q. rewrite Rsqr_pow2 in Q.
  assert (0 < eta_Z * gamma * beta * INR K * (INR K - 1) * f_common 0 l ^ 2 * (1 - overlap 0 1)).
  { do 6 (apply Rmult_lt_0_compat; [|lra]). lra. }
  lra.
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
End Corollary2.

(* THEOREM corollary_2 | holds-as-printed | in a symmetric state every common token falls *)
(* THEOREM norms_agree | holds-as-printed | o_n^2 does not depend on the class *)
(* THEOREM overlaps_agree | holds-as-printed | all overlaps agree *)
(* THEOREM equation_101 | holds-as-printed | tokens of a bijection move alike *)
(* THEOREM equation_107 | holds-as-printed | the speed of a common token, in closed form *)
(* THEOREM equation_102_refuted | refuted-as-printed | (102), (106) print o_n for o_n^2 *)
