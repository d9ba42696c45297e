// What a reader typed, as counts of words.  One global, ``Read``, which runs without a page too (tests/tooling/test_lab_read.py).
"use strict";
globalThis.Read = (() => {
  const MOST = { words: 60000, sentences: 400, different: 3000, long: 1000, times: 10000 }, WINDOW = 8;
  const ARROW = /→|->|=>/, BACK = /←|<-/, RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
  const OUTSIDE = ".,;:!?…\"“”„‚‘’'`«»‹›()\\[\\]{}¡¿–—。、，！？；：「」『』،؛؟", EDGES = new RegExp(`^[${OUTSIDE}-]+|[${OUTSIDE}-]+$`, "gu");
  const ENDS = /[.!?…。！？؟]["'”’»)\]]*$/u, BREAK = /(?<=[.!?…。！？؟]["'”’»)\]]*)\s+/u;
  const fail = (words) => { throw new Error(words); };
  const cut = (line) => line.match(/\S+/g) ?? [];
  const many = (n, one, more = `${one}s`) => `${n} ${n === 1 ? one : more}`;

  // A word as it is counted: in small letters, without what stands around it; one of signs alone is left as it is.
  const tidy = (word) => word.toLowerCase().replace(EDGES, "") || word;

  // A text without arrows: lines are sentences where they end like some, or where nothing ends one; else sentences go up
  // to their full stops; one line without any is cut into windows.  Returns the sentences, and in words how they were found.
  function plain(lines) {
    const text = lines.join(" "), pieces = text.split(BREAK), ended = lines.filter((line) => ENDS.test(line)).length;
    const inside = lines.filter((line) => line.split(BREAK).length > 1).length;
    if (lines.length > 1 && inside < lines.length / 3 && (ended > 0.6 * lines.length || pieces.length === 1)) return [lines, "one a line"];
    if (pieces.length > 2) return [pieces, "each up to its full stop"];
    const all = cut(text), least = WINDOW + 2;
    if (all.length < least) fail("No line has an arrow. Write the next word behind one, as in  strum play chord band → guitar ; or paste sentences, one a line, or a text of ten words or more.");
    return [Array.from({ length: all.length - WINDOW }, (_, k) => all.slice(k, k + WINDOW + 1).join(" ")), null];
  }

  // source, and whether words are taken as they are typed.  Throws an Error with one line for the reader.
  function read(source, typed = false) {
    const lines = source.normalize("NFC").split("\n").map((line) => line.trim()).filter(Boolean), ids = new Map(), sentences = [], changed = new Map();
    if (!lines.length) fail("There is no sentence yet. Write one a line, an arrow and its next word: strum play chord band → guitar");
    const clean = (word) => {
      const found = typed ? word : tidy(word), how = found === word ? null : found === word.toLowerCase() ? "capital" : "mark";
      if (how && !changed.has(how)) changed.set(how, `“${word}” is read as “${found}”`);
      return found;
    };
    const id = (word) => ids.get(word) ?? ids.set(word, ids.size).size - 1;
    const side = (line) => (ARROW.test(line) ? line.split(ARROW) : RTL.test(line) ? line.split(BACK) : [line]);
    const notes = [];
    let parts;
    if (lines.some((line) => side(line).length > 1)) {
      parts = lines.map((line, k) => {
        const sides = side(line);
        if (sides.length !== 2) fail(`Line ${k + 1} has ${sides.length === 1 ? "no arrow" : "two arrows"}: “${line.slice(0, 40)}”.`);
        return [...sides.map(cut), k + 1, true];
      });
      if (parts.length > MOST.sentences) fail(`${parts.length} sentences are too many for a page: ${MOST.sentences} at most.`);
    } else {
      const [found, how] = plain(lines);
      const long = found.map((line, k) => [cut(line).filter((word) => typed || word.replace(EDGES, "")), k + 1]).filter(([words]) => words.length > 2);
      if (!long.length) fail("No line has an arrow, and no sentence has three words: one to look at, the last one, which looks, and the next word.");
      parts = long.slice(0, MOST.sentences).map(([words, k]) => [words.slice(0, -1), words.slice(-1), k]);
      notes.push(how ? `Read as ${many(parts.length, "sentence")}, ${how}. The last word of each is its next word.` : `Read as ${many(parts.length, "sentence")} of ${WINDOW} words, one from each word on, because no line has an arrow and nothing ends a sentence.`);
      if (found.length > long.length) notes.push(`${many(found.length - long.length, "sentence")} of fewer than three words ${found.length - long.length === 1 ? "is" : "are"} left out.`);
      if (long.length > parts.length) notes.push(how ? `The last ${many(long.length - parts.length, "sentence")} of your text are left out, because a page takes ${MOST.sentences}.` : `The last ${many(long.length - parts.length, "word")} of your text are left out.`);
    }
    const size = parts.reduce((total, [words]) => total + words.length, 0);
    if (size > MOST.words) fail(`${size} words are too many for a page: ${MOST.words} in all.`);
    for (const [words, next, k, arrow] of parts) {
      const line = arrow ? `Line ${k}` : `Sentence ${k}`;
      if (next.length !== 1) fail(`${line} has ${next.length ? "more than one next word" : "no next word"} behind its arrow.`);
      if (words.length < 2) fail(`${line} needs two words before the arrow: one to look at, and the last one, which looks.`);
      if (words.length > MOST.long) fail(`${line} has ${words.length} words: 1,000 at most.`);
      const counts = {}, times = (word) => (arrow && word.includes("*") && /^(.+)\*(\d+)$/.exec(word)) || null, single = [words.at(-1), next[0]].find(times);
      if (single) fail(`${line}: “${single}” cannot have a number. The last word looks once, and the next word comes once.`);
      for (const word of words.slice(0, -1)) {
        const found = times(word), number = found ? Number(found[2]) : 1;
        if (number > MOST.times) fail(`${line}: “${word.slice(0, 30)}” is too often for a page: ${MOST.times} times at most.`);
        if (number) { const j = id(clean(found ? found[1] : word)); counts[j] = (counts[j] ?? 0) + number; }
      }
      if (!Object.keys(counts).length) fail(`${line} has no word to look at.`);
      sentences.push({ counts, last: id(clean(words.at(-1))), next: clean(next[0]), line: words.slice(0, 20).join(" ") });
    }
    if (ids.size > MOST.different) fail(`${ids.size} different words are too many for a page: 3,000 at most.`);
    if (changed.size) notes.push(`Words are read in small letters and without the marks around them: ${[...changed.values()].join(", ")}.`);
    return { ids, sentences, notes, ...classes([...ids.keys()], ids, sentences) };
  }

  // Classes: a last word with a next word each.  games: what a given decoder trains on, which looks at the last word too.
  function classes(words, ids, sentences) {
    const nexts = [...new Set(sentences.map(({ next }) => next))], found = new Map(), owners = words.map(() => []);
    for (const { counts, last, next } of sentences) {
      const key = `${last} ${next}`, one = found.get(key) ?? { counts: {}, last, next, label: nexts.indexOf(next), weight: 0, name: `${isolated(words[last])} … ${isolated(next)}` };
      for (const j in counts) one.counts[j] = (one.counts[j] ?? 0) + counts[j];
      one.weight += 1;
      found.set(key, one);
    }
    const all = [...found.values()], follows = new Map(), games = sentences.map(({ counts, last, next, line }) => ({ counts: { ...counts, [last]: (counts[last] ?? 0) + 1 }, last, label: ids.get(next) ?? -1, next, name: `${isolated(line.slice(0, 40))} → ${isolated(next)}` }));
    for (const one of all) { follows.set(one.next, (follows.get(one.next) ?? 0) + 1); for (const j in one.counts) owners[j].push(one); }
    return { words, nexts, classes: all, twice: nexts.filter((next) => follows.get(next) > 1), games: games.filter(({ counts, label }) => counts[label]), silent: games.filter(({ counts, label }) => !counts[label]), owners };
  }

  // Words that run from the right keep to themselves within a sentence that runs from the left.
  const isolated = (word) => (RTL.test(word) ? `\u2068${word}\u2069` : word);
  const quoted = (list, most = 5) => list.slice(0, most).map((word) => `“${isolated(word)}”`).join(", ") + (list.length > most ? ` and ${list.length - most} more` : "");

  return { MOST, read, tidy, many, isolated, quoted };
})();
