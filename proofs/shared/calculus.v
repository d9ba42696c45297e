(* What a derivative of one sign says about a function of time t >= 0.
   Shared by the proofs of both halves of the book; no result here belongs to a paper. *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Lemma mean_value : forall (G dG : R -> R) a b, 0 <= a -> a < b ->
  (forall t, 0 <= t -> is_derive G t (dG t)) ->
  exists c, a <= c <= b /\ G b - G a = dG c * (b - a).
Proof.
  intros G dG a b Ha Hab H.
  destruct (MVT_gen G a b dG) as [c [Hc E]].
  - intros x [Hx _]. apply H. rewrite Rmin_left in Hx; lra.
  - intros x [Hx _]. apply continuity_pt_filterlim. rewrite Rmin_left in Hx by lra.
    apply (ex_derive_continuous G x). exists (dG x). apply H. lra.
  - exists c. rewrite Rmin_left, Rmax_right in Hc by lra. split; [lra|exact E].
Qed.

Lemma constant_flow : forall G : R -> R, (forall t, 0 <= t -> is_derive G t 0) ->
  forall t, 0 <= t -> G t = G 0.
Proof.
  intros G H t Ht. destruct (Req_dec t 0) as [->|Hne]; [reflexivity|].
  destruct (mean_value G (fun _ => 0) 0 t) as [c [_ E]]; auto; lra.
Qed.

Lemma increasing_flow : forall G dG : R -> R, (forall t, 0 <= t -> is_derive G t (dG t)) ->
  (forall t, 0 <= t -> 0 <= dG t) -> forall a b, 0 <= a -> a <= b -> G a <= G b.
Proof.
  intros G dG H P a b Ha Hab. destruct (Req_dec a b) as [->|Hne]; [lra|].
  destruct (mean_value G dG a b) as [c [Hc E]]; auto; [lra|].
  assert (0 <= dG c) by (apply P; lra). nra.
Qed.

Lemma strictly_increasing_flow : forall G dG : R -> R,
  (forall t, 0 <= t -> is_derive G t (dG t)) ->
  (forall t, 0 <= t -> 0 < dG t) -> forall a b, 0 <= a -> a < b -> G a < G b.
Proof.
  intros G dG H P a b Ha Hab.
  destruct (mean_value G dG a b) as [c [Hc E]]; auto.
  assert (0 < dG c) by (apply P; lra). nra.
Qed.

(* the chain of a derivative given by its value *)
Lemma derive_value : forall (f : R -> R) t l l', is_derive f t l -> l = l' -> is_derive f t l'.
Proof. intros f t l l' H <-. exact H. Qed.

Lemma exp_ge_line : forall x, 1 + x <= exp x.
Proof.
  intros x. destruct (Req_dec x 0) as [->|H]; [rewrite exp_0; lra|]. left. apply exp_ineq1; auto.
Qed.

Lemma exp_minus_le : forall x y, exp x - exp y <= exp x * (x - y).
Proof.
  intros x y. pose proof (exp_ge_line (y - x)) as H. pose proof (exp_pos x) as P.
  replace (exp y) with (exp x * exp (y - x)) by (rewrite <- exp_plus; f_equal; ring). nra.
Qed.

Lemma exp_le_mono : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H|H]; [left; apply exp_increasing; auto|rewrite H; lra]. Qed.

Lemma ln_le_mono : forall x y, 0 < x -> x <= y -> ln x <= ln y.
Proof. intros x y Hx [H|H]; [left; apply ln_increasing; auto|rewrite H; lra]. Qed.

Lemma ln_le_of_exp : forall x y, 0 < y -> exp x <= y -> x <= ln y.
Proof. intros x y Hy H. rewrite <- (ln_exp x). apply ln_le_mono; auto. apply exp_pos. Qed.

Lemma exp_le_of_ln : forall x y, 0 < y -> x <= ln y -> exp x <= y.
Proof. intros x y Hy H. rewrite <- (exp_ln y) by auto. apply exp_le_mono; auto. Qed.

(* ln x <= x - 1 *)
Lemma ln_le_line : forall x, 0 < x -> ln x <= x - 1.
Proof. intros x Hx. pose proof (exp_ge_line (ln x)) as H. rewrite exp_ln in H by auto. lra. Qed.

Lemma div_le : forall a b c, 0 < c -> a <= b * c -> a / c <= b.
Proof. intros a b c H. apply Rle_div_l. exact H. Qed.

Lemma le_div : forall a b c, 0 < c -> a * c <= b -> a <= b / c.
Proof. intros a b c H. apply Rle_div_r. exact H. Qed.

Lemma div_lt : forall a b c, 0 < c -> a < b * c -> a / c < b.
Proof. intros a b c H. apply Rlt_div_l. exact H. Qed.

Lemma lt_div : forall a b c, 0 < c -> a * c < b -> a < b / c.
Proof. intros a b c H. apply Rlt_div_r. exact H. Qed.

Lemma Rabs_bounds : forall x a, Rabs x <= a -> - a <= x <= a.
Proof. intros x a H. apply Rabs_le_between. exact H. Qed.

Lemma INR_above : forall x, exists n, x < INR n.
Proof.
  intros x. destruct (Rle_or_lt 0 x) as [H|H].
  - destruct (nfloor_ex x H) as [n [_ Hn]]. exists (S n). rewrite S_INR. exact Hn.
  - exists O. exact H.
Qed.
