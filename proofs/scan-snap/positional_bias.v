(* Section 7 of "Scan and Snap": an additive bias in the attention logits as a prior.

   Printed: exp(z_ml + z_0) = exp(z_ml) exp(z_0), read as a prior of the contextual token.
   Proved for every length L >= 1 of the context, every sequence of tokens, all logits z and all
   biases:
   - a bias b_l that belongs to the token is a prior: the attention is that of z with the weights
     e^(b_l); one z_0 for all changes nothing at all (so it is no prior);
   - a bias p_t of the position gives token l the factor sum over its own positions of e^(p_t),
     against its count: one number a token for this sequence, but not one law: two sequences with
     the same counts and different order get different attention (refuted, for any two positions
     with p_0 <> p_1). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums.
Open Scope R_scope.

(* X^T b: the attention that token l gets, position t having the logit z_(x_t) + p t *)
Definition attention (L : nat) (x : nat -> nat) (z p : nat -> R) (l : nat) : R :=
  Sum L (fun t => delta (x t) l * exp (z (x t) + p t)) / Sum L (fun t => exp (z (x t) + p t)).

Definition count (L : nat) (x : nat -> nat) (l : nat) : R := Sum L (fun t => delta (x t) l).

(* positions of token l, weighted by e^(p_t) *)
Definition prior (L : nat) (x : nat -> nat) (p : nat -> R) (l : nat) : R :=
  Sum L (fun t => delta (x t) l * exp (p t)).

Lemma total_pos : forall L (a : nat -> R), (0 < L)%nat -> 0 < Sum L (fun t => exp (a t)).
Proof.
  intros L a H. apply (Sum_pos L _ 0%nat); auto; intros; try (left; apply exp_pos). apply exp_pos.
Qed.

(* a bias of the token: exp(z + b) = exp(z) exp(b), token by token *)
Theorem token_bias_is_a_prior : forall L x z b l, (0 < L)%nat ->
  attention L x (fun k => z k + b k) (fun _ => 0) l =
  exp (b l) * (count L x l * exp (z l)) / Sum L (fun t => exp (b (x t)) * exp (z (x t))).
Proof.
  intros L x z b l HL. unfold attention, count. f_equal.
  - rewrite <- Sum_scal_r, <- Sum_scal. apply Sum_ext. intros t Ht. unfold delta.
    destruct (Nat.eq_dec (x t) l) as [->|]; [|ring].
    rewrite Rplus_0_r, exp_plus. ring.
  - apply Sum_ext. intros t Ht. rewrite Rplus_0_r, exp_plus. ring.
Qed.

(* the one z_0 of the display, without an index, drops out *)
Theorem constant_bias_drops_out : forall L x z z_0 l, (0 < L)%nat ->
  attention L x z (fun _ => z_0) l = attention L x z (fun _ => 0) l.
Proof.
  intros L x z z_0 l HL. unfold attention.
  rewrite (Sum_ext L (fun t => delta (x t) l * exp (z (x t) + z_0))
    (fun t => exp z_0 * (delta (x t) l * exp (z (x t) + 0))))
    by (intros; rewrite !exp_plus, exp_0; ring).
  rewrite (Sum_ext L (fun t => exp (z (x t) + z_0)) (fun t => exp z_0 * exp (z (x t) + 0)))
    by (intros; rewrite !exp_plus, exp_0; ring).
  rewrite !Sum_scal. pose proof (total_pos L (fun t => z (x t) + 0) HL). pose proof (exp_pos z_0).
  field. split; lra.
Qed.

(* a bias of the position: the factor of token l is the weight of its own positions *)
Theorem position_bias : forall L x z p l, (0 < L)%nat ->
  attention L x z p l = exp (z l) * prior L x p l / Sum L (fun t => exp (z (x t)) * exp (p t)).
Proof.
  intros L x z p l HL. unfold attention, prior. f_equal.
  - rewrite <- Sum_scal. apply Sum_ext. intros t Ht. unfold delta.
    destruct (Nat.eq_dec (x t) l) as [->|]; [rewrite exp_plus; ring|ring].
  - apply Sum_ext. intros t Ht. apply exp_plus.
Qed.

(* two sequences of the same counts: tokens 0, 1 and tokens 1, 0 *)
Definition forwards (t : nat) : nat := if Nat.eq_dec t 0 then 0 else 1.
Definition backwards (t : nat) : nat := if Nat.eq_dec t 0 then 1 else 0.

(* no factor e^(b_l) that depends on the token alone gives the attention of both orders *)
Theorem position_bias_as_prior_refuted : forall p, p 0%nat <> p 1%nat -> forall z,
  (forall l, count 2 forwards l = count 2 backwards l) /\
  ~ (exists b, (forall l, attention 2 forwards z p l =
                          attention 2 forwards (fun k => z k + b k) (fun _ => 0) l) /\
               (forall l, attention 2 backwards z p l =
                          attention 2 backwards (fun k => z k + b k) (fun _ => 0) l)).
Proof.
  intros p Hp z. split.
  { intros l. unfold count, forwards, backwards. simpl. ring. }
  intros [b [H1 H2]]. specialize (H1 0%nat). specialize (H2 0%nat). revert H1 H2.
  unfold attention, forwards, backwards, delta. simpl. rewrite !Rplus_0_r, !exp_plus.
  pose proof (exp_pos (z 0%nat)) as A. pose proof (exp_pos (z 1%nat)) as B.
  pose proof (exp_pos (p 0%nat)) as C. pose proof (exp_pos (p 1%nat)) as D.
  pose proof (exp_pos (b 0%nat)) as E. pose proof (exp_pos (b 1%nat)) as F.
  assert (N : exp (p 0%nat) <> exp (p 1%nat)) by (intros W; apply exp_inv in W; auto).
  set (za := exp (z 0%nat)) in *. set (zb := exp (z 1%nat)) in *. set (pa := exp (p 0%nat)) in *.
  set (pb := exp (p 1%nat)) in *. set (ba := exp (b 0%nat)) in *. set (bb := exp (b 1%nat)) in *.
  intros H1 H2.
  (* odds: za pa : zb pb = za ba : zb bb and za pb : zb pa = za ba : zb bb *)
  assert (odds : forall u v x y, 0 < u -> 0 < v -> 0 < x -> 0 < y ->
    u / (u + v) = x / (x + y) -> u * y = v * x).
  { intros u v x y Hu Hv Hx Hy H. apply (Rmult_eq_compat_r ((u + v) * (x + y))) in H.
    replace (u / (u + v) * ((u + v) * (x + y))) with (u * (x + y)) in H by (field; lra).
    replace (x / (x + y) * ((u + v) * (x + y))) with (x * (u + v)) in H by (field; lra). lra. }
  assert (O1 : za * pa * (zb * bb) = zb * pb * (za * ba)).
  { apply odds; try (apply Rmult_lt_0_compat; auto).
    transitivity ((0 + 1 * (za * pa) + 0 * (zb * pb)) / (0 + za * pa + zb * pb)); [f_equal; ring|].
    rewrite H1. f_equal; ring. }
  assert (O2 : za * pb * (zb * bb) = zb * pa * (za * ba)).
  { apply odds; try (apply Rmult_lt_0_compat; auto).
    transitivity ((0 + 0 * (zb * pa) + 1 * (za * pb)) / (0 + zb * pa + za * pb)); [f_equal; ring|].
    rewrite H2. f_equal; ring. }
  assert (Q1 : pa * bb = pb * ba).
  { apply Rmult_eq_reg_l with (za * zb); [lra|]. assert (0 < za * zb) by nra. lra. }
  assert (Q2 : pb * bb = pa * ba).
  { apply Rmult_eq_reg_l with (za * zb); [lra|]. assert (0 < za * zb) by nra. lra. }
  (* adding: bb = ba; so pa = pb *)
  assert (Z : (pa + pb) * (bb - ba) = 0) by lra.
  apply Rmult_integral in Z. destruct Z as [Z|Z]; [lra|].
  assert (bb = ba) by lra. rewrite H in Q1. apply N. apply Rmult_eq_reg_r with ba; lra.
Qed.

(* THEOREM token_bias_is_a_prior | holds-as-printed | a bias of the token is a prior e^(b_l) *)
(* THEOREM constant_bias_drops_out | holds-as-corrected | one z_0 without an index drops out *)
(* THEOREM position_bias | holds-as-corrected | positions give sums of e^(p_t), token by token *)
(* THEOREM position_bias_as_prior_refuted | refuted-as-printed | two orders, no common prior *)
