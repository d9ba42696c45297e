(* Theorem 3 of "Scan and Snap" (Section 5, Appendix E), Eqs. (11), (12), (108)-(117).

   Setting: one class n.  weight l = P(l|n), z l t = z_ml(t), c~_l = P(l|n) e^(z_l), f_l =
   c~_l/|c~|_2 over the M tokens; tokens marked distinct move by (98), z_l' = eta_Z f_l^2 xi(t),
   the others (the common ones) fall.  Proved for every M, all weights > 0 of the two tokens
   compared, every eta_Z, every path xi(t) with antiderivative B_n, every start z(0): (108), (110),
   (11) for two distinct tokens; and, with eta_Z > 0 and xi > 0, for a dominant one: z_ml0 and
   f_nl0 increase, strictly between any two times s < t (f_nl0 as soon as the class has another
   token), (114), that the gain grows with B_n, and both bounds of (12).
   Correction: (112) prints r' = r(0) e^(2 (z - z(0))) z'; the derivative has a further factor 2.
   As printed it holds only where r(0) z' = 0 (refuted). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums calculus.
Open Scope R_scope.

Section Theorem3.
Variables (M : nat) (weight : nat -> R) (z : nat -> R -> R) (dz : nat -> R -> R).
Variables (distinct : nat -> Prop) (eta_Z : R) (xi B : R -> R).
Hypothesis weight_nonneg : forall l, (l < M)%nat -> 0 <= weight l.
Hypothesis z_flow : forall l t, (l < M)%nat -> 0 <= t -> is_derive (z l) t (dz l t).

(* c~_l|n(t)^2 and f_nl(t)^2 *)
Definition c_squared (l : nat) (t : R) : R := (weight l * exp (z l t)) ^ 2.
Definition f_squared (l : nat) (t : R) : R := c_squared l t / Sum M (fun k => c_squared k t).
Definition f (l : nat) (t : R) : R :=
  weight l * exp (z l t) / sqrt (Sum M (fun k => c_squared k t)).
(* r_(l/l'|n)(t) *)
Definition gain (l k : nat) (t : R) : R := f_squared l t / f_squared k t - 1.
(* chi_l(t) *)
Definition growth (l : nat) (t : R) : R := exp (2 * (z l t - z l 0)).

(* (98) *)
Hypothesis distinct_flow : forall l t, (l < M)%nat -> distinct l -> 0 <= t ->
  dz l t = eta_Z * f_squared l t * xi t.
(* B_n = eta_Z int_0^t xi_n *)
Hypothesis B_start : B 0 = 0.
Hypothesis B_flow : forall t, 0 <= t -> is_derive B t (eta_Z * xi t).

Lemma square_nonneg : forall l t, 0 <= c_squared l t.
Proof. intros. apply pow2_ge_0. Qed.

Lemma square_pos : forall l t, 0 < weight l -> 0 < c_squared l t.
Proof.
  intros l t H. unfold c_squared. assert (0 < weight l * exp (z l t)).
  { apply Rmult_lt_0_compat; auto. apply exp_pos. }
  nra.
Qed.

Lemma total_pos : forall l t, (l < M)%nat -> 0 < weight l -> 0 < Sum M (fun k => c_squared k t).
Proof.
  intros l t Hl H. apply (Sum_pos M _ l); auto.
  - intros. apply square_nonneg.
  - apply square_pos; auto.
Qed.

Lemma f_squared_bounds : forall l t, (l < M)%nat -> 0 < weight l -> 0 < f_squared l t <= 1.
Proof.
  intros l t Hl H. pose proof (total_pos l t Hl H) as T. pose proof (square_pos l t H) as P.
  unfold f_squared. split; [apply Rdiv_lt_0_compat; auto|]. apply div_le; auto.
  rewrite Rmult_1_l. apply (Sum_term_le M (fun k => c_squared k t)); auto.
  intros. apply square_nonneg.
Qed.

Lemma f_root : forall l t, (l < M)%nat -> 0 < weight l -> f l t = sqrt (f_squared l t).
Proof.
  intros l t Hl H. pose proof (total_pos l t Hl H). unfold f, f_squared, Rdiv.
  rewrite sqrt_mult, sqrt_inv by (try apply square_nonneg; left; apply Rinv_0_lt_compat; auto).
  f_equal. unfold c_squared. rewrite <- Rsqr_pow2, sqrt_Rsqr; auto.
  left. apply Rmult_lt_0_compat; auto. apply exp_pos.
Qed.

(* the gain in c~: the normalisation drops out *)
Lemma gain_ratio : forall l k t, (l < M)%nat -> (k < M)%nat -> 0 < weight l -> 0 < weight k ->
  gain l k t = c_squared l t / c_squared k t - 1.
Proof.
  intros l k t Hl Hk Wl Wk. unfold gain, f_squared.
  pose proof (total_pos l t Hl Wl). pose proof (square_pos k t Wk). field. split; lra.
Qed.

Lemma square_from_start : forall l t, c_squared l t = c_squared l 0 * growth l t.
Proof.
  intros l t. unfold c_squared, growth.
  replace (2 * (z l t - z l 0)) with (z l t + z l t + - z l 0 + - z l 0) by ring.
  rewrite !exp_plus, exp_Ropp. pose proof (exp_pos (z l 0)). field. lra.
Qed.

Section TwoTokens.
Variables (l k : nat).
Hypothesis l_in : (l < M)%nat.
Hypothesis k_in : (k < M)%nat.
Hypothesis l_distinct : distinct l.
Hypothesis k_distinct : distinct k.
Hypothesis l_weight : 0 < weight l.
Hypothesis k_weight : 0 < weight k.

(* (108), without the division: dz_l = (r + 1) dz_k, and r + 1 in terms of the start *)
Theorem equation_108 : forall t, 0 <= t ->
  dz l t = (gain l k t + 1) * dz k t /\
  gain l k t + 1 = (gain l k 0 + 1) * (growth l t / growth k t).
Proof.
  intros t Ht. split.
  - rewrite !distinct_flow by auto. unfold gain.
    pose proof (f_squared_bounds k t k_in k_weight). field. lra.
  - rewrite !gain_ratio by auto. rewrite (square_from_start l t), (square_from_start k t).
    pose proof (square_pos k 0 k_weight). pose proof (exp_pos (2 * (z k t - z k 0))).
    unfold growth in *. field. split; lra.
Qed.

(* (109), (110): e^(-2 dz_l) - (r(0)+1) e^(-2 dz_k) is constant *)
Theorem equation_110 : forall t, 0 <= t ->
  / growth l t - 1 = (gain l k 0 + 1) * (/ growth k t - 1).
Proof.
  intros t Ht.
  assert (C : exp (-2 * (z l t - z l 0)) - (gain l k 0 + 1) * exp (-2 * (z k t - z k 0)) =
              exp (-2 * (z l 0 - z l 0)) - (gain l k 0 + 1) * exp (-2 * (z k 0 - z k 0))).
  { apply (constant_flow (fun u => exp (-2 * (z l u - z l 0)) -
      (gain l k 0 + 1) * exp (-2 * (z k u - z k 0)))); auto.
    intros u Hu. evar_last.
    - auto_derive; [repeat split; eexists; apply z_flow; auto|reflexivity].
    - change (Derive (fun x => z l x) u) with (Derive (z l) u).
      change (Derive (fun x => z k x) u) with (Derive (z k) u).
      rewrite (is_derive_unique _ _ _ (z_flow l u l_in Hu)).
      rewrite (is_derive_unique _ _ _ (z_flow k u k_in Hu)).
      destruct (equation_108 u Hu) as [D R]. rewrite D, R. unfold growth.
      unfold Rminus. set (x := z l u + - z l 0). set (y := z k u + - z k 0).
      replace (2 * x) with (- (-2 * x)) by ring. replace (2 * y) with (- (-2 * y)) by ring.
      rewrite !exp_Ropp. pose proof (exp_pos (-2 * x)). pose proof (exp_pos (-2 * y)).
      field. split; lra. }
  rewrite !Rminus_eq_0, !Rmult_0_r, exp_0 in C. unfold growth. rewrite <- !exp_Ropp.
  replace (- (2 * (z l t - z l 0))) with (-2 * (z l t - z l 0)) by ring.
  replace (- (2 * (z k t - z k 0))) with (-2 * (z k t - z k 0)) by ring. lra.
Qed.

(* (11) = (111) *)
Theorem equation_11 : forall t, 0 <= t -> gain l k t = gain l k 0 * growth l t.
Proof.
  intros t Ht. pose proof (equation_110 t Ht) as E. destruct (equation_108 t Ht) as [_ R].
  pose proof (exp_pos (2 * (z l t - z l 0))) as P. pose proof (exp_pos (2 * (z k t - z k 0))) as Q.
  fold (growth l t) in P. fold (growth k t) in Q.
  assert (X : (gain l k 0 + 1) * / growth k t = / growth l t + gain l k 0) by lra.
  assert (Y : gain l k t + 1 = growth l t * ((gain l k 0 + 1) * / growth k t))
    by (rewrite R; field; lra).
  rewrite X in Y. replace (growth l t * (/ growth l t + gain l k 0))
    with (1 + gain l k 0 * growth l t) in Y by (field; lra). lra.
Qed.

(* (112) as it holds: with the factor 2; derivative of (11) for t > 0 *)
Theorem equation_112_corrected : forall t, 0 < t ->
  is_derive (gain l k) t (2 * gain l k 0 * exp (2 * (z l t - z l 0)) * dz l t).
Proof.
  intros t Ht.
  apply (is_derive_ext_loc (fun u => gain l k 0 * exp (2 * (z l u - z l 0)))).
  - exists (mkposreal t Ht). intros u Hu. symmetry. apply equation_11.
    apply Rabs_def2 in Hu. simpl in Hu. unfold minus, plus, opp in Hu; simpl in Hu. lra.
  - evar_last.
    + auto_derive; [eexists; apply z_flow; auto; lra|reflexivity].
    + change (Derive (fun x => z l x) t) with (Derive (z l) t).
      rewrite (is_derive_unique _ _ _ (z_flow l t l_in (Rlt_le _ _ Ht))). unfold Rminus. ring.
Qed.

Theorem equation_112_refuted : forall t, 0 < t -> gain l k 0 <> 0 -> dz l t <> 0 ->
  ~ is_derive (gain l k) t (gain l k 0 * exp (2 * (z l t - z l 0)) * dz l t).
Proof.
  intros t Ht Hr Hz H. pose proof (equation_112_corrected t Ht) as H'.
  apply is_derive_unique in H. apply is_derive_unique in H'. rewrite H in H'.
  assert (Z : gain l k 0 * exp (2 * (z l t - z l 0)) * dz l t = 0) by lra.
  apply Rmult_integral in Z. destruct Z as [Z|Z]; [|auto].
  apply Rmult_integral in Z. destruct Z as [Z|Z]; [auto|].
  pose proof (exp_pos (2 * (z l t - z l 0))). lra.
Qed.
End TwoTokens.

(* a dominant distinct token: ahead of all other distinct tokens, common tokens falling *)
Section Dominant.
Variable l0 : nat.
Hypothesis l0_in : (l0 < M)%nat.
Hypothesis l0_distinct : distinct l0.
Hypothesis l0_weight : 0 < weight l0.
Hypothesis eta_pos : 0 < eta_Z.
Hypothesis xi_pos : forall t, 0 <= t -> 0 < xi t.
Hypothesis classified : forall l, (l < M)%nat -> weight l <> 0 -> l <> l0 ->
  (distinct l /\ 0 < gain l0 l 0) \/ (forall t, 0 <= t -> dz l t < 0).

Lemma l0_rises : forall t, 0 <= t -> 0 < dz l0 t.
Proof.
  intros t Ht. rewrite distinct_flow by auto.
  pose proof (f_squared_bounds l0 t l0_in l0_weight). pose proof (xi_pos t Ht).
  apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra.
Qed.

Theorem z_increases : forall s t, 0 <= s -> s < t -> z l0 s < z l0 t.
Proof.
  apply (strictly_increasing_flow (z l0) (dz l0)); intros; [apply z_flow; auto|].
  apply l0_rises; auto.
Qed.

(* no token that occurs keeps up with l0: common ones fall, distinct ones have less pull *)
Lemma l0_leads : forall l t, (l < M)%nat -> weight l <> 0 -> l <> l0 -> 0 <= t ->
  dz l t < dz l0 t.
Proof.
  intros l t Hl Z Hne Ht. pose proof (l0_rises t Ht) as R.
  destruct (classified l Hl Z Hne) as [[Hd Hr]|Hc]; [|pose proof (Hc t Ht); lra].
  assert (W : 0 < weight l) by (pose proof (weight_nonneg l Hl); lra).
  destruct (equation_108 l0 l l0_in Hl l0_distinct Hd l0_weight W t Ht) as [V _].
  pose proof (equation_11 l0 l l0_in Hl l0_distinct Hd l0_weight W t Ht) as E.
  assert (G : 0 < gain l0 l t).
  { rewrite E. apply Rmult_lt_0_compat; [lra|apply exp_pos]. }
  assert (P : 0 < dz l t) by nra. nra.
Qed.

(* so c~_l^2 / c~_l0^2 falls, from any time on *)
Lemma ratio_falls : forall l s t, (l < M)%nat -> weight l <> 0 -> l <> l0 -> 0 <= s -> s < t ->
  c_squared l t / c_squared l0 t < c_squared l s / c_squared l0 s.
Proof.
  intros l s t Hl Z Hne Hs Hst.
  assert (A : forall u, c_squared l u / c_squared l0 u =
    (weight l / weight l0) ^ 2 * exp (2 * (z l u - z l0 u))).
  { intros u. unfold c_squared. replace (2 * (z l u - z l0 u)) with
      (z l u + z l u + - z l0 u + - z l0 u) by ring.
    rewrite !exp_plus, exp_Ropp. pose proof (exp_pos (z l0 u)). field. lra. }
  rewrite !A. apply Rmult_lt_compat_l.
  - assert (W : 0 < weight l) by (pose proof (weight_nonneg l Hl); lra).
    apply pow_lt, Rdiv_lt_0_compat; auto.
  - apply exp_increasing.
    assert (D : z l0 s - z l s < z l0 t - z l t); [|lra].
    apply (strictly_increasing_flow (fun u => z l0 u - z l u) (fun u => dz l0 u - dz l u)); auto.
    + intros u Hu. apply (is_derive_minus (z l0) (z l)); apply z_flow; auto.
    + intros u Hu. pose proof (l0_leads l u Hl Z Hne Hu). lra.
Qed.

Lemma ratio_falls_weakly : forall l s t, (l < M)%nat -> 0 <= s -> s < t ->
  c_squared l t / c_squared l0 t <= c_squared l s / c_squared l0 s.
Proof.
  intros l s t Hl Hs Hst. destruct (Nat.eq_dec l l0) as [->|Hne].
  { pose proof (square_pos l0 s l0_weight). pose proof (square_pos l0 t l0_weight).
    unfold Rdiv. rewrite !Rinv_r; lra. }
  destruct (Req_dec (weight l) 0) as [Z|Z]; [|left; apply ratio_falls; auto].
  unfold c_squared at 1 3. rewrite Z. unfold Rdiv. right. ring.
Qed.

(* (114): f_nl0^2 = 1/(M + sum of r_(l/l0|n) over the other tokens) *)
Theorem equation_114 : forall t, f_squared l0 t =
  / (INR M + Sum M (fun l => if Nat.eq_dec l l0 then 0 else gain l l0 t)).
Proof.
  intros t. pose proof (square_pos l0 t l0_weight) as P.
  pose proof (total_pos l0 t l0_in l0_weight) as T.
  replace (INR M) with (Sum M (fun _ => 1)) by (rewrite Sum_const; ring).
  rewrite <- Sum_plus.
  rewrite (Sum_ext M _ (fun l => c_squared l t * / c_squared l0 t)).
  - rewrite Sum_scal_r. unfold f_squared, Rdiv. field. split; lra.
  - intros l Hl. destruct (Nat.eq_dec l l0) as [->|Hne]; [field; lra|].
    unfold gain, f_squared. field. split; lra.
Qed.

Lemma f_squared_inverse : forall u,
  f_squared l0 u = / Sum M (fun l => c_squared l u / c_squared l0 u).
Proof.
  intros u. unfold f_squared, Rdiv. rewrite Sum_scal_r. pose proof (square_pos l0 u l0_weight).
  pose proof (total_pos l0 u l0_in l0_weight). field. split; lra.
Qed.

Lemma inverse_pos : forall u, 0 < Sum M (fun l => c_squared l u / c_squared l0 u).
Proof.
  intros u. unfold Rdiv. rewrite Sum_scal_r. apply Rmult_lt_0_compat.
  - apply (total_pos l0 u l0_in l0_weight).
  - apply Rinv_0_lt_compat, square_pos; auto.
Qed.

(* f_nl0 increases, strictly and from any time to any later one, as soon as the class has some
   other token; a class without any has f_nl0 = 1 throughout *)
Theorem f_increases : (exists l, (l < M)%nat /\ l <> l0 /\ weight l <> 0) ->
  forall s t, 0 <= s -> s < t -> f l0 s < f l0 t.
Proof.
  intros [l [Hl [Hne Z]]] s t Hs Hst. rewrite !f_root by auto. apply sqrt_lt_1.
  - left. apply f_squared_bounds; auto.
  - left. apply f_squared_bounds; auto.
  - rewrite !f_squared_inverse. apply Rinv_lt_contravar.
    + apply Rmult_lt_0_compat; apply inverse_pos.
    + apply Rminus_lt_0. rewrite <- Sum_minus. apply (Sum_pos M _ l); auto.
      * intros k Hk. pose proof (ratio_falls_weakly k s t Hk Hs Hst). lra.
      * pose proof (ratio_falls l s t Hl Z Hne Hs Hst). lra.
Qed.

Lemma f_grows : forall t, 0 <= t -> f_squared l0 0 <= f_squared l0 t.
Proof.
  intros t Ht. destruct (Req_dec t 0) as [->|Ht0]; [lra|].
  rewrite !f_squared_inverse. apply Rinv_le_contravar; [apply inverse_pos|].
  apply Sum_le. intros l Hl. apply ratio_falls_weakly; auto; lra.
Qed.

(* the sentence after (12): as B_n grows, so does the gain over every other distinct token *)
Theorem more_gain : forall l, (l < M)%nat -> distinct l -> 0 < weight l -> 0 < gain l0 l 0 ->
  forall s t, 0 <= s -> s < t -> B s < B t /\ gain l0 l s < gain l0 l t.
Proof.
  intros l Hl Hd W G s t Hs Hst. split.
  - revert s t Hs Hst. apply (strictly_increasing_flow B (fun u => eta_Z * xi u)); intros.
    + apply B_flow; auto.
    + apply Rmult_lt_0_compat; auto.
  - rewrite (equation_11 l0 l l0_in Hl l0_distinct Hd l0_weight W s),
      (equation_11 l0 l l0_in Hl l0_distinct Hd l0_weight W t) by lra.
    apply Rmult_lt_compat_l; auto. unfold growth. apply exp_increasing.
    pose proof (z_increases s t Hs Hst). lra.
Qed.

(* (115)-(117) = (12) *)
Theorem equation_12 : forall t, 0 <= t ->
  exp (2 * f_squared l0 0 * B t) <= growth l0 t <= exp (2 * B t).
Proof.
  intros t Ht. unfold growth.
  assert (U : z l0 t - z l0 0 <= B t).
  { assert (B 0 - z l0 0 <= B t - z l0 t); [|lra].
    apply (increasing_flow (fun u => B u - z l0 u) (fun u => eta_Z * xi u - dz l0 u)); try lra.
    - intros u Hu. apply (is_derive_minus B (z l0)); [apply B_flow|apply z_flow]; auto.
    - intros u Hu. rewrite distinct_flow by auto.
      pose proof (f_squared_bounds l0 u l0_in l0_weight). pose proof (xi_pos u Hu).
      assert (0 < eta_Z * xi u) by (apply Rmult_lt_0_compat; auto).
      assert (0 <= eta_Z * xi u * (1 - f_squared l0 u)) by (apply Rmult_le_pos; lra). lra. }
  assert (L : f_squared l0 0 * B t <= z l0 t - z l0 0).
  { assert (z l0 0 - f_squared l0 0 * B 0 <= z l0 t - f_squared l0 0 * B t);
      [|rewrite B_start in *; lra].
    apply (increasing_flow (fun u => z l0 u - f_squared l0 0 * B u)
             (fun u => dz l0 u - f_squared l0 0 * (eta_Z * xi u))); try lra.
    - intros u Hu. apply (is_derive_minus (z l0)); [apply z_flow; auto|].
      apply (is_derive_scal B). apply B_flow; auto.
    - intros u Hu. rewrite distinct_flow by auto. pose proof (f_grows u Hu).
      pose proof (xi_pos u Hu).
      assert (0 < eta_Z * xi u) by (apply Rmult_lt_0_compat; auto).
      assert (0 <= eta_Z * xi u * (f_squared l0 u - f_squared l0 0)) by (apply Rmult_le_pos; lra).
      lra. }
  split; apply exp_le_mono; lra.
Qed.
End Dominant.
End Theorem3.

(* THEOREM equation_108 | holds-as-printed | speeds of two distinct tokens, both halves of (108) *)
(* THEOREM equation_110 | holds-as-printed | the integrated form (110) at every time *)
(* THEOREM equation_11 | holds-as-printed | r(t) = r(0) chi_l(t) at every time, from any start *)
(* THEOREM equation_112_corrected | holds-as-corrected | r' = 2 r(0) e^(2 dz) z' *)
(* THEOREM equation_112_refuted | refuted-as-printed | (112) lacks the 2 unless r(0) z' = 0 *)
(* THEOREM z_increases | holds-as-printed | the dominant token's logit increases *)
(* THEOREM equation_114 | holds-as-printed | f^2 of a token by its rivals' gains, any state *)
(* THEOREM f_increases | holds-as-printed | its share f(s) < f(t) for all s < t *)
(* THEOREM more_gain | holds-as-printed | later on one run a larger B_n, and a larger gain over each
   distinct token *)
(* THEOREM equation_12 | holds-as-printed | both bounds of (12) at every time, the class being pulled
   throughout: xi > 0 *)
(* BRIDGE gain | lib.scan_snap.attention_flow.relative_gain | f, tokens l, k at one time *)
