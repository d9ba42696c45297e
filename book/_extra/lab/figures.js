// The figures that move in the chapters and on the landing page: numbers by the engine, drawn by ``Draw``.
// tooling/templates/moving.toml says what each one is; tooling/moving.py has the numbers of its sentence from lib.
"use strict";
(function () {
  const E = globalThis.Engine, D = globalThis.Draw, runs = {};
  const least = (list) => Math.max(...list.map(Math.abs));

  // Attention of each sample of a run at some steps, computed once.
  function attend(key, data, settings) {
    return runs[key] ??= (() => {
      const found = [];
      for (const _ of E.descend(data, E.zero(data), { ...settings, keep: (_, { Z }) => found.push(E.attention(data, Z)) }));
      return found;
    })();
  }

  const FORMULAS = {
    // The landing picture: two of the running example's four classes, up and down.
    overview({ frame }, { steps, moments, names, weights, vocabulary }) {
      const samples = E.range(4).map((n) => ({ counts: { 0: weights[0], [1 + 2 * n]: weights[1], [2 + 2 * n]: weights[2] }, last: 9 + (n >> 1), label: n }));
      const all = attend("overview", E.pack(samples, 11, 4, vocabulary), { times: steps });
      const up = (c) => [c[0], c[1], c[2], null, null], down = (c) => [-c[3], null, null, -c[4], -c[5]], c = all[frame];
      return { up: up(c), down: down(c), first_up: up(all[0]), first_down: down(all[0]), roles: ["common", "distinct", "distinct", "distinct", "distinct"],
        play: c[0], strum: c[1], chord: c[2], moment: names[moments.filter((m) => m < steps[frame]).length] };
    },
    // The explorable: K classes of ten distinct words each, ten common ones, SGD with momentum.
    explorable({ eta_y, eta_z, common, classes, frame }, { times }) {
      const weight = common / (1 - common) * E.sum(E.range(10).map((k) => 0.1 + 0.1 * k)) / 10, L = 10 + 11 * classes;
      const samples = E.range(classes).map((n) => ({ counts: Object.fromEntries(E.range(20).map((k) => (k < 10 ? [k, weight] : [10 * n + k, 0.1 * (k - 9)]))), last: 10 + 10 * classes + n, label: n }));
      const all = attend([eta_y, eta_z, common, classes], E.pack(samples, L, classes, L + classes), { times, etaY: eta_y, etaZ: eta_z, momentum: 0.9 });
      const seen = all.map((c) => [E.sum([...c.slice(0, 10)]), ...c.slice(10, 20)]), c = seen[frame], own = c.slice(1), top = Math.max(...own);
      return { c, first: seen[0], roles: c.map((_, k) => (k ? "distinct" : "common")), labels: ["all", ...E.range(10).map((k) => String(k + 1))], t: times.map((t) => t + 1), now: times[frame] + 1,
        shared: seen.map((one) => one[0]), best: seen.map((one) => Math.max(...one.slice(1)) / E.sum(one.slice(1))), common: c[0], favourite: String(own.indexOf(top) + 1), top, entropy: E.entropy(own.map((p) => p / E.sum(own))) };
    },
    lemma_05({ M, eta_y, s }, { steps }) {
      const h = E.hStar(steps, M, eta_y), each = h.map((x) => E.speed(x, M)), own = each.map((p) => 1 - (M - 1) * p), others = each.map((p) => (M - 1) * p);
      return { step: E.range(steps + 1), gap: h.map((x) => M * x), pace: h.map((_, n) => eta_y * n), own, others, now: s, h_now: h[s], gap_now: M * h[s],
        own_now: own[s], others_now: others[s], each_now: each[s], next: eta_y * each[s], first: eta_y / M };
    },
    // Endless sequences from Z = 0: f_n is along the weights.
    theorem_02({ play, ratio }, { own, loud }) {
      const unit = (row) => { const length = Math.hypot(...row); return row.map((w) => w / length); }, none = own.map(() => 0);
      const F = [[play, loud, ...own, ...none], [play, loud * ratio, ...none, ...own]].map(unit), { velocity, overlap } = E.push(F, [0, 0]), speeds = velocity[0];
      const uneven = F[1][1] / F[0][1], turn = 2 * uneven / (1 + uneven ** 2);
      return { speeds: speeds.map((v) => v / least(speeds)), roles: speeds.map((_, l) => (l === 0 || (l === 1 && ratio > 0) ? "common" : "distinct")),
        play: speeds[0] >= 0 ? "rises" : "falls", loud: speeds[1] >= 0 ? "rises" : "falls", share: play / (play + loud + E.sum(own)), overlap: overlap[0][1], turn, side: overlap[0][1] >= turn ? "more" : "less" };
    },
    theorem_04({ M, eta_y, eta_z }, { K, c0, later }) {
      const t = E.range(121).map((k) => 10 ** (k / 15)), t0 = E.t0(M, eta_y, K), gain = (at) => E.gain(at, M, K, eta_y, eta_z, c0);
      const gamma = (at) => E.gamma(at, M, eta_y, K), clock = (at) => E.bigGamma(at, M, K, eta_y, eta_z);
      return { t, gamma: t.map(gamma), clock: t.map(clock), gain: t.map(gain), t0, gamma0: gamma(t0), clock0: clock(t0), gain0: gain(t0), more: gain(later * t0) / gain(t0) - 1 };
    },
    token_priority_graph(state, { samples }) {
      const tokens = [0, 1, 2, 3, 4], games = samples.filter((_, k) => state[`s${k + 1}`]).map(([context, label]) => ({ counts: Object.fromEntries(context.map((j) => [j, 1])), label }));
      const { components, component, edges } = E.graph(games), unseen = tokens.filter((j) => !component.has(j)), shares = tokens.map(() => 0);
      for (const members of components) E.odds(games, members).forEach((share, k) => { shares[members[k]] = share; });
      const at = D.rows(unseen.length ? [...components, unseen] : components, 4);
      return { x: tokens.map((j) => at.x[j]), y: tokens.map((j) => at.y[j]), edges, off: unseen, shares, roles: tokens.map((j) => (j === 4 ? "query" : "theory")),
        order: components.map((members) => `{${members.join(", ")}}`).join(", ") || "none", compromises: E.sum(components.map((members) => members.length - 1)) };
    },
    // From the scores of token 4, the one column that training moves.
    global_convergence({ k, start }, { starts, scores, direction, limit }) {
      const run = scores[starts.indexOf(start)], e = run[k].map((v) => Math.exp(v - Math.max(...run[k]))), masses = e.map((v) => v / E.sum(e));
      const angle = run.map((w) => 180 / Math.PI * Math.acos(Math.max(-1, Math.min(1, E.dot(w, direction) / Math.sqrt(E.dot(w, w) * E.dot(direction, direction))))));
      return { power: E.range(run.length), angle, now: k, squared: 2 * k, angle_now: angle[k], angle_squared: angle[2 * k], masses, limit,
        roles: ["distinct", "distinct", "distinct", "distinct", "query"], away: least(masses.map((value, j) => value - limit[j])) };
    },
  };
  globalThis.Moving = { FORMULAS, fill: D.fill };
  globalThis.document?.querySelectorAll("figure.moving:not(.begun)").forEach(begin);

  function begin(root) {
    root.classList.add("begun");
    const about = JSON.parse(root.querySelector("script[type='application/json']").textContent), { controls, panels } = about;
    const at = Object.fromEntries(controls.map(({ name, start }) => [name, start])), asked = new URLSearchParams(location.search);
    for (const { name, values } of controls) {
      const found = values.findIndex((value) => String(Number(value)) === asked.get(name));
      if (found >= 0) at[name] = found;
    }
    const rows = controls.map(({ name, label, texts, box }) => [name, D.control({ id: `${root.id}-${name}`, label, texts, kind: box ? "box" : "range" }, (position) => { player?.stop(); at[name] = position; draw(); address(); })]);
    const drawn = panels.map(D.panel), tell = D.teller(root.querySelector(".says")), played = controls.find(({ name }) => name === about.play);
    const player = played && D.play({ at: () => at[about.play], last: () => played.values.length - 1, to: (position) => { at[about.play] = position; draw(); } });
    const back = D.button("Back to the start", () => { player?.stop(); for (const { name, start } of controls) at[name] = start; draw(); address(); });
    root.querySelector(".panels").replaceChildren(...drawn.map((one) => one.root));
    root.querySelector(".controls").append(...rows.map(([, row]) => row.root), ...(player ? [player.node] : []), back);
    root.querySelector(".controls").hidden = false;
    draw();
    if (about.once && !D.still.matches && !location.search) player.node.click();

    function draw() {
      const state = {}, shown = {};
      for (const { name, values, texts } of controls) [state[name], shown[`${name}_text`]] = [values[at[name]], texts[at[name]]];
      const found = FORMULAS[about.name](state, about.data);
      const words = D.fill(about.says, { ...found, ...shown }), moved = controls.some(({ name, start }) => at[name] !== start);
      drawn.forEach(({ root, move }, k) => {                           // what a panel was said to show is true of its start
        move(found);
        root.setAttribute("aria-label", `${panels[k].title}. ${moved ? words : panels[k].alt}`);
      });
      rows.forEach(([name, row]) => row.show(at[name]));
      tell(words);
    }

    function address() {                                               // what differs from the start, so that it can be sent
      const kept = new URLSearchParams(location.search);
      for (const { name, values, start } of controls) if (at[name] === start) kept.delete(name); else kept.set(name, String(Number(values[at[name]])));
      history.replaceState(null, "", `${location.pathname}${kept.size ? `?${kept}` : ""}#${root.id}`);
    }
  }
})();
