// The token-priority graph of the samples that are ticked: components from the top, odds within.
"use strict";
(globalThis.SLIDERS ??= {}).token_priority_graph = (state, { samples }) => {
  const TOKENS = [0, 1, 2, 3, 4], ROWS = 4;
  const ticked = samples.filter((_, k) => state[`s${k + 1}`]);
  const beats = TOKENS.map((i) => TOKENS.map((j) => ticked.some(([context, label]) => label === i && j !== i && context.includes(j))));
  const reach = beats.map((row, i) => row.map((edge, j) => edge || i === j));
  for (const via of TOKENS) for (const i of TOKENS) for (const j of TOKENS) reach[i][j] ||= reach[i][via] && reach[via][j];

  // Components from the top: of those that no waiting one is above, the one with the least token.
  let waiting = TOKENS.filter((j) => ticked.some(([context]) => context.includes(j)));
  const unseen = TOKENS.filter((j) => !waiting.includes(j)), components = [];
  while (waiting.length) {
    const top = waiting.find((j) => waiting.every((i) => !reach[i][j] || reach[j][i]));
    components.push(waiting.filter((j) => reach[top][j] && reach[j][top]));
    waiting = waiting.filter((j) => !components.at(-1).includes(j));
  }

  const shares = TOKENS.map(() => 0);
  for (const members of components) luce(members).forEach((share, k) => { shares[members[k]] = share; });

  // Luce's strengths within a component, by Hunter's iteration: they add up to 1.
  function luce(members) {
    const games = ticked.filter(([, label]) => members.includes(label)).map(([context, label]) => [context.filter((j) => members.includes(j)), label]);
    let strength = members.map(() => 1 / members.length), change = members.length > 1 ? 1 : 0;
    for (let n = 0; change > 1e-15 && n < 100000; n++) {
      const sum = (context) => context.reduce((total, j) => total + strength[members.indexOf(j)], 0);
      const next = members.map((i) => games.filter(([, label]) => label === i).length
        / games.reduce((demand, [context]) => demand + (context.includes(i) ? 1 / sum(context) : 0), 0));
      const total = next.reduce((a, b) => a + b);
      change = Math.max(...next.map((value, k) => Math.abs(value / total - strength[k])));
      strength = next.map((value) => value / total);
    }
    return strength;
  }

  // A row of nodes for each component, two for three or more; last those that no ticked sample has.
  const x = [], lines = [];
  let rows = 0;
  for (const members of unseen.length ? [...components, unseen] : components) {
    const deep = members.length > 2 ? 2 : 1;
    members.forEach((token, slot) => {
      x[token] = 0.5 + 0.9 / Math.max(members.length, 2.5) * (slot - (members.length - 1) / 2);
      lines[token] = rows + slot % deep + 0.5;
    });
    rows += deep;
  }
  const y = lines.map((line) => line / Math.max(rows, ROWS));
  return {
    x, y,
    edges: TOKENS.flatMap((i) => TOKENS.filter((j) => beats[i][j]).map((j) => [i, j, reach[j][i]])),
    off: unseen, shares,
    roles: TOKENS.map((token) => (token === 4 ? "query" : "theory")),
    order: components.map((members) => `{${members.join(", ")}}`).join(", ") || "none",
    count: components.length,
    compromises: components.reduce((sum, members) => sum + members.length - 1, 0),
  };
};
