(* The decoder's clock: h* of the recursion (33), h of the flow (44) and its implicit form (45).
   Used by the proofs of Lemmas 5 to 12 and Theorems 1, 4 and 5 of "Scan and Snap". *)
From Coq Require Import Reals Lra.
From Coquelicot Require Import Coquelicot.
From Shared Require Import calculus.
Open Scope R_scope.

(* dh/dt over eta_Y: 1 / (M - 1 + e^(M h)) *)
Definition speed (M h : R) : R := / (M - 1 + exp (M * h)).

(* (33): h*(0) = 0, h*(s+1) = h*(s) + eta_Y / (M - 1 + e^(M h*(s))) *)
Fixpoint h_star (M eta : R) (s : nat) : R :=
  match s with O => 0 | S s => h_star M eta s + eta * speed M (h_star M eta s) end.

(* (44): h(0) = 0, dh/dt = eta_Y / (M - 1 + e^(M h)) *)
Definition decoder_flow (M eta : R) (h : R -> R) : Prop :=
  h 0 = 0 /\ forall t, 0 <= t -> is_derive h t (eta * speed M (h t)).

(* (45): e^(M h) + (M-1) M h = M eta_Y t + 1 *)
Definition implicit_form (M eta : R) (h : R -> R) : Prop :=
  forall t, 0 <= t -> exp (M * h t) + (M - 1) * M * h t = M * eta * t + 1.

(* (45) solved for the time at which the flow reaches x *)
Definition clock (M eta x : R) : R := (exp (M * x) - 1 + (M - 1) * M * x) / (M * eta).

Lemma speed_pos : forall M x, 1 < M -> 0 < speed M x.
Proof. intros M x H. apply Rinv_0_lt_compat. pose proof (exp_pos (M * x)). lra. Qed.

Lemma h_star_nonneg : forall M eta s, 1 < M -> 0 < eta -> 0 <= h_star M eta s.
Proof.
  intros M eta s HM He. induction s as [|s IH]; simpl; [lra|].
  pose proof (speed_pos M (h_star M eta s) HM). nra.
Qed.

(* (44) implies (45): the difference of both sides has derivative 0 *)
Lemma flow_implicit : forall M eta h, 1 < M -> decoder_flow M eta h -> implicit_form M eta h.
Proof.
  intros M eta h HM [H0 Hd] t Ht.
  assert (C : exp (M * h t) + (M - 1) * M * h t - M * eta * t =
              exp (M * h 0) + (M - 1) * M * h 0 - M * eta * 0).
  { apply (constant_flow (fun u => exp (M * h u) + (M - 1) * M * h u - M * eta * u)); auto.
    intros u Hu. evar_last.
    - auto_derive; [repeat split; eexists; apply (Hd u Hu)|reflexivity].
    - change (Derive (fun x => h x) u) with (Derive h u).
      rewrite (is_derive_unique _ _ _ (Hd u Hu)). unfold speed.
      pose proof (exp_pos (M * h u)). field. lra. }
  rewrite H0, !Rmult_0_r, exp_0 in C. lra.
Qed.

Lemma clock_increasing : forall M eta x y, 1 < M -> 0 < eta -> x < y ->
  clock M eta x < clock M eta y.
Proof.
  intros M eta x y HM He H. unfold clock, Rdiv. apply Rmult_lt_compat_r.
  - apply Rinv_0_lt_compat. nra.
  - assert (exp (M * x) < exp (M * y)) by (apply exp_increasing; nra).
    assert ((M - 1) * M * x < (M - 1) * M * y) by (apply Rmult_lt_compat_l; nra). lra.
Qed.

Lemma clock_le_inv : forall M eta x y, 1 < M -> 0 < eta -> clock M eta x <= clock M eta y -> x <= y.
Proof.
  intros M eta x y HM He H. destruct (Rle_or_lt x y) as [|L]; auto.
  pose proof (clock_increasing M eta y x HM He L). lra.
Qed.

Lemma clock_of_flow : forall M eta h t, 1 < M -> 0 < eta -> implicit_form M eta h -> 0 <= t ->
  clock M eta (h t) = t.
Proof.
  intros M eta h t HM He H Ht. specialize (H t Ht). unfold clock.
  replace (exp (M * h t) - 1 + (M - 1) * M * h t) with (M * eta * t) by lra.
  field. nra.
Qed.

Lemma flow_nonneg : forall M eta h t, 1 < M -> 0 < eta -> implicit_form M eta h -> 0 <= t ->
  0 <= h t.
Proof.
  intros M eta h t HM He H Ht. apply (clock_le_inv M eta); auto.
  rewrite (clock_of_flow M eta h t) by auto. unfold clock. rewrite !Rmult_0_r, exp_0.
  unfold Rdiv. lra.
Qed.
