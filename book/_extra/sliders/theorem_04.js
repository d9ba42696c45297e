// Theorem 4: the speed γ (85), the clock Γ (128) and the gain B over the steps and at t₀.
"use strict";
(globalThis.SLIDERS ??= {}).theorem_04 = ({ M, eta_y, eta_z }, { K, c0, later, times }) => {
  // u = M h(t/K) of (45): e^u + (M-1) u = M η_Y t / K + 1, convex; Newton comes from above.
  function height(t) {
    const target = M * eta_y * t / K;
    let u = Math.min(Math.log1p(target), target / (M - 1));
    for (let n = 0; n < 60; n++) u -= (Math.expm1(u) + (M - 1) * u - target) / (Math.exp(u) + M - 1);
    return u / M;
  }

  const gamma = (t) => { const h = height(t); return (M - 1) ** 2 * h / (M - 1 + Math.exp(M * h)); };
  const clock = (t) => eta_z / eta_y * K * (M - 1) ** 2 * height(t) ** 2 / 2;
  const gain = (t) => Math.log1p(4 * clock(t) / c0) / 4;

  // t₀ (Lemma 9): twice the time K u / η_Y at which u is the larger solution of e^u = (M-1) u.
  let u = 2 * Math.log(M - 1) + 2;
  for (let n = 0; n < 60; n++) u -= (u - Math.log(u) - Math.log(M - 1)) / (1 - 1 / u);
  const t0 = 2 * K * u / eta_y;

  return {
    t: times,
    gamma: times.map(gamma), clock: times.map(clock), gain: times.map(gain),
    t0, gamma0: gamma(t0), clock0: clock(t0), gain0: gain(t0),
    more: gain(later * t0) / gain(t0) - 1,
  };
};
