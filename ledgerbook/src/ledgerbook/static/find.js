// The search of the dialog: what stands there while one types, and where Return leads.
// The index, MiniSearch and the ranking (search/rank.js) come when the dialog is first typed into.
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
  const asked = () => Promise.all(["found", "search/minisearch", "search/rank"].map(dataOf));
  const show = async () => {
    const [places] = await asked(), typed = input.value.trim();
    const found = places && window.findPages && typed ? findPages(places, typed) : [];
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
