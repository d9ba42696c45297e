(* A few values of exp and ln, bounded by hand so that no axiom on machine numbers is used. *)
From Coq Require Import Reals Lra.
From Shared Require Import calculus lag.
Open Scope R_scope.

Lemma twice_lower : forall x y a b, 0 <= a -> a <= exp x -> y = 2 * x -> b <= a * a -> b <= exp y.
Proof.
  intros x y a b Ha H -> Hb. replace (2 * x) with (x + x) by ring. rewrite exp_plus. nra.
Qed.

Lemma twice_upper : forall x y a b, exp x <= a -> y = 2 * x -> a * a <= b -> exp y <= b.
Proof.
  intros x y a b H -> Hb. replace (2 * x) with (x + x) by ring. rewrite exp_plus.
  pose proof (exp_pos x). nra.
Qed.

Lemma seed_upper : forall d a, 0 <= d < 1 -> 1 + d <= a * (1 - d ^ 2 / 2) -> exp d <= a.
Proof.
  intros d a Hd H. pose proof (exp_second_order_upper d (proj1 Hd)) as E. pose proof (exp_pos d).
  assert (P : 0 < 1 - d ^ 2 / 2) by nra. apply Rmult_le_reg_r with (1 - d ^ 2 / 2); lra.
Qed.

Lemma seed_lower : forall d a, 0 <= d -> a <= 1 + d + d ^ 2 / 2 -> a <= exp d.
Proof. intros d a Hd H. pose proof (exp_second_order d Hd). lra. Qed.

Ltac up x a := apply (twice_upper x _ a); [|lra|lra].
Ltac low x a := apply (twice_lower x _ a); [lra| |lra|lra].

Lemma exp_1_below_3 : exp 1 < 3.
Proof.
  apply Rle_lt_trans with (29 / 10); [|lra].
  up (1 / 2) (17 / 10). up (1 / 4) (13 / 10). apply seed_upper; lra.
Qed.

Lemma ln_4_lower : 4 / 3 < ln 4.
Proof.
  apply Rlt_le_trans with (134 / 100); [lra|]. apply ln_le_of_exp; [lra|].
  up (67 / 100) 2. up (335 / 1000) (141 / 100). up (1675 / 10000) (1185 / 1000).
  apply seed_upper; lra.
Qed.

Lemma ln_4_upper : ln 4 <= 3 / 2.
Proof.
  rewrite <- (ln_exp (3 / 2)). apply ln_le_mono; [lra|].
  low (3 / 4) (205 / 100). low (3 / 8) (144 / 100). apply seed_lower; lra.
Qed.

Lemma ln_100_lower : 41 / 10 <= ln 100.
Proof.
  apply ln_le_of_exp; [lra|]. up (205 / 100) (9). up (1025 / 1000) 3.
  up (5125 / 10000) (173 / 100). up (25625 / 100000) (1315 / 1000). apply seed_upper; lra.
Qed.

Lemma ln_100_upper : ln 100 <= 11.
Proof.
  rewrite <- (ln_exp 11). apply ln_le_mono; [lra|]. low (11 / 2) 10. apply seed_lower; lra.
Qed.

Lemma ln_5_lower : 158 / 100 <= ln 5.
Proof.
  apply ln_le_of_exp; [lra|]. up (79 / 100) (2215 / 1000). up (395 / 1000) (1487 / 1000).
  up (1975 / 10000) (12193 / 10000).
  up (9875 / 100000) (11042 / 10000). apply seed_upper; lra.
Qed.

Lemma ln_5_below : ln 5 <= 17 / 10.
Proof.
  rewrite <- (ln_exp (17 / 10)). apply ln_le_mono; [lra|].
  low (85 / 100) (225 / 100). low (425 / 1000) (151 / 100). apply seed_lower; lra.
Qed.

Lemma ln_20_upper : ln 20 <= 306 / 100.
Proof.
  rewrite <- (ln_exp (306 / 100)). apply ln_le_mono; [lra|].
  low (153 / 100) (448 / 100). low (765 / 1000) (2118 / 1000). low (3825 / 10000) (14556 / 10000).
  apply seed_lower; lra.
Qed.

Lemma ln_20_lower : 1 <= ln 20.
Proof. apply ln_le_of_exp; [lra|]. pose proof exp_1_below_3. lra. Qed.

Lemma ln_2_lower : 686 / 1000 <= ln 2.
Proof.
  apply ln_le_of_exp; [lra|]. up (343 / 1000) (1414 / 1000). up (1715 / 10000) (1189 / 1000).
  up (8575 / 100000) (10899 / 10000). apply seed_upper; lra.
Qed.

Lemma ln_200_99_upper : ln (2 / (99 / 100)) <= 728 / 1000.
Proof.
  rewrite <- (ln_exp (728 / 1000)). apply ln_le_mono; [lra|].
  low (364 / 1000) (143 / 100). low (182 / 1000) (11985 / 10000). apply seed_lower; lra.
Qed.

Lemma exp_301_upper : exp (301 / 100) <= 30.
Proof.
  up (1505 / 1000) (54 / 10). up (7525 / 10000) (23 / 10). up (37625 / 100000) (15 / 10).
  apply seed_upper; lra.
Qed.

Lemma exp_850_lower : 4510 <= exp (85 / 10).
Proof.
  low (425 / 100) (6726 / 100). low (2125 / 1000) (82013 / 10000).
  low (10625 / 10000) (28638 / 10000). low (53125 / 100000) (16923 / 10000).
  low (265625 / 1000000) (13009 / 10000). apply seed_lower; lra.
Qed.

Lemma sqrt_2_bounds : 14142 / 10000 < sqrt 2 < 14143 / 10000.
Proof.
  assert (H : sqrt 2 * sqrt 2 = 2) by (apply sqrt_sqrt; lra).
  assert (P : 0 < sqrt 2) by (apply sqrt_lt_R0; lra). split; nra.
Qed.
