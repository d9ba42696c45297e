(* Insight (a) after Theorem 4 of "Scan and Snap" (Section 6): a larger eta_Y has a shorter t_0.

   Proved for every real M > 1, K > 0, all rates 0 < eta < eta' and the flows h, h' of (44) at t/K:
   gamma of (85) at (t, eta) is gamma at (eta t/eta', eta'), and t_0, where e^(M h) overtakes
   (M-1) M h, comes earlier by the same factor; with u = M h there, which all rates share,
   t_0 = K (2 (M-1) u - 1)/(M eta). *)
From Coq Require Import Reals Lra.
From Shared Require Import calculus decoder.
From ScanSnap Require Import theorem_04.
Open Scope R_scope.

(* t_0: the later of the two heights at which both terms of (45) are equal *)
Definition snaps_at (M K : R) (h : R -> R) (t : R) : Prop :=
  0 <= t /\ 1 < M * h (t / K) /\ exp (M * h (t / K)) = (M - 1) * (M * h (t / K)).

(* beyond 1 the exponential leaves the line through 0 and (u, c u) *)
Lemma leaves_line : forall c u v, 0 <= c -> 1 <= u <= v -> c * u <= exp u -> c * v <= exp v.
Proof.
  intros c u v Hc H E. replace (exp v) with (exp u * exp (v - u))
    by (rewrite <- exp_plus; f_equal; ring).
  pose proof (exp_ge_line (v - u)) as L. apply Rle_trans with (c * u * (1 + (v - u))).
  - assert (0 <= (u - 1) * (v - u)) by nra. nra.
  - apply Rmult_le_compat; nra.
Qed.

Lemma one_crossing : forall c u v, 0 < c -> 1 < u -> 1 < v ->
  exp u = c * u -> exp v = c * v -> u = v.
Proof.
  assert (L : forall c u v, 0 < c -> 1 < u -> u < v -> exp u = c * u -> c * v < exp v).
  { intros c u v Hc Hu H E. replace (exp v) with (exp u * exp (v - u))
      by (rewrite <- exp_plus; f_equal; ring).
    pose proof (exp_ge_line (v - u)) as L. apply Rlt_le_trans with (c * u * (1 + (v - u))).
    - assert (0 < (u - 1) * (v - u)) by nra. nra.
    - rewrite E. apply Rmult_le_compat_l; nra. }
  intros c u v Hc Hu Hv Eu Ev. destruct (Rtotal_order u v) as [H|[H|H]]; auto.
  - pose proof (L c u v Hc Hu H Eu). lra.
  - pose proof (L c v u Hc Hv H Ev). lra.
Qed.

(* (45) sees time as eta t only *)
Lemma rescaled : forall M eta eta' h h' t, 1 < M -> 0 < eta -> 0 < eta' ->
  decoder_flow M eta h -> decoder_flow M eta' h' -> 0 <= t -> h t = h' (eta / eta' * t).
Proof.
  intros M eta eta' h h' t HM He He' F F' Ht.
  assert (P : 0 < eta / eta') by (apply Rdiv_lt_0_compat; auto).
  assert (Ht' : 0 <= eta / eta' * t) by nra.
  pose proof (flow_implicit M eta h HM F t Ht) as E.
  pose proof (flow_implicit M eta' h' HM F' _ Ht') as E'.
  replace (M * eta' * (eta / eta' * t)) with (M * eta * t) in E' by (field; lra).
  assert (C : clock M eta (h t) = clock M eta (h' (eta / eta' * t))).
  { unfold clock. f_equal. lra. }
  apply Rle_antisym; apply (clock_le_inv M eta); auto; lra.
Qed.

Theorem insight_a : forall M K eta eta' h h', 1 < M -> 0 < K -> 0 < eta < eta' ->
  decoder_flow M eta h -> decoder_flow M eta' h' ->
  (forall t, 0 <= t -> gamma M K h t = gamma M K h' (eta / eta' * t)) /\
  (forall t_0 t_0', snaps_at M K h t_0 -> snaps_at M K h' t_0' ->
     t_0' < t_0 /\ eta' * t_0' = eta * t_0 /\ M * h (t_0 / K) = M * h' (t_0' / K) /\
     t_0 = K * (2 * (M - 1) * (M * h (t_0 / K)) - 1) / (M * eta)).
Proof.
  intros M K eta eta' h h' HM HK He F F'. split.
  - intros t Ht. assert (0 <= t / K) by (apply le_div; lra).
    pose proof (rescaled M eta eta' h h' (t / K) HM ltac:(lra) ltac:(lra) F F' H) as E.
    unfold gamma. rewrite E.
    replace (eta / eta' * t / K) with (eta / eta' * (t / K)) by (field; lra). reflexivity.
  - intros t t' [Ht [U E]] [Ht' [U' E']].
    pose proof (one_crossing (M - 1) _ _ ltac:(lra) U U' E E') as Q.
    assert (P : 0 <= t / K) by (apply le_div; lra).
    assert (P' : 0 <= t' / K) by (apply le_div; lra).
    pose proof (flow_implicit M eta h HM F _ P) as I.
    pose proof (flow_implicit M eta' h' HM F' _ P') as I'.
    set (u := M * h (t / K)) in *. set (u' := M * h' (t' / K)) in *.
    replace ((M - 1) * M * h (t / K)) with ((M - 1) * u) in I by (unfold u; ring).
    replace ((M - 1) * M * h' (t' / K)) with ((M - 1) * u') in I' by (unfold u'; ring).
    assert (S : eta' * t' = eta * t).
    { rewrite <- Q in I'. rewrite I in I'.
      assert (M / K * (eta * t) = M / K * (eta' * t')).
      { replace (M / K * (eta * t)) with (M * eta * (t / K)) by (field; lra).
        replace (M / K * (eta' * t')) with (M * eta' * (t' / K)) by (field; lra). lra. }
      apply Rmult_eq_reg_l in H; [lra|]. apply Rgt_not_eq, Rdiv_lt_0_compat; lra. }
    assert (T : 0 < t).
    { destruct Ht as [|Z]; auto. exfalso. rewrite <- Z in I. unfold Rdiv in I.
      rewrite Rmult_0_l, Rmult_0_r in I. pose proof (exp_ge_line u). nra. }
    split; [nra|split; [exact S|split; [exact Q|]]].
    rewrite E in I. replace (2 * (M - 1) * u - 1) with (M * eta * (t / K)) by lra. field. lra.
Qed.

(* THEOREM insight_a | holds-as-printed | time scales with 1/eta_Y, and t_0 with it *)
