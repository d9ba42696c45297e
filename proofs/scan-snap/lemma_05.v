(* Lemma 5 of "Scan and Snap" (Appendix D.2), Eqs. (31), (32), (33) with the induction (34)-(39).

   Proved for every vocabulary size M >= 2, every class n < M, every rate eta_Y (of either sign) and
   every number of steps s: gradient ascent (8) on the row w_n from 0, the class n being seen at
   every step, stays on the line of zeta_n, and its place on the line is h*(s) of (33).
   Nothing had to be corrected. *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums decoder softmax.
Open Scope R_scope.

(* (8) in steps: w_n(0) = 0, w_n(s+1) = w_n(s) + eta_Y (e_n - softmax(w_n(s))) *)
Fixpoint row (M n : nat) (eta : R) (s : nat) (j : nat) : R :=
  match s with
  | O => 0
  | S s => row M n eta s j + eta * (delta n j - softmax M (row M n eta s) j)
  end.

(* alpha_n(s), s >= 1, is the softmax that step s sees, before its update *)
Definition alpha (M n : nat) (eta : R) (s : nat) (j : nat) : R :=
  softmax M (row M n eta (s - 1)) j.

(* (31), by induction on the steps: the error of a row along zeta_n is along zeta_n *)
Lemma equation_31 : forall M n eta s, (2 <= M)%nat -> (n < M)%nat ->
  forall j, (j < M)%nat -> row M n eta s j = (INR M - 1) * h_star (INR M) eta s * zeta M n j.
Proof.
  intros M n eta s HM Hn. induction s as [|s IH]; intros j Hj; simpl; [ring|].
  rewrite (residual_along_zeta M n _ (h_star (INR M) eta s) j), IH by auto. ring.
Qed.

(* The statement as printed: the place (31), the probabilities (32), the error, for s >= 1.
   (33) is the definition of h_star. *)
Theorem lemma_5 : forall M n eta s, (2 <= M)%nat -> (n < M)%nat -> (1 <= s)%nat ->
  let m := INR M in let g := exp (m * h_star m eta (s - 1)) in
  (forall j, (j < M)%nat -> row M n eta s j = (m - 1) * h_star m eta s * zeta M n j) /\
  (forall j, (j < M)%nat ->
     alpha M n eta s j = if Nat.eq_dec j n then g / (m - 1 + g) else 1 / (m - 1 + g)) /\
  (forall j, (j < M)%nat ->
     delta n j - alpha M n eta s j = (m - 1) / (m - 1 + g) * zeta M n j) /\
  h_star m eta s = h_star m eta (s - 1) + eta / (m - 1 + g).
Proof.
  intros M n eta s HM Hn Hs m g. subst m.
  pose proof (equation_31 M n eta (s - 1) HM Hn) as A.
  destruct (softmax_along_zeta M n _ _ HM Hn A) as [P Q]. unfold speed in P, Q. fold g in P, Q.
  repeat split.
  - apply equation_31; auto.
  - intros j Hj. unfold alpha. destruct (Nat.eq_dec j n) as [->|E].
    + rewrite P. reflexivity.
    + rewrite Q by auto. unfold Rdiv. ring.
  - intros j Hj. unfold alpha.
    rewrite (residual_along_zeta M n _ (h_star (INR M) eta (s - 1)) j) by auto. reflexivity.
  - destruct s as [|s]; [lia|]. unfold g. replace (S s - 1)%nat with s by lia. reflexivity.
Qed.

(* THEOREM lemma_5 | holds-as-printed | w_n(s) = (M-1) h*(s) zeta_n with (32), for all M, n, s *)
(* BRIDGE Shared.decoder.h_star | lib.scan_snap.decoder.h_star | M, eta_y, steps s (last entry) *)
(* BRIDGE Shared.decoder.speed | lib.scan_snap.decoder.speed | M, h (the Python order is h, M) *)
(* BRIDGE Shared.softmax.zeta | lib.scan_snap.decoder.zeta | M, n, entry j (Python: n, M) *)
(* BRIDGE row | lib.scan_snap.decoder_training.decoder_ascent | labels n, ..., n; entry W[s, n, j] *)
