// Theorem 2: the push of (10) on the query band, behind guitar and drums, word by word.
"use strict";
(globalThis.SLIDERS ??= {}).theorem_02 = ({ play, ratio }, { own, loud }) => {
  const unit = (row) => { const length = Math.hypot(...row); return row.map((w) => w / length); };
  const silent = own.map(() => 0);
  // In the limit of endless sequences f_n is along the words' probabilities, from Z = 0.
  const guitar = unit([play, loud, ...own, ...silent]), drums = unit([play, loud * ratio, ...silent, ...own]);
  const overlap = guitar.reduce((sum, f, l) => sum + f * drums[l], 0);
  const beta = overlap / (1 - overlap ** 2);                             // E' of two classes
  const speeds = guitar.map((f, l) => beta * (f * (overlap * f - drums[l]) + drums[l] * (overlap * drums[l] - f)));
  const longest = Math.max(...speeds.map(Math.abs)), uneven = drums[1] / guitar[1], turn = 2 * uneven / (1 + uneven ** 2);
  return {
    speeds: speeds.map((v) => v / longest),
    roles: speeds.map((_, l) => (l === 0 || (l === 1 && ratio > 0) ? "common" : "distinct")),
    play: speeds[0], loud: speeds[1],
    share: play / (play + loud + own.reduce((a, b) => a + b)),
    overlap, turn, beyond: overlap - turn,
  };
};
