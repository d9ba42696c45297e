(* Theorem 1 of "Scan and Snap" (Section 4, Appendix D.5), Eqs. (9), (82)-(84), (86), (88),
   (91)-(93).

   Proved for all M >= 2, all K, all theta, sigma, gamma and every symmetric E':
   - with Y = F (I - E')(I + Theta) W-bar and the error (71), g = Y (e_n - alpha_n) has the form
     (9) with iota_n of (86) as printed and beta_nn' of (88) with one sign corrected: -(1 +
     theta_n') where +(1 + theta_n') is printed.  As printed (88) is wrong for every pair, every
     E', as long as sigma <> -1 and theta_n' <> -1 (refuted).
   - (91), (92) for every E with zero diagonal.
   - (93): the first bound prints 1/(1 - |lambda_1|) for 1/(1 + |lambda_1|).  Proved with the
     plus for every K; refuted as printed by every pair of classes that overlap by 0 < c < 1.
     The conclusion sum beta_nn' f_n . f_n' > 0 of (a) holds under Assumption 2, K >= 2,
     |delta_1| <= 1/4.
   Not proved here: the sizes of sigma, theta and delta with high probability (Lemmas 10 to 12). *)
From Coq Require Import Reals Lra Lia.
From Shared Require Import sums calculus decoder softmax spectrum.
Open Scope R_scope.

(* q_1 = zeta_n . zeta_n and q_0 = zeta_i . zeta_n *)
Definition q_1 (M : nat) : R := INR M / (INR M - 1).
Definition q_0 (M : nat) : R := - INR M / (INR M - 1) ^ 2.

Theorem zeta_products : forall M i n, (2 <= M)%nat -> (i < M)%nat -> (n < M)%nat ->
  dot M (zeta M i) (zeta M n) = if Nat.eq_dec i n then q_1 M else q_0 M.
Proof.
  intros M i n HM Hi Hn. pose proof (INR_gt1 M HM) as G. unfold dot, q_1, q_0.
  rewrite (Sum_ext M _ (fun k => INR M / (INR M - 1) * (INR M / (INR M - 1)) *
    (delta i k * delta n k - / INR M * (delta i k * 1) - / INR M * (delta n k * 1) +
     / INR M * / INR M))) by (intros; unfold zeta; ring).
  rewrite Sum_scal, Sum_plus, !Sum_minus, !Sum_scal, Sum_const.
  rewrite (Sum_delta M i (delta n)), (Sum_delta M i (fun _ => 1)), (Sum_delta M n (fun _ =>
    1)) by auto.
  destruct (Nat.eq_dec i n) as [->|Hne].
  - rewrite delta_eq. field. lra.
  - rewrite delta_ne by auto. field. lra.
Qed.

Section Backprop.
Variables (M K : nat) (F E_prime : nat -> nat -> R) (theta : nat -> R) (sigma height : R).
Hypothesis M_two : (2 <= M)%nat.
Hypothesis K_le_M : (K <= M)%nat.
Hypothesis E_prime_sym : forall i j, (i < K)%nat -> (j < K)%nat -> E_prime i j = E_prime j i.

(* (70): Y = F (I - E')(I + Theta) W-bar, row k of W-bar being (M-1) h zeta_k; f_k is column k of
   F *)
Definition Y (l v : nat) : R := Sum K (fun j => F l j * Sum K (fun k =>
  (delta j k - E_prime j k) * ((1 + theta k) * ((INR M - 1) * height * zeta M k v)))).
(* (71): the prediction error of class n *)
Definition error (n v : nat) : R :=
  (INR M - 1) / (INR M - 1 + exp (INR M * height)) * (1 + sigma) * zeta M n v.
(* (85) *)
Definition gamma : R :=
  (INR M - 1) ^ 2 * height / (INR M - 1 + exp (INR M * height)).
(* (81) *)
Definition g (n l : nat) : R := Sum M (fun v => Y l v * error n v).

(* (86) as printed; (88) corrected and as printed; sums over k <> n *)
Definition others (n : nat) (x : nat -> R) : R := Sum K (fun k =>
  if Nat.eq_dec k n then 0 else x k).
Definition iota (n : nat) : R := (1 + sigma) *
  (q_1 M * (1 + theta n) * (1 - E_prime n n) -
   q_0 M * others n (fun k => (1 + theta k) * E_prime k n)).
Definition beta (n n' : nat) : R := (1 + sigma) *
  (q_1 M * (1 + theta n) * E_prime n n' +
   q_0 M * (- (1 + theta n') + others n (fun k => (1 + theta k) * E_prime k n'))).
Definition printed_beta (n n' : nat) : R := (1 + sigma) *
  (q_1 M * (1 + theta n) * E_prime n n' +
   q_0 M * ((1 + theta n') + others n (fun k => (1 + theta k) * E_prime k n'))).

(* (83): the coordinates of g in the f_j: w - E' w with w_k = (1 + theta_k) q_(kn) *)
Definition weight (n k : nat) : R := (1 + theta k) * (if Nat.eq_dec k n then q_1 M else q_0 M).
Definition coefficient (n j : nat) : R :=
  (1 + sigma) * Sum K (fun k => (delta j k - E_prime j k) * weight n k).

Theorem equation_83 : forall n l, (n < K)%nat ->
  g n l = gamma * Sum K (fun j => F l j * coefficient n j).
Proof.
  intros n l Hn. pose proof (INR_gt1 M M_two) as G. pose proof (exp_pos (INR M * height)) as P.
  set (s := (INR M - 1) / (INR M - 1 + exp (INR M * height)) * (1 + sigma)).
  transitivity (Sum K (fun j => F l j * Sum K (fun k => (delta j k - E_prime j k) *
    ((1 + theta k) * ((INR M - 1) * height * (s * dot M (zeta M k) (zeta M n))))))).
  - unfold g, Y, error. fold s.
    rewrite (Sum_ext M _ (fun v => Sum K (fun j => Sum K (fun k => F l j *
      (delta j k - E_prime j k) *
      ((1 + theta k) * ((INR M - 1) * height * s)) * (zeta M k v * zeta M n v))))).
    + rewrite Sum_swap. apply Sum_ext. intros j Hj. rewrite Sum_swap, <- Sum_scal.
      apply Sum_ext. intros k Hk. rewrite Sum_scal. unfold dot. ring.
    + intros v Hv. rewrite <- Sum_scal_r. apply Sum_ext. intros j Hj.
      rewrite <- Sum_scal, <- Sum_scal_r. apply Sum_ext. intros. ring.
  - rewrite <- Sum_scal. apply Sum_ext. intros j Hj. unfold coefficient.
    rewrite <- !Sum_scal. apply Sum_ext. intros k Hk. rewrite zeta_products by lia.
    unfold weight, gamma, s. field. lra.
Qed.

Lemma coefficient_split : forall n j, (n < K)%nat -> (j < K)%nat -> coefficient n j = (1 + sigma) *
  ((1 + theta j) * (if Nat.eq_dec j n then q_1 M else q_0 M) -
   (q_1 M * (1 + theta n) * E_prime n j +
    q_0 M * others n (fun k => (1 + theta k) * E_prime k j))).
Proof.
  intros n j Hn Hj. unfold coefficient. f_equal.
  rewrite (Sum_ext K _ (fun k => delta j k * weight n k -
    (delta n k * (q_1 M * (1 + theta k) * E_prime k j) +
     q_0 M * (if Nat.eq_dec k n then 0 else (1 + theta k) * E_prime k j)))).
  - rewrite Sum_minus, Sum_plus, Sum_scal, (Sum_delta K j (weight n)) by auto.
    rewrite (Sum_delta K n (fun k => q_1 M * (1 + theta k) * E_prime k j)) by auto.
    unfold weight, others. ring.
  - intros k Hk. rewrite (E_prime_sym j k) by auto. unfold weight.
    destruct (Nat.eq_dec k n) as [->|Hne].
    + rewrite (delta_eq n). ring.
    + rewrite (delta_ne n k) by auto. ring.
Qed.

(* (9) with (86) and the corrected (88) *)
Theorem equation_9 : forall n l, (n < K)%nat ->
  g n l = gamma * (iota n * F l n - others n (fun k => beta n k * F l k)).
Proof.
  intros n l Hn. rewrite equation_83 by auto. f_equal.
  rewrite (Sum_ext K _ (fun j => delta n j * (iota n * F l n) -
    (if Nat.eq_dec j n then 0 else beta n j * F l j))).
  - rewrite Sum_minus, (Sum_delta K n (fun _ => iota n * F l n)) by auto. reflexivity.
  - intros j Hj. rewrite coefficient_split by auto. destruct (Nat.eq_dec j n) as [->|Hne].
    + rewrite delta_eq. unfold iota. ring.
    + rewrite delta_ne by auto. unfold beta. ring.
Qed.

(* the coefficient of -gamma f_n' in g is the corrected beta, never the printed one *)
Theorem equation_88_refuted : sigma <> -1 -> forall n n', (n < K)%nat -> (n' < K)%nat -> n' <> n ->
  theta n' <> -1 -> - coefficient n n' = beta n n' /\ - coefficient n n' <> printed_beta n n'.
Proof.
  intros Hs n n' Hn Hn' Hne Ht. rewrite coefficient_split by auto.
  destruct (Nat.eq_dec n' n); [lia|]. split; [unfold beta; ring|].
  unfold printed_beta. intros H. pose proof (INR_gt1 M M_two) as G.
  assert (Z : (1 + sigma) * (q_0 M * (1 + theta n')) = 0) by lra.
  assert (Q : q_0 M <> 0).
  { unfold q_0. assert (0 < INR M / (INR M - 1) ^ 2) by (apply Rdiv_lt_0_compat; nra).
    unfold Rdiv in *. lra. }
  apply Rmult_integral in Z. destruct Z as [Z|Z]; [lra|].
  apply Rmult_integral in Z. destruct Z; [auto|lra].
Qed.
End Backprop.

(* (91), (92): (I + E)(I - E') = I and E_nn = 0 *)
Theorem equation_92 : forall K (E E_prime : nat -> nat -> R) n, (n < K)%nat -> E n n = 0 ->
  Sum K (fun k => (delta n k + E n k) * (delta k n - E_prime k n)) = 1 ->
  Sum K (fun k => if Nat.eq_dec k n then 0 else E n k * E_prime k n) = - E_prime n n.
Proof.
  intros K E E_prime n Hn H0 H.
  rewrite (Sum_ext K _ (fun k => delta n k * (delta k n - E_prime k n) +
    (E n k * delta k n - E n k * E_prime k n))) in H by (intros; ring).
  rewrite Sum_plus, Sum_minus, (Sum_delta K n (fun k => delta k n - E_prime k n)),
    (Sum_delta_r K n (fun k => E n k)), delta_eq, H0 in H by auto.
  rewrite (Sum_ext K _ (fun k => E n k * E_prime k n)); [lra|].
  intros k Hk. destruct (Nat.eq_dec k n) as [->|Hne]; [rewrite H0; ring|reflexivity].
Qed.

(* (93): sum_k lambda_k^2/(1 + lambda_k) u_kn^2 = E_nn - E'_nn (79) against the smallest
   |lambda|^2 *)
Theorem equation_93_corrected : forall K lam u n a b, orthogonal K u -> (n < K)%nat -> a < 1 ->
  (forall k, (k < K)%nat -> Rabs (lam k) <= a) -> 0 <= b ->
  (forall k, (k < K)%nat -> b <= Rabs (lam k)) ->
  let S := Sum K (fun k => lam k ^ 2 / (1 + lam k) * u k n ^ 2) in
  b ^ 2 / (1 + a) <= S /\
  S = function_of K lam u (fun x => x) n n - function_of K lam u (fun x => x / (1 + x)) n n.
Proof.
  intros K lam u n a b O Hn Ha Hl Hb Hm S. split.
  2:{ rewrite <- function_minus. apply Sum_ext. intros k Hk.
      pose proof (Rabs_bounds _ _ (Hl k Hk)). field. lra. }
  unfold S. clear S.
  replace (b ^ 2 / (1 + a)) with (Sum K (fun k => b ^ 2 / (1 + a) * (u k n * u k n))).
  - apply Sum_le. intros k Hk. pose proof (Rabs_bounds _ _ (Hl k Hk)) as B.
    replace (u k n ^ 2) with (u k n * u k n) by ring.
    apply Rmult_le_compat_r; [apply Rle_0_sqr|].
    assert (S : b ^ 2 <= lam k ^ 2).
    { replace (lam k ^ 2) with (Rabs (lam k) ^ 2) by apply pow2_abs. apply pow_incr. split; auto. }
    pose proof (pow2_ge_0 b). unfold Rdiv. apply Rmult_le_compat; auto.
    + left. apply Rinv_0_lt_compat. lra.
    + apply Rinv_le_contravar; lra.
  - rewrite Sum_scal. pose proof (column_unit K u n O Hn) as U. unfold dot in U. rewrite U. ring.
Qed.

(* two classes with overlap c: eigenvalues -c and c, eigenvectors (1, -1)/sqrt 2 and (1, 1)/sqrt
   2 *)
Definition pair_eigenvalue (c : R) (k : nat) : R := if Nat.eq_dec k 0 then - c else c.
Definition pair_vector (k i : nat) : R :=
  if Nat.eq_dec k 0 then (if Nat.eq_dec i 0 then / sqrt 2 else - / sqrt 2) else / sqrt 2.

Lemma pair_orthogonal : orthogonal 2 pair_vector.
Proof.
  assert (Q : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult, sqrt_sqrt; lra).
  split; intros k l Hk Hl; simpl; unfold pair_vector, delta;
    destruct k as [|[|k]], l as [|[|l]]; try lia; simpl; lra.
Qed.

Lemma pair_overlap : forall c i j, (i < 2)%nat -> (j < 2)%nat ->
  function_of 2 (pair_eigenvalue c) pair_vector (fun x => x) i j = c * (1 - delta i j).
Proof.
  intros c i j Hi Hj.
  assert (Q : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult, sqrt_sqrt; lra).
  unfold function_of, pair_vector, pair_eigenvalue, delta. set (r := / sqrt 2) in *.
  destruct i as [|[|i]], j as [|[|j]]; try lia; simpl; try nra.
  - replace (0 + - c * r * - r + c * r * r) with (2 * c * (r * r)) by ring. rewrite Q. lra.
  - replace (0 + - c * - r * r + c * r * r) with (2 * c * (r * r)) by ring. rewrite Q. lra.
Qed.

(* As printed, >= min |lambda|^2/(1 - |lambda_1|): c^2/(1-c^2) against c^2/(1-c). *)
Theorem equation_93_refuted : forall c n, 0 < c < 1 -> (n < 2)%nat ->
  (forall k, (k < 2)%nat -> Rabs (pair_eigenvalue c k) = c) /\
  Sum 2 (fun k => pair_eigenvalue c k ^ 2 / (1 + pair_eigenvalue c k) * pair_vector k n ^ 2)
    < c ^ 2 / (1 - c).
Proof.
  intros c n Hc Hn. split.
  - intros k Hk. unfold pair_eigenvalue. destruct (Nat.eq_dec k 0).
    + rewrite Rabs_Ropp. apply Rabs_pos_eq. lra.
    + apply Rabs_pos_eq. lra.
  - assert (Q : / sqrt 2 * / sqrt 2 = / 2) by (rewrite <- Rinv_mult, sqrt_sqrt; lra).
    assert (V : forall k, pair_vector k n ^ 2 = / 2).
    { intros k. rewrite <- Q. unfold pair_vector.
      destruct (Nat.eq_dec k 0), (Nat.eq_dec n 0); ring. }
    rewrite (Sum_ext 2 _ (fun k => pair_eigenvalue c k ^ 2 / (1 + pair_eigenvalue c k) * / 2))
      by (intros; rewrite V; reflexivity).
    assert (S : Sum 2 (fun k => pair_eigenvalue c k ^ 2 / (1 + pair_eigenvalue c k) * / 2) =
                c ^ 2 / ((1 - c) * (1 + c)))
      by (unfold pair_eigenvalue; simpl; field; lra).
    rewrite S.
    unfold Rdiv. apply Rmult_lt_compat_l; [nra|]. apply Rinv_lt_contravar; [|nra].
    repeat apply Rmult_lt_0_compat; lra.
Qed.

(* Theorem 1(a): the sum of (93) is positive.  b_n' stands for beta_nn'/(1 + sigma) = E'_nn'
   (1+d1) + d3
   as (89) has it. *)
Theorem theorem_1a : forall M K lam u E n d1 (d3 : nat -> R), (2 <= K)%nat -> 0 < M ->
  spectral K lam u E -> (forall i, (i < K)%nat -> E i i = 0) ->
  (forall k, (k < K)%nat -> Rabs (lam k) <= Rabs (lam 0%nat)) -> Rabs (lam 0%nat) < / INR K ->
  (forall k, (k < K)%nat -> 6 / sqrt M <= Rabs (lam k)) ->
  (n < K)%nat -> Rabs d1 <= / 4 -> (forall k, (k < K)%nat -> Rabs (d3 k) <= 3 / M) ->
  0 < Sum K (fun k => if Nat.eq_dec k n then 0 else
    (function_of K lam u (fun x => x / (1 + x)) n k * (1 + d1) + d3 k) * E n k).
Proof.
  intros M K lam u E n d1 d3 HK HM [O S] H0 Hl H1 Hm Hn Hd1 Hd3.
  set (a := Rabs (lam 0%nat)) in *. assert (A0 : 0 <= a) by (unfold a; apply Rabs_pos).
  assert (K2 : 2 <= INR K) by (apply INR_ge2; auto).
  assert (IK : / INR K <= / 2) by (apply Rinv_le_contravar; lra).
  set (E' := function_of K lam u (fun x => x / (1 + x))).
  assert (B : forall k, (k < K)%nat -> - a <= lam k <= a) by (intros; apply Rabs_bounds; auto).
  (* the main part: sum E'_nk E_nk = - E'_nn = sum lambda^2/(1+lambda) u^2 *)
  assert (D : Sum K (fun k => if Nat.eq_dec k n then 0 else E' n k * E n k) =
              Sum K (fun k => lam k ^ 2 / (1 + lam k) * u k n ^ 2)).
  { transitivity (mul K E' (function_of K lam u (fun x => x)) n n).
    - apply Sum_ext. intros k Hk. rewrite (function_sym K lam u (fun x => x)), <- S by auto.
      destruct (Nat.eq_dec k n) as [->|]; [rewrite H0 by auto; ring|reflexivity].
    - unfold E'. rewrite function_mul by auto. apply Sum_ext. intros k Hk. specialize (B k Hk).
      field. lra. }
  set (X := Sum K (fun k => lam k ^ 2 / (1 + lam k) * u k n ^ 2)) in *.
  assert (P6 : 0 < 6 / sqrt M) by (apply Rdiv_lt_0_compat; [lra|apply sqrt_lt_R0; auto]).
  pose proof (equation_93_corrected K lam u n a (6 / sqrt M) O Hn ltac:(lra) Hl ltac:(lra) Hm)
    as [L _].
  fold X in L.
  replace ((6 / sqrt M) ^ 2) with (36 / M) in L.
  2:{ rewrite <- (sqrt_sqrt M) at 1 by lra. field. pose proof (sqrt_lt_R0 M HM). lra. }
  (* the rest: |sum d3 E| <= 3/M K a < 3/M *)
  assert (R : - (3 / M * (INR K * a)) <=
              Sum K (fun k => if Nat.eq_dec k n then 0 else d3 k * E n k)).
  { replace (- (3 / M * (INR K * a))) with (Sum K (fun _ => - (3 / M * a)))
      by (rewrite Sum_const; ring).
    apply Sum_le. intros k Hk. assert (Q : 0 <= 3 / M) by (apply le_div; lra).
    destruct (Nat.eq_dec k n); [nra|].
    assert (W : Rabs (E n k) <= a) by (rewrite S by auto; apply function_bound; auto).
    assert (V : Rabs (d3 k * E n k) <= 3 / M * a).
    { rewrite Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. }
    apply Rabs_bounds in V. lra. }
  assert (T : INR K * a < 1).
  { replace 1 with (INR K * / INR K) by (field; lra). apply Rmult_lt_compat_l; lra. }
  apply Rabs_bounds in Hd1.
  assert (Y1 : 24 / M <= X).
  { apply Rle_trans with (2 := L). replace (24 / M) with (36 / M * / (3 / 2)) by (field; lra).
    unfold Rdiv. apply Rmult_le_compat_l.
    - apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra].
    - apply Rinv_le_contravar; lra. }
  assert (IM : 0 < / M) by (apply Rinv_0_lt_compat; auto).
  rewrite (Sum_ext K _ (fun k => (1 + d1) * (if Nat.eq_dec k n then 0 else E' n k * E n k) +
    (if Nat.eq_dec k n then 0 else d3 k * E n k))).
  - rewrite Sum_plus, Sum_scal, D.
    assert (3 / 4 * (24 / M) <= (1 + d1) * X) by (apply Rmult_le_compat; unfold Rdiv in *; nra).
    assert (3 / M * (INR K * a) <= 3 / M * 1) by (apply Rmult_le_compat_l; unfold Rdiv; nra).
    unfold Rdiv in *. lra.
  - intros k Hk. destruct (Nat.eq_dec k n); ring.
Qed.

(* THEOREM zeta_products | holds-as-printed | q_1 = M/(M-1), q_0 = -M/(M-1)^2 for every M *)
(* THEOREM equation_83 | holds-as-printed | g in the coordinates of the f_j, for every K *)
(* THEOREM equation_9 | holds-as-corrected | (9) with (86) and (88) with the sign of q_0 mended *)
(* THEOREM equation_88_refuted | refuted-as-printed | (88)'s sign is wrong for every pair, all K *)
(* THEOREM equation_92 | holds-as-printed | sum E_nk E'_kn = -E'_nn for every K *)
(* THEOREM equation_93_corrected | holds-as-corrected | the bound with 1 + |lambda_1|, every K *)
(* THEOREM equation_93_refuted | refuted-as-printed | 1 - |lambda_1| fails for each 0 < c < 1 *)
(* THEOREM theorem_1a | holds-as-printed | the sum of (93) is positive under Assumption 2 *)
(* BRIDGE q_1 | lib.scan_snap.overlaps.zeta_products | M; first of the two *)
(* BRIDGE q_0 | lib.scan_snap.overlaps.zeta_products | M; second of the two *)
(* BRIDGE iota | lib.scan_snap.overlaps.backprop_coefficients | E_prime, theta; times 1 + sigma; .iota *)
(* BRIDGE beta | lib.scan_snap.overlaps.backprop_coefficients | E_prime, theta; times 1 + sigma; .beta[n'] *)
