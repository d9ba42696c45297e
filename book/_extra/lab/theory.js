// What the two papers say of a run of the lab, as lines [verdict, words, chapter].  One global, ``Theory``.  A verdict is
// DONE: the run does it; REFUTED: all hypotheses hold and the run does otherwise; SILENT: a hypothesis fails, which the line names,
// and the run does otherwise; null where nothing is claimed.
"use strict";
globalThis.Theory = (() => {
  const E = globalThis.Engine, { quoted, isolated } = globalThis.Read, END = 10000;
  const DONE = "done", REFUTED = "refuted", SILENT = "silent";
  // What is taken as much faster.  Of random sentences with a decoder ten times as fast, 2 of 400 runs had an own word that fell late,
  // because the decoder had learned from attention as it was long before (H2 of Lemma 4); of 1,147 with one 50 times as fast, none.
  const FASTER = 50;
  const MOST = { classes: 400, work: 1e8, team: 40, pairs: 40 };
  const percent = (p, digits = 1) => `${(100 * p).toFixed(digits)} %`;

  // With fewer than four words the two terms of (45) are never equal.
  const snap = ({ M, etaY }, classes) => E.t0(Math.max(M, 4), etaY, classes.length);

  // Of all classes, once a run: their push at the start, and what Theorems 2 and 3 ask for that is not so.
  function whole(run) {
    const { known, settings, look, frames } = run, { classes, words } = known, K = classes.length, found = { missing: [], pushed: null, trouble: null };
    if (K > MOST.classes || K * K * words.length > MOST.work) return { ...found, trouble: "large" };
    const unit = ({ c }) => {                                          // F of a moment, over each class's own words
      const f = Float64Array.from(c);
      for (let n = 0; n < K; n++) { const row = f.subarray(look.start[n], look.start[n + 1]), size = Math.sqrt(E.sum([...row.map((value) => value * value)])); row.forEach((value, k) => { row[k] = value / size; }); }
      return f;
    };
    if (K > 1) try {
      const f = unit(frames[0]);
      const F = classes.map((_, n) => { const row = new Array(words.length).fill(0); for (let k = look.start[n]; k < look.start[n + 1]; k++) row[look.token[k]] = f[k]; return row; });
      found.pushed = E.push(F, classes.map(({ last }) => last), Float64Array.from(classes, ({ weight }) => weight / known.sentences.length));
    } catch (error) { if (!(error instanceof RangeError)) throw error; found.trouble = "singular"; }
    const moments = K > MOST.team ? [frames[0], frames.at(-1)] : frames, most = Math.max(...moments.map((one) => E.coupling(E.gram(look, unit(one)))));
    if (most >= 1 / K) found.missing.push(`the largest eigenvalue of the overlaps reaches ${most.toFixed(2)} and has to stay below 1/${K} (Assumption 2)`);
    if (!settings.modified) found.missing.push("you train plainly, and not by the modified update (H9 of Theorem 1)");
    if (settings.length !== Infinity) found.missing.push("your sentences are not endless, so that a rare word is often missing (H1 of Lemma 4)");
    if (new Set(classes.map(({ weight }) => weight)).size > 1) found.missing.push("some classes come more often than others (H7 of Theorem 1)");
    if (settings.etaY < FASTER * settings.etaZ) found.missing.push(`the decoder is not much faster than attention (Assumption 1 (c)), with η_Y = ${settings.etaY} and η_Z = ${settings.etaZ}, where ${FASTER} times as fast would do`);
    return found;
  }

  function of(run, v, graph) {
    const said = [], say = (verdict, words, where) => said.push([verdict, words, where]);
    if (run.settings.given) return { said, law: automaton(run, v, graph, say) };
    scanSnap(run, v, say);
    return { said };
  }

  function scanSnap(run, v, say) {
    const { known, settings, look, frames, seen } = run, { words, owners, classes, twice } = known, view = seen[v], K = classes.length;
    const from = look.start[v], ids = [...look.token.slice(from, look.start[v + 1])], first = frames[0].c, end = frames.at(-1).c, place = (j) => from + ids.indexOf(j);
    const z = (j) => frames.at(-1).z[place(j)], shared = words.filter((_, j) => owners[j].length > 1), own = ids.filter((j) => owners[j].length === 1), common = ids.filter((j) => owners[j].length > 1);
    const { pushed, trouble, missing } = (run.whole ??= whole(run)), way = (j) => pushed.velocity[view.last][j];
    const apply = missing.length + twice.length === 0, because = missing.length ? `It does not apply, because ${missing[0]}.` : "It does not apply, because Assumption 1 does not hold.";
    // done: whether the run does it; more: hypotheses of this statement alone that fail.
    const judge = (done, words, otherwise, where, more = []) => (done ? say(DONE, words, where) : say(apply && !more.length ? REFUTED : SILENT, `${words} ${otherwise}${apply && !more.length ? "" : ` ${more.length ? `It does not apply, because ${more[0]}.` : because}`}`, where));
    if (twice.length) say(SILENT, `Assumption 1 does not hold: ${quoted(twice)} ${twice.length === 1 ? "follows" : "follow"} more than one last word, so the next word does not tell the last one.`, "scan-snap/assumption_01");
    if (trouble === "large") say(null, `Theorems 2 and 3 are not asked here: ${K} classes over ${words.length} words are too many for a page.`, "scan-snap/theorem_02");
    else if (K === 1) say(null, "There is one next word only. The decoder learns it without attention, and nothing pushes attention (Lemma 4).", "scan-snap/lemma_04");
    else if (trouble === "singular") say(SILENT, "Assumption 2 does not hold: two next words are said with the same words, or with mixtures of the others'. Nothing tells them apart.", "scan-snap/assumption_02");
    else {
      if (missing.length) say(null, `Theorems 2 and 3 promise nothing here. ${missing.map((why) => `${why[0].toUpperCase()}${why.slice(1)}.`).join(" ")} Where a line below says that the run does it, it does it all the same.`, "scan-snap/theorem_02");
      if (pushed.xi[v] < 1e-12) say(null, `Nothing is shared with “${isolated(view.next)}”, so there is no push on its attention at the start.`, "scan-snap/lemma_04");
      else if (own.length) {
        const fell = own.filter((j) => !(z(j) > 0)).map((j) => words[j]);
        judge(!fell.length, `Theorem 2 (a): a word of one next word alone rises. ${quoted(own.map((j) => words[j]))} ${own.length === 1 ? "stands" : "stand"} before “${isolated(view.next)}” only.`, `Here ${quoted(fell)} ${fell.length === 1 ? "has a lower score in the end than it began with" : "have lower scores in the end than they began with"}.`, "scan-snap/theorem_02");
      }
      if (shared.length === 1 && common.length) {
        const [j] = common, all = owners[j].map(({ next }) => next);
        judge(z(j) < 0, `Theorem 2 (b): the only shared word falls. “${isolated(words[j])}” stands in ${all.length === 2 ? "both" : `all ${all.length}`}: ${quoted(all)}.`, "Here it has a higher score in the end than it began with.", "scan-snap/theorem_02", own.length ? [] : ["no word stands before this next word only (H5)"]);
      } else if (common.length) {
        say(SILENT, `H4 of Theorem 2 (b), one shared word, does not hold: ${common.slice(0, 3).map((j) => `“${isolated(words[j])}” stands before ${quoted(owners[j].map(({ next }) => next), 3)}`).join("; ")}. So it does not say that shared words fall.`, "scan-snap/theorem_02");
        for (const j of common.slice(0, 3)) say(null, `At the start Eq. (10) pushes “${isolated(words[j])}” ${way(j) > 0 ? "up" : "down"}: ${way(j) > 0 ? "to be shared is a matter of degree" : "the rivals look like it"}.`, "scan-snap/lemma_04");
      }
      winner();
      const ranked = [...own].sort((a, b) => view.counts[b] - view.counts[a]), [top, next] = ranked;
      if (pushed.xi[v] > 1e-12 && ranked.length > 1) {
        const ratio = view.counts[next] / view.counts[top], up = common.filter((j) => !(z(j) < 0)).map((j) => words[j]);
        if (ratio === 1) say(SILENT, `H3 of Theorem 3, a dominant word, does not hold: “${isolated(words[top])}” and “${isolated(words[next])}” are equally frequent, and stay so.`, "scan-snap/theorem_03");
        else judge(end[place(top)] / end[place(next)] >= first[place(top)] / first[place(next)], `Theorem 3: the most frequent own word gets further ahead. It is “${isolated(words[top])}”; “${isolated(words[next])}” starts with ${ratio.toFixed(2)} of its weight, and its squared weight can grow ${(1 / (1 - ratio ** 2)).toFixed(2)} times at most.`, `Here it is not further ahead of “${isolated(words[next])}” in the end.`, "scan-snap/theorem_03", up.length ? [`${quoted(up)} ${up.length === 1 ? "is" : "are"} shared and ${up.length === 1 ? "rises" : "rise"} (H4)`] : []);
      }
    }
    const t0 = snap(settings, classes), far = (t) => Math.hypot(...ids.map((_, k) => frames.find((one) => one.t >= t).c[from + k] - first[from + k])), all = far(END);
    if (all > 1e-4) say(null, `Theorem 4 is about the modified update${settings.modified ? ", which is what you train with" : "; you train plainly"}. At t₀, step ${t0.toFixed(0)} for K = ${K} and M = ${settings.M}, attention should be all but frozen. Here ${(100 * far(Math.min(t0, END)) / all).toFixed(0)} % of its way to step 10,000 is done by then.`, "scan-snap/theorem_04");

    // Why a shared word has most in the end, if one has.
    function winner() {
      const best = ids.reduce((a, b) => (end[place(b)] > end[place(a)] ? b : a));
      if (owners[best].length < 2) return;
      const name = `“${isolated(words[best])}”`, [before, after] = [first, end].map((c) => c[place(best)]), way0 = `${percent(before)} at the start, ${percent(after)} in the end`;
      const share = (one) => (one.counts[best] ?? 0) / E.sum(Object.values(one.counts)), rivals = owners[best].filter((one) => one !== view), rival = rivals.reduce((a, b) => (share(b) > share(a) ? b : a));
      const near = Math.max(...rivals.map((one) => pushed.overlap[v][classes.indexOf(one)])), error = frames.at(-1).error[v];
      if (after < before) say(null, `Why the shared word ${name} has most all the same: it loses (${way0}), but the push fades with the error, which is ${percent(error)} in the end, before another word has caught up. The decoder can tell the next words apart without attention, because the mixture before “${isolated(view.next)}” overlaps with the others that have ${name} by ${near.toFixed(2)} at most, and only 1 would be the same mixture. Theorem 2 says which way a score moves, and not who has most in the end.`, "scan-snap/theorem_02");
      else if (way(best) > 0) say(null, `Why the shared word ${name} has most: it gains (${way0}), because it is shared unevenly. It is ${percent(share(view), 0)} of what stands before “${isolated(view.next)}” and at most ${percent(share(rival), 0)} of what stands before ${quoted(rivals.map(({ next }) => next), 3)}, so to this next word it is nearly a word of its own.`, "scan-snap/theorem_02");
      else say(null, `Why the shared word ${name} has most: it gains (${way0}), although Eq. (10) pushes it down at the start. The others that stand before “${isolated(view.next)}” lose more.`, "scan-snap/lemma_04");
    }
  }

  // The given decoder.  Its law where there is one.
  function automaton(run, v, graph, say) {
    const { known, look, frames, seen } = run, { words, silent } = known, view = seen[v], from = look.start[v], to = look.start[v + 1], ids = [...look.token.slice(from, to)], end = frames.at(-1).c.slice(from, to);
    const name = (j) => isolated(words[j]), plainName = (j) => words[j];
    if (silent.length) say(SILENT, `H2 does not hold for ${silent.length} of your sentences: ${quoted(silent.map(({ next }) => next))} does not stand in its own sentence and can beat nothing. They are left out.`, "mechanics/setting");
    if (!graph) return say(SILENT, `No sentence ends in “${name(view.last)}”: its attention stays as at the start.`, "mechanics/automaton");
    if (graph.pairs.length > MOST.pairs) say(null, `Global convergence is not asked here: ${graph.pairs.length} pairs of teams are too many for a page, which solves for ${MOST.pairs} at most.`, "mechanics/global_convergence");
    else if (graph.pairs.length) say(null, `Global convergence: scores grow like log t along the Graph-SVM, one step down from each team to the next: ${[...E.direction(graph)].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([j, w]) => `${name(j)} ${w.toFixed(2)}`).join(", ")}.`, "mechanics/global_convergence");
    else say(SILENT, "H4 of global convergence does not hold: no word beats another for good, so nothing grows, and attention settles at finite odds.", "mechanics/global_convergence");
    if (graph.components.some((team) => team.length > MOST.team)) return say(null, `The automaton's odds are not computed here: a team of more than ${MOST.team} words is too large for a page.`, "mechanics/automaton");
    try {
      const law = E.automaton(graph.games, graph, view.counts), away = Math.max(...ids.map((j, k) => Math.abs(end[k] - (law.get(j) ?? 0)))), near = away < 0.05;
      say(near ? DONE : null, `The automaton: the first team present is ${quoted([...law.keys()].map(plainName))}, with odds ${[...law].map(([j, p]) => `${name(j)} ${percent(p)}`).join(", ")}. At step 10,000 attention is within ${percent(away)} of this.${near ? "" : " The theorem speaks of the limit, and the run is not there yet."}`, "mechanics/automaton");
      return law;
    } catch (error) {
      if (!error.words) throw error;
      const list = quoted(error.words.map(plainName));
      say(SILENT, error.message === "tie" ? `H4 of the automaton does not hold: ${list} are all on top and never met, nor did a chain of sentences compare them. The layer answers all the same.` : `The automaton does not know ${list}: never seen before “${name(view.last)}”.`, "mechanics/automaton");
    }
  }

  return { DONE, REFUTED, SILENT, of, snap };
})();
