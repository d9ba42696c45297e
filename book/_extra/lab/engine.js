// The mathematics of everything that moves, in plain JavaScript: one global, ``Engine``. Each function names its twin in lib, with which tests/tooling/test_lab.py compares it.
"use strict";
globalThis.Engine = (() => {
  const sum = (list) => list.reduce((a, b) => a + b, 0), range = (n) => Array.from({ length: n }, (_, k) => k);
  const MIX = 0, SPREAD = 1, ALONG = 2, SLICE = 2e5;                                                    // products of a gradient between two pauses
  const dot = (a, b) => a.reduce((total, value, k) => total + value * b[k], 0);

  // ---- Linear algebra: X with A X = B, by elimination with pivots.  A: rows; B: rows, or numbers.
  function solve(A, B) {
    const n = A.length, flat = typeof B[0] === "number", rows = A.map((row, i) => [...row, ...(flat ? [B[i]] : B[i])]);
    const scale = Math.max(...A.flat().map(Math.abs));
    for (let k = 0; k < n; k++) {
      let top = k;
      for (let i = k + 1; i < n; i++) if (Math.abs(rows[i][k]) > Math.abs(rows[top][k])) top = i;
      [rows[k], rows[top]] = [rows[top], rows[k]];
      if (!(Math.abs(rows[k][k]) > 1e-13 * scale)) throw new RangeError("singular");
      for (let i = 0; i < n; i++) {
        const ratio = i === k ? 0 : rows[i][k] / rows[k][k];
        if (ratio) for (let j = k; j < rows[i].length; j++) rows[i][j] -= ratio * rows[k][j];
      }
    }
    const found = rows.map((row, i) => row.slice(n).map((value) => value / row[i]));
    return flat ? found.map(([value]) => value) : found;
  }

  // ---- Data.  samples: [{counts: {token: count}, last, label, weight}], ids; columns: next words.
  // Of M columns those that are never a label stay alike, so one is kept, standing for ``copies``. Twin: lib.bridge.joint_training.one_hot_data.
  function pack(samples, L, columns, M, given = false) {
    const rows = [...new Set(samples.map(({ last }) => last))], total = sum(samples.map(({ weight = 1 }) => weight));
    const start = [0], token = [], logCount = [];
    for (const { counts } of samples) {
      for (const id in counts) { token.push(Number(id)); logCount.push(Math.log(counts[id])); }
      start.push(token.length);
    }
    return {
      n: samples.length, L, given, rows, start: Int32Array.from(start), token: Int32Array.from(token), logCount: Float64Array.from(logCount),
      C: given ? 0 : columns + 1, copies: M - columns, row: Int32Array.from(samples, ({ last }) => rows.indexOf(last)),
      label: Int32Array.from(samples, ({ label }) => label), weight: Float64Array.from(samples, ({ weight = 1 }) => weight / total),
    };
  }

  // Y and Z side by side in one vector x, both from zero.
  function zero(data) {
    const cut = data.L * data.C, x = new Float64Array(cut + data.rows.length * data.L);
    return { x, Y: x.subarray(0, cut), Z: x.subarray(cut) };
  }

  // Attention c, Eq. (1), (5), over each sample's own words; length one for f, LN of Section 3. Twins: lib.scan_snap.yz_transformer.attend, layer_norm.
  function attention(data, Z, length = false, c = new Float64Array(data.token.length)) {
    const { n, L, start, token, logCount, row } = data;
    for (let i = 0; i < n; i++) {
      let top = -Infinity, size = 0;
      for (let k = start[i]; k < start[i + 1]; k++) top = Math.max(top, c[k] = Z[row[i] * L + token[k]] + logCount[k]);
      for (let k = start[i]; k < start[i + 1]; k++) { c[k] = Math.exp(c[k] - top); size += length ? c[k] * c[k] : c[k]; }
      for (let k = start[i]; k < start[i + 1]; k++) c[k] /= length ? Math.sqrt(size) : size;
    }
    return c;
  }

  function gram(data, f) {                                             // F^T F of the paper
    const { n, L, start, token } = data, dense = new Float64Array(L);
    return range(n).map((i) => {
      dense.fill(0);
      for (let k = start[i]; k < start[i + 1]; k++) dense[token[k]] = f[k];
      return range(n).map((j) => { let s = 0; for (let k = start[j]; k < start[j + 1]; k++) s += f[k] * dense[token[k]]; return s; });
    });
  }

  // The gradient of the mean log-likelihood, written to ``by``, which is laid out as x; its errors are returned.
  // A generator, which yields between the sentences of a long text, so that a page can answer meanwhile.
  // Plain: Lemma 1, Eq. (3).  Modified: (26), Y moves along the duals F (F^T F)^-1.  Given: the log-loss of Mechanics.
  // Twins: lib.scan_snap.yz_transformer.gradients, joint_ascent(decoder="modified"), lib.mechanics.attention_layer.gradient.
  function* slopes(data, state, by, modified = false) {
    const { n, L, C, start } = data, cut = L * C;
    const room = (data.room ??= { f: new Float64Array(data.token.length), h: new Float64Array(data.token.length), pull: new Float64Array(n * C), wrong: new Float64Array(n) }), { f, pull, wrong } = room;
    attention(data, state.Z, !data.given, f);
    by.fill(0);
    let since = 0;
    const rests = (i) => ((since += (start[i + 1] - start[i]) * (C || 1)) > SLICE ? !(since = 0) : false);
    for (let i = 0; i < n; i++) {
      if (rests(i)) yield;
      if (data.given) choose(data, i, room, by); else ascend(data, i, room, state.Y, by.subarray(cut));
    }
    const move = modified ? Float64Array.from(solve(gram(data, f), range(n).map((i) => [...pull.subarray(i * C, i * C + C)])).flat()) : pull;
    for (let i = 0; C && i < n; i++) {
      if (rests(i)) yield;
      walk(data, i, SPREAD, f, by, move);
    }
    return wrong;
  }

  // Of sentence i: its error, and its part of Z's gradient, first of the given decoder.  (Plain functions: in a generator they are slow.)
  function choose({ L, start, token, row, label, weight }, i, { f, wrong }, by) {
    const at = row[i] * L;
    wrong[i] = 0;
    for (let k = start[i]; k < start[i + 1]; k++) if (token[k] !== label[i]) { wrong[i] += f[k]; by[at + token[k]] -= weight[i] * f[k]; }
    by[at + label[i]] += weight[i] * wrong[i];
  }

  function ascend(data, i, { f, h, pull, wrong }, Y, by) {
    const { L, C, start, token, row, label, weight, copies } = data, at = row[i] * L, from = start[i], to = start[i + 1];
    const o = i * C, end = o + C - 1, own = o + label[i];                // pull[o..end]: scores, then weight (e - alpha)
    pull.fill(0, o, end + 1);
    walk(data, i, MIX, f, Y, pull);
    let top = pull[o], total = 0, others = 0, along = 0;
    for (let c = o + 1; c <= end; c++) if (pull[c] > top) top = pull[c];
    for (let c = o; c <= end; c++) total += pull[c] = Math.exp(pull[c] - top) * (c === end ? copies : 1);
    for (let c = o; c <= end; c++) { pull[c] *= -weight[i] / total; if (c !== own) others -= pull[c]; }
    pull[own] = others;                                                // 1 - alpha without a digit lost
    wrong[i] = others / weight[i];
    walk(data, i, ALONG, f, Y, pull, h);
    for (let k = from; k < to; k++) along += f[k] * h[k];
    for (let k = from; k < to; k++) by[at + token[k]] += f[k] * (h[k] - f[k] * along);
    pull[end] /= copies || 1;                                          // of one column
  }

  // The words of sentence i, four at once, which a long text needs, and past the last one it again with no share.  To column i
  // MIX adds f times the words' rows, to the rows SPREAD adds f times the column, and ALONG writes their products with it to h.
  function walk({ C, start, token }, i, way, f, rows, column, h) {
    for (let k = start[i], o = i * C, last = start[i + 1] - 1; k <= last; k += 4) {
      const k1 = Math.min(k + 1, last), k2 = Math.min(k + 2, last), k3 = Math.min(k + 3, last), y = token[k] * C, y1 = token[k1] * C, y2 = token[k2] * C, y3 = token[k3] * C;
      let a = f[k], a1 = k1 > k ? f[k1] : 0, a2 = k2 > k1 ? f[k2] : 0, a3 = k3 > k2 ? f[k3] : 0;
      if (way === MIX) for (let c = 0; c < C; c++) column[o + c] += a * rows[y + c] + a1 * rows[y1 + c] + a2 * rows[y2 + c] + a3 * rows[y3 + c];
      else if (way === SPREAD) for (let c = 0; c < C; c++) { const p = column[o + c]; rows[y + c] += a * p; rows[y1 + c] += a1 * p; rows[y2 + c] += a2 * p; rows[y3 + c] += a3 * p; }
      else {
        a = a1 = a2 = a3 = 0;
        for (let c = 0; c < C; c++) { const p = column[o + c]; a += p * rows[y + c]; a1 += p * rows[y1 + c]; a2 += p * rows[y2 + c]; a3 += p * rows[y3 + c]; }
        h[k3] = a3; h[k2] = a2; h[k1] = a1; h[k] = a;
      }
    }
  }

  // ---- Training.  Yields the step it is at, or nothing within one; ``keep(step, state, errors)`` is called at each of ``times``.
  // Twins: lib.scan_snap.joint_ascent, lib.bridge.joint_training.joint_descent, lib.scan_snap.engine (momentum).
  function* descend(data, state, { etaY = 1, etaZ = 1, modified = false, momentum = 0, times, from = 0, keep }) {
    const by = new Float64Array(state.x.length), pace = new Float64Array(by.length), wanted = new Set(times);
    const go = () => { for (let k = 0, cut = state.Y.length; k < by.length; k++) { pace[k] = momentum * pace[k] + by[k]; state.x[k] += (k < cut ? etaY : etaZ) * pace[k]; } };
    for (let step = from; step <= times.at(-1); step++) {
      const errors = yield* slopes(data, state, by, modified);
      if (wanted.has(step)) keep(step, state, errors);
      if (step === times.at(-1)) break;
      go();
      yield step + 1;
    }
  }

  // The same as a flow in log time: Heun's method beside Euler's, from times[0] on.  Twin: lib.bridge.joint_loops.follow.
  function* follow(data, state, { etaY = 1, etaZ = 1, modified = false, times, keep, tolerance = 1e-2 }) {
    const { x } = state, size = x.length, cut = state.Y.length, logs = times.map(Math.log);
    const first = new Float64Array(size), second = new Float64Array(size), ahead = zero(data);
    let now = logs[0], step = 0.1, errors;
    const scale = (v, t) => { for (let k = 0; k < size; k++) v[k] *= t * (k < cut ? etaY : etaZ); };
    function* velocity(at, tau, v) {
      errors = yield* slopes(data, at, v, modified);
      scale(v, Math.exp(tau));
    }
    const euler = (one) => { for (let k = 0; k < size; k++) ahead.x[k] = x[k] + one * first[k]; };
    function heun(one) {                                               // its largest correction
      let error = 0;
      for (let k = 0; k < size; k++) { const apart = one / 2 * (second[k] - first[k]); error = Math.max(error, Math.abs(apart)); ahead.x[k] += apart; }
      return error;
    }
    yield* velocity(state, now, first);
    keep(times[0], state, errors);
    for (let kept = 1; kept < logs.length; kept++) {
      while (now < logs[kept]) {
        const one = Math.min(step, logs[kept] - now);
        euler(one);
        yield* velocity(ahead, now + one, second);
        const error = heun(one);
        if (error <= tolerance) {
          now = one === logs[kept] - now ? logs[kept] : now + one;
          x.set(ahead.x);
          yield* velocity(state, now, first);
        }
        step = one * Math.min(2, Math.max(0.2, 0.9 * Math.sqrt(tolerance / Math.max(error, 1e-300))));
        yield Math.exp(now);
      }
      keep(times[kept], state, errors);
    }
  }

  // ---- The decoder alone, and the push that it sends back (Scan and Snap). h* of (33).  Twin: lib.scan_snap.decoder.h_star.
  function hStar(steps, M, etaY) {
    const h = [0];
    for (let n = 0; n < steps; n++) h.push(h[n] + etaY * speed(h[n], M));
    return h;
  }
  const speed = (h, M) => 1 / (M - 1 + Math.exp(M * h));                // Twin: decoder.speed

  // h of (45): e^u + (M-1) u = M eta_Y t + 1, u = M h, by Newton from above.  Twin: decoder.h.
  function height(t, M, etaY) {
    const target = M * etaY * t;
    let u = Math.min(Math.log1p(target), target / (M - 1));
    for (let n = 0; n < 60; n++) u -= (Math.expm1(u) + (M - 1) * u - target) / (Math.exp(u) + M - 1);
    return u / M;
  }
  const gamma = (t, M, etaY, K) => { const h = height(t / K, M, etaY); return (M - 1) ** 2 * h * speed(h, M); };   // (85)
  const bigGamma = (t, M, K, etaY, etaZ) => etaZ / etaY * K * (M - 1) ** 2 * height(t / K, M, etaY) ** 2 / 2;  // (128)
  const gain = (t, M, K, etaY, etaZ, c0) => Math.log1p(4 * bigGamma(t, M, K, etaY, etaZ) / c0) / 4;         // phase_transition.gain_at

  // t0 of Theorem 4: the time of (45) at the larger u with e^u = (M-1) u, where its terms are equal.  Twin: decoder.snap_time.
  function t0(M, etaY, K) {
    let u = 2 * Math.log(M - 1) + 2;
    for (let n = 0; n < 60; n++) u -= (u - Math.log(u) - Math.log(M - 1)) / (1 - 1 / u);
    return K * (2 * (M - 1) * u - 1) / (M * etaY);
  }

  // The push of (10) on each query's words, beta being E' of Lemma 14, and xi_n / gamma of Theorem 1.
  // F: rows of length one.  Twins: lib.scan_snap.attention_flow.attention_velocity, leading_beta, xi.
  function push(F, query, visits = F.map(() => 1)) {
    const overlap = F.map((f) => F.map((g) => dot(f, g))), inverse = solve(overlap, F.map((_, i) => F.map((_, j) => Number(i === j))));
    const velocity = {}, xi = F.map((f, n) => {
      const z = velocity[query[n]] ??= f.map(() => 0);
      let own = 0;
      F.forEach((g, m) => {
        if (m === n) return;
        own -= inverse[n][m] * overlap[n][m];
        f.forEach((value, l) => { z[l] -= visits[n] * inverse[n][m] * value * (overlap[n][m] * value - g[l]); });
      });
      return own;
    });
    return { velocity, xi, overlap };
  }

  // The largest eigenvalue of E, of rows of length one without negative entries, by the power method on G = I + E, whose eigenvalues
  // are not negative.  Assumption 2 asks that it be below 1/K.  Twin: lib.scan_snap.overlaps.assumption_2.
  function coupling(G) {
    let v = G.map(() => 1), found = 0;
    for (let n = 0, change = 1; n < 5000 && change > 1e-14; n++) {
      const w = G.map((row) => dot(row, v)), size = Math.hypot(...w), value = dot(v, w) / dot(v, v);
      change = Math.abs(value - found);
      found = value;
      v = w.map((x) => x / size);
    }
    return found - 1;
  }

  // ---- Mechanics: the graph of one last word.  games: [{counts, label, weight}], all asked by it.
  // Components from the top (of those that nothing waiting is above, the one with the least token) and the edges
  // between directly ordered ones.  Twins: lib.mechanics.token_priority_graph.PriorityGraph.components, priority_edges.
  function graph(games) {
    const seen = [...new Set(games.flatMap(({ counts }) => Object.keys(counts).map(Number)))].sort((a, b) => a - b);
    const out = new Map(seen.map((i) => [i, new Set()]));
    for (const { counts, label } of games) for (const j in counts) if (Number(j) !== label) out.get(label).add(Number(j));
    const of = strong(seen, out), sets = new Map();
    for (const i of seen) sets.set(of.get(i), [...(sets.get(of.get(i)) ?? []), i]);
    const above = new Map([...sets.keys()].map((c) => [c, new Set()])), below = new Map([...sets.keys()].map((c) => [c, new Set()]));
    for (const i of seen) for (const j of out.get(i)) if (of.get(i) !== of.get(j)) { above.get(of.get(j)).add(of.get(i)); below.get(of.get(i)).add(of.get(j)); }
    const waiting = new Map([...above].map(([c, set]) => [c, set.size])), order = [];
    while (waiting.size) {
      const free = [...waiting].filter(([, count]) => count === 0).map(([c]) => c);
      const next = free.reduce((a, b) => (sets.get(b)[0] < sets.get(a)[0] ? b : a));
      order.push(next);
      waiting.delete(next);
      for (const c of below.get(next)) waiting.set(c, waiting.get(c) - 1);
    }
    const place = new Map(order.map((c, k) => [c, k])), component = new Map(seen.map((i) => [i, place.get(of.get(i))]));
    const edges = seen.flatMap((i) => [...out.get(i)].sort((a, b) => a - b).map((j) => [i, j, component.get(i) === component.get(j)]));
    const pairs = new Map();
    for (const [i, j, inner] of edges) { const key = `${component.get(i)} ${component.get(j)}`; if (!inner && !pairs.has(key)) pairs.set(key, [i, j]); }
    return { components: order.map((c) => sets.get(c)), component, edges, pairs: [...pairs.values()] };
  }

  // Strongly connected components by two searches in depth, the second against the arrows: node -> its component's root.
  function strong(nodes, out) {
    const into = new Map(nodes.map((i) => [i, []])), seen = new Set(), finished = [], of = new Map();
    const search = (i) => { if (seen.has(i)) return; seen.add(i); out.get(i).forEach(search); finished.push(i); };
    const collect = (i, root) => { if (of.has(i)) return; of.set(i, root); into.get(i).forEach((j) => collect(j, root)); };
    for (const i of nodes) for (const j of out.get(i)) into.get(j).push(i);
    nodes.forEach(search);
    finished.reverse().forEach((i) => collect(i, i));
    return of;
  }

  // Odds within a component, adding up to 1: e^W_fin, Luce's strengths, by Newton's method on their likelihood.
  // Twins: lib.mechanics.problem.Problem.fin, lib.mechanics.luce_choice.luce_strengths.
  function odds(games, members) {
    const at = new Map(members.map((j, k) => [j, k])), p = members.length, kept = games.filter(({ label }) => at.has(label));
    const rows = kept.map(({ counts, label, weight = 1 }) => ({ own: at.get(label), weight, list: Object.keys(counts).map(Number).filter((j) => at.has(j)).map((j) => [at.get(j), counts[j]]) }));
    let x = members.map(() => 0), most = 1;
    for (let n = 0; p > 1 && n < 200 && most > 1e-13; n++) {
      const g = x.map(() => 0), H = x.map(() => x.map(() => 1 / p));     // the 1/p pins the mean, which the likelihood does not see
      for (const { own, weight, list } of rows) {
        const e = list.map(([k, m]) => m * Math.exp(x[k])), total = sum(e), s = e.map((v) => weight * v / total);
        g[own] -= weight;
        list.forEach(([a], i) => { g[a] += s[i]; H[a][a] += s[i]; list.forEach(([b], j) => { H[a][b] -= s[i] * s[j] / weight; }); });
      }
      const step = solve(H, g);
      most = Math.max(...step.map(Math.abs));
      x = x.map((v, k) => v - step[k] / Math.max(1, most));              // a factor e at most in one step
    }
    const e = x.map(Math.exp);
    return e.map((v) => v / sum(e));
  }

  // The Graph-SVM for orthonormal embeddings, one last word: the shortest scores w that are equal within components and
  // 1 apart along each edge, by Hildreth's method: each edge in turn pulls apart what it holds, never the other way. Twin: lib.mechanics.graph_svm.graph_svm.
  function direction({ components, component, pairs }) {
    const v = components.map(() => 0), share = components.map((members) => 1 / members.length);
    const edges = pairs.map(([i, j]) => ({ a: component.get(i), b: component.get(j), pull: 0 }));
    for (let sweep = 0, moved = 1; moved > 1e-13 && sweep < 1e5; sweep++) {
      moved = 0;
      for (const edge of edges) {
        const { a, b } = edge, more = Math.max(-edge.pull, (1 - v[a] + v[b]) / (share[a] + share[b]));
        edge.pull += more;
        v[a] += more * share[a];
        v[b] -= more * share[b];
        moved = Math.max(moved, Math.abs(more));
      }
    }
    return new Map([...component].map(([token, c]) => [token, v[c]]));
  }

  // What the automaton answers in a context: the odds times the counts, over its top component.  Throws where several
  // components present are on top, or a word was never seen.  Twin: lib.mechanics.automaton.automaton_law.
  function automaton(games, { components, component, edges }, counts) {
    const tokens = Object.keys(counts).map(Number), unseen = tokens.filter((j) => !component.has(j));
    if (unseen.length) throw Object.assign(new RangeError("unseen"), { words: unseen });
    const over = components.map(() => new Set());                      // all components above one, the list being in order
    for (const [i, j, inner] of edges) if (!inner) over[component.get(j)].add(component.get(i));
    over.forEach((set, c) => { for (const a of [...set]) for (const b of over[a]) over[c].add(b); });
    const present = [...new Set(tokens.map((j) => component.get(j)))], best = present.filter((c) => !present.some((b) => over[c].has(b)));
    if (best.length > 1) throw Object.assign(new RangeError("tie"), { words: best.map((c) => tokens.find((j) => component.get(j) === c)) });
    const members = components[best[0]], share = odds(games, members), law = members.map((j, k) => (counts[j] ?? 0) * share[k]), total = sum(law);
    return new Map(members.map((j, k) => [j, law[k] / total]).filter(([, p]) => p > 0));
  }

  // Entropy in natural units.  Twin: lib.scan_snap.sparsity.entropy.
  const entropy = (p) => -sum(p.map((v) => (v > 0 ? v * Math.log(v) : 0)));

  return { sum, dot, range, solve, pack, zero, attention, gram, descend, follow, hStar, speed, height, gamma, bigGamma, gain, t0, push, coupling, graph, odds, direction, automaton, entropy };
})();
