(* Lemma 14 of "Scan and Snap" (Appendix D.5), Eqs. (75)-(77), and the sign of E' in Appendix D.1.

   Proved for every K and every symmetric E whose eigenvalues have a modulus below 1: E = U^T D U
   for some U and D (the spectral theorem, proved in shared/eigenvectors.v), and for all such U and
   D the matrix I + E is invertible, its inverse is I - E' with E' = U^T D' U and
   lambda'_k = lambda_k/(1 + lambda_k), these are the eigenvalues of E', and the inverse is unique;
   the Neumann series of (75) gives it eigenvalue by eigenvalue and, entry by entry, as a matrix.
   Correction: the list of notation in Appendix D.1 prints E' = (I+E)^(-1) - I, the opposite sign.
   With it (26), (70) and this lemma's I - E' hold only for E = 0 (refuted for every E <> 0). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums spectrum eigenvectors.
Open Scope R_scope.

(* lambda' = lambda/(1 + lambda) *)
Definition eigenvalue_prime (x : R) : R := x / (1 + x).

(* E' of Lemma 14 *)
Definition E_prime (K : nat) (lam : nat -> R) (u : nat -> nat -> R) : nat -> nat -> R :=
  function_of K lam u eigenvalue_prime.

(* B is the inverse of A *)
Definition inverse (K : nat) (A B : nat -> nat -> R) : Prop :=
  forall i j, (i < K)%nat -> (j < K)%nat -> mul K A B i j = delta i j /\ mul K B A i j = delta i j.

Definition plus_one (E : nat -> nat -> R) (i j : nat) : R := delta i j + E i j.
Definition one_minus (E : nat -> nat -> R) (i j : nat) : R := delta i j - E i j.

(* E^n *)
Fixpoint power (K : nat) (E : nat -> nat -> R) (n : nat) : nat -> nat -> R :=
  match n with O => delta | S m => mul K E (power K E m) end.

Lemma mul_ext : forall K A B A' B' i j, (i < K)%nat -> (j < K)%nat ->
  (forall i j, (i < K)%nat -> (j < K)%nat -> A i j = A' i j) ->
  (forall i j, (i < K)%nat -> (j < K)%nat -> B i j = B' i j) ->
  mul K A B i j = mul K A' B' i j.
Proof. intros. apply Sum_ext. intros. rewrite H1, H2; auto. Qed.

Section Lemma14.
Variables (K : nat) (lam : nat -> R) (u E : nat -> nat -> R).
Hypothesis decomposition : spectral K lam u E.
Hypothesis small : forall k, (k < K)%nat -> Rabs (lam k) < 1.

Lemma one_plus_lam : forall k, (k < K)%nat -> 0 < 1 + lam k.
Proof. intros k Hk. pose proof (small k Hk) as H. apply Rabs_def2 in H. lra. Qed.

Lemma plus_one_function : forall i j, (i < K)%nat -> (j < K)%nat ->
  plus_one E i j = function_of K lam u (fun x => 1 + x) i j.
Proof.
  intros i j Hi Hj. destruct decomposition as [O S]. unfold plus_one.
  rewrite function_plus, function_one, S; auto.
Qed.

Lemma one_minus_function : forall i j, (i < K)%nat -> (j < K)%nat ->
  one_minus (E_prime K lam u) i j = function_of K lam u (fun x => 1 - eigenvalue_prime x) i j.
Proof.
  intros i j Hi Hj. destruct decomposition as [O S]. unfold one_minus, E_prime.
  rewrite function_minus, function_one; auto.
Qed.

Lemma inverse_exists : inverse K (plus_one E) (one_minus (E_prime K lam u)).
Proof.
  pose proof (proj1 decomposition) as O. intros i j Hi Hj. split.
  - rewrite (mul_ext K _ _ _ _ i j Hi Hj plus_one_function one_minus_function).
    rewrite function_mul by auto. rewrite <- (function_one K lam u i j O Hi Hj).
    apply function_ext. intros k Hk. unfold eigenvalue_prime.
    pose proof (one_plus_lam k Hk). field. lra.
  - rewrite (mul_ext K _ _ _ _ i j Hi Hj one_minus_function plus_one_function).
    rewrite function_mul by auto. rewrite <- (function_one K lam u i j O Hi Hj).
    apply function_ext. intros k Hk. unfold eigenvalue_prime.
    pose proof (one_plus_lam k Hk). field. lra.
Qed.

Lemma inverse_unique : forall A B C, inverse K A B -> inverse K A C ->
  forall i j, (i < K)%nat -> (j < K)%nat -> B i j = C i j.
Proof.
  intros A B C HB HC i j Hi Hj.
  (* B = B (A C) = (B A) C = C *)
  assert (X : mul K B (mul K A C) i j = mul K (mul K B A) C i j) by (symmetry; apply mul_assoc).
  assert (L : mul K B (mul K A C) i j = B i j).
  { rewrite (mul_ext K B (mul K A C) B delta i j); auto.
    - apply (Sum_delta_r K j (fun k => B i k)); auto.
    - intros a b Ha Hb. apply HC; auto. }
  assert (R : mul K (mul K B A) C i j = C i j).
  { rewrite (mul_ext K (mul K B A) C delta C i j); auto.
    - apply (Sum_delta K i (fun k => C k j)); auto.
    - intros a b Ha Hb. apply HB; auto. }
  lra.
Qed.

(* (75)-(77) for one eigenvalue: the alternating series *)
Lemma neumann : forall x, Rabs x < 1 ->
  is_series (fun n => (- x) ^ (S n)) (- eigenvalue_prime x).
Proof.
  intros x Hx. assert (Hx' : Rabs (- x) < 1) by (rewrite Rabs_Ropp; auto).
  pose proof (is_series_geom (- x) Hx') as G.
  pose proof (is_series_scal_l (- x) _ _ G) as H. apply Rabs_def2 in Hx.
  replace (- eigenvalue_prime x) with (scal (- x) (/ (1 - - x))); [exact H|].
  unfold scal; simpl; unfold mult; simpl. unfold eigenvalue_prime. field. lra.
Qed.

Lemma power_function : forall n i j, (i < K)%nat -> (j < K)%nat ->
  power K E n i j = function_of K lam u (fun x => x ^ n) i j.
Proof.
  destruct decomposition as [O S]. induction n as [|n IH]; intros i j Hi Hj; simpl.
  - symmetry. apply function_one; auto.
  - rewrite (mul_ext K _ _ _ _ i j Hi Hj S IH). rewrite function_mul by auto. reflexivity.
Qed.

(* a finite sum of series *)
Lemma Sum_series : forall L (f : nat -> nat -> R) (g : nat -> R),
  (forall k, (k < L)%nat -> is_series (fun n => f n k) (g k)) ->
  is_series (fun n => Sum L (f n)) (Sum L g).
Proof.
  induction L as [|L IH]; intros f g H; simpl.
  - pose proof (is_series_scal_l 0 _ _ (is_series_geom 0 ltac:(rewrite Rabs_R0; lra))) as G.
    change (is_series (fun n : nat => 0 * 0 ^ n) (0 * / (1 - 0))) in G. rewrite Rmult_0_l in G.
    refine (is_series_ext _ _ _ _ G). intros n. exact (Rmult_0_l _).
  - apply (is_series_plus (fun n => Sum L (f n)) (fun n => f n L)); auto.
Qed.

(* (75): the series of the matrix, entry by entry *)
Lemma matrix_series : forall i j, (i < K)%nat -> (j < K)%nat ->
  is_series (fun n => (-1) ^ n * power K E n i j) (one_minus (E_prime K lam u) i j).
Proof.
  intros i j Hi Hj. rewrite one_minus_function by auto. unfold function_of.
  apply (is_series_ext (fun n => Sum K (fun k => (- lam k) ^ n * (u k i * u k j)))).
  - intros n. rewrite power_function by auto. unfold function_of. rewrite <- Sum_scal.
    apply Sum_ext. intros k Hk. replace (- lam k) with (-1 * lam k) by ring.
    rewrite Rpow_mult_distr. ring.
  - apply Sum_series. intros k Hk. pose proof (small k Hk) as X.
    assert (X' : Rabs (- lam k) < 1) by (rewrite Rabs_Ropp; auto).
    pose proof (is_series_scal_r (u k i * u k j) _ _ (is_series_geom (- lam k) X')) as G.
    pose proof (one_plus_lam k Hk).
    replace ((1 - eigenvalue_prime (lam k)) * u k i * u k j)
      with (/ (1 - - lam k) * (u k i * u k j)); [exact G|].
    unfold eigenvalue_prime. field. lra.
Qed.

(* with the inverse that (I+E)^(-1) denotes *)
Lemma of_decomposition :
  inverse K (plus_one E) (one_minus (E_prime K lam u)) /\
  (forall B, inverse K (plus_one E) B ->
     forall i j, (i < K)%nat -> (j < K)%nat -> B i j = one_minus (E_prime K lam u) i j) /\
  (forall k, (k < K)%nat -> is_series (fun n => (- lam k) ^ (S n)) (- eigenvalue_prime (lam k))) /\
  (forall i j, (i < K)%nat -> (j < K)%nat ->
     is_series (fun n => (-1) ^ n * power K E n i j) (one_minus (E_prime K lam u) i j)).
Proof.
  split; [apply inverse_exists|split].
  - intros B HB. apply (inverse_unique (plus_one E)); auto. apply inverse_exists.
  - split; [|apply matrix_series]. intros k Hk. apply neumann. auto.
Qed.

(* E' = (I+E)^(-1) - I, as the notation of Appendix D.1 has it, gives I - E' <> (I+E)^(-1) as soon
   as one overlap differs from 0. *)
Theorem appendix_D1_sign_refuted : forall B, inverse K (plus_one E) B ->
  forall a b, (a < K)%nat -> (b < K)%nat -> E a b <> 0 ->
  ~ inverse K (plus_one E) (one_minus (fun i j => B i j - delta i j)).
Proof.
  intros B HB a b Ha Hb Hab H.
  (* both would be inverses, so B = 2 I - B, B = I and E = 0 *)
  assert (Q : forall i j, (i < K)%nat -> (j < K)%nat -> B i j = delta i j).
  { intros i j Hi Hj. pose proof (inverse_unique _ _ _ HB H i j Hi Hj) as P.
    unfold one_minus in P. lra. }
  destruct (HB a b Ha Hb) as [P _]. apply Hab.
  rewrite (mul_ext K (plus_one E) B (plus_one E) delta a b) in P; auto.
  unfold mul in P.
  rewrite (Sum_delta_r K b (fun k => plus_one E a k)) in P by auto. unfold plus_one in P. lra.
Qed.
End Lemma14.

(* the printed statement *)
Theorem lemma_14 : forall K E, symmetric K E -> (forall mu, eigenvalue K E mu -> Rabs mu < 1) ->
  (exists lam u, spectral K lam u E) /\
  forall lam u, spectral K lam u E ->
  inverse K (plus_one E) (one_minus (E_prime K lam u)) /\
  (forall B, inverse K (plus_one E) B ->
     forall i j, (i < K)%nat -> (j < K)%nat -> B i j = one_minus (E_prime K lam u) i j) /\
  (forall mu, eigenvalue K (E_prime K lam u) mu <->
     exists k, (k < K)%nat /\ mu = eigenvalue_prime (lam k)) /\
  (forall k, (k < K)%nat -> is_series (fun n => (- lam k) ^ (S n)) (- eigenvalue_prime (lam k))) /\
  (forall i j, (i < K)%nat -> (j < K)%nat ->
     is_series (fun n => (-1) ^ n * power K E n i j) (one_minus (E_prime K lam u) i j)).
Proof.
  intros K E Sy small. split; [apply spectral_theorem; auto|]. intros lam u D.
  destruct (of_decomposition K lam u E D) as [I [Q N]].
  - intros k Hk. apply small, (spectral_eigenvalue K lam u E); auto.
  - split; [exact I|split; [exact Q|split; [|exact N]]].
    intros mu. apply function_eigenvalues. apply D.
Qed.

(* THEOREM lemma_14 | holds-as-printed | (I+E)^(-1) = I - E' for every symmetric E with
   eigenvalues below 1 in modulus, lambda' = lambda/(1+lambda); the series of the (-E)^k is it *)
(* THEOREM appendix_D1_sign_refuted | refuted-as-printed | D.1's E' is minus the one in use *)
(* BRIDGE E_prime | lib.scan_snap.overlaps.e_prime | E = the overlaps; lam, u its spectrum *)
