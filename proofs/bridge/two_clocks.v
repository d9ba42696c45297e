(* Two clocks: K equal classes of one distinct and one common token, decoder and attention trained
   together by gradient flow.

   u is the height of the decoder, g the logit gap of attention, S the number of classes to a
   query, q = 1 for plain and q = 2 for normalized attention (proved for every real q > 0).  Proved
   for all K > 1, rates, S > -1 and times t >= 0:
   - u^2 - a (g + e^(q g)/q) keeps its value from any start;
   - from the start u = g = 0 the logit gap l = f u obeys the decoder's clock (45) of "Scan and
     Snap", K in the place of M, up to a constant factor in time;
   - the gap lies between two closed forms in l, plain and normalized;
   - plain: sinh clock of the gap is the time integral of (residual times height), whatever moves
     the decoder. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus.
Open Scope R_scope.

(* the share f of the distinct token at the gap g: (1 + e^(-q g))^(-1/q) *)
Definition share (q g : R) : R := exp (- ln (1 + exp (- (q * g))) / q).
(* the residual of a class with logit gap l *)
Definition residual (K l : R) : R := (K - 1) / (K - 1 + exp l).
Definition exchange (K S eta_Y eta_Z : R) : R := 2 * K * eta_Y / ((1 + S) * (K - 1) * eta_Z).
Definition invariant (a q u g : R) : R := u ^ 2 - a * (g + exp (q * g) / q).

Lemma share_plain : forall g, share 1 g = / (1 + exp (- g)).
Proof.
  intros g. unfold share. replace (- ln (1 + exp (- (1 * g))) / 1)
    with (- ln (1 + exp (- g))) by (rewrite Rmult_1_l; field).
  pose proof (exp_pos (- g)). rewrite exp_Ropp, exp_ln; lra.
Qed.

Lemma share_normalized : forall g, share 2 g ^ 2 = / (1 + exp (- (2 * g))).
Proof.
  intros g. unfold share. set (L := ln (1 + exp (- (2 * g)))).
  replace (exp (- L / 2) ^ 2) with (exp (- L / 2 + - L / 2)) by (rewrite exp_plus; ring).
  replace (- L / 2 + - L / 2) with (- L) by field. unfold L.
  pose proof (exp_pos (- (2 * g))). rewrite exp_Ropp, exp_ln; lra.
Qed.

Lemma share_pos : forall q g, 0 < share q g.
Proof. intros. apply exp_pos. Qed.

Lemma share_le_1 : forall q g, 0 < q -> share q g <= 1.
Proof.
  intros q g Hq. unfold share.
  apply Rle_trans with (exp 0); [apply exp_le_mono|rewrite exp_0; lra].
  pose proof (exp_pos (- (q * g))).
  assert (0 <= ln (1 + exp (- (q * g)))) by (rewrite <- ln_1; apply ln_le_mono; lra).
  unfold Rdiv. assert (0 < / q) by (apply Rinv_0_lt_compat; auto). nra.
Qed.

Lemma share_rises : forall q g, 0 < q -> 0 <= g -> share q 0 <= share q g.
Proof.
  intros q g Hq Hg. unfold share. apply exp_le_mono. unfold Rdiv.
  apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; auto|]. apply Ropp_le_contravar.
  pose proof (exp_pos (- (q * g))). apply ln_le_mono; [lra|].
  apply Rplus_le_compat_l, exp_le_mono. nra.
Qed.

Lemma share_derive : forall q g, 0 < q ->
  is_derive (share q) g (share q g / (1 + exp (q * g))).
Proof.
  intros q g Hq. unfold share. pose proof (exp_pos (- (q * g))) as P. evar_last.
  - auto_derive; [repeat split; lra|reflexivity].
  - replace (exp (q * g)) with (/ exp (- (q * g))) by (rewrite <- exp_Ropp; f_equal; ring).
    unfold Rdiv. field. repeat split; lra.
Qed.

Lemma ln_five_halves : ln (5 / 2) <= 19 / 20.
Proof.
  assert (E : (339 / 320) ^ 16 <= exp (19 / 320) ^ 16).
  { apply pow_incr. pose proof (exp_ge_line (19 / 320)). lra. }
  assert (P : exp (19 / 20) = exp (19 / 320) ^ 16).
  { simpl. rewrite Rmult_1_r, <- !exp_plus. f_equal. field. }
  rewrite <- (ln_exp (19 / 20)). apply ln_le_mono; [lra|]. rewrite P. lra.
Qed.

(* the tangents of the exponential that the bounds need *)
Lemma brake : forall x, 5 * (x + exp x - 1) <= (1 + exp x) ^ 2.
Proof.
  intros x. pose proof ln_five_halves as L.
  pose proof (exp_ge_line (x - ln (5 / 2))) as H.
  unfold Rminus in H at 2. rewrite exp_plus, exp_Ropp, exp_ln in H by lra.
  assert (5 * x <= 2 * exp x - / 4) by lra. pose proof (pow2_ge_0 (exp x - 5 / 2)). nra.
Qed.

Lemma plain_floor : forall x, exp x - 3 / 2 <= (x + exp x - 1) * (exp x / (1 + exp x)) ^ 2.
Proof.
  intros x. pose proof (exp_pos x) as P.
  pose proof (exp_ge_line (/ 2 - x)) as H. unfold Rminus in H at 2.
  rewrite exp_plus, exp_Ropp in H. assert (C : exp (/ 2) <= 2).
  { pose proof (exp_ge_line (- / 2)) as G. rewrite exp_Ropp in G. pose proof (exp_pos (/ 2)).
    assert (/ exp (/ 2) * exp (/ 2) = 1) by (field; lra). nra. }
  assert (N : (3 / 2 - x) * exp x <= exp (/ 2)).
  { replace (exp (/ 2)) with (exp (/ 2) * / exp x * exp x) by (field; lra).
    apply Rmult_le_compat_r; lra. }
  replace ((x + exp x - 1) * (exp x / (1 + exp x)) ^ 2)
    with ((x + exp x - 1) * exp x ^ 2 / (1 + exp x) ^ 2) by (field; lra).
  apply le_div; [apply pow_lt; lra|].
  assert ((3 / 2 - x) * exp x * exp x <= 2 * exp x) by (apply Rmult_le_compat_r; lra). nra.
Qed.

Lemma normalized_floor : forall x, exp x - 1 <= (x + exp x - 1) * (exp x / (1 + exp x)).
Proof.
  intros x. pose proof (exp_pos x) as P. pose proof (exp_ge_line (- x)) as H.
  rewrite exp_Ropp in H.
  assert (N : (1 - x) * exp x <= 1).
  { replace 1 with (/ exp x * exp x) at 2 by (field; lra). apply Rmult_le_compat_r; lra. }
  replace ((x + exp x - 1) * (exp x / (1 + exp x)))
    with ((x + exp x - 1) * exp x / (1 + exp x)) by (field; lra).
  apply le_div; nra.
Qed.

Section Joint.
Variables (K S eta_Y eta_Z q : R) (u g : R -> R).
Hypothesis K_gt1 : 1 < K.
Hypothesis S_pos : 0 < 1 + S.
Hypothesis eta_Y_pos : 0 < eta_Y.
Hypothesis eta_Z_pos : 0 < eta_Z.
Hypothesis q_pos : 0 < q.
Let l (t : R) : R := share q (g t) * u t.
Let du (t : R) : R := eta_Y * share q (g t) * residual K (l t) / (K - 1).
Let dg (t : R) : R :=
  (1 + S) * eta_Z * share q (g t) / (1 + exp (q * g t)) * residual K (l t) * u t / K.
Hypothesis u_flow : forall t, 0 <= t -> is_derive u t (du t).
Hypothesis g_flow : forall t, 0 <= t -> is_derive g t (dg t).
Let a : R := exchange K S eta_Y eta_Z.

Lemma a_pos : 0 < a.
Proof.
  unfold a, exchange. apply Rdiv_lt_0_compat; repeat apply Rmult_lt_0_compat; lra.
Qed.

(* both move on the same push, so time drops out *)
Theorem conserved : forall t, 0 <= t -> invariant a q (u t) (g t) = invariant a q (u 0) (g 0).
Proof.
  intros t Ht. apply (constant_flow (fun s => invariant a q (u s) (g s))); auto.
  intros s Hs. unfold invariant. evar_last.
  - auto_derive; [repeat split; eexists; [apply u_flow|apply g_flow|apply g_flow]; auto|].
    reflexivity.
  - change (Derive (fun x => u x) s) with (Derive u s).
    change (Derive (fun x => g x) s) with (Derive g s).
    rewrite (is_derive_unique _ _ _ (u_flow s Hs)), (is_derive_unique _ _ _ (g_flow s Hs)).
    unfold du, dg, a, exchange, residual. pose proof (exp_pos (q * g s)).
    pose proof (exp_pos (l s)). field. repeat split; lra.
Qed.

Lemma residual_pos : forall x, 0 < residual K x.
Proof.
  intros x. unfold residual. pose proof (exp_pos x). apply Rdiv_lt_0_compat; lra.
Qed.

Hypothesis u_start : u 0 = 0.
Hypothesis g_start : g 0 = 0.

Lemma u_nonneg : forall t, 0 <= t -> 0 <= u t.
Proof.
  intros t Ht. rewrite <- u_start. apply (increasing_flow u du); try lra; [exact u_flow|].
  intros s _. unfold du. apply le_div; [lra|]. rewrite Rmult_0_l.
  pose proof (share_pos q (g s)). pose proof (residual_pos (l s)).
  apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
Qed.

Lemma g_nonneg : forall t, 0 <= t -> 0 <= g t.
Proof.
  intros t Ht. destruct (Req_dec t 0) as [->|Hne]; [lra|].
  destruct (mean_value g dg 0 t) as [c [Hc E]]; auto; try lra.
  assert (0 <= dg c).
  { unfold dg. pose proof (share_pos q (g c)). pose proof (residual_pos (l c)).
    pose proof (u_nonneg c ltac:(lra)). pose proof (exp_pos (q * g c)).
    assert (0 < (1 + S) * eta_Z) by (apply Rmult_lt_0_compat; lra).
    assert (0 < / (1 + exp (q * g c))) by (apply Rinv_0_lt_compat; lra).
    apply le_div; [lra|]. rewrite Rmult_0_l. unfold Rdiv.
    remember (residual K (l c)) as r. repeat apply Rmult_le_pos; lra. }
  assert (0 <= dg c * (t - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem from_zero : forall t, 0 <= t -> q * u t ^ 2 = a * (q * g t + exp (q * g t) - 1).
Proof.
  intros t Ht. pose proof (conserved t Ht) as C. unfold invariant in C.
  rewrite u_start, g_start, Rmult_0_r, exp_0 in C.
  replace (u t ^ 2) with (a * (g t + exp (q * g t) / q) - a / q) by (unfold Rdiv in *; lra).
  field. lra.
Qed.

Definition clock_of_margin (x : R) : R := exp x + (K - 1) * x - 1.

Let speed_up (t : R) : R :=
  eta_Y * share q (g t) ^ 2
  * (1 + 2 / q * (q * g t + exp (q * g t) - 1) / (1 + exp (q * g t)) ^ 2).

Lemma clock_flow : forall t, 0 <= t ->
  is_derive (fun s => clock_of_margin (l s)) t (speed_up t).
Proof.
  intros t Ht. unfold clock_of_margin, l. evar_last.
  - apply (is_derive_minus (fun s => exp (share q (g s) * u s) + (K - 1) * (share q (g s) * u s))
      (fun _ => 1)); [|apply @is_derive_const].
    apply (is_derive_comp (fun x => exp x + (K - 1) * x) (fun s => share q (g s) * u s)).
    + auto_derive; [auto|reflexivity].
    + apply (is_derive_mult (fun s => share q (g s)) u);
        [|apply u_flow; auto|intros; apply Rmult_comm].
      apply (is_derive_comp (share q) g); [apply share_derive; auto|apply g_flow; auto].
  - unfold minus, plus, opp, zero, scal, mult; simpl; unfold mult; simpl.
    unfold speed_up, dg, du, residual, l.
    set (f := share q (g t)). pose proof (exp_pos (q * g t)) as P.
    pose proof (exp_pos (f * u t)) as Q.
    replace (2 / q * (q * g t + exp (q * g t) - 1)) with (2 / a * u t ^ 2).
    2:{ pose proof a_pos. pose proof (from_zero t Ht) as F.
        replace (u t ^ 2) with (q * u t ^ 2 / q) by (field; lra). rewrite F. field. lra. }
    unfold a, exchange. field. repeat split; try lra.
Qed.

Lemma speed_bounds : forall t, 0 <= t ->
  eta_Y * share q 0 ^ 2 <= speed_up t <= eta_Y * (1 + 2 / (5 * q)).
Proof.
  intros t Ht. pose proof (g_nonneg t Ht) as G. unfold speed_up.
  set (x := q * g t). assert (X : 0 <= x) by (apply Rmult_le_pos; lra).
  pose proof (exp_ge_line x). pose proof (brake x) as B.
  pose proof (share_pos q 0) as S0. pose proof (share_rises q (g t) q_pos G) as S1.
  pose proof (share_le_1 q (g t) q_pos) as S2. set (f := share q (g t)) in *.
  assert (F : share q 0 ^ 2 <= f ^ 2 <= 1) by nra.
  assert (D : 0 < (1 + exp x) ^ 2) by (apply pow_lt; lra).
  assert (R : 0 <= (x + exp x - 1) / (1 + exp x) ^ 2 <= / 5).
  { split; [apply le_div; lra|apply div_le; lra]. }
  replace (2 / q * (x + exp x - 1) / (1 + exp x) ^ 2)
    with (2 / q * ((x + exp x - 1) / (1 + exp x) ^ 2)) by (field; lra).
  set (r := (x + exp x - 1) / (1 + exp x) ^ 2) in *.
  assert (Q : 0 < 2 / q) by (apply Rdiv_lt_0_compat; lra).
  replace (2 / (5 * q)) with (2 / q * / 5) by (field; lra).
  assert (E : 0 <= 2 / q * r <= 2 / q * / 5) by nra.
  rewrite Rmult_assoc. split; apply Rmult_le_compat_l; try lra; nra.
Qed.

(* the decoder's clock (45), K for M: within a constant factor of time *)
Theorem margin_on_clock_45 : forall t, 0 <= t ->
  share q 0 ^ 2 * eta_Y * t <= clock_of_margin (share q (g t) * u t)
  <= (1 + 2 / (5 * q)) * eta_Y * t.
Proof.
  intros t Ht.
  assert (Z : clock_of_margin (l 0) = 0)
    by (unfold clock_of_margin, l; rewrite u_start, !Rmult_0_r, exp_0; ring).
  change (share q (g t) * u t) with (l t).
  assert (line : forall c s, is_derive (fun r => c * r) s c)
    by (intros; auto_derive; [auto|ring]).
  split.
  - assert (I : clock_of_margin (l 0) - eta_Y * share q 0 ^ 2 * 0
      <= clock_of_margin (l t) - eta_Y * share q 0 ^ 2 * t); [|lra].
    apply (increasing_flow (fun s => clock_of_margin (l s) - eta_Y * share q 0 ^ 2 * s)
      (fun s => speed_up s - eta_Y * share q 0 ^ 2)); auto; try lra.
    + intros s Hs. apply (is_derive_minus (fun r => clock_of_margin (l r))); auto.
      apply clock_flow; auto.
    + intros s Hs. pose proof (speed_bounds s Hs). lra.
  - assert (I : eta_Y * (1 + 2 / (5 * q)) * 0 - clock_of_margin (l 0)
      <= eta_Y * (1 + 2 / (5 * q)) * t - clock_of_margin (l t)); [|lra].
    apply (increasing_flow (fun s => eta_Y * (1 + 2 / (5 * q)) * s - clock_of_margin (l s))
      (fun s => eta_Y * (1 + 2 / (5 * q)) - speed_up s)); auto; try lra.
    + intros s Hs. apply (is_derive_minus (fun r => eta_Y * (1 + 2 / (5 * q)) * r)); auto.
      apply clock_flow; auto.
    + intros s Hs. pose proof (speed_bounds s Hs). lra.
Qed.
End Joint.

(* the gap in terms of the logit gap l = f u, from zero: plain *)
Theorem gap_plain : forall a u g, 0 < a -> 0 <= g -> 1 * u ^ 2 = a * (1 * g + exp (1 * g) - 1) ->
  0 <= exp g - 1 + g - (share 1 g * u) ^ 2 / a <= g + 1 / 2.
Proof.
  intros a u g Ha Hg C. rewrite !Rmult_1_l in C. pose proof (exp_pos g). pose proof (exp_ge_line g).
  assert (E : (share 1 g * u) ^ 2 / a = (g + exp g - 1) * (exp g / (1 + exp g)) ^ 2).
  { rewrite share_plain, Rpow_mult_distr, C, exp_Ropp. field. lra. }
  rewrite E. pose proof (plain_floor g). split; [|lra].
  assert (0 <= exp g / (1 + exp g) <= 1) by (split; [apply le_div|apply div_le]; lra).
  assert ((exp g / (1 + exp g)) ^ 2 <= 1) by nra. nra.
Qed.

(* the same, normalized *)
Theorem gap_normalized : forall a u g, 0 < a -> 0 <= g ->
  2 * u ^ 2 = a * (2 * g + exp (2 * g) - 1) ->
  0 <= 2 * (share 2 g * u) ^ 2 / a - (exp (2 * g) - 1) <= 2 * g.
Proof.
  intros a u g Ha Hg C. set (x := 2 * g) in *. pose proof (exp_pos x). pose proof (exp_ge_line x).
  assert (E : 2 * (share 2 g * u) ^ 2 / a = (x + exp x - 1) * (exp x / (1 + exp x))).
  { rewrite Rpow_mult_distr, share_normalized. fold x. rewrite exp_Ropp.
    replace (2 * (/ (1 + / exp x) * u ^ 2) / a) with (2 * u ^ 2 * / (1 + / exp x) / a)
      by (field; repeat split; try lra).
    rewrite C. field. repeat split; lra. }
  rewrite E. pose proof (normalized_floor x). split; [lra|].
  assert (0 <= exp x / (1 + exp x) <= 1) by (split; [apply le_div|apply div_le]; lra).
  assert (0 <= x) by (unfold x; lra). nra.
Qed.

(* plain attention beside any decoder: u and its residual are any functions of time *)
Section AnyDecoder.
Variables (rate : R) (g u delta : R -> R).
Hypothesis g_flow : forall t, 0 <= t ->
  is_derive g t (share 1 (g t) / (1 + exp (g t)) * (rate * delta t * u t)).
Definition attention_clock (x : R) : R := exp x - exp (- x) + 2 * x.

Theorem one_curve : forall t, 0 <= t ->
  is_derive (fun s => attention_clock (g s)) t (rate * delta t * u t).
Proof.
  intros t Ht. unfold attention_clock. evar_last.
  - auto_derive; [repeat split; eexists; apply (g_flow t Ht)|reflexivity].
  - change (Derive (fun x => g x) t) with (Derive g t).
    rewrite (is_derive_unique _ _ _ (g_flow t Ht)), share_plain, exp_Ropp.
    pose proof (exp_pos (g t)). field. lra.
Qed.
End AnyDecoder.

(* THEOREM conserved | holds-as-printed | u^2 - a (g + e^(qg)/q) keeps its value, from any start *)
(* THEOREM from_zero | holds-as-printed | from zero: q u^2 = a (q g + e^(qg) - 1) *)
(* THEOREM margin_on_clock_45 | holds-as-printed | the margin keeps to the clock (45) *)
(* THEOREM gap_plain | holds-as-printed | the gap between its two closed forms, plain *)
(* THEOREM gap_normalized | holds-as-printed | the gap between its two closed forms, normalized *)
(* THEOREM one_curve | holds-as-printed | plain: one curve, whatever the decoder does *)
(* BRIDGE exchange | lib.bridge.two_clocks.exchange | K, S, eta_Y, eta_Z (Python: ratio) *)
(* BRIDGE invariant | lib.bridge.two_clocks.conserved | a, q, u, g *)
(* BRIDGE attention_clock | lib.bridge.two_clocks.attention_clock | g (Python: q = 1) *)
