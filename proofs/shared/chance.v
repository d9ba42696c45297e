(* Independent draws, by finite sums: N labels from 0, ..., K-1, each with the probabilities P.
   The space is the K^N lists of N labels, the measure the product; all that happens on it is a sum.
   Hoeffding's inequality for the number of times that one label is drawn, and the union over
   labels.  Used by the proofs of Lemmas 10, 18 and Remark 4 of "Scan and Snap". *)
From Coq Require Import Reals Lra Lia List.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums calculus.
Open Scope R_scope.

Definition law (K : nat) (P : nat -> R) : Prop :=
  (forall k, (k < K)%nat -> 0 <= P k) /\ Sum K P = 1.

(* E g(w) over w = k_1 :: ... :: k_N, the sum of P(k_1) ... P(k_N) g(w) over all such lists *)
Fixpoint mean (K : nat) (P : nat -> R) (N : nat) (g : list nat -> R) : R :=
  match N with
  | O => g nil
  | S N => Sum K (fun k => P k * mean K P N (fun w => g (k :: w)))
  end.

Definition indicator (b : bool) : R := if b then 1 else 0.
Definition prob (K : nat) (P : nat -> R) (N : nat) (A : list nat -> bool) : R :=
  mean K P N (fun w => indicator (A w)).

(* how often label n stands in w *)
Fixpoint visits (n : nat) (w : list nat) : nat :=
  match w with
  | nil => O
  | k :: w => ((if Nat.eq_dec k n then 1 else 0) + visits n w)%nat
  end.

(* |x - c| <= r, and |x - c| >= r, as questions *)
Definition inside (c r x : R) : bool := if Rle_dec (Rabs (x - c)) r then true else false.
Definition beyond (c r x : R) : bool := if Rle_dec r (Rabs (x - c)) then true else false.

(* all labels below K pass *)
Fixpoint every (K : nat) (A : nat -> bool) : bool :=
  match K with O => true | S K => andb (every K A) (A K) end.

(* ------------------------------------------------------------------ means *)

Section Means.
Variables (K : nat) (P : nat -> R).
Hypothesis lawful : law K P.

Lemma mean_ext : forall N g h, (forall w, length w = N -> g w = h w) ->
  mean K P N g = mean K P N h.
Proof.
  induction N as [|N IH]; intros g h H; simpl; [apply H; reflexivity|].
  apply Sum_ext. intros k Hk. f_equal. apply IH. intros w Hw. apply H. simpl. lia.
Qed.

Lemma mean_plus : forall N g h, mean K P N (fun w => g w + h w) = mean K P N g + mean K P N h.
Proof.
  induction N as [|N IH]; intros g h; simpl; [reflexivity|].
  rewrite <- Sum_plus. apply Sum_ext. intros k Hk. rewrite IH. ring.
Qed.

Lemma mean_scal : forall N c g, mean K P N (fun w => c * g w) = c * mean K P N g.
Proof.
  induction N as [|N IH]; intros c g; simpl; [reflexivity|].
  rewrite <- Sum_scal. apply Sum_ext. intros k Hk. rewrite IH. ring.
Qed.

Lemma mean_one : forall N, mean K P N (fun _ => 1) = 1.
Proof.
  destruct lawful as [_ S1]. induction N as [|N IH]; simpl; [reflexivity|].
  rewrite IH. rewrite (Sum_ext K _ P) by (intros; ring). exact S1.
Qed.

Lemma mean_le : forall N g h, (forall w, length w = N -> g w <= h w) ->
  mean K P N g <= mean K P N h.
Proof.
  destruct lawful as [P0 _]. induction N as [|N IH]; intros g h H; simpl; [apply H; reflexivity|].
  apply Sum_le. intros k Hk. apply Rmult_le_compat_l; auto. apply IH. intros w Hw. apply H.
  simpl. lia.
Qed.

Lemma prob_le : forall N A B, (forall w, length w = N -> A w = true -> B w = true) ->
  prob K P N A <= prob K P N B.
Proof.
  intros N A B H. apply mean_le. intros w Hw. specialize (H w Hw).
  unfold indicator. destruct (A w); [rewrite H by reflexivity|destruct (B w)]; lra.
Qed.

Lemma prob_not : forall N A, prob K P N (fun w => negb (A w)) = 1 - prob K P N A.
Proof.
  intros N A. unfold prob.
  rewrite (mean_ext N _ (fun w => 1 + -1 * indicator (A w))).
  - rewrite mean_plus, mean_scal, mean_one. ring.
  - intros w _. unfold indicator. destruct (A w); simpl; ring.
Qed.

Lemma prob_or : forall N A B, prob K P N (fun w => orb (A w) (B w)) <=
  prob K P N A + prob K P N B.
Proof.
  intros N A B. unfold prob. rewrite <- mean_plus. apply mean_le. intros w _.
  unfold indicator. destruct (A w), (B w); simpl; lra.
Qed.

(* the union bound *)
Lemma union_bound : forall N L (A : nat -> list nat -> bool) d,
  (forall n, (n < L)%nat -> 1 - d <= prob K P N (A n)) ->
  1 - INR L * d <= prob K P N (fun w => every L (fun n => A n w)).
Proof.
  intros N L A d. induction L as [|L IH]; intros H.
  - simpl. unfold prob. simpl. rewrite mean_one. lra.
  - assert (I : 1 - INR L * d <= prob K P N (fun w => every L (fun n => A n w))).
    { apply IH. intros. apply H. lia. }
    pose proof (H L (Nat.lt_succ_diag_r L)) as HL.
    pose proof (prob_or N (fun w => negb (every L (fun n => A n w))) (fun w => negb (A L w))) as O.
    rewrite (prob_not N (fun w => every L (fun n => A n w))), (prob_not N (A L)) in O.
    pose proof (prob_not N (fun w => every (S L) (fun n => A n w))) as Q.
    assert (E : prob K P N (fun w => negb (every (S L) (fun n => A n w))) =
      prob K P N (fun w => orb (negb (every L (fun n => A n w))) (negb (A L w)))).
    { apply mean_ext. intros w _. simpl. rewrite Bool.negb_andb. reflexivity. }
    rewrite S_INR. lra.
Qed.

(* ------------------------------------------------------------------ Hoeffding *)

(* one draw: E e^(s (I - p)) for I = 1 with probability p, else 0 *)
Definition moment (p s : R) : R := (1 - p) * exp (- (s * p)) + p * exp (s * (1 - p)).

(* its logarithm starts flat, and bends by at most 1/4 *)
Lemma moment_right : forall p s, 0 <= p <= 1 -> 0 <= s -> moment p s <= exp (s ^ 2 / 8).
Proof.
  intros p s Hp Hs.
  assert (D : forall t, 0 < 1 - p + p * exp t).
  { intros t. pose proof (exp_pos t). destruct (Req_dec p 1) as [->|]; nra. }
  set (slope := fun t => t / 4 + p - p * exp t / (1 - p + p * exp t)).
  assert (S0 : forall t, 0 <= t -> 0 <= slope t).
  { intros t Ht. replace 0 with (slope 0)
      by (unfold slope; rewrite exp_0; pose proof (D 0) as D0; rewrite exp_0 in D0; field; lra).
    apply (increasing_flow slope (fun t => / 4 - p * exp t * (1 - p) / (1 - p + p * exp t) ^ 2));
      try lra.
    - intros u _. unfold slope. pose proof (D u). auto_derive; [lra|]. field. lra.
    - intros u _. pose proof (D u) as Du. pose proof (exp_pos u).
      assert (p * exp u * (1 - p) / (1 - p + p * exp u) ^ 2 <= / 4); [|lra].
      apply div_le; [apply pow_lt; auto|].
      pose proof (pow2_ge_0 (1 - p - p * exp u)). lra. }
  assert (F : 0 <= s ^ 2 / 8 + s * p - ln (1 - p + p * exp s)).
  { replace 0 with (0 ^ 2 / 8 + 0 * p - ln (1 - p + p * exp 0)) at 1
      by (rewrite exp_0; replace (1 - p + p * 1) with 1 by ring; rewrite ln_1; field).
    apply (increasing_flow (fun t => t ^ 2 / 8 + t * p - ln (1 - p + p * exp t)) slope); try lra.
    - intros u _. unfold slope. pose proof (D u). auto_derive; [lra|]. field. lra.
    - exact S0. }
  assert (E : moment p s = exp (ln (1 - p + p * exp s) - s * p)).
  { replace (ln (1 - p + p * exp s) - s * p) with (ln (1 - p + p * exp s) + - (s * p)) by ring.
    rewrite exp_plus, exp_ln by apply D. unfold moment.
    replace (s * (1 - p)) with (s + - (s * p)) by ring. rewrite exp_plus. ring. }
  rewrite E. apply exp_le_mono. lra.
Qed.

(* s < 0 asks for the other outcome *)
Lemma moment_bound : forall p s, 0 <= p <= 1 -> moment p s <= exp (s ^ 2 / 8).
Proof.
  intros p s Hp. destruct (Rle_or_lt 0 s) as [H|H]; [apply moment_right; auto|].
  replace (moment p s) with (moment (1 - p) (- s)).
  - replace (s ^ 2) with ((- s) ^ 2) by ring. apply moment_right; lra.
  - unfold moment. replace (1 - (1 - p)) with p by ring.
    replace (- (- s * (1 - p))) with (s * (1 - p)) by ring.
    replace (- s * p) with (- (s * p)) by ring. ring.
Qed.

Lemma exp_times : forall N x, exp x ^ N = exp (INR N * x).
Proof.
  intros N x. induction N as [|N IH]; [simpl; rewrite Rmult_0_l, exp_0; reflexivity|].
  cbn [pow]. rewrite IH, <- exp_plus, S_INR. f_equal. ring.
Qed.

Section Count.
Variable n : nat.
Hypothesis n_in : (n < K)%nat.

Lemma chance_bounds : 0 <= P n <= 1.
Proof.
  destruct lawful as [P0 P1]. split; auto. rewrite <- P1. apply Sum_term_le; auto.
Qed.

(* independence: the moments multiply *)
Lemma count_moment : forall N s,
  mean K P N (fun w => exp (s * (INR (visits n w) - INR N * P n))) = moment (P n) s ^ N.
Proof.
  destruct lawful as [_ P1]. intros N s. induction N as [|N IH].
  - simpl. replace (s * (0 - 0 * P n)) with 0 by ring. apply exp_0.
  - cbn [mean pow].
    rewrite (Sum_ext K _ (fun k => (exp (- (s * P n)) * P k +
      delta n k * (P k * (exp (s * (1 - P n)) - exp (- (s * P n))))) * moment (P n) s ^ N)).
    + rewrite Sum_scal_r, Sum_plus, Sum_scal, P1, Sum_delta by auto. unfold moment. ring.
    + intros k Hk. rewrite <- IH.
      rewrite (mean_ext N _ (fun w => exp (s * ((if Nat.eq_dec k n then 1 else 0) - P n)) *
        exp (s * (INR (visits n w) - INR N * P n)))).
      * rewrite mean_scal. unfold delta. destruct (Nat.eq_dec k n), (Nat.eq_dec n k); try lia.
        -- ring.
        -- replace (s * (0 - P n)) with (- (s * P n)) by ring. ring.
      * intros w _. rewrite <- exp_plus. f_equal. cbn [visits].
        rewrite plus_INR, S_INR. destruct (Nat.eq_dec k n); simpl; ring.
Qed.

(* Hoeffding's inequality for a count *)
Theorem hoeffding : forall N t, (0 < N)%nat -> 0 <= t ->
  prob K P N (fun w => beyond (INR N * P n) (INR N * t) (INR (visits n w))) <=
  2 * exp (- 2 * INR N * t ^ 2).
Proof.
  intros N t HN Ht. assert (N0 : 0 < INR N) by (apply lt_0_INR; auto).
  set (c := INR N * P n). set (x := fun w => INR (visits n w) - c).
  (* Markov, for both signs at once, with s = 4 t *)
  apply Rle_trans with (exp (- (4 * t * (INR N * t))) *
    (mean K P N (fun w => exp (4 * t * x w)) + mean K P N (fun w => exp (- (4 * t) * x w)))).
  - rewrite <- mean_plus, <- mean_scal. apply mean_le. intros w _. unfold beyond. fold (x w).
    rewrite Rmult_plus_distr_l, <- !exp_plus.
    pose proof (exp_pos (- (4 * t * (INR N * t)) + 4 * t * x w)) as E1.
    pose proof (exp_pos (- (4 * t * (INR N * t)) + - (4 * t) * x w)) as E2.
    destruct (Rle_dec (INR N * t) (Rabs (x w))) as [H|H]; unfold indicator; [|lra].
    assert (T : 0 <= INR N * t) by (apply Rmult_le_pos; lra).
    destruct (Rcase_abs (x w)) as [X|X].
    + rewrite Rabs_left in H by auto.
      pose proof (exp_ge_line (- (4 * t * (INR N * t)) + - (4 * t) * x w)). nra.
    + rewrite Rabs_right in H by auto.
      pose proof (exp_ge_line (- (4 * t * (INR N * t)) + 4 * t * x w)). nra.
  - unfold x, c. rewrite !count_moment.
    assert (B : forall s, s ^ 2 = 16 * t ^ 2 -> moment (P n) s ^ N <= exp (INR N * (2 * t ^ 2))).
    { intros s Es. apply Rle_trans with (exp (s ^ 2 / 8) ^ N).
      - apply pow_incr. split; [|apply moment_bound, chance_bounds].
        pose proof chance_bounds. unfold moment.
        pose proof (exp_pos (- (s * P n))). pose proof (exp_pos (s * (1 - P n))).
        apply Rplus_le_le_0_compat; apply Rmult_le_pos; lra.
      - rewrite exp_times, Es. apply exp_le_mono. right. field. }
    pose proof (B (4 * t) ltac:(ring)) as B1. pose proof (B (- (4 * t)) ltac:(ring)) as B2.
    pose proof (exp_pos (- (4 * t * (INR N * t)))).
    replace (-2 * INR N * t ^ 2) with (- (4 * t * (INR N * t)) + INR N * (2 * t ^ 2)) by ring.
    rewrite exp_plus. nra.
Qed.
End Count.
End Means.
