// On a phone a row of a wide table is a card, what became of it first; every cell says its column.
const WIDE = 4, FIRST = ["verdict", "reach", "status", "evidence"];
const asCards = (table) => {
  const columns = [...table.tHead?.rows[0]?.cells ?? []].map((cell) => cell.textContent.trim());
  if (columns.length < WIDE || !table.tBodies.length) return;
  const first = columns.indexOf(FIRST.find((name) => columns.includes(name)));
  table.classList.add("cards");
  for (const row of table.tBodies[0].rows) {
    [...row.cells].forEach((cell, at) => { cell.dataset.label = columns[at]; cell.classList.toggle("first", at === first); });
  }
};
addEventListener("DOMContentLoaded", () => document.querySelectorAll("article table").forEach(asCards));
// Rows by part, verdict, strength, words; a page at a time. Their tables stand in noscript,
// as one text each: only the rows that are shown are parsed. The address keeps what is chosen.
addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector(".row-tools");
  if (!place) return;
  const how = JSON.parse(place.dataset.how);
  const named = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" };
  const plain = (html) => html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|quot|amp|#39);/g, (sign) => named[sign]).replace(/\s+/g, " ").trim();
  const facet = (text) => text.split(/: | · /)[0];

  const rowOf = (html, table, part) => {
    let cells, ids;
    const value = (name) => {  // read when a reader chooses or sorts by it
      const column = table.columns.indexOf(name);
      if (column < 0) return name === "part" ? part : "";
      return facet(plain((cells ??= html.split(/<td\b[^>]*>/))[column + 1]));
    };
    const values = new Proxy({}, { get: (read, name) => read[name] ??= value(name) });
    return { html, table, values, get ids() { return ids ??= [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id); } };
  };
  const tables = [...document.querySelectorAll("noscript.rows")].map((source) => {
    const [head, rest] = source.textContent.split("<tbody>"), [inside, tail] = rest.split("</tbody>");
    const table = { head: `${head}<tbody>`, tail: `</tbody>${tail}`, section: source.closest("section"),
      view: document.createElement("div"), columns: head.split(/<th\b[^>]*>/).slice(1).map(plain) };
    source.after(table.view);
    table.rows = inside.match(/<tr[^]*?<\/tr>/g).map((html) => rowOf(html, table, source.dataset.part));
    return table;
  });
  const rows = tables.flatMap((table) => table.rows);
  let page = 0, printing = false, found = rows;

  const choice = (label, options) => {
    const box = document.createElement("label"), select = document.createElement("select");
    box.append(`${label} `, select);
    select.append(...options.map(([text, value]) => new Option(text, value)));
    select.addEventListener("change", () => { page = 0; show(); });
    place.append(box);
    return select;
  };
  const asked = new URLSearchParams(location.search);
  const chosen = Object.entries(how.filter).map(([name, known]) =>
    [name, choice(name, [["all", ""], ...known.map((text) => [text, text])])]);
  const words = document.createElement("input"), label = document.createElement("label"), count = document.createElement("output");
  words.type = "search";
  words.addEventListener("input", () => { page = 0; show(); });
  label.append("words ", words);
  const kept = [...chosen, ["words", words]];
  for (const [name, control] of kept) control.value = asked.get(name) ?? "";
  page = Number(asked.get("page") ?? 1) - 1 || 0;
  const keep = () => {
    const now = new URLSearchParams(location.search);
    for (const [name, value] of [...kept.map(([one, control]) => [one, control.value]), ["page", page ? page + 1 : ""]]) {
      if (value) now.set(name, value); else now.delete(name);
    }
    history.replaceState(null, "", `${location.pathname}${now.size ? `?${now}` : ""}${location.hash}`);
  };
  const pager = () => {
    const nav = document.createElement("nav"), here = document.createElement("span");
    nav.className = "row-pages";
    const turn = (text, step) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = text;
      button.addEventListener("click", () => { page += step; show(); place.scrollIntoView(); });
      return button;
    };
    nav.append(turn("‹ earlier", -1), here, turn("later ›", 1));
    return nav;
  };
  const pagers = [pager(), pager()];
  pagers.forEach((nav, at) => nav.setAttribute("aria-label", at ? "Pages of rows, below them" : "Pages of rows"));
  place.append(label, count, pagers[0]);
  tables.at(-1)?.section.after(pagers[1]);

  function show() {
    const wanted = words.value.toLowerCase();
    found = rows.filter((row) => chosen.every(([name, select]) => !select.value || row.values[name] === select.value)
      && (!wanted || (row.words ??= plain(row.html).toLowerCase()).includes(wanted)));
    const pages = Math.max(1, Math.ceil(found.length / how.size));
    page = Math.min(Math.max(page, 0), pages - 1);
    const shown = printing ? found : found.slice(page * how.size, (page + 1) * how.size);
    for (const table of tables) {
      const mine = shown.filter((row) => row.table === table);
      table.view.innerHTML = mine.length ? table.head + mine.map((row) => row.html).join("") + table.tail : "";
      table.view.querySelectorAll("table").forEach(asCards);
      table.section.hidden = !mine.length;
    }
    count.textContent = found.length === rows.length ? `${rows.length} rows` : `${found.length} of ${rows.length} rows`;
    for (const nav of pagers) {
      const [before, here, after] = nav.children;
      nav.hidden = pages === 1;
      before.disabled = page === 0;
      after.disabled = page === pages - 1;
      here.textContent = ` page ${page + 1} of ${pages} `;
    }
    if (!printing) keep();
    dispatchEvent(new Event("resize")); // what scrolls sideways is measured again
  }
  const reveal = (id) => {
    const section = id && document.getElementById(id)?.closest("section");
    const leads = (row) => row.ids.includes(id) || (section && row.table.section === section);
    if (!id || !rows.some(leads)) return;
    if (!found.some(leads)) {
      kept.forEach(([, control]) => { control.value = ""; });
      show();
    }
    page = Math.floor(found.findIndex(leads) / how.size);
    show();
    const target = document.getElementById(id);
    target.classList.add("target");
    settle(target);
  };
  const address = () => reveal(decodeURIComponent(location.hash.slice(1)));
  addEventListener("hashchange", address);
  addEventListener("beforeprint", () => { printing = true; show(); });
  addEventListener("afterprint", () => { printing = false; show(); });
  show();
  address();
});
