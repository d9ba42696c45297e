(* The spectral theorem for real symmetric matrices, and the eigenvalue of largest modulus.

   No compactness is used.  The supremum mu of x^T E x over unit vectors is an eigenvalue, since
   A = mu I - E would otherwise have a left inverse, |x|^2 <= c x^T A x would follow, and mu - 1/c
   would be a smaller bound.  The other eigenvectors come one by one from E + c P, P the projection
   onto those found and c far below 0.  No result here belongs to a paper. *)
From Coq Require Import Reals Lra Lia Classical.
From Shared Require Import sums spectrum.
Open Scope R_scope.

Definition symmetric (K : nat) (E : nat -> nat -> R) : Prop :=
  forall i j, (i < K)%nat -> (j < K)%nat -> E i j = E j i.
(* E x *)
Definition image (K : nat) (E : nat -> nat -> R) (x : nat -> R) (i : nat) : R :=
  Sum K (fun j => E i j * x j).
Definition eigenvalue (K : nat) (E : nat -> nat -> R) (mu : R) : Prop :=
  exists x, dot K x x <> 0 /\ forall i, (i < K)%nat -> image K E x i = mu * x i.
(* lambda_1: no eigenvalue has a larger modulus *)
Definition largest (K : nat) (E : nat -> nat -> R) (mu : R) : Prop :=
  eigenvalue K E mu /\ forall nu, eigenvalue K E nu -> Rabs nu <= Rabs mu.

Lemma dot_sym : forall K x y, dot K x y = dot K y x.
Proof. intros. apply Sum_ext. intros. ring. Qed.

Lemma dot_nonneg : forall K x, 0 <= dot K x x.
Proof. intros. apply Sum_nonneg. intros. apply Rle_0_sqr. Qed.

Lemma dot_pos : forall K x, dot K x x <> 0 -> 0 < dot K x x.
Proof. intros K x H. destruct (dot_nonneg K x); [auto|congruence]. Qed.

Lemma dot_ext : forall K x y v w, (forall k, (k < K)%nat -> x k = v k) ->
  (forall k, (k < K)%nat -> y k = w k) -> dot K x y = dot K v w.
Proof. intros K x y v w H G. apply Sum_ext. intros k Hk. rewrite H, G; auto. Qed.

Lemma dot_image : forall K E x y, symmetric K E ->
  dot K x (image K E y) = dot K (image K E x) y.
Proof.
  intros K E x y S. unfold dot, image.
  rewrite (Sum_ext K _ (fun i => Sum K (fun j => E i j * x i * y j)))
    by (intros; rewrite <- Sum_scal; apply Sum_ext; intros; ring).
  rewrite Sum_swap. apply Sum_ext. intros j Hj. rewrite <- Sum_scal_r. apply Sum_ext.
  intros i Hi. rewrite (S i j Hi Hj). ring.
Qed.

Lemma image_plus : forall K E x y t i,
  image K E (fun k => x k + t * y k) i = image K E x i + t * image K E y i.
Proof.
  intros. unfold image. rewrite <- Sum_scal, <- Sum_plus. apply Sum_ext. intros. ring.
Qed.

Lemma dot_plus : forall K x y t v,
  dot K (fun k => x k + t * y k) v = dot K x v + t * dot K y v.
Proof.
  intros. unfold dot. rewrite <- Sum_scal, <- Sum_plus. apply Sum_ext. intros. ring.
Qed.

(* Elimination: K columns are dependent or have a left inverse *)
Lemma dependent_or_inverse : forall M (a : nat -> nat -> R) K,
  (exists x, (exists k, (k < K)%nat /\ x k <> 0) /\
     forall l, (l < M)%nat -> Sum K (fun k => x k * a k l) = 0) \/
  (exists B, forall k k', (k < K)%nat -> (k' < K)%nat ->
     Sum M (fun l => B k l * a k' l) = delta k k').
Proof.
  intros M a. induction K as [|K [[x [[k [Hk Nk]] Z]]|[B HB]]].
  - right. exists (fun _ _ => 0). intros. lia.
  - left. exists (fun k => if Nat.eq_dec k K then 0 else x k). split.
    + exists k. split; [lia|]. destruct (Nat.eq_dec k K); [lia|auto].
    + intros l Hl. simpl. destruct (Nat.eq_dec K K); [|lia].
      rewrite (Sum_ext K _ (fun k => x k * a k l)), Z; auto; [ring|].
      intros i Hi. destruct (Nat.eq_dec i K); [lia|auto].
  - set (c := fun k => Sum M (fun l => B k l * a K l)).
    set (r := fun l => a K l - Sum K (fun k => c k * a k l)).
    destruct (classic (exists l, (l < M)%nat /\ r l <> 0)) as [[l [Hl Hr]]|N].
    + right.
      set (b := fun m => / r l * (delta l m - Sum K (fun k => a k l * B k m))).
      assert (D : forall v, Sum M (fun m => b m * v m) =
        / r l * (v l - Sum K (fun k => a k l * Sum M (fun m => B k m * v m)))).
      { intros v. unfold b.
        rewrite (Sum_ext M _ (fun m => / r l * (delta l m * v m -
          Sum K (fun k => a k l * (B k m * v m))))).
        - rewrite Sum_scal, Sum_minus, Sum_delta, Sum_swap by auto.
          f_equal. f_equal. apply Sum_ext. intros. apply Sum_scal.
        - intros m Hm. rewrite !Rmult_assoc, Rmult_minus_distr_r, <- Sum_scal_r.
          f_equal. f_equal. apply Sum_ext. intros. ring. }
      assert (D0 : forall k', (k' < K)%nat -> Sum M (fun m => b m * a k' m) = 0).
      { intros k' Hk'. rewrite D, (Sum_ext K _ (fun k => a k l * delta k k'))
          by (intros k Hk; rewrite HB; auto).
        rewrite (Sum_delta_r K k' (fun k => a k l)) by auto. ring. }
      assert (D1 : Sum M (fun m => b m * a K m) = 1).
      { rewrite D. fold r.
        rewrite (Sum_ext K _ (fun k => c k * a k l)) by (intros; unfold c; ring).
        fold (r l). field. auto. }
      exists (fun k m => if Nat.eq_dec k K then b m else B k m - c k * b m).
      intros k k' Hk Hk'. destruct (Nat.eq_dec k K) as [->|Nk].
      * destruct (Nat.eq_dec K k') as [<-|Nk']; [rewrite delta_eq; auto|].
        rewrite delta_ne by auto. apply D0. lia.
      * rewrite (Sum_ext M _ (fun m => B k m * a k' m - c k * (b m * a k' m))) by (intros; ring).
        rewrite Sum_minus, Sum_scal. destruct (Nat.eq_dec k' K) as [->|Nk'].
        -- rewrite D1, delta_ne by auto. fold (c k). ring.
        -- rewrite D0, HB by lia. ring.
    + left. exists (fun k => if Nat.eq_dec k K then 1 else - c k). split.
      * exists K. split; [lia|]. destruct (Nat.eq_dec K K); [lra|lia].
      * intros l Hl. simpl. destruct (Nat.eq_dec K K); [|lia].
        assert (Z : r l = 0) by (apply NNPP; intros Q; apply N; exists l; auto).
        rewrite (Sum_ext K _ (fun k => - (c k * a k l))), Sum_opp.
        -- unfold r in Z. lra.
        -- intros i Hi. destruct (Nat.eq_dec i K); [lia|ring].
Qed.

(* |x^T E x| <= C |x|^2 *)
Lemma form_bounded : forall K E, exists C, 0 <= C /\
  forall x, dot K x (image K E x) <= C * dot K x x.
Proof.
  intros K E. exists (Sum K (fun i => Sum K (fun j => Rabs (E i j)))). split.
  { apply Sum_nonneg. intros. apply Sum_nonneg. intros. apply Rabs_pos. }
  intros x. rewrite <- Sum_scal_r. apply Sum_le. intros i Hi. unfold image.
  rewrite <- Sum_scal, <- Sum_scal_r. apply Sum_le. intros j Hj.
  pose proof (Sum_term_le K (fun k => x k * x k) i Hi (fun k _ => Rle_0_sqr (x k))) as P.
  pose proof (Sum_term_le K (fun k => x k * x k) j Hj (fun k _ => Rle_0_sqr (x k))) as Q.
  fold (dot K x x) in P, Q. cbv beta in P, Q.
  assert (B : Rabs (x i * x j) <= dot K x x) by (apply Rabs_le; split; nra).
  replace (x i * (E i j * x j)) with (E i j * (x i * x j)) by ring.
  apply Rle_trans with (1 := Rle_abs _). rewrite Rabs_mult.
  apply Rmult_le_compat_l; [apply Rabs_pos|exact B].
Qed.

(* a positive semidefinite matrix has a null vector or is bounded below *)
Lemma null_or_below : forall K A, symmetric K A ->
  (forall x, 0 <= dot K x (image K A x)) ->
  (exists x, dot K x x <> 0 /\ forall i, (i < K)%nat -> image K A x i = 0) \/
  (exists c, 0 < c /\ forall x, dot K x x <= c * dot K x (image K A x)).
Proof.
  intros K A S P.
  destruct (dependent_or_inverse K (fun k l => A l k) K) as [[x [[k [Hk Nk]] Z]]|[B HB]].
  - left. exists x. split.
    + intros D. apply Nk.
      pose proof (Sum_zero_terms K (fun i => x i * x i) k Hk (fun i _ => Rle_0_sqr (x i)) D) as T.
      cbv beta in T. nra.
    + intros i Hi. rewrite <- (Z i Hi). apply Sum_ext. intros. ring.
  - right. destruct (form_bounded K A) as [C [HC BC]].
    set (beta := Sum K (fun k => dot K (B k) (B k))).
    assert (Hb : 0 <= beta) by (apply Sum_nonneg; intros; apply dot_nonneg).
    assert (L : forall x, dot K x x <= beta * dot K (image K A x) (image K A x)).
    { intros x. unfold beta. rewrite <- Sum_scal_r. apply Sum_le. intros k Hk.
      assert (X : x k = dot K (B k) (image K A x)).
      { unfold dot, image.
        rewrite (Sum_ext K _ (fun l => Sum K (fun j => x j * (B k l * A l j))))
          by (intros; rewrite <- Sum_scal; apply Sum_ext; intros; ring).
        rewrite Sum_swap, (Sum_ext K _ (fun j => delta k j * x j)).
        - rewrite Sum_delta; auto.
        - intros j Hj. rewrite Sum_scal, HB by auto. ring. }
      rewrite X. pose proof (cauchy_schwarz K (B k) (image K A x)) as Q. nra. }
    (* |A x|^2 <= C x^T A x, by 0 <= (x - t A x)^T A (x - t A x) at t = 1/(C + 1) *)
    assert (G : forall x, dot K (image K A x) (image K A x) <= (C + 1) * dot K x (image K A x)).
    { intros x. set (y := image K A x). set (t := / (C + 1)).
      assert (Ht : 0 < t) by (apply Rinv_0_lt_compat; lra).
      assert (Ct : (C + 1) * t = 1) by (unfold t; field; lra).
      pose proof (P (fun k => x k + - t * y k)) as Q.
      rewrite (dot_ext K _ (image K A (fun k => x k + - t * y k))
        (fun k => x k + - t * y k) (fun i => y i + - t * image K A y i)) in Q
        by (auto; intros; unfold y at 2; rewrite image_plus; reflexivity).
      rewrite dot_plus, (dot_sym K x), (dot_sym K y), !dot_plus in Q.
      rewrite (dot_sym K (image K A y) x), (dot_image K A x y S) in Q. fold y in Q.
      rewrite (dot_sym K (image K A y) y) in Q.
      pose proof (BC y) as W. set (yy := dot K y y) in *. set (q := dot K y (image K A y)) in *.
      rewrite (dot_sym K x y). set (xy := dot K y x) in *.
      assert (Hy : 0 <= yy) by apply dot_nonneg.
      assert (T : t * t * q <= t * yy).
      { apply Rle_trans with (t * t * (C * yy)); [apply Rmult_le_compat_l; nra|].
        replace (t * t * (C * yy)) with (t * yy * (C * t)) by ring.
        rewrite <- (Rmult_1_r (t * yy)) at 2. apply Rmult_le_compat_l; nra. }
      assert (F : t * yy <= xy) by nra.
      apply (Rmult_le_compat_l (C + 1)) in F; [|lra].
      rewrite <- Rmult_assoc, Ct in F. lra. }
    exists ((beta + 1) * (C + 1)). split; [nra|]. intros x.
    specialize (L x). specialize (G x). specialize (P x).
    pose proof (dot_nonneg K (image K A x)) as N. rewrite Rmult_assoc.
    set (m := (C + 1) * dot K x (image K A x)) in *.
    assert (0 <= m) by (unfold m; nra). nra.
Qed.

(* the largest value of x^T E x over unit vectors is an eigenvalue *)
Lemma top_eigenvector : forall K E, (0 < K)%nat -> symmetric K E -> exists mu x,
  dot K x x = 1 /\ (forall i, (i < K)%nat -> image K E x i = mu * x i) /\
  forall y, dot K y (image K E y) <= mu * dot K y y.
Proof.
  intros K E HK S. destruct (form_bounded K E) as [C [HC BC]].
  set (values := fun v => exists x, dot K x x = 1 /\ v = dot K x (image K E x)).
  destruct (completeness values) as [mu [U L]].
  - exists C. intros v [x [X ->]]. specialize (BC x). rewrite X in BC. lra.
  - exists (dot K (delta 0) (image K E (delta 0))), (delta 0). split; auto.
    unfold dot. rewrite (Sum_delta K 0 (delta 0)) by auto. apply delta_eq.
  - assert (homogeneous : forall s y, dot K (fun k => s * y k) (image K E (fun k => s * y k)) =
      s * s * dot K y (image K E y)).
    { intros s y. unfold dot, image. rewrite <- Sum_scal. apply Sum_ext. intros i Hi.
      rewrite (Sum_ext K _ (fun j => s * (E i j * y j))), Sum_scal by (intros; ring). ring. }
    assert (unit_of : forall y, 0 < dot K y y -> let s := / sqrt (dot K y y) in
      dot K (fun k => s * y k) (fun k => s * y k) = 1 /\ s * s * dot K y y = 1).
    { intros y Hy s. assert (Q : s * s * dot K y y = 1).
      { pose proof (sqrt_sqrt (dot K y y) ltac:(lra)) as D. pose proof (sqrt_lt_R0 _ Hy) as P.
        unfold s. set (d := sqrt (dot K y y)) in *. rewrite <- D. field. lra. }
      split; [|exact Q]. rewrite <- Q. unfold dot. rewrite <- Sum_scal.
      apply Sum_ext. intros. unfold s, dot. ring. }
    assert (zero_form : forall y, dot K y y = 0 -> dot K y (image K E y) = 0).
    { intros y Hy. pose proof (cauchy_schwarz K y (image K E y)) as Q. rewrite Hy in Q. nra. }
    assert (T : forall y, dot K y (image K E y) <= mu * dot K y y).
    { intros y. destruct (Req_dec (dot K y y) 0) as [Z|Z].
      - rewrite (zero_form y Z), Z. lra.
      - pose proof (dot_pos K y Z) as N. destruct (unit_of y N) as [X Q].
        set (s := / sqrt (dot K y y)) in *.
        assert (V : s * s * dot K y (image K E y) <= mu).
        { apply U. exists (fun k => s * y k). split; auto. }
        apply (Rmult_le_compat_r (dot K y y)) in V; [|lra].
        replace (s * s * dot K y (image K E y) * dot K y y)
          with (s * s * dot K y y * dot K y (image K E y)) in V by ring.
        rewrite Q in V. lra. }
    set (A := fun i j => mu * delta i j - E i j).
    assert (IA : forall x i, (i < K)%nat -> image K A x i = mu * x i - image K E x i).
    { intros x i Hi. unfold image, A.
      rewrite (Sum_ext K _ (fun j => mu * (delta i j * x j) - E i j * x j)) by (intros; ring).
      rewrite Sum_minus, Sum_scal, Sum_delta by auto. reflexivity. }
    assert (FA : forall x, dot K x (image K A x) = mu * dot K x x - dot K x (image K E x)).
    { intros x. unfold dot. rewrite <- Sum_scal, <- Sum_minus. apply Sum_ext. intros i Hi.
      rewrite IA by auto. ring. }
    destruct (null_or_below K A) as [[x [N Z]]|[c [Hc B]]].
    + intros i j Hi Hj. unfold A. rewrite (delta_sym i j), (S i j); auto.
    + intros x. rewrite FA. specialize (T x). lra.
    + destruct (unit_of x (dot_pos K x N)) as [X _].
      set (s := / sqrt (dot K x x)) in *.
      exists mu, (fun k => s * x k). split; [exact X|split; [|exact T]].
      intros i Hi. pose proof (Z i Hi) as Q. rewrite IA in Q by auto.
      unfold image. rewrite (Sum_ext K _ (fun j => s * (E i j * x j))), Sum_scal by (intros; ring).
      fold (image K E x i). replace (image K E x i) with (mu * x i) by lra. ring.
    + exfalso. assert (Ic : 0 < / c) by (apply Rinv_0_lt_compat; auto).
      assert (Q : mu <= mu - / c); [|lra].
      apply L. intros v [x [X ->]]. specialize (B x). rewrite FA, X in B.
      apply (Rmult_le_compat_l (/ c)) in B; [|lra].
      rewrite <- Rmult_assoc, Rinv_l in B by lra. lra.
Qed.

Definition eigenvectors (K j : nat) (E : nat -> nat -> R) (lam : nat -> R) (u : nat -> nat -> R) :=
  (forall k l, (k < j)%nat -> (l < j)%nat -> dot K (u k) (u l) = delta k l) /\
  (forall k i, (k < j)%nat -> (i < K)%nat -> image K E (u k) i = lam k * u k i).

Lemma some_eigenvectors : forall K E j, symmetric K E -> (j <= K)%nat ->
  exists lam u, eigenvectors K j E lam u.
Proof.
  intros K E j S. induction j as [|j IH]; intros Hj.
  { exists (fun _ => 0), (fun _ _ => 0). split; intros; lia. }
  destruct (IH ltac:(lia)) as [lam [u [O V]]].
  set (trace := Sum K (fun i => E i i)).
  set (c := - (Rabs trace + INR K * Sum j (fun k => Rabs (lam k)) + 1)).
  set (E2 := fun i m => E i m + c * Sum j (fun k => u k i * u k m)).
  assert (S2 : symmetric K E2).
  { intros i m Hi Hm. unfold E2. rewrite (S i m Hi Hm). f_equal. f_equal. apply Sum_ext.
    intros. ring. }
  assert (I2 : forall x i,
    image K E2 x i = image K E x i + c * Sum j (fun k => u k i * dot K (u k) x)).
  { intros x i. unfold image, E2, dot.
    rewrite (Sum_ext K _ (fun m => E i m * x m + c * Sum j (fun k => u k i * (u k m * x m)))).
    - rewrite Sum_plus, Sum_scal, Sum_swap. f_equal. f_equal. apply Sum_ext. intros.
      apply Sum_scal.
    - intros m Hm. rewrite Rmult_plus_distr_r, Rmult_assoc, <- Sum_scal_r. f_equal. f_equal.
      apply Sum_ext. intros. ring. }
  destruct (top_eigenvector K E2 ltac:(lia) S2) as [mu [x [X [W T]]]].
  (* the trace says that mu is above what the found ones now have *)
  assert (Tr : trace + c * INR j <= INR K * mu).
  { rewrite <- Sum_const. apply Rle_trans with (Sum K (fun i => E2 i i)).
    - right. unfold E2. rewrite Sum_plus, Sum_scal, Sum_swap. fold trace. f_equal. f_equal.
      rewrite (Sum_ext j _ (fun _ => 1)).
      + rewrite Sum_const. ring.
      + intros k Hk. fold (dot K (u k) (u k)). rewrite O, delta_eq; auto.
    - apply Sum_le. intros i Hi. specialize (T (delta i)). unfold dot in T.
      rewrite !Sum_delta, delta_eq in T by auto. unfold image in T.
      rewrite (Sum_ext K _ (fun m => delta i m * E2 i m)) in T by (intros; ring).
      rewrite Sum_delta in T by auto. lra. }
  assert (far : forall k, (k < j)%nat -> mu <> lam k + c).
  { intros k Hk Q. rewrite Q in Tr.
    assert (HK : INR K >= INR j + 1).
    { rewrite <- S_INR. apply Rle_ge, le_INR. lia. }
    pose proof (Sum_term_le j (fun k => Rabs (lam k)) k Hk (fun i _ => Rabs_pos (lam i))) as B.
    cbv beta in B. set (s := Sum j (fun k => Rabs (lam k))) in *.
    pose proof (Rle_abs (- trace)) as B2. rewrite Rabs_Ropp in B2.
    pose proof (Rle_abs (lam k)). pose proof (Rabs_pos (lam k)). pose proof (pos_INR K).
    pose proof (Rabs_pos trace).
    assert (N : c <= 0) by (unfold c; nra).
    assert (M1 : INR K * lam k <= INR K * s) by (apply Rmult_le_compat_l; lra).
    assert (M2 : c * (INR K - INR j) <= c) by nra.
    assert (c = - Rabs trace - INR K * s - 1) by (unfold c; ring). nra. }
  assert (off : forall k, (k < j)%nat -> dot K (u k) x = 0).
  { intros k Hk.
    assert (L : dot K (u k) (image K E2 x) = mu * dot K (u k) x).
    { unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros i Hi. rewrite W by auto. ring. }
    assert (R : dot K (image K E2 (u k)) x = (lam k + c) * dot K (u k) x).
    { unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros i Hi. rewrite I2, V by auto.
      rewrite (Sum_ext j _ (fun l => u l i * delta l k)) by (intros; rewrite O; auto).
      rewrite (Sum_delta_r j k (fun l => u l i)) by auto. ring. }
    rewrite dot_image in L by auto. rewrite L in R.
    assert (Q : (mu - (lam k + c)) * dot K (u k) x = 0) by lra.
    apply Rmult_integral in Q. destruct Q as [Q|Q]; auto. exfalso. apply (far k Hk). lra. }
  exists (fun k => if Nat.eq_dec k j then mu else lam k),
    (fun k => if Nat.eq_dec k j then x else u k).
  split.
  - intros k l Hk Hl. destruct (Nat.eq_dec k j) as [->|Nk], (Nat.eq_dec l j) as [->|Nl].
    + rewrite delta_eq. auto.
    + rewrite dot_sym, off, delta_ne by lia. reflexivity.
    + rewrite off, delta_ne by lia. reflexivity.
    + apply O; lia.
  - intros k i Hk Hi. destruct (Nat.eq_dec k j) as [->|Nk]; [|apply V; lia].
    rewrite <- (W i Hi), I2, (Sum_zero j); [ring|]. intros l Hl. rewrite off by auto. ring.
Qed.

(* K orthonormal vectors of length K are a basis, and their matrix decomposes E *)
Lemma eigenvectors_spectral : forall K E lam u, eigenvectors K K E lam u -> spectral K lam u E.
Proof.
  intros K E lam u [O V].
  assert (N : forall i, (i < K)%nat ->
    Sum K (fun m => (delta i m - Sum K (fun k => u k i * u k m)) ^ 2) =
    1 - Sum K (fun k => u k i * u k i)).
  { intros i Hi.
    rewrite (Sum_ext K _ (fun m => delta i m * (delta i m - 2 * Sum K (fun k => u k i * u k m)) +
      Sum K (fun k => Sum K (fun l => u k i * u l i * (u k m * u l m))))).
    - rewrite Sum_plus, Sum_delta, delta_eq, Sum_swap by auto.
      rewrite (Sum_ext K
        (fun k => Sum K (fun m => Sum K (fun l => u k i * u l i * (u k m * u l m))))
        (fun k => u k i * u k i)); [ring|].
      intros k Hk. rewrite Sum_swap.
      rewrite (Sum_ext K _ (fun l => delta k l * (u k i * u l i))).
      + apply (Sum_delta K k (fun l => u k i * u l i)); auto.
      + intros l Hl. rewrite Sum_scal. fold (dot K (u k) (u l)). rewrite O by auto. ring.
    - intros m Hm.
      replace (Sum K (fun k => Sum K (fun l => u k i * u l i * (u k m * u l m))))
        with (Sum K (fun k => u k i * u k m) * Sum K (fun l => u l i * u l m)); [ring|].
      rewrite <- Sum_scal_r. apply Sum_ext. intros k Hk. rewrite <- Sum_scal. apply Sum_ext.
      intros. ring. }
  assert (total : Sum K (fun i => Sum K (fun m =>
    (delta i m - Sum K (fun k => u k i * u k m)) ^ 2)) = 0).
  { rewrite (Sum_ext K _ (fun i => 1 - Sum K (fun k => u k i * u k i))) by auto.
    rewrite Sum_minus, Sum_swap, (Sum_ext K (fun k => Sum K (fun i => u k i * u k i)) (fun _ => 1)).
    - ring.
    - intros k Hk. fold (dot K (u k) (u k)). rewrite O, delta_eq; auto. }
  assert (C : forall i j, (i < K)%nat -> (j < K)%nat -> Sum K (fun k => u k i * u k j) = delta i j).
  { intros i j Hi Hj.
    assert (Z : Sum K (fun m => (delta i m - Sum K (fun k => u k i * u k m)) ^ 2) = 0).
    { apply (Sum_zero_terms K (fun i => Sum K (fun m =>
        (delta i m - Sum K (fun k => u k i * u k m)) ^ 2)) i Hi); auto.
      intros. apply Sum_nonneg. intros. apply pow2_ge_0. }
    pose proof (Sum_zero_terms K _ j Hj (fun m _ => pow2_ge_0 _) Z) as Q. cbv beta in Q.
    destruct (Req_dec (delta i j - Sum K (fun k => u k i * u k j)) 0) as [|Y]; [lra|].
    exfalso. apply (pow_nonzero _ 2) in Y. auto. }
  split; [split; auto|]. intros i j Hi Hj.
  transitivity (Sum K (fun m => E i m * delta m j)); [symmetry; apply (Sum_delta_r K j); auto|].
  rewrite (Sum_ext K _ (fun m => Sum K (fun k => E i m * u k m * u k j))).
  - rewrite Sum_swap. apply Sum_ext. intros k Hk. rewrite Sum_scal_r.
    fold (image K E (u k) i). rewrite V by auto. reflexivity.
  - intros m Hm. rewrite <- C by auto. rewrite <- Sum_scal. apply Sum_ext. intros. ring.
Qed.

Theorem spectral_theorem : forall K E, symmetric K E -> exists lam u, spectral K lam u E.
Proof.
  intros K E S. destruct (some_eigenvectors K E K S (le_n K)) as [lam [u H]].
  exists lam, u. apply eigenvectors_spectral. auto.
Qed.

(* u_k . f(E) x = f(lambda_k) u_k . x *)
Lemma function_image : forall K lam u f x k, orthogonal K u -> (k < K)%nat ->
  dot K (u k) (image K (function_of K lam u f) x) = f (lam k) * dot K (u k) x.
Proof.
  intros K lam u f x k [O _] Hk. unfold dot, image, function_of.
  rewrite (Sum_ext K _ (fun i => Sum K (fun l => Sum K (fun j => f (lam l) * (u l j * x j)) *
    (u k i * u l i)))).
  - rewrite Sum_swap.
    rewrite (Sum_ext K _ (fun l => delta k l * Sum K (fun j => f (lam l) * (u l j * x j)))).
    + rewrite Sum_delta by auto. apply Sum_scal.
    + intros l Hl. rewrite Sum_scal, O by auto. ring.
  - intros i Hi. rewrite <- Sum_scal.
    rewrite (Sum_ext K (fun l => _ * (u k i * u l i))
      (fun l => Sum K (fun j => u k i * (f (lam l) * u l i * u l j * x j)))).
    + rewrite Sum_swap. apply Sum_ext. intros j Hj. rewrite Sum_scal. f_equal.
      rewrite <- Sum_scal_r. reflexivity.
    + intros l Hl. rewrite <- Sum_scal_r. apply Sum_ext. intros. ring.
Qed.

(* the eigenvalues of f(E) are the f(lambda_k) *)
Lemma function_eigenvalues : forall K lam u f mu, orthogonal K u ->
  (eigenvalue K (function_of K lam u f) mu <-> exists k, (k < K)%nat /\ mu = f (lam k)).
Proof.
  intros K lam u f mu O. split.
  - intros [x [N V]].
    destruct (classic (exists k, (k < K)%nat /\ dot K (u k) x <> 0)) as [[k [Hk Q]]|Z].
    + exists k. split; auto. pose proof (function_image K lam u f x k O Hk) as F.
      assert (G : dot K (u k) (image K (function_of K lam u f) x) = mu * dot K (u k) x).
      { unfold dot. rewrite <- Sum_scal. apply Sum_ext. intros i Hi. rewrite V by auto. ring. }
      rewrite G in F. apply Rmult_eq_reg_r with (dot K (u k) x); auto.
    + exfalso. apply N. apply Sum_zero. intros i Hi.
      assert (x i = 0); [|rewrite H; ring].
      rewrite <- (Sum_delta K i x Hi).
      rewrite (Sum_ext K _ (fun j => Sum K (fun k => u k i * (u k j * x j)))).
      * rewrite Sum_swap. apply Sum_zero. intros k Hk. rewrite Sum_scal. fold (dot K (u k) x).
        replace (dot K (u k) x) with 0; [ring|]. symmetry. apply NNPP. intros Q. apply Z.
        exists k. auto.
      * intros j Hj. rewrite <- (proj2 O) by auto. rewrite <- Sum_scal_r. apply Sum_ext.
        intros. ring.
  - intros [k [Hk ->]]. exists (u k). pose proof (proj1 O) as O1. split.
    + unfold dot. rewrite O1, delta_eq by auto. lra.
    + intros i Hi. unfold image, function_of.
      rewrite (Sum_ext K _ (fun j => Sum K (fun l => f (lam l) * u l i * (u l j * u k j)))).
      * rewrite Sum_swap, (Sum_ext K _ (fun l => f (lam l) * u l i * delta l k)).
        -- apply (Sum_delta_r K k (fun l => f (lam l) * u l i)); auto.
        -- intros l Hl. rewrite Sum_scal, O1; auto.
      * intros j Hj. rewrite <- Sum_scal_r. apply Sum_ext. intros. ring.
Qed.

Lemma spectral_eigenvalue : forall K lam u E k, spectral K lam u E -> (k < K)%nat ->
  eigenvalue K E (lam k).
Proof.
  intros K lam u E k [O S] Hk.
  destruct (proj2 (function_eigenvalues K lam u (fun x => x) (lam k) O)) as [x [N V]].
  { exists k. auto. }
  exists x. split; auto. intros i Hi. rewrite <- (V i Hi). apply Sum_ext. intros j Hj.
  rewrite S; auto.
Qed.

Lemma spectral_largest : forall K lam u E mu, spectral K lam u E -> largest K E mu ->
  forall k, (k < K)%nat -> Rabs (lam k) <= Rabs mu.
Proof. intros K lam u E mu H [_ L] k Hk. apply L, (spectral_eigenvalue K lam u E); auto. Qed.
