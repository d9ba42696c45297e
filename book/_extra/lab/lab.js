// The lab: a reader's own sentences, one attention layer trained on them in the page, and what theory says beside it.
// Words become counts in read.js; what theory says of a run is theory.js.
"use strict";
(function () {
  const root = document.getElementById("lab");
  if (!root) return;
  const E = globalThis.Engine, D = globalThis.Draw, T = globalThis.Theory, { html } = D, { tidy, many, isolated, quoted } = globalThis.Read, END = 10000;
  const RATES = [0.1, 0.2, 0.5, 1, 2, 5, 10], SIZES = [0, 50, 300, 1000], LENGTHS = [Infinity, 0, 8, 32, 128], MODIFIED = 1, GIVEN = 2;
  const DECODERS = ["learns, plain training", "learns, modified update", "is given: a word's attention is its probability"];
  const SPANS = ["endless, each word with its share", "as typed", "8 words, drawn", "32 words, drawn", "128 words, drawn"];
  // Classes that the modified update is solved for, letters in an address, milliseconds of training between two pauses, and of typing.
  const MOST = { classes: 60, letters: 6000 }, SLICE = 8, REST = 250, { port1, port2 } = new MessageChannel();
  // The examples stand in the page, where readers without scripts find them too.
  const EXAMPLES = [...root.querySelectorAll("pre")].map(({ dataset, textContent }) => [dataset.name, textContent.trim(), Number(dataset.decoder ?? 0), dataset.context ?? ""]), OWN = EXAMPLES.length;
  const times = [...new Set([0, ...E.range(81).map((k) => Math.round(10 ** (k / 20))), END])];
  // e: example; s: sentences; d: decoder; T: length; M: words of the language; y, z: rates; v: what is looked at; f: step, none before training;
  // c: a context; g: the guess; r: whether words are read as typed; k: settings of the run that is compared with.
  const START = { e: 0, s: "", d: 0, y: 3, z: 3, T: 0, M: 0, v: 0, f: -1, c: "", g: "", r: 0, k: "" }, KEYS = ["d", "T", "M", "y", "z"];
  const state = { ...START };
  let text = EXAMPLES[0][1], known = null, run = null, held = null, ticket = 0, pending = null, last = "", tell, tellBefore;

  // ---- What a reader typed stays in this browser, so that no example, no "Back to the start" and no reload loses it.
  const STORE = "lab-sentences";
  const kept = () => { try { return localStorage.getItem(STORE); } catch { return null; } };
  const keep = (words) => { try { localStorage.setItem(STORE, words); } catch { /* a browser that keeps nothing */ } };
  const marks = new Map();                                             // of the last long text: an address is written often
  function mark(words) {
    if (!marks.has(words)) {
      let sum = 7;
      for (let k = 0; k < words.length; k++) sum = (Math.imul(sum, 31) + words.charCodeAt(k)) >>> 0;
      marks.clear();
      marks.set(words, sum.toString(36));
    }
    return marks.get(words);
  }

  // ---- The settings of a run, as they are now or as an address has them, "d.T.M.y.z".
  function settings(key = KEYS.map((one) => state[one]).join(".")) {
    const [d, T, M, y, z] = key.split(".").map(Number), given = d === GIVEN;
    return { key, given, modified: d === MODIFIED, length: LENGTHS[T], etaY: RATES[y], etaZ: RATES[z], M: Math.max(SIZES[M], known.words.length, known.nexts.length), names: { d: ["plain", "modified", "that of attention alone"][d], T: SPANS[T].split(",")[0], M: SIZES[M] || "as typed", y: RATES[y], z: RATES[z] } };
  }
  const given = () => state.d === GIVEN;
  const NAMED = { d: "training", T: "the length", M: "M", y: "the decoder's rate", z: "attention's rate" };
  const different = (a, b) => KEYS.filter((key) => a.names[key] !== b.names[key] && !(a.given && b.given && key !== "z")).map((key) => [NAMED[key], a.names[key]]);
  const told = (list, verb) => list.map(([name, value]) => `${name} ${verb} ${value}`).join(" and ");

  // What is looked at: the classes, or the sentences of the given decoder and a context of the reader's.
  function views(decoder = state.d) {
    if (decoder !== GIVEN) return known.classes;
    const own = state.c.trim().split(/\s+/).filter(Boolean).map((word) => known.ids.get(state.r ? word : tidy(word)) ?? -1), counts = {};
    for (const j of own) counts[j] = (counts[j] ?? 0) + 1;
    const mine = own.length > 1 && !own.includes(-1) ? [{ counts, last: own.at(-1), label: -1, name: "your context" }] : [];
    return [...mine, ...known.games];
  }

  // The samples that are trained on: whole classes, sentences as typed, or drawn ones of a length.
  function samples({ given, length } = settings()) {
    if (given) return known.games;
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

  // ---- Training.  Throws an Error with one line for the reader where these settings cannot train these sentences.
  function prepare(now) {
    const fail = (words) => { throw new Error(words); }, list = samples(now), { twice } = known;
    if (!list.length) fail(`The decoder is given, so the next word has to stand in its own sentence (H2), and none does: ${quoted(known.silent.map(({ next }) => next))}.`);
    if (now.modified) {
      if (twice.length) fail(`The modified update needs Assumption 1: ${quoted(twice)} ${twice.length === 1 ? "follows" : "follow"} more than one last word.`);
      if (now.length !== Infinity) fail("The modified update is defined for endless sentences: set the length to endless, or train plainly.");
      if (list.length > MOST.classes) fail(`The modified update solves for all classes in each step: ${MOST.classes} at most in a page, and yours are ${list.length}. Train plainly.`);
    }
    const seen = views(now.given ? GIVEN : 0), L = known.words.length, data = E.pack(list, L, known.nexts.length, now.M, now.given), look = E.pack(seen, L, 0, 0);
    look.row = seen.map(({ last }) => (data.rows.includes(last) ? data.rows.indexOf(last) : data.rows.length));   // a row of zeros where nothing is learned
    const frames = [], padded = new Float64Array((data.rows.length + 1) * L), at = look.row.flatMap((r, i) => Array.from(look.token.slice(look.start[i], look.start[i + 1]), (j) => r * L + j));
    const key = (one) => (now.given ? one : `${one.last} ${one.label}`), place = new Map(seen.map((view, v) => [key(view), v])), of = list.map((one) => place.get(key(one)));
    const keep = (t, { Z }, errors) => {
      padded.set(Z);
      const total = seen.map(() => 0), wrong = seen.map(() => 0);
      of.forEach((v, i) => { total[v] += data.weight[i]; wrong[v] += (errors?.[i] ?? NaN) * data.weight[i]; });
      const error = wrong.map((value, v) => value / total[v]);
      frames.push({ t, c: Float32Array.from(E.attention(look, padded)), z: Float32Array.from(at, (k) => padded[k]), error });
    };
    return { known, settings: now, data, look, seen, frames, keep };
  }

  // In slices, so that the page answers; nothing is returned where something else was asked for meanwhile.
  async function fit(now, mine) {
    const one = prepare(now), { data, frames, keep } = one, state = E.zero(data);
    // Single steps as long as they are cheap, 200 at most; then log time, with fewer moments kept where a step is dear.
    const cost = data.token.length * (3 * data.C + 30) + (now.modified ? 2 * data.n ** 3 : 0), exact = Math.max(2, Math.min(200, 3e7 / cost));
    const cut = times.findLastIndex((t) => t <= exact) + 1, far = times.slice(cut - 1).filter((t, k) => cost < 1e6 || k % 4 === 0 || t === END);
    const how = { ...now, keep, tolerance: Math.min(0.1, Math.max(1e-4, cost * 5e-9)) };
    const ways = [() => E.descend(data, state, { ...how, times: times.slice(0, cut) }), () => (frames.pop(), E.follow(data, state, { ...how, times: far }))];
    let since = performance.now(), step = 0;
    try {
      for (const way of ways) for (const t of way()) {
        step = t ?? step;
        if (performance.now() - since < SLICE) continue;
        box.progress.value = Math.log1p(step) / Math.log1p(END);
        await new Promise((done) => { port1.onmessage = done; port2.postMessage(0); });   // sooner than a timer
        if (mine !== ticket) return null;
        since = performance.now();
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      throw new Error("The modified update needs mixtures that are independent of each other (Lemma 3): two of your next words are said with the same words, or a few of them with a mixture of the others'.");
    }
    return { ...one, exact: times[cut - 1], tolerance: how.tolerance };
  }

  async function train() {
    if (!known) return;
    const mine = ++ticket;
    trouble("");
    box.busy.hidden = false;
    if (state.f < 0) state.f = times.length - 1;
    try {
      if (state.k && !held) try { held = await fit(settings(state.k), mine); } catch { state.k = ""; }
      const found = mine === ticket ? await fit(settings(), mine) : null;
      if (!found) return;
      run = found;
      show();
      address();
    } catch (error) {
      if (mine === ticket) trouble(error.message);
    } finally {
      if (mine === ticket) box.busy.hidden = true;
    }
  }

  const stop = () => { ticket += 1; box.busy.hidden = true; trouble("Stopped."); };

  // ---- The page.
  const box = {}, panels = {}, axis = { low: 1, high: END + 1, log: true, name: "step", ticks: [[1, "0"], [11, "10"], [101, "100"], [1001, "10³"], [END + 1, "10⁴"]] };
  const share = { low: 0, high: 1, ticks: [[0, "0"], [0.5, "50 %"], [1, "100 %"]] };
  const trouble = (words) => { box.trouble.textContent = words; box.trouble.hidden = !words; if (words) { box.stage.hidden = box.result.hidden = true; run = null; } };
  const field = (tag, id, label, attributes, changed) => {
    const input = html(tag, { id, dir: "auto", ...attributes });
    input.addEventListener("input", () => changed(input.value));
    return [html("label", { for: id }, label), input];
  };
  // A setting of training: the run that is there when the first one is changed becomes the run to compare with.
  const setting = (key, k) => { if (run?.exact && !state.k) { held = run; state.k = run.settings.key; } state[key] = k; };
  const menu = (key, label, texts, changed = () => {}) => (box[key] = D.control({ id: `lab-${key}`, label, texts, kind: "menu" }, (k) => { flush(); if (KEYS.includes(key)) setting(key, k); else state[key] = k; changed(k); settle(key); }));
  const dial = (key, label, values) => (box[key] = D.control({ id: `lab-${key}`, label, texts: values.map(String) }, (k) => { flush(); setting(key, k); settle(key); }));
  const region = (label) => html("div", { class: "wide", role: "region", "aria-label": label, tabindex: 0 });

  // Other sentences: nothing of the old ones is compared with or looked at.
  function renew() { held = null; Object.assign(state, { v: 0, f: -1, k: "" }); }

  function choose(k) {
    if (EXAMPLES[k]) [, text, state.d, state.c] = EXAMPLES[k]; else text = kept() ?? text;
    renew();
  }

  // What is typed is read once the typing rests, and at once when something is pressed.
  function typed(value) {
    text = value;
    keep(value);
    clearTimeout(pending);
    pending = setTimeout(flush, REST);
  }

  function flush() {
    if (pending === null) return;
    clearTimeout(pending);
    pending = null;
    state.e = EXAMPLES.findIndex(([, one]) => one === text);
    if (state.e < 0) state.e = OWN;
    renew();
    settle("s");
  }

  function build() {
    menu("e", "Example", [...EXAMPLES.map(([name]) => name), "Your own"], choose);
    const [label, area] = field("textarea", "lab-s", "One sentence a line: words → next word", { rows: 4, spellcheck: "false", "aria-describedby": "lab-trouble lab-notes" }, typed);
    area.addEventListener("change", flush);
    menu("d", "Decoder", DECODERS, () => Object.assign(state, { v: 0 }));
    menu("T", "Length of the sentences", SPANS);
    menu("M", "Words of the language, M", SIZES.map((size) => (size ? String(size) : "as typed")));
    dial("y", "Learning rate of the decoder, η_Y", RATES);
    dial("z", "Learning rate of attention, η_Z", RATES);
    menu("v", "Look at", []);
    box.r = D.control({ id: "lab-r", label: "Words exactly as typed, with capitals and marks", texts: [], kind: "box" }, (on) => { flush(); state.r = on; renew(); settle("r"); });
    const [asks, context] = field("input", "lab-c", "or at a context of your own, last word last", { type: "text", autocomplete: "off" }, (value) => { state.c = value; state.v = 0; held = null; settle("c"); });
    const [guesses, guess] = field("input", "lab-g", "Your guess", { type: "text", autocomplete: "off" }, (value) => { state.g = value.trim(); address("g"); if (run?.exact) show(); });
    Object.assign(box, { area, context, guess, own: html("div", { class: "set" }, asks, context), trouble: html("p", { id: "lab-trouble", class: "trouble", role: "alert", hidden: "" }), notes: html("p", { id: "lab-notes", class: "notes" }), counts: region("Counts of each class"),
      progress: html("progress", { max: 1, "aria-label": "Training" }), says: html("p", { class: "says" }), before: html("p", { class: "before" }), said: html("ul", {}), table: region("Attention in numbers"), order: html("p", {}), code: html("pre", { tabindex: 0, "aria-label": "What to take along", hidden: "" }) });
    tell = D.teller(box.says);
    tellBefore = D.teller(box.before);
    box.busy = html("span", { class: "busy", hidden: "" }, box.progress, D.button("Stop", stop));
    const describe = (name, about) => (panels[name] = D.panel({ ...about })).root;
    const drawn = [
      describe("bars", { kind: "bars", title: "attention now", alt: "The sentence below says it in words, the table in numbers.", keys: ["c"], outlines: ["was", "held"], roles: "roles", y: share, slant: true }),
      describe("course", { kind: "lines", title: "attention, over steps", alt: "A line a word, with a vertical line now and one at t0.", over: "t", x: axis, y: share, marks: ["now", "t0"] })];
    const more = [
      describe("error", { kind: "lines", title: "error and entropy, over steps", alt: "Error of the next word and entropy of attention as a share of the largest; dashed: the error by Lemma 5.", over: "t", x: axis, y: share, marks: ["now", "t0"] }),
      describe("graph", { kind: "graph", title: "who beats whom", alt: "Teams from the top down; the sentence below names them.", height: 200 })];
    box.f = D.control({ id: "lab-f", label: "Step", texts: times.map(String) }, (k) => { player.stop(); state.f = k; show(); address(); });
    const player = D.play({ at: () => state.f, last: () => times.length - 1, to: (k) => { state.f = k; show(); address(); }, every: 80 });
    const copy = (words) => { box.code.hidden = false; box.code.textContent = words; navigator.clipboard?.writeText(words).catch(() => {}); };
    box.player = player.node;
    box.hold = D.button("Compare with this run from now on", () => { held = run; state.k = run.settings.key; show(); address("k"); });
    box.drop = D.button("Compare with none", () => { held = null; state.k = ""; show(); address("k"); });
    box.stage = html("div", { class: "stage" }, html("div", { class: "panels" }, drawn[0]), html("div", { class: "controls" }, box.f.root, player.node), box.says, box.before, html("div", { class: "panels" }, drawn[1]), html("p", {}, box.hold, box.drop));
    box.result = html("div", { hidden: "" }, html("p", { class: "head" }, "What theory says of it"), box.said, box.order, html("div", { class: "panels" }, ...more), box.table,
      html("p", {}, D.button("Python script of this experiment", () => copy(script())), D.button("The nearest chapter's command", () => copy(chapter()))), box.code);
    const form = html("div", { class: "form" }, box.e.root, label, area, html("div", { class: "set" }, guesses, guess),
      html("p", { class: "go" }, D.button("Train", () => { flush(); if (state.f < 0) state.f = times.length - 1; address("train"); train(); }), D.button("Back to the start", () => { flush(); Object.assign(state, START); held = null; text = EXAMPLES[0][1]; settle("start"); }), box.busy), box.trouble, box.notes);
    const set = html("div", { class: "controls settings", role: "group", "aria-label": "Settings" }, ...["y", "z", "M", "d", "T", "v"].map((key) => box[key].root), box.own, box.r.root);
    root.replaceChildren(html("div", { class: "desk" }, form, box.stage, set), html("div", { class: "more" }, box.result, box.counts));
  }

  const table = (caption, head, body) => html("table", {}, html("caption", {}, caption), html("tr", {}, ...head.map((name) => html("th", { scope: "col" }, name))), ...body.map((row) => html("tr", {}, ...row.map((cell) => html("td", { dir: "auto" }, String(cell))))));

  // After a change: read the sentences, show the controls and counts; what was trained is no longer the run.
  function settle(act = "") {
    ticket += 1;
    run = null;
    for (const key of ["e", "d", "T", "M", "y", "z", "r"]) box[key].show(state[key]);
    if (box.area.value !== text) box.area.value = text;
    box.guess.value = state.g;
    if (box.context.value !== state.c) box.context.value = state.c;
    box.busy.hidden = true;
    for (const key of ["T", "M", "y"]) box[key].root.hidden = given();
    box.own.hidden = !given();
    address(act);
    box.notes.textContent = "";
    try { if (known?.source !== state.r + text) known = { ...globalThis.Read.read(text, state.r === 1), source: state.r + text }; } catch (error) { known = null; box.counts.replaceChildren(); return trouble(lost ?? error.message); }
    trouble("");
    const notes = [...known.notes], { classes } = known;
    if (state.e === OWN && text.length > MOST.letters) notes.push("Your sentences are too long for the address of this page, which holds the settings alone. This browser keeps them, but who gets the address needs the text too.");
    box.notes.textContent = notes.join(" ");
    const shown = classes.slice(0, 12).map(({ last, next, counts, weight }) => [known.words[last], next, Object.entries(counts).sort((a, b) => b[1] - a[1]).slice(0, 12).map(([j, m]) => `${isolated(known.words[j])} ${m}`).join(", "), weight]);
    box.counts.replaceChildren(table(`${many(known.sentences.length, "sentence")}, ${many(known.words.length, "word")}, ${many(classes.length, "class", "classes")}${classes.length > 12 ? ", of which the first twelve are shown" : ""}.`, ["last word", "next word", "how often each word stands before them", "sentences"], shown));
    const list = views();
    state.v = Math.min(state.v, Math.max(0, list.length - 1));
    box.v.options(list.map(({ name }) => name));
    box.v.show(state.v);
    if (state.f >= 0) return train();
    try { run = prepare(settings()); } catch { box.stage.hidden = box.result.hidden = true; return; }   // said when it is to be trained
    run.keep(0, E.zero(run.data));
    show();
  }

  // All of a view that does not change from step to step, found once.
  function study(run, v) {
    const { frames, look, seen, settings, known } = run, view = seen[v], from = look.start[v], to = look.start[v + 1], { words, owners } = known, all = [...look.token.slice(from, to)];
    const end = (k) => frames.at(-1).c[from + k], order = all.map((_, k) => k).sort((a, b) => end(b) - end(a)).slice(0, 10), ids = order.map((k) => all[k]), names = ids.map((j) => words[j]);
    const games = settings.given ? known.games.filter(({ last }) => last === view.last) : [], graph = games.length ? { ...E.graph(games), games } : null, { said, law } = run.exact ? T.of(run, v, graph) : { said: [] };
    const roles = ids.map((j) => (j === view.last && settings.given ? "query" : !settings.given && owners[j].length > 1 ? "common" : "distinct"));
    const t = frames.map((one) => one.t + 1), error = frames.map((one) => one.error[v]), entropy = frames.map((one) => E.entropy([...one.c.slice(from, to)])), most = Math.log(Math.max(2, to - from));
    const t0 = settings.given ? Infinity : T.snap(settings, known.classes), values = { t, t0: t0 > END ? null : t0 + 1, error, entropy: entropy.map((value) => value / most) };
    order.forEach((k, n) => { values[n] = frames.map((one) => one.c[from + k]); });
    if (!settings.given) {                                             // Lemma 5: a class alone, visited with its share
      const h = E.hStar(END, settings.M, settings.etaY * view.weight / known.sentences.length);
      values.alone = frames.map((one) => (settings.M - 1) * E.speed(h[one.t], settings.M));
    }
    const at = (n) => order.map((_, k) => values[k][n]), was = law ? ids.map((j) => law.get(j) ?? 0) : at(0);
    const winners = names.filter((_, k) => values[k].at(-1) > values[0].at(-1) - 5e-4);
    const ends = winners.length > 1 ? `In the end ${quoted(winners)} have most, and equally much.` : `In the end ${quoted(winners)} has most.`;
    // What the run says of step t, and the frame of it.
    const frame = (t) => frames.findLastIndex((one) => one.t <= t), learns = Number.isFinite(error.at(-1));
    const sentence = (n) => `Step ${frames[n].t}: ${names.slice(0, 4).map((name, k) => `${isolated(name)} ${(100 * at(n)[k]).toFixed(1)} %`).join(", ")}; entropy ${entropy[n].toFixed(3)}${learns ? `, error ${(100 * error[n]).toFixed(1)} %` : ""}.`;
    return { view, graph, said, roles, ids, names, values, at, was, law, winners, ends, frame, sentence, learns };
  }
  const studied = (run, v) => (run.studies ??= [])[v] ??= study(run, v);

  // The run that is compared with, seen as this one is; null where there is none or it is this one.
  function rival(view) {
    if (!held || held.known !== known || held.settings.key === run.settings.key) return null;
    const v = held.seen.findIndex(({ name }) => name === view.name);
    return v < 0 ? null : studied(held, v);
  }

  const SIGNS = { done: "✓ The run does it.", refuted: "✗ Refuted.", silent: "○ Does not apply." };

  function show() {
    const one = studied(run, state.v), { view, graph, said, roles, ids, names, values, at, was, winners, frame, sentence, learns, law } = one, { words } = known, trained = Boolean(run.exact);
    const t = trained ? times[state.f] : 0, n = frame(t), marks = { ...values, now: run.frames[n].t + 1 }, other = trained ? rival(view) : null, m = other?.frame(t);
    const of = (k) => other.ids.indexOf(ids[k]), before = other && names.map((_, k) => (of(k) < 0 ? 0 : other.values[of(k)][m])), ghost = (key, role) => ({ x: other.values.t, y: other.values[key], role });
    box.stage.hidden = false;
    box.result.hidden = !trained;
    panels.course.root.toggleAttribute("hidden", !trained);
    const kinds = [["distinct", given() ? "a word" : "of one next word"], ["common", "shared"], ["query", "the last word"]].filter(([role]) => roles.includes(role)), compared = (role) => (other ? [[role, "the run compared with"]] : []);
    panels.bars.move({ labels: names, c: at(n), was: trained ? was : undefined, held: before ?? undefined, roles, legend: [...kinds.map(([role, name]) => [`bar ${role}`, name]), ...(trained ? [["ghost", law ? "the automaton's odds" : "start"]] : []), ...compared("ghost held solid")] });
    if (trained) {
      panels.course.move({ ...marks, curves: names.map((name, k) => ({ key: k, role: roles[k], label: k < 3 ? name : "" })), ghosts: other ? names.slice(0, 4).flatMap((_, k) => (of(k) < 0 ? [] : [ghost(of(k), roles[k])])) : [], legend: [["when", values.t0 === null ? "now" : "now, and t₀"], ...compared("ghost held")] });
      panels.error.move({ ...marks, curves: [{ key: "entropy", role: "query" }, ...(learns ? [{ key: "error", role: "simulation" }] : []), ...(values.alone ? [{ key: "alone", role: "theory", dashed: true }] : [])], ghosts: other ? [ghost("entropy", "query"), ...(learns && other.learns ? [ghost("error", "simulation")] : [])] : [],
        legend: [["curve query", "entropy, of the largest"], ...(learns ? [["curve simulation", "error"]] : []), ...(values.alone ? [["curve theory dashed", "error of the class alone (Lemma 5)"]] : [])] });
      const tokens = graph ? [...graph.component.keys()] : [], drawn = tokens.length && tokens.length <= 12;
      panels.graph.root.toggleAttribute("hidden", !drawn);
      if (drawn) {
        const place = D.rows(graph.components, 3);
        panels.graph.move({ labels: tokens.map((j) => words[j]), x: tokens.map((j) => place.x[j]), y: tokens.map((j) => place.y[j]), off: [], roles: tokens.map((j) => (j === view.last ? "query" : "theory")), edges: graph.edges.map(([i, j, inner]) => [tokens.indexOf(i), tokens.indexOf(j), inner]) });
      }
    }
    box.order.textContent = graph && trained ? `Who beats whom before “${isolated(words[view.last])}”, teams from the top: ${graph.components.slice(0, 12).map((team) => `{${team.slice(0, 6).map((j) => isolated(words[j])).join(", ")}}`).join(" ")}.` : "";
    const asked = state.r ? state.g : tidy(state.g), guess = !state.g ? "" : winners.includes(asked) ? " Your guess was right." : known.ids.has(asked) ? ` Your guess was “${isolated(asked)}”.` : ` Your guess “${isolated(asked)}” stands in none of the sentences.`;
    const coarse = run.tolerance > 1e-4 ? ` (From step ${run.exact} on in steps of growing length, each off by ${run.tolerance.toPrecision(1)} at most.)` : "";
    const now = other ? `Now ${told(different(run.settings, held.settings), "is")}. ` : "";
    tell(trained ? `${now}${sentence(n)} ${one.ends}${guess}${coarse}` : `Before training: ${names.slice(0, 4).map((name, k) => `${isolated(name)} ${(100 * at(0)[k]).toFixed(1)} %`).join(", ")}.`);
    tellBefore(other ? `Before, ${told(different(held.settings, run.settings), "was")}. ${other.sentence(m)} ${other.ends}` : "");
    box.said.replaceChildren(...said.map(([verdict, line, where]) => html("li", {}, ...(verdict ? [html("strong", { class: verdict }, SIGNS[verdict]), " "] : []), ...D.subscripts(line), " ", html("a", { href: `${where}.html`, "aria-label": `The chapter: ${where.split("/")[1].replaceAll("_", " ")}` }, "The chapter."))));
    const last = run.frames.length - 1, step = run.frames[n].t, columns = [["start", 0], ...(n > 0 && n < last ? [[`step ${step}`, n]] : []), ["step 10000", last]];
    const rows = names.map((name, k) => [name, given() ? "" : roles[k], ...columns.map(([, at]) => `${(100 * values[k][at]).toFixed(2)} %`), ...(other ? [`${(100 * before[k]).toFixed(2)} %`] : [])]);
    box.table.replaceChildren(table("Attention", ["word", "kind", ...columns.map(([name]) => name), ...(other ? [`step ${step} of the run compared with`] : [])], rows));
    box.hold.hidden = !trained || held?.settings.key === run.settings.key;
    box.drop.hidden = !trained || !held;
    box.f.input.disabled = box.player.disabled = !trained;
    box.f.show(Math.max(0, state.f));
  }

  // ---- The whole state in the address.  An act of the reader makes an entry of its history, the same again changes that entry.
  let lost = null;                                                     // what is said where sentences did not come with an address
  function address(act = "") {
    const asked = new URLSearchParams(), own = state.e === OWN;
    for (const key in START) if (String(state[key]) !== String(START[key]) && key !== "s") asked.set(key, state[key]);
    if (own && text.length <= MOST.letters) asked.set("s", text);
    if (own && text.length > MOST.letters) asked.set("n", mark(text));
    if (act && act !== "start") lost = null;
    const where = `${location.pathname}${location.search}${[...asked].length ? `#${asked}` : ""}`, more = act && act !== last && act !== "";
    try { history[more ? "pushState" : "replaceState"]({ text: own ? text : null }, "", where); } catch { /* too often, says a browser */ }
    if (act) last = act;
  }

  function fromAddress(entry) {
    const asked = new URLSearchParams(location.hash.slice(1)), sizes = { e: OWN + 1, d: DECODERS.length, y: RATES.length, z: RATES.length, T: LENGTHS.length, M: SIZES.length, f: times.length, v: 400, r: 2 };
    Object.assign(state, START);
    for (const key in START) {
      const value = asked.get(key);
      if (value === null) continue;
      if (key === "k") { const parts = value.split("."); if (parts.length === KEYS.length && parts.every((part, n) => /^\d$/.test(part) && part < sizes[KEYS[n]])) state.k = value; }
      else if (!(key in sizes)) state[key] = value;
      else if (Number.isInteger(Number(value)) && value >= 0 && value < sizes[key]) state[key] = Number(value);
    }
    const mine = kept(), short = asked.get("s"), long = asked.get("n");
    text = state.e < OWN ? EXAMPLES[state.e][1] : short ?? entry?.text ?? (mine !== null && (!long || mark(mine) === long) ? mine : "");
    lost = state.e === OWN && !text && long ? "The sentences of this address were too long for it, and this browser does not have them. Ask who sent it for the text, and paste it here." : null;
    if (state.e === OWN && text === short && mine === null) keep(text);
    held = null;
    last = "";
  }

  addEventListener("popstate", ({ state: entry }) => {
    if (location.hash && !location.hash.includes("=")) return;         // a place on the page
    clearTimeout(pending);
    pending = null;
    fromAddress(entry);
    settle();
  });

  // The same experiment on lib; what it prints is what the page shows.
  function script() {
    const { words, nexts, classes } = known, L = words.length, list = samples(), view = views()[state.v], size = settings().modified ? settings().M : L;
    if (list.length * L > 40000) return "# This is too much for a script. A chapter takes a text of 10,000 words or more from a file:\nmake chapter CH=real-text.your-own-text P=\"corpus=/path/to/text.txt\"";
    const row = ({ counts }, width) => `[${E.range(width).map((j) => counts[j] ?? 0).join(", ")}]`, rows = (width) => `[\n${list.map((one) => `    ${row(one, width)},`).join("\n")}\n]`, weight = E.sum(list.map((one) => one.weight ?? 1));
    const last = `[${list.map((one) => one.last).join(", ")}]`, label = `[${list.map((one) => one.label).join(", ")}]`, share = `np.array([${list.map((one) => one.weight ?? 1).join(", ")}]) / ${weight}`;
    const end = `\nview = np.array(${row(view, size)})\nfor step, Z in zip(steps, runs):\n    weights = view * np.exp(Z[${view.last}] - Z[${view.last}].max())\n    print(step, *(f"{word} {p:.4f}" for word, p in zip(words, weights / weights.sum()) if p))\n`;
    const head = (imports) => `import numpy as np\n\n${imports}\n\nwords = ${JSON.stringify(words)}\nsteps = [1, 10, 100, 1000, 10000]\ncounts = np.array(${rows(size)})\nlast, label = ${last}, ${label}\n`;
    if (given()) return `${head("from lib.mechanics.descent import descend\nfrom lib.mechanics.samples import NextTokenData")}data = NextTokenData(counts, last, label, np.eye(${L}))\nfound = descend(np.zeros((${L}, ${L})), data, ${RATES[state.z]}, 10000, observe=lambda block: {"Z": block.swapaxes(1, 2)})[1]["Z"]\nruns = found[steps]\n${end}`;
    if (settings().modified) return `${head("from lib.scan_snap.joint_ascent import joint_ascent\nfrom lib.scan_snap.sequence_classes import SequenceClasses")}table = counts / counts.sum(axis=1, keepdims=True)\nclasses = SequenceClasses(table, last, label, ${share})\nruns = joint_ascent(classes, ${RATES[state.y]}, ${RATES[state.z]}, steps, "modified").Z\n${end}`;
    return `${head("from lib.bridge.joint_training import joint_descent, one_hot_data")}data = one_hot_data(counts, last, label, ${share})\nY, Z = np.zeros((${L}, ${settings().M})), np.zeros((${L}, ${L}))  # ${classes.length} classes\nruns = joint_descent(data, Y, Z, steps, eta_y=${RATES[state.y]}, eta_z=${RATES[state.z]}, normalize=True).Z\n${end}`;
  }

  // The chapter that is run on these sentences, where there is one; else the nearest, and what is not the reader's there.
  function chapter() {
    const eta = RATES[state.y], by = RATES[state.z], own = (CH, P = "") => `make chapter CH=${CH}${P && ` P="${P}"`}`;
    if (state.e === 0 && state.d === 0 && eta >= 0.5 && by >= eta && by <= 2 * eta && eta <= 2) return own("scan-snap.figure-02", `eta_y=${eta} eta_z=${by}`);
    if (EXAMPLES[state.e]?.[0] === "The five samples" && given()) return `# The sentences of the chapter's picture, table and walk:\n${own("mechanics.token-priority-graph")}`;
    const wanted = given()
      ? { CH: "mechanics.token-priority-graph", K: [known.words.length, 4, 8], T: [Math.max(...known.games.map(({ counts }) => E.sum(Object.values(counts)))), 2, Math.min(8, Math.max(4, known.words.length))] }
      : { CH: "scan-snap.theorem-04", M: [settings().M, 100, 2000], K: [known.classes.length, 3, 50], eta_y: [eta, 0.1, 1], eta_z: [by, 0.1, 1] };
    const { CH, ...asked } = wanted, near = ([value, low, high]) => Math.min(high, Math.max(low, value)), values = Object.fromEntries(Object.entries(asked).map(([name, one]) => [name, near(one)]));
    const more = given() ? { d: values.K + 2 } : { c0: near([2 * values.K * values.eta_z / values.eta_y, 0.5, 4]) }, off = Object.keys(asked).filter((name) => values[name] !== asked[name][0]);
    return `# No chapter takes sentences. The nearest one draws its own data, with your sizes and rates${off.length ? `, but for ${off.map((name) => `${name} = ${values[name]} (yours: ${asked[name][0]})`).join(", ")}` : ""}:\n${own(CH, Object.entries({ ...values, ...more }).map(([name, value]) => `${name}=${value}`).join(" "))}`;
  }

  build();
  fromAddress(history.state);
  settle();
})();
