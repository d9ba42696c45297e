(* Lemma 12 of "Scan and Snap" (Appendix D.4), Eqs. (66)-(69): the deterministic part.

   Proved for every vocabulary M >= 2, every rate eta_Y > 0, every sequence of labels below M and
   every number of steps N: under the decoupled dynamics (8) row n is (M-1) h*(N_n) zeta_n, N_n
   being the number of visits of class n among the N steps, whatever their order.  With the h of
   (44) in place of h* and any planned number of visits N-bar > 0, row n is (1 + theta_n) times
   (M-1) h(N-bar) zeta_n, theta_n = h(N_n)/h(N-bar) - 1, up to (M-1) eta_Y/M in each entry, and
   |theta_n| <= |N_n - N-bar|/N-bar.
   Not proved here: how probable it is that N_n is near N-bar (Lemma 10). *)
From Coq Require Import Reals Lra Lia.
From Coquelicot Require Import Coquelicot.
From Shared Require Import sums calculus decoder lag softmax.
From ScanSnap Require Import lemma_07.
Open Scope R_scope.

(* (8) in steps: w_j(s+1) = w_j(s) + eta_Y I(j = n)(e_n - softmax(w_n(s))), n the label of the
   step *)
Fixpoint rows (M : nat) (eta : R) (label : nat -> nat) (s j v : nat) : R :=
  match s with
  | O => 0
  | S s => rows M eta label s j v +
      (if Nat.eq_dec j (label s)
       then eta * (delta j v - softmax M (rows M eta label s j) v) else 0)
  end.

(* N_n *)
Fixpoint visits (label : nat -> nat) (n s : nat) : nat :=
  match s with
  | O => O
  | S s => if Nat.eq_dec n (label s) then S (visits label n s) else visits label n s
  end.

(* a row depends on the visits of its class only, not on their order *)
Theorem equation_66 : forall M eta label s n v, (2 <= M)%nat -> (n < M)%nat -> (v < M)%nat ->
  rows M eta label s n v = (INR M - 1) * h_star (INR M) eta (visits label n s) * zeta M n v.
Proof.
  intros M eta label s n v HM Hn. revert v. induction s as [|s IH]; intros v Hv; simpl; [ring|].
  destruct (Nat.eq_dec n (label s)) as [E|E].
  - rewrite (residual_along_zeta M n _ (h_star (INR M) eta (visits label n s)) v), IH by auto.
    simpl. ring.
  - rewrite IH by auto. ring.
Qed.

(* the visits of all classes add up to the steps *)
Theorem visits_sum : forall label K s, (forall i, (i < s)%nat -> (label i < K)%nat) ->
  Sum K (fun n => INR (visits label n s)) = INR s.
Proof.
  intros label K s. induction s as [|s IH]; intros H; simpl visits; [apply Sum_zero; auto|].
  rewrite S_INR, <- IH by (intros; apply H; lia).
  rewrite (Sum_ext K _ (fun n => INR (visits label n s) + delta (label s) n * 1)).
  - rewrite Sum_plus, (Sum_delta K (label s) (fun _ => 1)); auto.
  - intros n Hn. unfold delta. destruct (Nat.eq_dec n (label s)), (Nat.eq_dec (label s) n); try lia.
    + rewrite S_INR. ring.
    + ring.
Qed.

(* the flow is concave from zero: its value falls by at most the share by which its argument does *)
Lemma share_of_flow : forall m eta h s t, 1 < m -> 0 < eta -> decoder_flow m eta h -> 0 <= s <= t ->
  s * h t <= t * h s.
Proof.
  intros m eta h s t Hm He F [Hs Ht]. pose proof (flow_implicit m eta h Hm F) as I.
  destruct (Req_dec t 0) as [->|T]; [replace s with 0 by lra; lra|].
  assert (P : 0 < t) by lra. set (p := s / t).
  assert (Q : 0 <= p <= 1) by (unfold p; split; [apply le_div|apply div_le]; lra).
  assert (L : p * h t <= h s).
  { apply (clock_le_inv m eta); auto. rewrite (clock_of_flow m eta h s) by auto.
    pose proof (clock_of_flow m eta h t Hm He I ltac:(lra)) as C. unfold clock in C |- *.
    pose proof (exp_mean p (m * h t) Q) as X.
    replace (p * (m * h t)) with (m * (p * h t)) in X by ring.
    replace s with (p * t) by (unfold p; field; lra).
    assert (E : p * t = p * (exp (m * h t) - 1 + (m - 1) * m * h t) / (m * eta)).
    { transitivity (p * ((exp (m * h t) - 1 + (m - 1) * m * h t) / (m * eta)));
        [rewrite C; reflexivity | field; lra]. }
    rewrite E.
    apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; nra|].
    replace ((m - 1) * m * (p * h t)) with (p * ((m - 1) * m * h t)) by ring. lra. }
  apply Rmult_le_compat_l with (r := t) in L; [|lra].
  replace (t * (p * h t)) with (s * h t) in L by (unfold p; field; lra). exact L.
Qed.

Lemma zeta_small : forall M n v, (2 <= M)%nat -> Rabs (zeta M n v) <= 1.
Proof.
  intros M n v HM. destruct (Nat.eq_dec n v) as [->|E].
  - rewrite zeta_at, Rabs_R1 by auto. lra.
  - rewrite zeta_off by auto. pose proof (INR_ge2 M HM).
    rewrite Rabs_Ropp, Rabs_pos_eq by (left; apply Rinv_0_lt_compat; lra).
    rewrite <- Rinv_1 at 2. apply Rinv_le_contravar; lra.
Qed.

(* (67)-(69) with the flow: the row, the size of theta, and what the flow in place of the steps
   costs *)
Theorem lemma_12 : forall M eta label N h N_bar, (2 <= M)%nat -> 0 < eta ->
  decoder_flow (INR M) eta h -> 0 < N_bar -> forall n, (n < M)%nat ->
  let N_n := INR (visits label n N) in
  let theta := h N_n / h N_bar - 1 in
  0 < h N_bar /\ Rabs theta <= Rabs (N_n - N_bar) / N_bar /\
  forall v, (v < M)%nat ->
    Rabs (rows M eta label N n v - (1 + theta) * ((INR M - 1) * h N_bar * zeta M n v)) <=
      (INR M - 1) * (eta / INR M).
Proof.
  intros M eta label N h N_bar HM He F Hb n Hn N_n theta. pose proof (INR_gt1 M HM) as M1.
  pose proof (flow_implicit (INR M) eta h M1 F) as I.
  assert (Pn : 0 <= N_n) by apply pos_INR.
  assert (Hp : 0 < h N_bar).
  { rewrite <- (proj1 F). apply (strictly_increasing_flow h (fun s => eta * speed (INR M) (h s)));
      [apply F| |lra|lra].
    intros s Hs. apply Rmult_lt_0_compat; auto. apply speed_pos; auto. }
  split; [exact Hp|split].
  - assert (Z : forall x, x / h N_bar - 1 = (x - h N_bar) / h N_bar) by (intros; field; lra).
    assert (Y : (N_n - N_bar) / N_bar = N_n / N_bar - 1) by (field; lra).
    unfold theta. destruct (Rle_or_lt N_n N_bar) as [C|C].
    + pose proof (share_of_flow (INR M) eta h N_n N_bar M1 He F (conj Pn C)) as S.
      assert (H1 : h N_n <= h N_bar).
      { apply (clock_le_inv (INR M) eta); auto.
        rewrite !(clock_of_flow (INR M) eta h) by (auto; lra). exact C. }
      assert (L : N_n / N_bar <= h N_n / h N_bar).
      { apply div_le; auto. replace (h N_n / h N_bar * N_bar) with (N_bar * h N_n / h N_bar) by
          (field; lra). apply le_div; lra. }
      assert (U : h N_n / h N_bar <= 1) by (apply div_le; lra).
      rewrite !Rabs_left1 by lra. replace (- (N_n - N_bar) / N_bar) with
        (1 - N_n / N_bar) by (field; lra). lra.
    + pose proof (share_of_flow (INR M) eta h N_bar N_n M1 He F ltac:(lra)) as S.
      assert (H1 : h N_bar <= h N_n).
      { apply (clock_le_inv (INR M) eta); auto.
        rewrite !(clock_of_flow (INR M) eta h) by (auto; lra). lra. }
      assert (L : h N_n / h N_bar <= N_n / N_bar).
      { apply div_le; auto. replace (N_n / N_bar * h N_bar) with (N_n * h N_bar / N_bar) by
          (field; lra). apply le_div; lra. }
      assert (U : 1 <= h N_n / h N_bar) by (apply le_div; lra).
      rewrite !Rabs_pos_eq by lra. rewrite Y. lra.
  - intros v Hv. rewrite equation_66 by auto.
    pose proof (lemma_7a_constant_1 (INR M) eta h M1 He F (visits label n N)) as G.
    fold N_n in G. set (x := h_star (INR M) eta (visits label n N)) in *.
    replace ((INR M - 1) * x * zeta M n v - (1 + theta) * ((INR M - 1) * h N_bar * zeta M n v))
      with ((INR M - 1) * ((x - h N_n) * zeta M n v)) by (unfold theta; field; lra).
    rewrite !Rabs_mult, (Rabs_pos_eq (INR M - 1)), (Rabs_pos_eq (x - h N_n)) by lra.
    apply Rmult_le_compat_l; [lra|]. pose proof (zeta_small M n v HM). pose proof (Rabs_pos
      (zeta M n v)). nra.
Qed.

(* THEOREM equation_66 | holds-as-printed | w_n(N) = (M-1) h*(N_n) zeta_n for any order of labels *)
(* THEOREM visits_sum | holds-as-printed | the N_n add up to N *)
(* THEOREM lemma_12 | holds-as-printed | (67)-(69) with h in place of h*, off by at most
   (M-1) eta_Y/M an entry, and |theta_n| is at most the share of visits that are missing or too
   many *)
(* BRIDGE rows | lib.scan_snap.decoder_training.decoder_ascent | labels, M, eta_y; entry W[s, j, v] *)
