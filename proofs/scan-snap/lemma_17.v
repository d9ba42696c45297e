(* Lemma 17 of "Scan and Snap" (Appendix D.5), Eq. (80): E' is near E.

   Proved for every K and every symmetric E whose eigenvalue lambda_1 of largest modulus has
   |lambda_1| < 1: E = U^T D U for some U and D, and for all of them
   |E'_ij - E_ij| <= |lambda_1|^2/(1 - |lambda_1|).  The hypothesis as printed, "lambda_1 < 1"
   without a modulus, is not enough: refuted by two classes with eigenvalues -4 and 4, where the
   bound would be negative.  (Overlaps of unit vectors that keep Assumption 2 never come there.) *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums spectrum eigenvectors calculus.
Open Scope R_scope.

Definition E_prime (K : nat) (lam : nat -> R) (u : nat -> nat -> R) : nat -> nat -> R :=
  function_of K lam u (fun x => x / (1 + x)).

(* x - x/(1+x) = x^2/(1+x), at most a^2/(1-a) for |x| <= a < 1 *)
Lemma gap_bound : forall a x, Rabs x <= a -> a < 1 ->
  Rabs (x / (1 + x) - x) <= a ^ 2 / (1 - a).
Proof.
  intros a x Hx Ha. assert (X : - a <= x <= a) by (apply Rabs_bounds; auto).
  replace (x / (1 + x) - x) with (- (x ^ 2 / (1 + x))) by (field; lra).
  assert (0 <= x ^ 2 / (1 + x)) by (apply le_div; nra).
  rewrite Rabs_Ropp, Rabs_pos_eq by auto.
  apply div_le; [lra|]. unfold Rdiv.
  replace (a ^ 2 * / (1 - a) * (1 + x)) with (a ^ 2 * ((1 + x) / (1 - a))) by (field; lra).
  assert (1 <= (1 + x) / (1 - a)) by (apply le_div; lra). nra.
Qed.

Theorem lemma_17 : forall K E lam_1, symmetric K E -> largest K E lam_1 -> Rabs lam_1 < 1 ->
  (exists lam u, spectral K lam u E) /\
  forall lam u, spectral K lam u E -> forall i j, (i < K)%nat -> (j < K)%nat ->
  Rabs (E_prime K lam u i j - E i j) <= (Rabs lam_1) ^ 2 / (1 - Rabs lam_1).
Proof.
  intros K E lam_1 Sy L H1. split; [apply spectral_theorem; auto|]. intros lam u D i j Hi Hj.
  pose proof (spectral_largest K lam u E lam_1 D L) as H. destruct D as [O S].
  rewrite S by auto. unfold E_prime.
  rewrite <- (function_minus K lam u (fun x => x / (1 + x)) (fun x => x)).
  apply function_bound; auto.
  - apply le_div; [lra|]. pose proof (pow2_ge_0 (Rabs lam_1)). lra.
  - intros k Hk. apply gap_bound; auto.
Qed.

(* Sharper.  On [-a, a] the convex x^2/(1+x) lies below its chord, a^2/(1-a^2) (1 - x). *)
Lemma below_chord : forall a x, Rabs x <= a -> a < 1 ->
  x ^ 2 / (1 + x) <= a ^ 2 / (1 - a ^ 2) * (1 - x).
Proof.
  intros a x Hx Ha. assert (X : - a <= x <= a) by (apply Rabs_bounds; auto).
  assert (A : 0 <= a) by lra. assert (Q : 0 < 1 - a ^ 2) by nra.
  apply div_le; [lra|].
  replace (a ^ 2 / (1 - a ^ 2) * (1 - x) * (1 + x)) with (a ^ 2 * (1 - x ^ 2) / (1 - a ^ 2))
    by (field; lra).
  apply le_div; nra.
Qed.

(* The diagonal: x has mean E_ii = 0 under the weights u_ki^2, so the chord counts at 0; off the
   diagonal the weights u_ki u_kj add up to 0, so half the range counts. *)
Theorem lemma_17_sharper : forall K E lam_1, symmetric K E -> largest K E lam_1 ->
  Rabs lam_1 < 1 -> (forall i, (i < K)%nat -> E i i = 0) ->
  forall lam u, spectral K lam u E -> forall i j, (i < K)%nat -> (j < K)%nat ->
  Rabs (E_prime K lam u i j - E i j) <= (Rabs lam_1) ^ 2 / (1 - (Rabs lam_1) ^ 2).
Proof.
  intros K E lam_1 Sy L H1 Z lam u D i j Hi Hj.
  pose proof (spectral_largest K lam u E lam_1 D L) as H. destruct D as [O S].
  set (a := Rabs lam_1) in *.
  assert (A : 0 <= a) by (unfold a; apply Rabs_pos). assert (Q : 0 < 1 - a ^ 2) by nra.
  set (c := a ^ 2 / (1 - a ^ 2)).
  assert (C : 0 <= c) by (apply le_div; nra).
  assert (G : E_prime K lam u i j - E i j = - function_of K lam u (fun x => x ^ 2 / (1 + x)) i j).
  { rewrite S by auto. unfold E_prime.
    rewrite <- (function_minus K lam u (fun x => x / (1 + x)) (fun x => x)), <- function_opp.
    apply function_ext. intros k Hk. pose proof (H k Hk) as B. apply Rabs_bounds in B. field. lra. }
  rewrite G, Rabs_Ropp.
  destruct (Nat.eq_dec i j) as [<-|D].
  - assert (N : 0 <= function_of K lam u (fun x => x ^ 2 / (1 + x)) i i).
    { apply Sum_nonneg. intros k Hk. pose proof (H k Hk) as B. apply Rabs_bounds in B.
      rewrite Rmult_assoc. apply Rmult_le_pos; [apply le_div; nra|nra]. }
    rewrite Rabs_pos_eq by auto.
    assert (T : function_of K lam u (fun x => c - c * x) i i = c).
    { rewrite (function_minus K lam u (fun _ => c) (fun x => c * x)).
      assert (T1 : function_of K lam u (fun _ => c) i i = c).
      { transitivity (c * function_of K lam u (fun _ => 1) i i).
        - unfold function_of. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
        - rewrite function_one, delta_eq by auto. ring. }
      assert (T2 : function_of K lam u (fun x => c * x) i i = 0).
      { transitivity (c * function_of K lam u (fun x => x) i i).
        - unfold function_of. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
        - rewrite <- S, Z by auto. ring. }
      lra. }
    rewrite <- T. apply Sum_le. intros k Hk. rewrite !Rmult_assoc.
    apply Rmult_le_compat_r; [nra|].
    pose proof (below_chord a (lam k) (H k Hk) H1) as B. fold c in B. lra.
  - (* subtract half the range: its part is c' delta i j = 0 *)
    set (half := a ^ 2 / (1 - a) / 2).
    assert (T : function_of K lam u (fun x => x ^ 2 / (1 + x)) i j =
                function_of K lam u (fun x => x ^ 2 / (1 + x) - half) i j).
    { rewrite (function_minus K lam u (fun x => x ^ 2 / (1 + x)) (fun _ => half)).
      assert (T1 : function_of K lam u (fun _ => half) i j = 0).
      { transitivity (half * function_of K lam u (fun _ => 1) i j).
        - unfold function_of. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
        - rewrite function_one, delta_ne by auto. ring. }
      lra. }
    rewrite T. apply function_bound; auto. intros k Hk.
    pose proof (H k Hk) as B. pose proof (gap_bound a (lam k) B H1) as GB.
    apply Rabs_bounds in B.
    replace (lam k / (1 + lam k) - lam k) with (- (lam k ^ 2 / (1 + lam k))) in GB
      by (field; lra).
    rewrite Rabs_Ropp in GB. apply Rabs_bounds in GB.
    assert (P : 0 <= lam k ^ 2 / (1 + lam k)) by (apply le_div; nra).
    assert (HC : half <= c).
    { unfold half, c. apply div_le; [lra|]. apply div_le; [lra|].
      replace (a ^ 2 / (1 - a ^ 2) * 2 * (1 - a)) with (a ^ 2 * (2 / (1 + a))) by (field; nra).
      assert (1 <= 2 / (1 + a)) by (apply le_div; lra). nra. }
    assert (W : lam k ^ 2 / (1 + lam k) <= 2 * half) by (unfold half; lra).
    apply Rabs_le. lra.
Qed.

(* Two classes with f_1 . f_2 = 4 (not overlaps of unit vectors, which the lemma does not ask for):
   eigenvalues -4 and 4, so the eigenvalue of largest modulus may be taken as -4 < 1, and (80) would
   bound a modulus by a negative number. *)
Definition pair_eigenvalue (c : R) (k : nat) : R := if Nat.eq_dec k 0 then - c else c.
Definition pair_vector (k i : nat) : R :=
  if Nat.eq_dec k 0 then (if Nat.eq_dec i 0 then / sqrt 2 else - / sqrt 2) else / sqrt 2.
Definition pair_overlap (c : R) (i j : nat) : R := c * (1 - delta i j).

Lemma sqrt_2_inverse : / sqrt 2 * / sqrt 2 = / 2.
Proof.
  rewrite <- Rinv_mult, sqrt_sqrt; lra.
Qed.

Lemma pair_spectral : forall c, spectral 2 (pair_eigenvalue c) pair_vector (pair_overlap c).
Proof.
  intros c. pose proof sqrt_2_inverse as Q. split; [split|].
  - intros k l Hk Hl. simpl. unfold pair_vector, delta.
    destruct k as [|[|k]], l as [|[|l]]; try lia; simpl; lra.
  - intros k l Hk Hl. simpl. unfold pair_vector, delta.
    destruct k as [|[|k]], l as [|[|l]]; try lia; simpl; lra.
  - intros i j Hi Hj. unfold function_of, pair_overlap, pair_vector, pair_eigenvalue, delta.
    set (r := / sqrt 2) in *.
    destruct i as [|[|i]], j as [|[|j]]; try lia; simpl; try nra.
    + replace (0 + - c * r * - r + c * r * r) with (2 * c * (r * r)) by ring. rewrite Q. lra.
    + replace (0 + - c * - r * r + c * r * r) with (2 * c * (r * r)) by ring. rewrite Q. lra.
Qed.

Theorem lemma_17_modulus_refuted : let lam := pair_eigenvalue 4 in
  spectral 2 lam pair_vector (pair_overlap 4) /\
  (forall k, (k < 2)%nat -> Rabs (lam k) <= Rabs (lam 0%nat)) /\ lam 0%nat < 1 /\
  1 + lam 0%nat = - (3) /\ 1 + lam 1%nat = 5 /\
  Rabs (E_prime 2 lam pair_vector 0 1 - pair_overlap 4 0 1) = 64 / 15 /\
  (Rabs (lam 0%nat)) ^ 2 / (1 - Rabs (lam 0%nat)) = - (16 / 3).
Proof.
  intros lam.
  assert (L : forall k, (k < 2)%nat -> Rabs (lam k) = 4).
  { intros k Hk. unfold lam, pair_eigenvalue. destruct (Nat.eq_dec k 0).
    - rewrite Rabs_Ropp. apply Rabs_pos_eq. lra.
    - apply Rabs_pos_eq. lra. }
  split; [apply pair_spectral|]. split; [intros k Hk; rewrite !L by lia; lra|].
  rewrite !L by lia. pose proof sqrt_2_inverse as Q.
  assert (E : E_prime 2 lam pair_vector 0 1 = - (4 / 15)).
  { unfold E_prime, function_of, lam, pair_eigenvalue, pair_vector. set (r := / sqrt 2) in *. simpl.
    transitivity (- (8 / 15) * (r * r)); [field|]. rewrite Q. lra. }
  rewrite E. unfold lam, pair_overlap, pair_eigenvalue, delta. simpl.
  repeat split; try lra. rewrite Rabs_left by lra. lra.
Qed.

(* THEOREM lemma_17 | holds-as-printed | |E' - E| <= |lambda_1|^2/(1-|lambda_1|) entry by entry *)
(* THEOREM lemma_17_sharper | holds-as-corrected | overlaps (zero diagonal): at most
   |lambda_1|^2/(1-|lambda_1|^2) *)
(* THEOREM lemma_17_modulus_refuted | refuted-as-printed | "lambda_1 < 1" needs the modulus *)
