// Search by number, name, symbol or equation while typing; Enter still asks the full text.
(() => {
  const root = document.documentElement.dataset.content_root || "./";
  const plain = (text) => text.toLowerCase().normalize("NFKD").replace(/[\u0300-\u036f]/g, "")
    .replace(/[′']/g, " prime").replace(/[–—-]/g, " ").replace(/\s+/g, " ").trim();

  // The best place on a page for a query: [points, address, what matched], or null.
  const rate = (page, query, words) => {
    const number = /^\(?(\d{1,3})\)?$/.exec(query)?.[1];
    if (number && page.shows.includes(number)) {
      return [page.states.includes(number) ? 95 : 70, `${page.url}#eq-${number}`, `Equation (${number})`];
    }
    if (number && page.states.includes(number)) return [60, page.url, `Equation (${number})`];
    const names = page.names.map(plain), also = page.also.map(plain), title = plain(page.title);
    if (names.includes(query)) return [100, page.url, ""];
    if (also.includes(query)) return [90, page.url, ""];
    const section = page.sections.find(([name]) => plain(name).includes(query));
    const all = (text) => words.every((word) => ` ${text}`.includes(` ${word}`));
    if (names.some((name) => name.startsWith(query))) return [80, page.url, ""];
    if (` ${title}`.includes(` ${query}`)) return [75, page.url, ""];
    const other = page.also.find((name) => ` ${plain(name)}`.includes(` ${query}`));
    if (other) return [65, page.url, other];
    if (all(`${names.join(" ")} ${title} ${also.join(" ")}`)) return [55, page.url, ""];
    if (section) return [45, `${page.url}#${section[1]}`, section[0]];
    if (all(`${title} ${also.join(" ")} ${plain(page.about)}`)) return [30, page.url, ""];
    return null;
  };

  window.findPages = (pages, typed, most = 8) => {
    const query = plain(typed), words = query.split(" ").filter(Boolean);
    if (!words.length) return [];
    return pages.map((page, place) => [rate(page, query, words), page, place]).filter(([rated]) => rated)
      .sort((a, b) => b[0][0] - a[0][0] || a[2] - b[2]).slice(0, most)
      .map(([[, url, matched], page]) => ({ url, matched, title: page.title, about: page.about }));
  };

  const show = async (input) => {
    const list = input.form.querySelector(".found") || input.form.appendChild(document.createElement("ul"));
    list.className = "found";
    const results = window.findPages((await dataOf("found")) ?? [], input.value);
    list.replaceChildren(...results.map(({ url, matched, title, about }) => {
      const item = document.createElement("li"), link = document.createElement("a");
      link.href = root + url;
      link.textContent = title;
      const words = document.createElement("small");
      words.textContent = matched ? `${matched} · ${about}` : about;
      item.append(link, words);
      return item;
    }));
  };
  addEventListener("input", ({ target }) => {
    if (target.matches?.("form.bd-search input[type=search]")) show(target);
  });
})();
