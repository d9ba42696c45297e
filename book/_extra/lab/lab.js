// The lab: a reader's own sentences, one attention layer trained on them in the page, and what theory says beside it.
"use strict";
(function () {
  const root = document.getElementById("lab");
  if (!root) return;
  const E = globalThis.Engine, D = globalThis.Draw, { html } = D, END = 10000;
  const RATES = [0.1, 0.2, 0.5, 1, 2, 5, 10], SIZES = [0, 50, 300, 1000], LENGTHS = [Infinity, 0, 8, 32, 128], PLAIN = 0, MODIFIED = 1, GIVEN = 2;
  // What a page takes: words in all, classes that theory is computed for, members of a team, pairs of teams, letters in an address.
  const MOST = { words: 60000, classes: 60, team: 40, pairs: 40, letters: 6000 }, SLICE = 8, { port1, port2 } = new MessageChannel();
  // The examples stand in the page, where readers without scripts find them too.
  const EXAMPLES = [...root.querySelectorAll("pre")].map(({ dataset, textContent }) => [dataset.name, textContent.trim(), Number(dataset.decoder ?? PLAIN), dataset.context ?? ""]);
  const times = [...new Set([0, ...E.range(81).map((k) => Math.round(10 ** (k / 20))), END])];
  const START = { e: 0, s: "", d: PLAIN, y: 3, z: 3, T: 0, M: 0, v: 0, f: -1, c: "", g: "" };
  const state = { ...START };
  let text = EXAMPLES[0][1], known = null, run = null, ticket = 0, tell;

  // ---- Sentences to counts.  Throws an Error with one line for the reader.
  function read(source) {
    const lines = source.normalize("NFC").split("\n").map((line) => line.trim()).filter(Boolean), ids = new Map(), sentences = [];
    const id = (word) => ids.get(word) ?? ids.set(word, ids.size).size - 1;
    const fail = (words) => { throw new Error(words); };
    if (!lines.length) fail("There is no sentence yet. Write one a line, an arrow and its next word: strum play chord band → guitar");
    const arrow = /→|->|=>/, running = lines.every((line) => !arrow.test(line)), cut = (line) => line.match(/\S+/g) ?? [];
    const all = running ? cut(lines.join(" ")) : [];
    if (running && all.length < 10) fail("No line has an arrow. Write the next word behind one, as in  strum play chord band → guitar ; or paste a text of ten words or more, which is cut into sentences.");
    const parts = running ? E.range(Math.min(400, all.length - 8)).map((k) => [all.slice(k, k + 8), [all[k + 8]]]) : lines.map((line, k) => {
      const sides = line.split(arrow);
      if (sides.length !== 2) fail(`Line ${k + 1} has ${sides.length === 1 ? "no arrow" : "two arrows"}: “${line.slice(0, 40)}”.`);
      return sides.map(cut);
    });
    if (parts.length > 400) fail(`${parts.length} sentences are too many for a page: 400 at most.`);
    const size = E.sum(parts.map(([words]) => words.length));
    if (size > MOST.words) fail(`${size} words are too many for a page: ${MOST.words} in all.`);
    parts.forEach(([words, next], k) => {
      if (next.length !== 1) fail(`Line ${k + 1} has ${next.length ? "more than one next word" : "no next word"} behind its arrow.`);
      if (words.length < 2) fail(`Line ${k + 1} needs two words before the arrow: one to look at, and the last one, which looks.`);
      if (words.length > 1000) fail(`Line ${k + 1} has ${words.length} words: 1,000 at most.`);
      const list = words.map((word, n) => { const many = word.includes("*") && /^(.+)\*(\d{1,3})$/.exec(word); return many && n < words.length - 1 ? [id(many[1]), Number(many[2])] : [id(word), 1]; });
      const last = list.pop()[0], counts = {};
      for (const [word, count] of list) if (count) counts[word] = (counts[word] ?? 0) + count;
      if (!Object.keys(counts).length) fail(`Line ${k + 1} has no word to look at.`);
      sentences.push({ counts, last, next: next[0], line: words.slice(0, 20).join(" ") });
    });
    if (ids.size > 3000) fail(`${ids.size} different words are too many for a page: 3,000 at most.`);
    const words = [...ids.keys()], nexts = [...new Set(sentences.map(({ next }) => next))], found = new Map();
    for (const { counts, last, next } of sentences) {
      const key = `${last} ${next}`, one = found.get(key) ?? { counts: {}, last, next, label: nexts.indexOf(next), weight: 0, name: `${words[last]} … ${next}` };
      for (const j in counts) one.counts[j] = (one.counts[j] ?? 0) + counts[j];
      one.weight += 1;
      found.set(key, one);
    }
    // What the given decoder trains on: the last word is looked at too, and the next word has to be there.
    const games = !given() ? [] : sentences.map(({ counts, last, next, line }) => ({ counts: { ...counts, [last]: (counts[last] ?? 0) + 1 }, last, label: ids.get(next) ?? -1, next, name: `${line.slice(0, 40)} → ${next}` }));
    const owners = words.map(() => []), classes = [...found.values()], twice = nexts.filter((next) => classes.filter((one) => one.next === next).length > 1);
    for (const one of classes) for (const j in one.counts) owners[j].push(one);
    return { words, ids, nexts, sentences, classes, twice, unread: running ? Math.max(0, all.length - 408) : 0, games: games.filter(({ counts, label }) => counts[label]), silent: games.filter(({ counts, label }) => !counts[label]), owners };
  }

  const given = () => state.d === GIVEN;
  const M = () => Math.max(SIZES[state.M], known.words.length, known.nexts.length);
  const many = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;
  const quoted = (list, most = 5) => list.slice(0, most).map((word) => `“${word}”`).join(", ") + (list.length > most ? ` and ${list.length - most} more` : "");

  // What is looked at: the classes, or the sentences of the given decoder and a context of the reader's.
  function views() {
    if (!given()) return known.classes;
    const own = state.c.trim().split(/\s+/).filter(Boolean).map((word) => known.ids.get(word) ?? -1), counts = {};
    for (const j of own) counts[j] = (counts[j] ?? 0) + 1;
    const mine = own.length > 1 && !own.includes(-1) ? [{ counts, last: own.at(-1), label: -1, name: "your context" }] : [];
    return [...mine, ...known.games];
  }

  // The samples that are trained on: whole classes, sentences as typed, or drawn ones of a length.
  function samples() {
    const length = LENGTHS[state.T];
    if (given()) return known.games;
    if (length === Infinity) return known.classes;
    if (length === 0) return known.sentences.map(({ counts, last, next }) => ({ counts, last, label: known.nexts.indexOf(next) }));
    let seed = 1;
    const random = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 2 ** 32; };
    const each = Math.max(1, Math.min(20, Math.floor(400 / known.classes.length)));
    return known.classes.flatMap(({ counts, last, label, weight }) => {
      const list = Object.entries(counts), total = E.sum(list.map(([, m]) => m));
      return E.range(each).map(() => {
        const drawn = {};
        for (let k = 1; k < length; k++) { let left = random() * total; const j = (list.find(([, m]) => (left -= m) < 0) ?? list[0])[0]; drawn[j] = (drawn[j] ?? 0) + 1; }
        return { counts: drawn, last, label, weight };
      });
    });
  }

  // ---- Training, in slices, so that the page answers.
  async function train() {
    if (!known) return;
    const mine = ++ticket, seen = views(), list = samples();
    run = null;
    trouble("");
    if (!list.length) return trouble(`The decoder is given, so the next word has to stand in its own sentence (H2), and none does: ${quoted(known.silent.map(({ next }) => next))}.`);
    const { twice } = known;
    if (state.d === MODIFIED) {
      if (twice.length) return trouble(`The modified update needs Assumption 1: ${quoted(twice)} follows more than one last word.`);
      if (LENGTHS[state.T] !== Infinity) return trouble("The modified update is defined for endless sentences: set the length to endless, or train plainly.");
      if (list.length > MOST.classes) return trouble(`The modified update solves for all classes in each step: ${MOST.classes} at most in a page, and yours are ${list.length}. Train plainly.`);
    }
    const L = known.words.length, data = E.pack(list, L, known.nexts.length, M(), given()), look = E.pack(seen, L, 0, 0), now = E.zero(data);
    look.row = seen.map(({ last }) => (data.rows.includes(last) ? data.rows.indexOf(last) : data.rows.length));   // a row of zeros where nothing is learned
    const frames = [], padded = new Float64Array((data.rows.length + 1) * L), at = look.row.flatMap((r, i) => Array.from(look.token.slice(look.start[i], look.start[i + 1]), (j) => r * L + j));
    const key = (one) => (given() ? one : `${one.last} ${one.label}`), place = new Map(seen.map((view, v) => [key(view), v])), of = list.map((one) => place.get(key(one)));
    const keep = (t, { Z }, errors) => {
      padded.set(Z);
      const total = seen.map(() => 0), wrong = seen.map(() => 0);
      of.forEach((v, i) => { total[v] += data.weight[i]; wrong[v] += errors[i] * data.weight[i]; });
      const error = wrong.map((value, v) => value / total[v]);
      frames.push({ t, c: Float32Array.from(E.attention(look, padded)), z: Float32Array.from(at, (k) => padded[k]), error });
    };
    // Single steps as long as they are cheap, 200 at most; then log time, with fewer moments kept where a step is dear.
    const cost = data.token.length * (3 * data.C + 30) + (state.d === MODIFIED ? 2 * data.n ** 3 : 0), exact = Math.max(2, Math.min(200, 3e7 / cost));
    const cut = times.findLastIndex((t) => t <= exact) + 1, far = times.slice(cut - 1).filter((t, k) => cost < 1e6 || k % 4 === 0 || t === END);
    const settings = { etaY: RATES[state.y], etaZ: RATES[state.z], modified: state.d === MODIFIED, keep, tolerance: Math.min(0.1, Math.max(1e-4, cost * 5e-9)) };
    const ways = [() => E.descend(data, now, { ...settings, times: times.slice(0, cut) }), () => (frames.pop(), E.follow(data, now, { ...settings, times: far }))];
    box.busy.hidden = false;
    let since = performance.now(), step = 0;
    try {
      for (const way of ways) for (const t of way()) {
        step = t ?? step;
        if (performance.now() - since < SLICE) continue;
        box.progress.value = Math.log1p(step) / Math.log1p(END);
        await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });   // sooner than a timer
        if (mine !== ticket) return;
        since = performance.now();
      }
      run = { frames, look, seen, exact: times[cut - 1], tolerance: settings.tolerance };
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      trouble("The modified update needs mixtures that are independent of each other (Lemma 3): two of your next words are said with the same words, or a few of them with a mixture of the others'.");
    } finally {
      if (mine === ticket) box.busy.hidden = true;
    }
    if (!run) return;
    if (state.f < 0) state.f = times.length - 1;
    show();
    address();
  }

  const stop = () => { ticket += 1; box.busy.hidden = true; trouble("Stopped."); };

  // ---- What theory says of the view, as [holds, words, address]; holds is null where nothing is claimed.
  function theory(v, graph) {
    const said = [], say = (holds, words, where) => said.push([holds, words, where]), view = run.seen[v], { words, owners, classes, twice } = known;
    const { look, frames } = run, from = look.start[v], to = look.start[v + 1], first = frames[0].c, end = frames.at(-1).c, K = classes.length;
    const ids = [...look.token.slice(from, to)];
    if (given()) return { said, law: automaton(view, graph, say, end.slice(from, to), ids) };
    if (twice.length) say(false, `Assumption 1 does not hold: ${quoted(twice)} follows more than one last word, so the next word does not tell the last one.`, "scan-snap/assumption_01");
    if (LENGTHS[state.T] !== Infinity) say(false, "H1 of Lemma 4, endless sentences, does not hold: yours have a length, so a rare word is often missing, and what follows holds on average at best.", "scan-snap/lemma_04");
    const shared = words.filter((_, j) => owners[j].length > 1), own = ids.filter((j) => owners[j].length === 1), common = ids.filter((j) => owners[j].length > 1);
    let pushed = null;
    if (K > MOST.classes || K * K * words.length > 2e6) say(null, `Theorems 2 and 3 are not asked here: ${K} classes over ${words.length} words are too many for a page, which asks of ${MOST.classes} classes at most.`, "scan-snap/theorem_02");
    else if (K > 1) try {
      const data = E.pack(classes, words.length, 0, 0), f = E.attention(data, E.zero(data).Z, true);
      const F = classes.map((_, n) => { const row = new Array(words.length).fill(0); for (let k = data.start[n]; k < data.start[n + 1]; k++) row[data.token[k]] = f[k]; return row; });
      pushed = E.push(F, classes.map(({ last }) => last), data.weight);
    } catch { say(false, "Assumption 2 does not hold: two next words are said with the same words, or with mixtures of the others'. Nothing tells them apart.", "scan-snap/assumption_02"); }
    if (K === 1) say(null, "There is one next word only. The decoder learns it without attention, and nothing pushes attention (Lemma 4).", "scan-snap/lemma_04");
    if (pushed) {
      const xi = pushed.xi[v], way = (j) => pushed.velocity[view.last][j], z = (j) => frames.at(-1).z[from + ids.indexOf(j)];
      if (xi < -1e-12) say(false, "H1 of Theorem 2 does not hold: the mixtures resemble each other so much that the push on this next word's own words turns round.", "scan-snap/theorem_02");
      else if (xi < 1e-12) say(null, `Nothing is shared with “${view.next}”, so there is no push on its attention at the start.`, "scan-snap/lemma_04");
      else if (own.length) say(own.every((j) => z(j) > 0), `Theorem 2 (a): a word of one next word alone rises. ${quoted(own.map((j) => words[j]))} ${own.length === 1 ? "stands" : "stand"} before “${view.next}” only.`, "scan-snap/theorem_02");
      if (shared.length === 1 && common.length) say(z(common[0]) < 0, `Theorem 2 (b): the only shared word falls. “${shared[0]}” stands in ${owners[common[0]].length === 2 ? "both" : `all ${owners[common[0]].length}`}: ${quoted(owners[common[0]].map(({ next }) => next))}.`, "scan-snap/theorem_02");
      else if (shared.length > 1 && common.length) {
        say(false, `H4 of Theorem 2 (b), one shared word, does not hold: ${common.slice(0, 3).map((j) => `“${words[j]}” stands before ${quoted(owners[j].map(({ next }) => next), 3)}`).join("; ")}. So it does not say that shared words fall.`, "scan-snap/theorem_02");
        for (const j of common.slice(0, 3)) say(null, `At the start Eq. (10) pushes “${words[j]}” ${way(j) > 0 ? "up" : "down"}: ${way(j) > 0 ? "to be shared is a matter of degree" : "the rivals look like it"}.`, "scan-snap/lemma_04");
      }
      const ranked = [...own].sort((a, b) => view.counts[b] - view.counts[a]), [top, next] = ranked;
      if (xi > 1e-12 && ranked.length > 1) {
        const at = (j) => from + ids.indexOf(j), ratio = view.counts[next] / view.counts[top];
        if (ratio === 1) say(false, `H3 of Theorem 3, a dominant word, does not hold: “${words[top]}” and “${words[next]}” are equally frequent, and stay so.`, "scan-snap/theorem_03");
        else say(end[at(top)] / end[at(next)] >= first[at(top)] / first[at(next)], `Theorem 3: the most frequent own word gets further ahead. It is “${words[top]}”; “${words[next]}” starts with ${ratio.toFixed(2)} of its weight, and its squared weight can grow ${(1 / (1 - ratio ** 2)).toFixed(2)} times at most.`, "scan-snap/theorem_03");
      }
    }
    const t0 = snap(), far = (t) => Math.hypot(...ids.map((_, k) => frames.find((one) => one.t >= t).c[from + k] - first[from + k])), whole = far(END);
    if (whole > 1e-4) say(null, `Theorem 4 is about the modified update${state.d === MODIFIED ? ", which is what you train with" : "; you train plainly"}. At t₀, step ${t0.toFixed(0)} for K = ${K} and M = ${M()}, attention should be all but frozen. Here ${(100 * far(Math.min(t0, END)) / whole).toFixed(0)} % of its way to step 10,000 is done by then.`, "scan-snap/theorem_04");
    return { said };
  }

  // Its law where there is one.
  function automaton(view, graph, say, end, ids) {
    const { words, silent } = known, name = (j) => words[j];
    if (silent.length) say(false, `H2 does not hold for ${silent.length} of your sentences: ${quoted(silent.map(({ next }) => next))} does not stand in its own sentence and can beat nothing. They are left out.`, "mechanics/setting");
    if (!graph) return say(false, `No sentence ends in “${name(view.last)}”: its attention stays as at the start.`, "mechanics/automaton");
    if (graph.pairs.length > MOST.pairs) say(null, `Global convergence is not asked here: ${graph.pairs.length} pairs of teams are too many for a page, which solves for ${MOST.pairs} at most.`, "mechanics/global_convergence");
    else if (graph.pairs.length) say(null, `Global convergence: scores grow like log t along the Graph-SVM, one step down from each team to the next: ${[...E.direction(graph)].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([j, w]) => `${name(j)} ${w.toFixed(2)}`).join(", ")}.`, "mechanics/global_convergence");
    else say(false, "H4 of global convergence does not hold: no word beats another for good, so nothing grows, and attention settles at finite odds.", "mechanics/global_convergence");
    if (graph.components.some((team) => team.length > MOST.team)) return say(null, `The automaton's odds are not computed here: a team of more than ${MOST.team} words is too large for a page.`, "mechanics/automaton");
    try {
      const law = E.automaton(graph.games, graph, view.counts), away = Math.max(...ids.map((j, k) => Math.abs(end[k] - (law.get(j) ?? 0))));
      say(away < 0.05, `The automaton: the first team present is ${quoted([...law.keys()].map(name))}, with odds ${[...law].map(([j, p]) => `${name(j)} ${(100 * p).toFixed(1)} %`).join(", ")}. At step 10,000 attention is within ${(100 * away).toFixed(1)} % of this.`, "mechanics/automaton");
      return law;
    } catch (error) {
      if (!error.words) throw error;
      const list = quoted(error.words.map(name));
      say(false, error.message === "tie" ? `H4 of the automaton does not hold: ${list} are all on top and never met, nor did a chain of sentences compare them. The layer answers all the same.` : `The automaton does not know ${list}: never seen before “${name(view.last)}”.`, "mechanics/automaton");
    }
  }

  // With fewer than four words the two terms of (45) are never equal.
  const snap = () => E.t0(Math.max(M(), 4), RATES[state.y], known.classes.length);

  // ---- The page.
  const box = {}, panels = {}, axis = { low: 1, high: END + 1, log: true, ticks: [[1, "0"], [11, "10"], [101, "100"], [1001, "10³"], [END + 1, "10⁴"]] };
  const share = { low: 0, high: 1, ticks: [[0, "0"], [0.5, "50 %"], [1, "100 %"]] };
  const trouble = (words) => { box.trouble.textContent = words; box.trouble.hidden = !words; if (words) { box.result.hidden = true; run = null; } };
  const field = (tag, id, label, attributes, changed) => {
    const input = html(tag, { id, ...attributes });
    input.addEventListener(tag === "textarea" ? "change" : "input", () => changed(input.value));
    return [html("label", { for: id }, label), input];
  };
  const menu = (key, label, texts, changed = () => {}) => (box[key] = D.control({ id: `lab-${key}`, label, texts, kind: "menu" }, (k) => { state[key] = k; changed(k); settle(); }));
  const dial = (key, label, values) => (box[key] = D.control({ id: `lab-${key}`, label, texts: values.map(String) }, (k) => { state[key] = k; settle(); }));

  function build() {
    menu("e", "Example", [...EXAMPLES.map(([name]) => name), "Your own"], (k) => { if (EXAMPLES[k]) [, text, state.d, state.c] = EXAMPLES[k]; Object.assign(state, { v: 0, f: -1 }); });
    const [label, area] = field("textarea", "lab-s", "One sentence a line: words, the last word, which looks back, an arrow and the next word. strum*5 is a word five times. A text without arrows is cut into sentences of eight words.", { rows: 7, spellcheck: "false", "aria-describedby": "lab-trouble" }, (value) => { text = value; state.e = EXAMPLES.findIndex(([, one]) => one === value); if (state.e < 0) state.e = EXAMPLES.length; Object.assign(state, { v: 0, f: -1 }); settle(); });
    menu("d", "Decoder", ["learns, plain training", "learns, modified update", "is given: a word's attention is its probability"], () => Object.assign(state, { v: 0, f: -1 }));
    menu("T", "Length of the sentences", ["endless, each word with its share", "as typed", "8 words, drawn", "32 words, drawn", "128 words, drawn"]);
    menu("M", "Words of the language, M", SIZES.map((size) => (size ? String(size) : "as typed")));
    dial("y", "Learning rate of the decoder, η_Y", RATES);
    dial("z", "Learning rate of attention, η_Z", RATES);
    menu("v", "Look at", []);
    const [asks, context] = field("input", "lab-c", "or at a context of your own, last word last", { type: "text", autocomplete: "off" }, (value) => { state.c = value; state.v = 0; settle(); });
    const [guesses, guess] = field("input", "lab-g", "Your guess first: which word has most attention in the end?", { type: "text", autocomplete: "off" }, (value) => { state.g = value.trim(); address(); if (run) show(); });
    Object.assign(box, { area, context, guess, own: html("div", { class: "set" }, asks, context), trouble: html("p", { id: "lab-trouble", class: "trouble", role: "alert", hidden: "" }), counts: html("div", { class: "wide", role: "region", "aria-label": "Counts of each class", tabindex: 0 }),
      progress: html("progress", { max: 1, "aria-label": "Training" }), says: html("p", { class: "says" }), said: html("ul", {}), table: html("div", { class: "wide", role: "region", "aria-label": "Attention in numbers", tabindex: 0 }), order: html("p", {}), code: html("pre", { tabindex: 0, "aria-label": "What to take along", hidden: "" }) });
    tell = D.teller(box.says);
    box.busy = html("p", { hidden: "" }, box.progress, D.button("Stop", stop));
    const describe = (name, about) => (panels[name] = D.panel({ ...about })).root;
    const drawn = [
      describe("bars", { kind: "bars", title: "attention now", alt: "The sentence below says it in words, the table in numbers.", keys: ["c"], outlines: ["was"], roles: "roles", y: share, slant: true }),
      describe("course", { kind: "lines", title: "attention, over steps", alt: "A line a word, with a vertical line now and one at t0.", over: "t", x: axis, y: share, marks: ["now", "t0"] }),
      describe("error", { kind: "lines", title: "error and entropy, over steps", alt: "Error of the next word and entropy of attention as a share of the largest; dashed: the error by Lemma 5.", over: "t", x: axis, y: share, marks: ["now", "t0"] }),
      describe("graph", { kind: "graph", title: "who beats whom", alt: "Teams from the top down; the sentence below names them.", height: 200 })];
    box.f = D.control({ id: "lab-f", label: "Step", texts: times.map(String) }, (k) => { player.stop(); state.f = k; show(); address(); });
    const player = D.play({ at: () => state.f, last: () => times.length - 1, to: (k) => { state.f = k; show(); address(); }, every: 80 });
    const copy = (words) => { box.code.hidden = false; box.code.textContent = words; navigator.clipboard?.writeText(words).catch(() => {}); };
    box.result = html("div", { hidden: "" }, html("div", { class: "panels" }, ...drawn), html("p", {}, "Blue: words before one next word only; orange: shared words. Dashed bars: the start, or the automaton's odds. Vertical lines: now, and t₀. Green: error of the next word, dashed that of a class alone (Lemma 5). Pink: entropy of attention over the largest it could have."), html("div", { class: "controls" }, box.f.root, player.node), box.says, box.order, html("p", {}, "What theory says beside it:"), box.said, box.table,
      html("p", {}, D.button("Python script of this experiment", () => copy(script())), D.button("The nearest chapter's command", () => copy(chapter()))), box.code);
    root.replaceChildren(box.e.root, label, area, box.counts, html("div", { class: "controls", role: "group", "aria-label": "Settings" }, ...["d", "T", "M", "y", "z"].map((key) => box[key].root), box.v.root, box.own, html("div", { class: "set" }, guesses, guess)),
      html("p", {}, D.button("Train", train), D.button("Back to the start", () => { Object.assign(state, START); text = EXAMPLES[0][1]; settle(); })), box.busy, box.trouble, box.result);
  }

  const table = (caption, head, body) => html("table", {}, html("caption", {}, caption), html("tr", {}, ...head.map((name) => html("th", { scope: "col" }, name))), ...body.map((row) => html("tr", {}, ...row.map((cell) => html("td", {}, String(cell))))));

  // After a change: read the sentences, show the controls and counts; what was trained is no longer the run.
  function settle() {
    ticket += 1;
    run = null;
    for (const key of ["e", "d", "T", "M", "y", "z"]) box[key].show(state[key]);
    if (box.area.value !== text) box.area.value = text;
    box.guess.value = state.g;
    if (box.context.value !== state.c) box.context.value = state.c;
    box.result.hidden = box.busy.hidden = true;
    for (const key of ["T", "M", "y"]) box[key].root.hidden = given();
    box.own.hidden = !given();
    address();
    try { known = read(text); } catch (error) { known = null; box.counts.replaceChildren(); return trouble(error.message); }
    trouble("");
    const shown = known.classes.slice(0, 12).map(({ last, next, counts, weight }) => [known.words[last], next, Object.entries(counts).sort((a, b) => b[1] - a[1]).slice(0, 12).map(([j, m]) => `${known.words[j]} ${m}`).join(", "), weight]);
    box.counts.replaceChildren(table(`${many(known.sentences.length, "sentence")}, ${many(known.words.length, "word")}, ${many(known.classes.length, "class", "classes")}${known.unread ? `; the last ${many(known.unread, "word")} of your text left out` : ""}${known.classes.length > 12 ? ", of which the first twelve" : ""}${text.length > MOST.letters ? "; too long for the address, which keeps the settings alone" : ""}`, ["last word", "next word", "how often each word stands before them", "sentences"], shown));
    const list = views();
    state.v = Math.min(state.v, Math.max(0, list.length - 1));
    box.v.options(list.map(({ name }) => name));
    box.v.show(state.v);
    if (state.f >= 0) train();
  }

  // All of a view that does not change from step to step, found once.
  function study(v) {
    const { frames, look, seen } = run, view = seen[v], from = look.start[v], to = look.start[v + 1], { words, owners } = known, all = [...look.token.slice(from, to)];
    const end = (k) => frames.at(-1).c[from + k], order = all.map((_, k) => k).sort((a, b) => end(b) - end(a)).slice(0, 10), ids = order.map((k) => all[k]), names = ids.map((j) => words[j]);
    const games = given() ? known.games.filter(({ last }) => last === view.last) : [], graph = games.length ? { ...E.graph(games), games } : null, { said, law } = theory(v, graph);
    const roles = ids.map((j) => (j === view.last && given() ? "query" : !given() && owners[j].length > 1 ? "common" : "distinct"));
    const t = frames.map((one) => one.t + 1), error = frames.map((one) => one.error[v]), entropy = frames.map((one) => E.entropy([...one.c.slice(from, to)])), most = Math.log(Math.max(2, to - from));
    const values = { t, t0: given() || snap() > END ? null : snap() + 1, error, entropy: entropy.map((value) => value / most) };
    order.forEach((k, n) => { values[n] = frames.map((one) => one.c[from + k]); });
    if (!given()) {                                                    // Lemma 5: a class alone, visited with its share
      const h = E.hStar(END, M(), RATES[state.y] * view.weight / known.sentences.length);
      values.alone = frames.map((one) => (M() - 1) * E.speed(h[one.t], M()));
    }
    const at = (n) => order.map((_, k) => values[k][n]), was = law ? ids.map((j) => law.get(j) ?? 0) : at(0);
    const winners = names.filter((_, k) => values[k].at(-1) > values[0].at(-1) - 5e-4);
    return { view, graph, said, roles, names, values, entropy, at, was, winners };
  }

  function show() {
    const { view, graph, said, roles, names, values, entropy, at, was, winners } = (run.studies ??= [])[state.v] ??= study(state.v), { words } = known;
    const n = run.frames.findLastIndex(({ t }) => t <= times[state.f]), frame = run.frames[n], marks = { ...values, now: frame.t + 1 }, learns = Number.isFinite(values.error[0]);
    panels.bars.move({ labels: names, c: at(n), was, roles });
    panels.course.move({ ...marks, curves: names.map((name, k) => ({ key: k, role: roles[k], label: k < 3 ? name : "" })) });
    panels.error.move({ ...marks, curves: [{ key: "entropy", role: "query" }, ...(learns ? [{ key: "error", role: "simulation" }] : []), ...(values.alone ? [{ key: "alone", role: "theory", dashed: true }] : [])] });
    const tokens = graph ? [...graph.component.keys()] : [], drawn = tokens.length && tokens.length <= 12;
    panels.graph.root.toggleAttribute("hidden", !drawn);
    if (drawn) {
      const place = D.rows(graph.components, 3);
      panels.graph.move({ labels: tokens.map((j) => words[j]), x: tokens.map((j) => place.x[j]), y: tokens.map((j) => place.y[j]), off: [], roles: tokens.map((j) => (j === view.last ? "query" : "theory")), edges: graph.edges.map(([i, j, inner]) => [tokens.indexOf(i), tokens.indexOf(j), inner]) });
    }
    box.order.textContent = graph ? `Who beats whom before “${words[view.last]}”, teams from the top: ${graph.components.slice(0, 12).map((team) => `{${team.slice(0, 6).map((j) => words[j]).join(", ")}}`).join(" ")}.` : "";
    const ends = winners.length > 1 ? `In the end ${quoted(winners)} have most, and equally much.` : `In the end ${quoted(winners)} has most.`;
    const guess = !state.g ? "" : winners.includes(state.g) ? " Your guess was right." : names.includes(state.g) || known.ids.has(state.g) ? ` Your guess was “${state.g}”.` : ` Your guess “${state.g}” stands in none of the sentences.`;
    const coarse = run.tolerance > 1e-4 ? ` (From step ${run.exact} on in steps of growing length, each off by ${run.tolerance.toPrecision(1)} at most.)` : "";
    tell(`Step ${frame.t}: ${names.slice(0, 4).map((name, k) => `${name} ${(100 * at(n)[k]).toFixed(1)} %`).join(", ")}; entropy ${entropy[n].toFixed(3)}${learns ? `, error ${(100 * values.error[n]).toFixed(1)} %` : ""}. ${ends}${guess}${coarse}`);
    box.said.replaceChildren(...said.map(([holds, sentence, where]) => html("li", {}, holds === null ? "" : holds ? "✓ " : "✗ ", ...D.subscripts(sentence), " ", html("a", { href: `${where}.html`, "aria-label": `The chapter: ${where.split("/")[1].replaceAll("_", " ")}` }, "The chapter."))));
    const rows = names.map((name, k) => [name, given() ? "" : roles[k], ...[0, n, run.frames.length - 1].map((m) => `${(100 * values[k][m]).toFixed(2)} %`)]);
    box.table.replaceChildren(table("Attention", ["word", "kind", "start", `step ${frame.t}`, "step 10000"], rows));
    box.f.show(state.f);
    box.result.hidden = false;
  }

  // ---- The whole state in the address, and what can be taken along.
  function address() {
    const asked = new URLSearchParams();
    for (const key in START) if (String(state[key]) !== String(START[key]) && key !== "s") asked.set(key, state[key]);
    if (state.e === EXAMPLES.length && text.length <= MOST.letters) asked.set("s", text);
    history.replaceState(null, "", `${location.pathname}${location.search}${[...asked].length ? `#${asked}` : ""}`);
  }

  function fromAddress() {
    const asked = new URLSearchParams(location.hash.slice(1)), sizes = { e: EXAMPLES.length + 1, d: 3, y: RATES.length, z: RATES.length, T: LENGTHS.length, M: SIZES.length, f: times.length, v: 400 };
    for (const key in START) {
      const value = asked.get(key);
      if (value === null) continue;
      if (!(key in sizes)) state[key] = value;
      else if (Number.isInteger(Number(value)) && value >= 0 && value < sizes[key]) state[key] = Number(value);
    }
    text = state.e === EXAMPLES.length ? state.s : EXAMPLES[state.e][1];
  }

  // The same experiment on lib; what it prints is what the page shows.
  function script() {
    const { words, nexts, classes } = known, L = words.length, list = samples(), view = views()[state.v], size = state.d === MODIFIED ? M() : L;
    if (list.length * L > 40000) return "# This is too much for a script. A chapter takes a text of 10,000 words or more from a file:\nmake chapter CH=real-text.your-own-text P=\"corpus=/path/to/text.txt\"";
    const row = ({ counts }, width) => `[${E.range(width).map((j) => counts[j] ?? 0).join(", ")}]`, rows = (width) => `[\n${list.map((one) => `    ${row(one, width)},`).join("\n")}\n]`, weight = E.sum(list.map((one) => one.weight ?? 1));
    const last = `[${list.map((one) => one.last).join(", ")}]`, label = `[${list.map((one) => one.label).join(", ")}]`, share = `np.array([${list.map((one) => one.weight ?? 1).join(", ")}]) / ${weight}`;
    const end = `\nview = np.array(${row(view, size)})\nfor step, Z in zip(steps, runs):\n    weights = view * np.exp(Z[${view.last}] - Z[${view.last}].max())\n    print(step, *(f"{word} {p:.4f}" for word, p in zip(words, weights / weights.sum()) if p))\n`;
    const head = (imports) => `import numpy as np\n\n${imports}\n\nwords = ${JSON.stringify(words)}\nsteps = [1, 10, 100, 1000, 10000]\ncounts = np.array(${rows(size)})\nlast, label = ${last}, ${label}\n`;
    if (given()) return `${head("from lib.mechanics.descent import descend\nfrom lib.mechanics.samples import NextTokenData")}data = NextTokenData(counts, last, label, np.eye(${L}))\nfound = descend(np.zeros((${L}, ${L})), data, ${RATES[state.z]}, 10000, observe=lambda block: {"Z": block.swapaxes(1, 2)})[1]["Z"]\nruns = found[steps]\n${end}`;
    if (state.d === MODIFIED) return `${head("from lib.scan_snap.joint_ascent import joint_ascent\nfrom lib.scan_snap.sequence_classes import SequenceClasses")}table = counts / counts.sum(axis=1, keepdims=True)\nclasses = SequenceClasses(table, last, label, ${share})\nruns = joint_ascent(classes, ${RATES[state.y]}, ${RATES[state.z]}, steps, "modified").Z\n${end}`;
    return `${head("from lib.bridge.joint_training import joint_descent, one_hot_data")}data = one_hot_data(counts, last, label, ${share})\nY, Z = np.zeros((${L}, ${Math.max(M(), nexts.length)})), np.zeros((${L}, ${L}))  # ${classes.length} classes\nruns = joint_descent(data, Y, Z, steps, eta_y=${RATES[state.y]}, eta_z=${RATES[state.z]}, normalize=True).Z\n${end}`;
  }

  // The chapter that is run on these sentences, where there is one; else the nearest, and what is not the reader's there.
  function chapter() {
    const eta = RATES[state.y], by = RATES[state.z], own = (CH, P = "") => `make chapter CH=${CH}${P && ` P="${P}"`}`;
    if (state.e === 0 && state.d === PLAIN && eta >= 0.5 && by >= eta && by <= 2 * eta && eta <= 2) return own("scan-snap.figure-02", `eta_y=${eta} eta_z=${by}`);
    if (EXAMPLES[state.e]?.[0] === "The five samples" && given()) return `# The sentences of the chapter's picture, table and walk:\n${own("mechanics.token-priority-graph")}`;
    const wanted = given()
      ? { CH: "mechanics.token-priority-graph", K: [known.words.length, 4, 8], T: [Math.max(...known.games.map(({ counts }) => E.sum(Object.values(counts)))), 2, Math.min(8, Math.max(4, known.words.length))] }
      : { CH: "scan-snap.theorem-04", M: [M(), 100, 2000], K: [known.classes.length, 3, 50], eta_y: [eta, 0.1, 1], eta_z: [by, 0.1, 1] };
    const { CH, ...asked } = wanted, near = ([value, low, high]) => Math.min(high, Math.max(low, value)), values = Object.fromEntries(Object.entries(asked).map(([name, one]) => [name, near(one)]));
    const more = given() ? { d: values.K + 2 } : { c0: near([2 * values.K * values.eta_z / values.eta_y, 0.5, 4]) }, off = Object.keys(asked).filter((name) => values[name] !== asked[name][0]);
    return `# No chapter takes sentences. The nearest one draws its own data, with your sizes and rates${off.length ? `, but for ${off.map((name) => `${name} = ${values[name]} (yours: ${asked[name][0]})`).join(", ")}` : ""}:\n${own(CH, Object.entries({ ...values, ...more }).map(([name, value]) => `${name}=${value}`).join(" "))}`;
  }

  fromAddress();
  build();
  settle();
})();
