(* Lemma 18 of "Scan and Snap" (Appendix H), Eqs. (134)-(137), and the reach of (136).

   Proved for every length T-1 >= 1 of the context, every vocabulary of M tokens, every sequence
   of ids below M and every vector h: X^T h_X/(T-1) = q o h (134) and X^T diag(h_X) X/(T-1) =
   diag(q o h) (135) with the frequencies q, q >= 0, sum q = 1.
   On (136): its probability statement is for one fixed token (Hoeffding, on trust).  Read for
   all tokens at once it is false (refuted) for T = 3, M = 8 equally likely tokens, delta = 1/10:
   a pair of draws keeps all radii exactly if its two tokens differ, 56 of 64 equally likely
   pairs, and 56/64 < 9/10. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums calculus numbers.
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
(* THEOREM equation_136_all_tokens_refuted | refuted-as-printed | for all tokens at once, T = 3 *)
(* BRIDGE radius | lib.scan_snap.concentration.hoeffding_radius | trials = T-1, delta *)
