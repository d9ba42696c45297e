(* Remark 1 of "Scan and Snap" (Appendix D.2), Eqs. (41)-(43): the plain update (7) with equal
   overlaps.

   Setting: K classes, tokens 0..M-1 of which 0..K-1 are next tokens, f_n . f_n' = rho for all
   pairs. Uniform sampling is taken at its mildest: rounds that visit every class once, so that
   all rows move together, w_j <- w_j + eta_Y sum_n G_jn (e_n - softmax(w_n)), G = (1-rho) I +
   rho 1 1^T.  (43) claims w_n = (1-rho)(M-1) h* zeta_n, h* run at eta_Y for as many steps as
   rounds.

   Proved for every 2 <= K <= M, every rate and every number of rounds:
   - three numbers a, b, c (own class, rival classes, tokens that are no class) hold the whole
     state;
   - the sum of zeta_n' over the K classes is 0 if K = M and not 0 if K < M (refuted as printed);
   - K = M: w_n = (M-1) h* zeta_n with h* run at the rate (1-rho) eta_Y, no factor in front; (43)
     fails at the second round for every rate > 0 and 0 < rho < 1 (refuted as printed);
   - K < M: (43) fails at the first round for every rate <> 0 and rho <> 0 (refuted as printed). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums calculus decoder softmax.
Open Scope R_scope.

Section Remark1.
Variables (K M : nat) (rho eta : R).
Hypothesis K_two : (2 <= K)%nat.
Hypothesis K_le_M : (K <= M)%nat.

(* G_jn = f_j . f_n *)
Definition gram (j n : nat) : R := if Nat.eq_dec j n then 1 else rho.

(* (41), (42) for a round of all K classes *)
Fixpoint rows (s j v : nat) : R :=
  match s with
  | O => 0
  | S s => rows s j v +
      eta * Sum K (fun n => gram j n * (delta n v - softmax M (rows s n) v))
  end.

(* the three numbers: logit of the own class, of a rival class, of any other token *)
Definition total (a b c : R) : R := exp a + (INR K - 1) * exp b + (INR M - INR K) * exp c.
Fixpoint three (s : nat) : R * R * R :=
  match s with
  | O => (0, 0, 0)
  | S s =>
      let '(a, b, c) := three s in
      let p := exp a / total a b c in
      let q := exp b / total a b c in
      let r := exp c / total a b c in
      (a + eta * ((1 - p) - rho * (INR K - 1) * q),
       b + eta * (- q + rho * ((1 - p) - (INR K - 2) * q)),
       c - eta * (1 + rho * (INR K - 1)) * r)
  end.
Definition entry (t : R * R * R) (j v : nat) : R :=
  let '(a, b, c) := t in if Nat.eq_dec v j then a else if le_lt_dec K v then c else b.

Lemma INR_K_le_M : INR K <= INR M.
Proof. apply le_INR. exact K_le_M. Qed.

Lemma total_pos_three : forall a b c, 0 < total a b c.
Proof.
  intros a b c. unfold total. pose proof (exp_pos a). pose proof (exp_pos b).
  pose proof (exp_pos c).
  pose proof INR_K_le_M. pose proof (INR_ge2 K K_two). nra.
Qed.

(* a sum over the vocabulary splits into classes and the other tokens *)
Lemma Sum_split : forall (f : nat -> R) c, (forall v, (K <= v)%nat -> (v < M)%nat -> f v = c) ->
  Sum M f = Sum K f + (INR M - INR K) * c.
Proof.
  intros f c H. replace M with (K + (M - K))%nat at 1 by lia.
  rewrite (Sum_tail K (M - K) f c); [rewrite minus_INR by auto; reflexivity|].
  intros v Hv Hv'. apply H; lia.
Qed.

Lemma softmax_three : forall w a b c j, (j < K)%nat ->
  (forall v, (v < M)%nat -> w v = entry (a, b, c) j v) ->
  forall v, (v < M)%nat -> softmax M w v = exp (entry (a, b, c) j v) / total a b c.
Proof.
  intros w a b c j Hj Hw v Hv. unfold softmax. rewrite Hw by auto. f_equal.
  rewrite (Sum_split _ (exp c)).
  - rewrite (Sum_special K j _ (exp b)); auto.
    + rewrite Hw by lia. unfold entry, total. destruct (Nat.eq_dec j j); [|lia]. ring.
    + intros k Hk Hne. rewrite Hw by lia. unfold entry.
      destruct (Nat.eq_dec k j), (le_lt_dec K k); try lia. reflexivity.
  - intros k Hk Hk'. rewrite Hw by lia. unfold entry.
    destruct (Nat.eq_dec k j), (le_lt_dec K k); try lia. reflexivity.
Qed.

(* the whole state is three numbers, at every round *)
Theorem three_numbers : forall s j v, (j < K)%nat -> (v < M)%nat ->
  rows s j v = entry (three s) j v.
Proof.
  induction s as [|s IH]; intros j v Hj Hv.
  - simpl. unfold entry. destruct (Nat.eq_dec v j), (le_lt_dec K v); reflexivity.
  - simpl. rewrite IH by auto. destruct (three s) as [[a b] c].
    pose proof (total_pos_three a b c) as T.
    set (p := exp a / total a b c). set (q := exp b / total a b c). set (r := exp c / total a b c).
    assert (S1 : forall n, (n < K)%nat -> softmax M (rows s n) v =
                 if Nat.eq_dec v n then p else if le_lt_dec K v then r else q).
    { intros n Hn. rewrite (softmax_three _ a b c n Hn) by (auto; intros; apply IH; auto).
      unfold entry. destruct (Nat.eq_dec v n), (le_lt_dec K v); reflexivity. }
    destruct (Nat.eq_dec v j) as [->|Hvj].
    + (* the own class *)
      rewrite (Sum_special K j _ (- rho * q)); auto.
      * rewrite S1, delta_eq by auto. unfold gram, entry.
        destruct (Nat.eq_dec j j); [|lia]. ring.
      * intros k Hk Hne. rewrite S1, delta_ne by auto. unfold gram.
        destruct (Nat.eq_dec j k), (le_lt_dec K j); try lia. ring.
    + unfold entry. destruct (Nat.eq_dec v j) as [|_]; [lia|].
      destruct (le_lt_dec K v) as [Hc|Hc].
      * (* a token that is no class *)
        rewrite (Sum_special K j _ (- rho * r)); auto.
        -- rewrite S1, delta_ne by lia. unfold gram. destruct (Nat.eq_dec j j); [|lia].
           destruct (Nat.eq_dec v j), (le_lt_dec K v); try lia. ring.
        -- intros k Hk Hne. rewrite S1, delta_ne by lia. unfold gram.
           destruct (Nat.eq_dec j k), (Nat.eq_dec v k), (le_lt_dec K v); try lia. ring.
      * (* a rival class v: the term n = v differs, and the term n = j *)
        rewrite (Sum_ext K _ (fun n => (if Nat.eq_dec n j then - q + rho * q else 0) +
                   (if Nat.eq_dec n v then rho * (1 - p) + rho * q else 0) + - rho * q)).
        -- rewrite !Sum_plus, Sum_const.
           rewrite (Sum_special K j (fun n => if Nat.eq_dec n j then - q + rho * q else 0) 0),
             (Sum_special K v (fun n => if Nat.eq_dec n v then rho * (1 - p) +
               rho * q else 0) 0); auto.
           ++ destruct (Nat.eq_dec j j), (Nat.eq_dec v v); try lia. ring.
           ++ intros k Hk Hne. destruct (Nat.eq_dec k v); [lia|reflexivity].
           ++ intros k Hk Hne. destruct (Nat.eq_dec k j); [lia|reflexivity].
        -- intros n Hn. rewrite S1 by auto. unfold gram, delta.
           destruct (Nat.eq_dec j n), (Nat.eq_dec n v), (Nat.eq_dec v n), (Nat.eq_dec n j),
             (le_lt_dec K v); try lia; ring.
Qed.

(* "sum_n zeta_n = 0": true over the vocabulary, false over K < M classes *)
Lemma sum_zeta : forall v, (v < M)%nat -> Sum K (fun n => zeta M n v) =
  INR M / (INR M - 1) * ((if le_lt_dec K v then 0 else 1) - INR K / INR M).
Proof.
  intros v Hv. assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2).
  unfold zeta. rewrite Sum_scal, Sum_minus, Sum_const. f_equal. f_equal.
  destruct (le_lt_dec K v) as [H'|H'].
  - apply Sum_zero. intros. apply delta_ne. lia.
  - rewrite (Sum_ext K _ (fun n => delta v n * 1)) by (intros; rewrite delta_sym; ring).
    rewrite (Sum_delta K v (fun _ => 1)); auto.
Qed.

(* printed: sum_(n' <> n) zeta_n' = - zeta_n, over the K classes *)
Theorem sum_of_zetas_refuted : (K < M)%nat -> forall n v, (n < K)%nat -> (v < M)%nat ->
  Sum K (fun k => zeta M k v) - zeta M n v <> - zeta M n v.
Proof.
  intros H n v Hn Hv E. assert (Z : Sum K (fun k => zeta M k v) = 0) by lra.
  rewrite sum_zeta in Z by auto. assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2) as G.
  assert (P : 0 < INR K < INR M) by (split; [apply lt_0_INR|apply lt_INR]; lia).
  assert (Q : 0 < INR M / (INR M - 1)) by (apply Rdiv_lt_0_compat; lra).
  assert (D : INR K / INR M < 1) by (apply div_lt; lra).
  assert (D0 : 0 < INR K / INR M) by (apply Rdiv_lt_0_compat; lra).
  apply Rmult_integral in Z. destruct Z as [Z|Z]; [lra|].
  destruct (le_lt_dec K v); lra.
Qed.

Theorem sum_of_zetas_all : K = M -> forall v, (v < M)%nat -> Sum K (fun k => zeta M k v) = 0.
Proof.
  intros E v Hv. rewrite sum_zeta by auto. destruct (le_lt_dec K v); [lia|].
  rewrite E. assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2). field. lra.
Qed.

(* K = M: what holds instead of (43) *)
Lemma all_classes : K = M -> forall s, exists d,
  three s = ((INR M - 1) * h_star (INR M) ((1 - rho) * eta) s,
             - h_star (INR M) ((1 - rho) * eta) s, d).
Proof.
  intros E s. assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2) as G.
  induction s as [|s [d IH]].
  - exists 0. simpl. f_equal. f_equal; ring.
  - simpl. rewrite IH. eexists. f_equal. set (x := h_star (INR M) ((1 - rho) * eta) s).
    unfold total, speed. rewrite E.
    assert (X : exp ((INR M - 1) * x) = exp (INR M * x) * exp (- x))
      by (rewrite <- exp_plus; f_equal; ring).
    pose proof (exp_pos (INR M * x)). pose proof (exp_pos (- x)). pose proof (exp_pos d).
    rewrite X. set (y := exp (INR M * x)) in *. set (z := exp (- x)) in *.
    assert (0 < y * z + (INR M - 1) * z) by nra.
    f_equal; field; split; try lra; try nra.
Qed.

Theorem effective_rate_all_classes : K = M -> forall s j v, (j < K)%nat -> (v < M)%nat ->
  rows s j v = (INR M - 1) * h_star (INR M) ((1 - rho) * eta) s * zeta M j v.
Proof.
  intros E s j v Hj Hv. rewrite three_numbers by auto. destruct (all_classes E s) as [d ->].
  assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2) as G. unfold entry.
  destruct (Nat.eq_dec v j) as [->|Hne].
  - rewrite zeta_at by auto. ring.
  - rewrite zeta_off by auto. destruct (le_lt_dec K v); [lia|]. field. lra.
Qed.

(* (43) at K = M, second round: (1-rho) h*(2; eta) against h*(2; (1-rho) eta) *)
Theorem equation_43_all_classes_refuted : K = M -> 0 < rho < 1 -> 0 < eta ->
  forall n, (n < K)%nat ->
  rows 2 n n <> (1 - rho) * (INR M - 1) * h_star (INR M) eta 2 * zeta M n n.
Proof.
  intros E Hr He n Hn H. rewrite effective_rate_all_classes in H by (auto; lia).
  assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2) as G.
  rewrite zeta_at in H by auto. simpl in H. unfold speed in H.
  rewrite !Rmult_0_r, exp_0 in H.
  replace (INR M - 1 + 1) with (INR M) in H by ring.
  replace (INR M * (0 + (1 - rho) * eta * / INR M)) with ((1 - rho) * eta) in H by (field; lra).
  replace (INR M * (0 + eta * / INR M)) with eta in H by (field; lra).
  assert (L : exp ((1 - rho) * eta) < exp eta) by (apply exp_increasing; nra).
  pose proof (exp_pos ((1 - rho) * eta)) as P.
  assert (I : / (INR M - 1 + exp eta) < / (INR M - 1 + exp ((1 - rho) * eta)))
    by (apply Rinv_lt_contravar; nra).
  assert (Q : 0 < (1 - rho) * eta * (INR M - 1)) by (repeat apply Rmult_lt_0_compat; lra).
  assert (J : (1 - rho) * eta * (INR M - 1) * / (INR M - 1 + exp eta) <
              (1 - rho) * eta * (INR M - 1) * / (INR M - 1 + exp ((1 - rho) * eta)))
    by (apply Rmult_lt_compat_l; auto).
  lra.
Qed.

(* (43) at K < M, first round.  The gap between the own class and a token that is no class moves at
   eta_Y, not at (1-rho) eta_Y; the entry itself is off by rho K eta_Y / M. *)
Theorem first_round : forall n v, (n < K)%nat -> (K <= v)%nat -> (v < M)%nat ->
  rows 1 n v = - eta * (1 + rho * (INR K - 1)) / INR M /\
  rows 1 n n - rows 1 n v = eta.
Proof.
  intros n v Hn Hv Hv'. rewrite !three_numbers by lia. simpl. unfold total. rewrite exp_0.
  assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2) as G.
  destruct (Nat.eq_dec v n), (Nat.eq_dec n n), (le_lt_dec K v); try lia.
  replace (1 + (INR K - 1) * 1 + (INR M - INR K) * 1) with (INR M) by ring. split; field; lra.
Qed.

Theorem equation_43_some_classes_refuted : (K < M)%nat -> rho <> 0 -> eta <> 0 ->
  forall n v, (n < K)%nat -> (K <= v)%nat -> (v < M)%nat ->
  rows 1 n v <> (1 - rho) * (INR M - 1) * h_star (INR M) eta 1 * zeta M n v.
Proof.
  intros HK Hr He n v Hn Hv Hv' H. destruct (first_round n v Hn Hv Hv') as [A _]. rewrite A in H.
  assert (H2 : (2 <= M)%nat) by lia. pose proof (INR_gt1 M H2) as G.
  rewrite zeta_off in H by lia. simpl in H. unfold speed in H. rewrite Rmult_0_r, exp_0 in H.
  replace (INR M - 1 + 1) with (INR M) in H by ring.
  assert (Z : eta * rho * INR K = 0).
  { apply Rmult_eq_reg_r with (/ INR M); [|apply Rinv_neq_0_compat; lra].
    replace ((1 - rho) * (INR M - 1) * (0 + eta * / INR M) * - / (INR M - 1))
      with (- (1 - rho) * eta / INR M) in H by (field; lra).
    unfold Rdiv in H. lra. }
  assert (INR K <> 0) by (pose proof (INR_ge2 K K_two); lra).
  apply Rmult_integral in Z. destruct Z as [Z|Z]; [|auto].
  apply Rmult_integral in Z. destruct Z; auto.
Qed.
End Remark1.

(* THEOREM three_numbers | holds-as-corrected | for every K <= M, three numbers hold all logits *)
(* THEOREM sum_of_zetas_refuted | refuted-as-printed | over K < M classes the zetas do not cancel *)
(* THEOREM sum_of_zetas_all | holds-as-corrected | over the whole vocabulary they do *)
(* THEOREM effective_rate_all_classes | holds-as-corrected | K = M: h* at the rate (1-rho) eta_Y *)
(* THEOREM equation_43_all_classes_refuted | refuted-as-printed | K = M: (43) fails in round 2 *)
(* THEOREM first_round | holds-as-corrected | K < M: the gap to an unused token moves at eta_Y *)
(* THEOREM equation_43_some_classes_refuted | refuted-as-printed | K < M: (43) fails in round 1 *)
(* BRIDGE rows | lib.scan_snap.decoder_training.decoder_epochs | gram = equal_overlap_gram(K, rho); s *)
(* BRIDGE gram | lib.scan_snap.equal_overlaps.equal_overlap_gram | K, rho; entry j, n *)
