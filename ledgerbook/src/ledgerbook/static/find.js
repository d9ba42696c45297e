// The search of the dialog: what stands there while one types, and where Return leads.
// The index and MiniSearch, which asks it, come when the dialog is first typed into.
(() => {
  const greek = ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"
    + " rho sigma sigma tau upsilon phi chi psi omega").split(" ");
  const long = { thm: "theorem", th: "theorem", lem: "lemma", cor: "corollary", rem: "remark", fig: "figure",
    sec: "section", eq: "equation", eqn: "equation", eqs: "equation" };
  const idle = new Set(("a an and are can do does from how i in is it my of on the there this to what when"
    + " where which why with").split(" "));
  const number = /\d/;

  // One form for British and American, for one and many, for what is done and doing it.
  const endings = /(?<=...)[iy][sz](e|ed|es|er|ing|ation|ations)$|(?<=...)(ing|ed)$/;
  const stems = new Map();  // of each word once: the index asks 80,000 times
  const stem = (word) => stems.get(word) ?? stems.set(word, word.length < 4 ? word : word.replace(/ies$/, "y")
    .replace(/([^su])s$/, "$1").replace(endings, "").replace(/our(?=$|al|ite)/, "or").replace(/tre$/, "ter")
    .replace(/ogue$/, "og").replace(/(?<=...)e$/, "").replace(/(.)\1$/, "$1")).get(word);

  // A text as it is compared: "Eq43" is "equation 43", "E′" is "e prime", "β" is "beta".
  const words = (text) => {
    const all = text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "").replace(/\*/g, " star ")
      .replace(/\b([a-z])['′’]/g, "$1 prime ").replace(/['’]/g, "").replace(/ϵ/g, "ε")
      .replace(/[α-ω]/g, (letter) => ` ${greek[letter.charCodeAt() - 945]} `)
      .replace(/([a-z])(?=\d)|(\d)(?=[a-z])/g, "$& ").match(/[a-z]+|\d+/g) ?? [];
    const telling = all.filter((word) => !idle.has(word));
    return (telling.length ? telling : all).map((word) => stem(long[word] ?? word));
  };
  const pairs = (all) => all.slice(1).map((word, k) => all[k] + word);  // two words without their blank

  const prepared = (places) => {
    const index = new MiniSearch({
      fields: ["names", "title", "about", "text"], storeFields: ["url", "title", "about"],
      extractField: (one, field) => field === "names" ? one.names.join(" ") : one[field],
      tokenize: (text, field) => {
        const all = words(text);
        return field === "names" || field === "title" ? [...all, ...pairs(all)] : all;
      },
      processTerm: (word) => word,
      searchOptions: { tokenize: (text) => text.split(" "), prefix: true,
        boost: { names: 6, title: 4, about: 2 } },
    });
    const keys = places.map(({ names, title }) => new Set([...names, title].map((one) => words(one).join(""))));
    index.addAll(places.map((one, id) => ({ ...one, id })));
    return { index, keys };
  };

  // A word as the book has it: the one of most weight that none, one or two other letters make of it.
  const mended = (index, word) => {
    if (number.test(word) || index.search(word).length) return word;
    const votes = {};
    for (let fuzzy = 1; fuzzy < Math.min(3, word.length / 2); fuzzy++) {
      for (const { terms, score } of index.search(word, { fuzzy, prefix: false })) {
        for (const term of terms) votes[term] = (votes[term] ?? 0) + score / fuzzy ** 6;
      }
    }
    return Object.keys(votes).sort((a, b) => votes[b] - votes[a])[0] ?? word;
  };

  window.findPages = (places, typed, most = 8) => {
    const { index, keys } = places.prepared ||= prepared(places);
    const asked = words(typed), query = asked.map((word) => mended(index, word));
    // The share of the query that is a name of a place, squared.
    const named = (keys) => {
      for (let size = query.length; size; size--) for (let from = 0; from + size <= query.length; from++) {
        if (keys.has(query.slice(from, from + size).join(""))) return (size / query.length) ** 2;
      }
      return 0;
    };
    const seen = new Set();  // a page stands once, by its best place
    const found = index.search([...query, ...pairs(query)].join(" "), {
      prefix: (word, k) => word.length > 1 && !number.test(word) && k >= query.length - 1,
      boostDocument: (id) => places[id].rank * (1 + 8 * named(keys[id])),
    }).filter(({ url }, _, __, page = url.split("#")[0]) => !seen.has(page) && seen.add(page)).slice(0, most);
    found.exchanged = asked.map((word, k) => [word, query[k]]).filter(([one, other]) => one !== other);
    return found;
  };

  addEventListener("DOMContentLoaded", () => {
    const dialog = document.getElementById("pst-search-dialog"), form = dialog?.querySelector("form");
    if (!form) return;
    const root = document.documentElement.dataset.content_root || "./", input = form.elements.q;
    const made = (tag, properties, ...inside) => {
      const one = Object.assign(document.createElement(tag), properties);
      one.append(...inside);
      return one;
    };
    const list = made("div", { id: "found", className: "found", role: "listbox", ariaLabel: "Pages" });
    const said = made("output", { className: "how-many" });
    dialog.ariaLabel = "Search this book";
    form.append(said, list);
    Object.assign(input, { role: "combobox", ariaAutoComplete: "list", ariaExpanded: "false" });
    input.setAttribute("aria-controls", "found");
    let at = 0;  // the line that Return opens

    const point = (to) => {
      at = (to + list.children.length) % list.children.length;
      [...list.children].forEach((line, k) => { line.ariaSelected = String(k === at); });
      input.setAttribute("aria-activedescendant", list.children[at].id);
      list.children[at].scrollIntoView({ block: "nearest" });
    };
    const line = (title, about, href, k) => made("a", { role: "option", id: `found-${k}`, tabIndex: -1, href },
      title, made("small", {}, about));
    const asked = () => Promise.all(["found", "search/minisearch"].map(dataOf));
    const show = async () => {
      const [places] = await asked(), typed = input.value.trim();
      const found = places && window.MiniSearch && typed ? findPages(places, typed) : [];
      const everywhere = `${root}search.html?${new URLSearchParams({ q: typed })}`;
      list.replaceChildren(...typed ? [
        ...found.map(({ url, title, about }, k) => line(title, about, root + url, k)),
        line(`Search everywhere for “${typed}”`, "every page that has these words", everywhere, found.length),
      ] : []);
      const exchanged = (found.exchanged ?? []).map(([one, other]) => `, with “${other}…” for “${one}”, which the book does not say`).join("");
      said.value = !typed ? "" : found.length ? `${found.length} result${found.length > 1 ? "s" : ""}${exchanged}` : "Nothing found by this name.";
      input.ariaExpanded = String(Boolean(typed));
      if (typed) point(0); else input.removeAttribute("aria-activedescendant");
    };
    let shown = Promise.resolve();
    input.addEventListener("input", () => { shown = show(); });
    input.addEventListener("focus", asked, { once: true });
    input.addEventListener("keydown", (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !list.children.length) return;
      event.preventDefault();
      point(at + step);
    });
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      await shown;
      list.children[at]?.click();
      dialog.close();  // the place may be on this very page
    });
    list.addEventListener("click", () => dialog.close());
    // Sphinx' own shortcut takes the key and points at the field that nobody sees.
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
      if (event.target.matches?.("input, textarea, select, [contenteditable]")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      document.querySelector(".search-button__button").click();
    }, true);
  });
})();
