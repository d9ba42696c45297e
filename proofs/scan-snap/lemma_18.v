(* Lemma 18 of "Scan and Snap" (Appendix H), Eqs. (134)-(137), and the reach of (136).

   Proved for every length T-1 >= 1 of the context, every vocabulary of M tokens, every sequence
   of ids below M and every vector h: X^T h_X/(T-1) = q o h (134) and X^T diag(h_X) X/(T-1) =
   diag(q o h) (135) with the frequencies q, q >= 0, sum q = 1.
   On (136): for T-1 tokens drawn each with the probabilities P (Shared.chance), every one fixed
   token l and every delta in (0,1), (138) and (136) with probability at least 1 - delta.  Read for
   all tokens at once (136) is false (refuted) for T = 3, M = 8 equally likely tokens, delta = 1/10:
   a pair of draws keeps all radii exactly if its two tokens differ, 56 of 64 equally likely
   pairs, and 56/64 < 9/10. *)
From Coq Require Import Reals Lra Lia List.
From Shared Require Import sums calculus numbers chance.
Open Scope R_scope.

Section Counts.
Variables (length M : nat) (token : nat -> nat) (h : nat -> R).
Hypothesis length_pos : (0 < length)%nat.
Hypothesis token_in : forall t, (t < length)%nat -> (token t < M)%nat.

(* X: row t is the one-hot vector of token t *)
Definition X (t l : nat) : R := delta (token t) l.
Definition q (l : nat) : R := / INR length * Sum length (fun t => delta (token t) l).

Lemma length_ne : INR length <> 0.
Proof. apply not_0_INR. lia. Qed.

Theorem q_is_a_distribution : (forall l, 0 <= q l) /\ Sum M q = 1.
Proof.
  pose proof length_ne as N. assert (P : 0 < / INR length)
    by (apply Rinv_0_lt_compat, lt_0_INR; auto). split.
  - intros l. apply Rmult_le_pos; [lra|]. apply Sum_nonneg. intros t Ht. unfold delta.
    destruct (Nat.eq_dec (token t) l); lra.
  - unfold q. rewrite Sum_scal, Sum_swap.
    rewrite (Sum_ext length _ (fun _ => 1)).
    + rewrite Sum_const. field. exact N.
    + intros t Ht. rewrite (Sum_ext M _ (fun l => delta (token t) l * 1)) by (intros; ring).
      apply (Sum_delta M (token t) (fun _ => 1)). auto.
Qed.

(* (137), (134) *)
Theorem equation_134 : forall l, / INR length * Sum length (fun t => X t l * h (token t)) =
  q l * h l.
Proof.
  intros l. unfold q. rewrite Rmult_assoc, <- Sum_scal_r. f_equal. apply Sum_ext. intros t Ht.
  unfold X, delta. destruct (Nat.eq_dec (token t) l) as [->|]; ring.
Qed.

(* (135) *)
Theorem equation_135 : forall l k,
  / INR length * Sum length (fun t => X t l * h (token t) * X t k) = delta l k * (q l * h l).
Proof.
  intros l k. unfold q.
  transitivity (/ INR length * (Sum length (fun t => delta (token t) l) * (h l * delta l k)));
    [|ring].
  rewrite <- Sum_scal_r. f_equal. apply Sum_ext. intros t Ht. unfold X, delta.
  destruct (Nat.eq_dec (token t) l) as [->|]; [destruct (Nat.eq_dec l k); ring|].
  destruct (Nat.eq_dec (token t) k); ring.
Qed.
End Counts.

(* (136): the radius *)
Definition radius (length : nat) (delta : R) : R := sqrt (ln (2 / delta) / (2 * INR length)).

Section Tokens.
Variables (M : nat) (P : nat -> R) (N : nat).
Hypothesis lawful : law M P.
Hypothesis N_pos : (0 < N)%nat.

(* the frequency of token l in the context w, a list of N = T-1 tokens *)
Definition share (w : list nat) (l : nat) : R := q N (fun t => nth t w O) l.

Lemma Sum_first : forall n f, Sum (S n) f = f O + Sum n (fun t => f (S t)).
Proof.
  induction n as [|n IH]; intros f; [simpl; ring|].
  change (Sum (S (S n)) f) with (Sum (S n) f + f (S n)). rewrite IH. simpl. ring.
Qed.

Lemma share_visits : forall w l, List.length w = N -> share w l = INR (visits l w) / INR N.
Proof.
  intros w l Hw. unfold share, q, Rdiv. rewrite Rmult_comm. f_equal. rewrite <- Hw. clear Hw.
  induction w as [|k w IH]; [reflexivity|].
  cbn [List.length visits]. rewrite Sum_first, plus_INR, <- IH. cbn [nth]. f_equal.
  unfold delta. destruct (Nat.eq_dec k l); reflexivity.
Qed.

(* (138) *)
Theorem equation_138 : forall l t, (l < M)%nat -> 0 <= t ->
  prob M P N (fun w => beyond (P l) t (share w l)) <= 2 * exp (- 2 * INR N * t ^ 2).
Proof.
  intros l t Hl Ht. pose proof (lt_0_INR N N_pos) as N0.
  apply Rle_trans with (2 := hoeffding M P lawful l Hl N t N_pos Ht).
  apply prob_le; auto. intros w Hw. rewrite share_visits by auto. unfold beyond.
  destruct (Rle_dec t _) as [H|]; [|discriminate]. intros _.
  destruct (Rle_dec (INR N * t) _) as [|F]; [reflexivity|]. exfalso. apply F.
  replace (INR (visits l w) - INR N * P l) with (INR N * (INR (visits l w) / INR N - P l))
    by (field; lra).
  rewrite Rabs_mult, (Rabs_pos_eq (INR N)) by lra. apply Rmult_le_compat_l; lra.
Qed.

(* lo <= x <= hi, as a question *)
Definition between (lo x hi : R) : bool :=
  if Rle_dec lo x then (if Rle_dec x hi then true else false) else false.

(* (136) for one token *)
Theorem equation_136 : forall l delta, (l < M)%nat -> 0 < delta < 1 ->
  1 - delta <= prob M P N (fun w =>
    between (Rmax 0 (P l - radius N delta)) (share w l) (P l + radius N delta)).
Proof.
  intros l d Hl Hd. pose proof (lt_0_INR N N_pos) as N0.
  assert (L : 0 < ln (2 / d)).
  { rewrite <- ln_1. apply ln_increasing; [lra|]. apply lt_div; lra. }
  assert (R2 : radius N d ^ 2 = ln (2 / d) / (2 * INR N)).
  { unfold radius. rewrite pow2_sqrt; [reflexivity|]. apply le_div; lra. }
  pose proof (equation_138 l (radius N d) Hl (sqrt_pos _)) as H. rewrite R2 in H.
  replace (2 * exp (-2 * INR N * (ln (2 / d) / (2 * INR N)))) with d in H.
  - apply Rle_trans with (prob M P N (fun w => negb (beyond (P l) (radius N d) (share w l)))).
    + rewrite prob_not by auto. lra.
    + apply prob_le; auto. intros w Hw. unfold beyond, between.
      destruct (Rle_dec (radius N d) _) as [|F]; [discriminate|]. intros _.
      assert (A : Rabs (share w l - P l) <= radius N d) by lra. apply Rabs_bounds in A.
      assert (Q : 0 <= share w l).
      { rewrite share_visits by auto. apply le_div; auto. rewrite Rmult_0_l. apply pos_INR. }
      destruct (Rle_dec (Rmax 0 _) _) as [|G]; [|exfalso; apply G, Rmax_lub; lra].
      destruct (Rle_dec (share w l) _) as [|G]; [reflexivity|exfalso; apply G; lra].
  - replace (-2 * INR N * (ln (2 / d) / (2 * INR N))) with (- ln (2 / d)) by (field; lra).
    rewrite exp_Ropp, exp_ln by (apply Rdiv_lt_0_compat; lra). field. lra.
Qed.
End Tokens.

(* two draws a, b of M equally likely tokens: the frequency of token l *)
Definition frequency (a b l : nat) : R := / 2 * (delta a l + delta b l).
(* (136) for every token l < M at once, P = 1/M *)
Definition all_within (M a b : nat) (r : R) : Prop := forall l, (l < M)%nat ->
  Rmax 0 (/ INR M - r) <= frequency a b l <= / INR M + r.

Lemma radius_T3 : 4 / 10 < radius 2 (1 / 10) < 875 / 1000.
Proof.
  unfold radius. simpl INR. replace (2 / (1 / 10)) with 20 by field.
  pose proof ln_20_lower. pose proof ln_20_upper. set (x := ln 20 / (2 * (1 + 1))).
  assert (X : 1 / 4 <= x <= 7651 / 10000) by (unfold x; lra).
  assert (S : sqrt x * sqrt x = x) by (apply sqrt_sqrt; lra).
  assert (P : 0 < sqrt x) by (apply sqrt_lt_R0; lra). split; nra.
Qed.

(* T = 3, M = 8, delta = 1/10: the pair (a, b) is good exactly if a <> b *)
Lemma good_pair : forall a b, (a < 8)%nat -> (b < 8)%nat ->
  (all_within 8 a b (radius 2 (1 / 10)) <-> a <> b).
Proof.
  intros a b Ha Hb. pose proof radius_T3 as R3. assert (I : INR 8 = 8) by (simpl; ring).
  split.
  - intros H E. subst b. specialize (H a Ha). unfold frequency in H. rewrite delta_eq, I in H. lra.
  - intros H l Hl. rewrite I. unfold frequency.
    assert (S : 0 <= delta a l + delta b l <= 1).
    { unfold delta. destruct (Nat.eq_dec a l), (Nat.eq_dec b l); try lia; lra. }
    split; [apply Rmax_lub; lra|lra].
Qed.

(* the share of the 64 equally likely pairs that are good *)
Definition good (a b : nat) : nat := if Nat.eq_dec a b then 0 else 1.
Fixpoint count (n : nat) (f : nat -> nat) : nat :=
  match n with O => O | S n => (count n f + f n)%nat end.

Theorem equation_136_all_tokens_refuted :
  (forall a b, (a < 8)%nat -> (b < 8)%nat ->
     (all_within 8 a b (radius 2 (1 / 10)) <-> good a b = 1%nat)) /\
  INR (count 8 (fun a => count 8 (good a))) / INR (8 * 8) = 1 - 1 / 10 - 1 / 40.
Proof.
  split.
  - intros a b Ha Hb. rewrite good_pair by auto. unfold good.
    destruct (Nat.eq_dec a b); split; intros; congruence || lia || auto.
  - replace (count 8 (fun a => count 8 (good a))) with 56%nat by (vm_compute; reflexivity).
    replace (INR 56) with 56 by (simpl; ring). replace (INR (8 * 8)) with 64 by (simpl; ring). lra.
Qed.

(* THEOREM equation_134 | holds-as-printed | X^T h_X/(T-1) = q o h for every sequence *)
(* THEOREM equation_135 | holds-as-printed | X^T diag(h_X) X/(T-1) = diag(q o h) *)
(* THEOREM q_is_a_distribution | holds-as-printed | q >= 0 and its entries add up to 1 *)
(* THEOREM equation_138 | holds-as-printed | Hoeffding's inequality for the share of one token *)
(* THEOREM equation_136 | holds-as-printed | (136) for one token, with probability 1 - delta *)
(* THEOREM equation_136_all_tokens_refuted | refuted-as-printed | for all tokens at once, T = 3 *)
(* BRIDGE radius | lib.scan_snap.concentration.hoeffding_radius | trials = T-1, delta *)
