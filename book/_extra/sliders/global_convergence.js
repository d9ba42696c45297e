// Global convergence: angle and masses from the scores of token 4, the one column that training moves.
"use strict";
(globalThis.SLIDERS ??= {}).global_convergence = ({ k, start }, { starts, scores, direction, limit }) => {
  const dot = (a, b) => a.reduce((sum, value, j) => sum + value * b[j], 0);
  const run = scores[starts.indexOf(start)];
  const degrees = (w) => 180 / Math.PI * Math.acos(Math.max(-1, Math.min(1, dot(w, direction) / Math.sqrt(dot(w, w) * dot(direction, direction)))));
  const angle = run.map(degrees);
  const weight = run[k].map((score) => Math.exp(score - Math.max(...run[k])));
  const total = weight.reduce((a, b) => a + b), masses = weight.map((value) => value / total);
  return {
    power: run.map((_, n) => n), angle,
    now: k, squared: 2 * k, angle_now: angle[k], angle_squared: angle[2 * k],
    masses, limit, roles: ["distinct", "distinct", "distinct", "distinct", "query"],
    away: Math.max(...masses.map((value, j) => Math.abs(value - limit[j]))),
  };
};
