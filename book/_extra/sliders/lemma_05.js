// Lemma 5: the recursion (33) for h*, and the softmax (32) that it makes.
"use strict";
(globalThis.SLIDERS ??= {}).lemma_05 = ({ M, eta_y, s }, { steps }) => {
  const each = (h) => 1 / (M - 1 + Math.exp(M * h));                    // another token's probability
  const own = (h) => 1 / (1 + (M - 1) * Math.exp(-M * h));
  const h = [0];
  for (let n = 0; n < steps; n++) h.push(h[n] + eta_y * each(h[n]));
  return {
    step: h.map((_, n) => n), gap: h.map((x) => M * x), pace: h.map((_, n) => eta_y * n),
    own: h.map(own), others: h.map((x) => (M - 1) * each(x)),
    now: s, h_now: h[s], gap_now: M * h[s],
    own_now: own(h[s]), others_now: (M - 1) * each(h[s]), each_now: each(h[s]),
    next: eta_y * each(h[s]), first: eta_y / M,
  };
};
