// The ranking of the search: BM25F over what a place is called, what it says first, what other pages
// say where they lead to it, and all its words. It comes, with the index, when somebody first types.
(() => {
  const greek = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"
    + " rho sigma sigma tau upsilon phi chi psi omega").split(" ");
  const long = { thm: "theorem", th: "theorem", lem: "lemma", cor: "corollary", rem: "remark", fig: "figure",
    sec: "section", eq: "equation", eqn: "equation", eqs: "equation" };
  const idle = new Set(("a about all an and any are as at be been but by can could did do does explain find for from get gets had has have how i if in"
    + " is it its me my of on or see should show so tell than that the their them then there these they this to us was we were"
    + " what when where which who whose why will with would you").split(" "));
  const number = /\d/;

  // Chosen on queries whose pages were known. A field: its weight, and how far its length counts.
  const tuned = {
    names: [34, 0.14], title: [3.2, 0.36], lead: [1.9, 0.08], asked: [18, 0.3], told: [2.1, 0.77], text: [0.63, 0.26],
    levels: [1, 2.5, 5, 10], // how often the words of each part of a text are said
    saturation: 16, // the weight at which a word has half of its effect
    rarity: 0.74, coverage: 0.3, // powers of how rare a word is, of how much of the query is met
    beginning: 0.32, instead: 0.15, pair: 0.68, number: 0.3, part: 0.1, // against a word that stands there itself
    called: 13, span: 6, // what it adds to be called so, and the power of the name's share of the query
    path: 1.07, page: 1, within: 0.2, listed: 0.08, // kinds of places
  };

  // One form for British and American, for one and many, for what is done and doing it.
  const endings = /(?<=...)[iy][sz](e|ed|es|er|ing|ation|ations)$|(?<=...)(ing|ed)$/;
  const stems = new Map(); // of each word once
  const stem = (word) => stems.get(word) ?? stems.set(word, word.length < 4 ? word : word.replace(/ies$/, "y")
    .replace(/([^su])s$/, "$1").replace(endings, "").replace(/our(?=$|al|ite)/, "or").replace(/tre$/, "ter")
    .replace(/ogue$/, "og").replace(/(?<=....)([ae]nc[ey]|[ae]nt|ity|ly|ion)$/, "").replace(/(?<=...)[ey]$/, "")
    .replace(/(.)\1$/, "$1")).get(word);
  const kinds = new Set(["erratum", "question", "assumption", ...Object.values(long)].map(stem));

  // A text as it is compared: "Eq43" is "equation 43", "E′" is "e prime", "β" is "beta".
  const words = (text) => {
    const all = text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/\*/g, " star ")
      .replace(/\b([a-z])['′’]/g, "$1 prime ").replace(/['’]/g, "").replace(/ϵ/g, "ε")
      .replace(/[α-ω]/g, (letter) => ` ${greek[letter.charCodeAt() - 945]} `)
      .replace(/([a-z])(?=\d)|(\d)(?=[a-z])/g, "$& ").match(/[a-z]+|\d+/g) ?? [];
    const telling = all.filter((word) => !idle.has(word));
    return (telling.length ? telling : all).map((word) => stem(long[word] ?? word));
  };
  const pairs = (all) => all.slice(1).map((word, k) => all[k] + word); // two words without their blank

  // The words of each field of a place, and how often they are said.
  const said = (text) => words(text).map((word) => [word, 1]);
  const joined = (all) => [...all, ...pairs(all.map(([word]) => word)).map((word) => [word, 1])];
  const often = (text = "") => text.split("|").flatMap((part, level) => words(part).map((word) => [word, tuned.levels[level]]));
  const counted = ({ names, title, lead, about, asked = "", told, text }) => ({ names: names.flatMap((name) => joined(said(name))),
    title: joined(said(title)), lead: joined(said(lead ?? about)), asked: joined(said(asked)), told: often(told), text: often(text) });

  const prepared = ({ places, same }) => {
    const index = new Map(); // for each word, or pair, the places that say it, each with a weight
    const all = places.map(counted);
    for (const field of ["names", "title", "lead", "asked", "told", "text"]) {
      const sizes = all.map((one) => one[field].length).filter(Boolean), [weight, slope] = tuned[field];
      const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
      all.forEach((one, id) => {
        const share = weight / (1 - slope + slope * one[field].length / mean);
        for (const [word, times] of one[field]) {
          const its = index.get(word) ?? index.set(word, new Map()).get(word);
          its.set(id, (its.get(id) ?? 0) + share * times);
        }
      });
    }
    const known = new Set(all.flatMap(({ text }) => text.map(([word]) => word))); // no pairs
    for (const { names, title } of places) for (const text of [title, ...names]) words(text).forEach((word) => known.add(word));
    const instead = new Map(); // for a word, or words, what others say
    for (const set of same.map((one) => one.map(words))) for (const one of set) {
      instead.set(one.join(" "), [...instead.get(one.join(" ")) ?? [], ...set.filter((other) => other !== one)]);
    }
    const page = places.map(({ url }) => url.split("#")[0]), many = new Set(page).size;
    const rarity = (its) => {
      const on = new Set([...its.keys()].map((id) => page[id])).size;
      return Math.log(1 + (many - on + 0.5) / (on + 0.5)) ** tuned.rarity;
    };
    const called = places.map(({ names, title }) => new Set([...names, title].map((one) => words(one).join(""))));
    return { index, known, instead, page, rarity, called };
  };

  // How many letters must be changed, left out, put in or exchanged to make one word of another.
  const slips = (one, other) => {
    let before = [], last = [], row = [...Array(other.length + 1).keys()];
    for (let i = 1; i <= one.length; i++) {
      [before, last, row] = [last, row, [i]];
      for (let j = 1; j <= other.length; j++) {
        row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] !== other[j - 1]));
        if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
      }
    }
    return row[other.length];
  };
  // A word as the book has it: the one of most weight that one or two slips make of it, or its beginning.
  const mended = ({ index, known }, word) => {
    if (number.test(word) || index.has(word) || [...known].some((one) => one.startsWith(word))) return word;
    const most = Math.min(2, Math.ceil(word.length / 2) - 1);
    let best = "", vote = 0;
    for (const one of known) {
      const far = Math.abs(one.length - word.length) > most ? Infinity : slips(word, one);
      if (far > most) continue;
      const weight = Math.log(1 + [...index.get(one).values()].reduce((sum, one) => sum + one, 0)) / far ** 4;
      if (weight > vote) [best, vote] = [one, weight];
    }
    for (let size = word.length - 1; !best && size > 3; size--) best = known.has(word.slice(0, size)) ? word.slice(0, size) : "";
    return best || word;
  };

  // Where a word stands, and its beginning, and what is said instead of it: places with their weights.
  const standing = ({ index, instead }, query, at, begins) => {
    const word = query[at], its = new Map(index.get(word));
    const add = (id, weight) => its.set(id, (its.get(id) ?? 0) + weight);
    if (begins && word.length > 1 && !number.test(word)) for (const [one, ids] of index) {
      if (one !== word && one.startsWith(word)) for (const [id, weight] of ids) add(id, tuned.beginning * weight * word.length / one.length);
    }
    for (let from = 0; from <= at; from++) for (const other of instead.get(query.slice(from, at + 1).join(" ")) ?? []) {
      const all = other.map((one) => index.get(one) ?? new Map()); // all words of it
      for (const id of all[0].keys()) if (all.every((one) => one.has(id))) {
        add(id, tuned.instead * Math.min(...all.map((one) => one.get(id))));
      }
    }
    return its;
  };

  window.findPages = (data, typed, most = 8) => {
    const { places } = data, ready = data.prepared ||= prepared(data), { index, known, page, rarity, called } = ready;
    const asked = words(typed), query = asked.map((word) => mended(ready, word));
    // What is looked for, with its share: each word, and two side by side. A number belongs to the word
    // before it, and says little without one; two words that the book writes as one are one.
    const shares = query.map((word) => number.test(word) && query.length > 1 ? tuned.number : 1), parts = [];
    pairs(query).forEach((pair, k) => {
      const one = number.test(pair) ? index.has(pair) && kinds.has(query[k]) : pair.length > 5 && known.has(pair);
      if (one) for (const at of [k, k + 1]) shares[at] = tuned.part;
      if (index.has(pair)) parts.push({ its: index.get(pair), rare: rarity(index.get(pair)), share: one ? 2 : tuned.pair, counts: one });
    });
    query.forEach((word, at) => {
      const its = standing(ready, query, at, at === query.length - 1 || !index.has(word));
      if (its.size) parts.push({ its, rare: rarity(index.get(word) ?? its), share: shares[at], counts: true });
    });
    const scores = new Map();
    let whole = 0;
    for (const { its, rare, share, counts } of parts) {
      if (counts) whole += share * rare;
      for (const [id, weight] of its) {
        const its = scores.get(id) ?? scores.set(id, { id, score: 0, met: 0 }).get(id);
        its.score += share * rare * weight / (weight + tuned.saturation);
        if (counts) its.met += share * rare;
      }
    }
    // The longest part of the query that is a name of the place.
    const spans = [];
    for (let size = query.length; size; size--) for (let from = 0; from + size <= query.length; from++) {
      spans.push([query.slice(from, from + size).join(""), (size / query.length) ** tuned.span]);
    }
    for (const one of scores.values()) {
      const name = spans.find(([span]) => called[one.id].has(span))?.[1] ?? 0;
      one.score *= (one.met / whole) ** tuned.coverage * tuned[places[one.id].kind] * (1 + tuned.called * name);
    }
    const seen = new Set(), found = []; // a page stands once, by its best place
    for (const { id } of [...scores.values()].sort((a, b) => b.score - a.score)) {
      if (found.length < most && !seen.has(page[id])) found.push(places[id]);
      seen.add(page[id]);
    }
    found.exchanged = asked.map((word, k) => [word, query[k]]).filter(([one, other]) => one !== other);
    return found;
  };
})();
