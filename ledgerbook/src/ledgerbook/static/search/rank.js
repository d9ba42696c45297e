// The ranking of the search: MiniSearch over what a place is called, what it says first, the questions
// that it answers, and all its words. It comes, with the index, when somebody first types.
(() => {
  const greek = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"
    + " rho sigma sigma tau upsilon phi chi psi omega").split(" ");
  const long = { thm: "theorem", th: "theorem", lem: "lemma", cor: "corollary", rem: "remark", fig: "figure",
    sec: "section", eq: "equation", eqn: "equation", eqs: "equation" };
  const idle = new Set(("a about all an and any are as at be been but by can could did do does explain find for from get gets had has have how i if in"
    + " is it its me my of on or see should show so tell than that the their them then there these they this to us was we were"
    + " what when where which who whose why will with would you").split(" "));
  const number = /\d/;

  // One form for British and American, for one and many, for what is done and doing it.
  const endings = /(?<=...)[iy][sz](e|ed|es|er|ing|ation|ations)$|(?<=...)(ing|ed)$/;
  const stems = new Map(); // of each word once
  const stem = (word) => stems.get(word) ?? stems.set(word, word.length < 4 ? word : word.replace(/ies$/, "y")
    .replace(/([^su])s$/, "$1").replace(endings, "").replace(/our(?=$|al|ite)/, "or").replace(/tre$/, "ter")
    .replace(/ogue$/, "og").replace(/(?<=....)([ae]nc[ey]|[ae]nt|ity|ly|ion)$/, "").replace(/(?<=...)[ey]$/, "")
    .replace(/(.)\1$/, "$1")).get(word);

  // A text as it is compared: "Eq43" is "equation 43", "E′" is "e prime", "β" is "beta", "1,500" is "1500", and
  // an accent is none, in Unicode as in LaTeX.
  const words = (text, form = stem) => {
    const all = text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/\\(tilde|hat|bar|dot)\b/g, " ").replace(/\*/g, " star ").replace(/\bq\.? ?(?=\d)/g, "question ")
      .replace(/\b([a-z])['′’]/g, "$1 prime ").replace(/['’]/g, "").replace(/ϵ/g, "ε").replace(/(\d),(?=\d{3})/g, "$1")
      .replace(/[α-ω]/g, (letter) => ` ${greek[letter.charCodeAt() - 945]} `)
      .replace(/([a-z])(?=\d)|(\d)(?=[a-z])/g, "$& ").match(/[a-z]+|\d+/g) ?? [];
    const telling = all.filter((word) => !idle.has(word));
    return (telling.length ? telling : all).map((word) => form(long[word] ?? word));
  };
  const pairs = (all) => all.slice(1).map((word, k) => all[k] + word); // two words without their blank
  const joined = (all) => [...all, ...pairs(all)];

  // A formula as it is compared: its signs in threes, in a row, LaTeX and plain letters alike, without
  // what only places them.  "e^{Mh}" is "e M h", and "2K ln M / eta_Y" is in \frac{2K\ln M}{\eta_Y}.
  const named = new Set([...greek, ..."ln log exp min max top sum infty diag svm fin".split(" ")]);
  const placing = /\\(left|right|[bB]igg?[lr]?|[dt]?frac|text|operatorname|math[a-z]+|rm|bar|tilde|hat|dot|ddot|cdot|q?quad|nonumber)(?![a-z])|\\[^a-zA-Z]/g;
  const threes = (formula) => {
    const all = (formula.replace(placing, " ").replace(/[α-ω]/g, (letter) => ` ${greek[letter.charCodeAt() - 945]} `)
      .replace(/ϵ|\\var(?=[a-z])/g, (one) => one === "ϵ" ? " epsilon " : "\\").match(/\\?[a-zA-Z]+|\d+|[^\s\w^{}\\\/&,.;:]/g) ?? [])
      .flatMap((one) => one[0] === "\\" ? [one.slice(1)] : named.has(one) || !/[a-zA-Z]{2}/.test(one) ? [one] : [...one]);
    return all.slice(2).map((_, k) => all.slice(k, k + 3).join(" "));
  };
  const formula = /[\\^_=+{}]|[α-ω]/;

  // Chosen on queries whose pages were known: the weights of the fields, by how much a part of a page,
  // or an entry of a list, counts less than a page, and a place of just this name, or number, more.
  const boost = { names: 4, title: 2, lead: 2, asked: 4, text: 1 }, partly = 0.1, just = 10, signs = 8;

  const prepared = ({ places }) => {
    const index = new MiniSearch({
      fields: [...Object.keys(boost), "formulas"],
      extractField: (place, field) => [place[field] ?? ""].flat().join("\n"),
      tokenize: (text, field) => field === "formulas" ? text.split("\n").flatMap(threes) : field === "text" ? words(text) : text.split("\n").flatMap((one) => joined(words(one))),
      processTerm: (word) => word,
      searchOptions: { tokenize: (word) => [word], boost, fields: Object.keys(boost) },
    });
    index.addAll(places.map((one, id) => ({ lead: one.about, ...one, id })));
    const names = places.map(({ names, title }) => new Set([...names, title].map((one) => words(one).join(""))));
    return { index, names };
  };

  // A word as the book has it: two letters exchanged, or the one of most weight that one other letter, one
  // letter less before its ending, or two other letters make of it. Two words without their blank, or the
  // beginning of one, are in order.
  const mended = (index, word, typed) => {
    const has = (one) => index.search(one).length;
    if (number.test(word) || has(word) || index.search(word, { prefix: true, fields: ["text"] }).length) return word;
    for (let k = 1; k < word.length; k++) {
      const one = word.slice(0, k - 1) + word[k] + word[k - 1] + word.slice(k + 1);
      if (has(one)) return one;
    }
    const less = [...typed].map((_, k) => stem(typed.slice(0, k) + typed.slice(k + 1)));
    for (const [forms, fuzzy, least] of [[[word], 1, 3], [less, 0, 5], [[word], 2, 5]]) if (word.length >= least) {
      const votes = {};
      for (const { terms, score } of forms.flatMap((form) => index.search(form, { fuzzy }))) {
        for (const one of terms) votes[one] = (votes[one] ?? 0) + score;
      }
      const [best] = Object.keys(votes).sort((a, b) => votes[b] - votes[a]);
      if (best) return best;
    }
    return word;
  };

  window.findPages = (data, typed, most = 8) => {
    const { places } = data, { index, names } = data.prepared ||= prepared(data);
    const asked = words(typed), letters = words(typed, (word) => word);
    const query = asked.map((word, k) => mended(index, word, letters[k]));
    const called = [query.join(""), ...pairs(query).filter((pair) => number.test(pair))];
    const rows = formula.test(typed) ? threes(typed) : [], weight = { fields: ["formulas"], boost: { formulas: signs } };
    const found = index.search(
      { queries: [{ queries: rows, ...weight }, ...query.map((word) => ({ queries: [word], prefix: word.length > 2 && !index.search(word).length })), ...pairs(query)] },
      { boostDocument: (id) => (places[id].whole ? 1 : partly) * (called.some((name) => names[id].has(name)) ? just : 1) },
    );
    const pages = new Map(); // each once, by its best place
    for (const { id } of found) {
      const page = places[id].url.split("#")[0];
      if (!pages.has(page)) pages.set(page, places[id]);
    }
    const best = [...pages.values()].slice(0, most);
    best.exchanged = asked.map((word, k) => [word, query[k]]).filter(([one, other]) => one !== other);
    return best;
  };
})();
