// One line about what a link leads to, or a symbol means: on hover and on focus; Escape takes it
// away.  A tap follows a link, and says what a symbol means, which leads nowhere by itself.
// The lines are one script, loaded when somebody first points at something.
(() => {
  const root = new URL(document.documentElement.dataset.content_root || "./", location.href);
  const HOVER = 300, SYMBOL = 450, LEAVE = 300, GAP = 6, EDGE = 8;
  let tip, line, go, trigger, timer, dismissed;

  const load = () => dataOf("previewed");

  // What may have a line: a link of the text, or a symbol that has a row of its own.
  const source = (node) => {
    const found = node.closest?.("article a[href], article [data-s]");
    return found && !found.closest(".headerlink, nav, .sd-card") ? found : null;
  };
  // The line of an address; a row of the ledger has that of its chapter.
  const said = (address, { pages, ledger, homes }) => {
    if (!address.startsWith(root.href)) return null;
    const [page, place = ""] = address.slice(root.href.length).split("#"), name = page.replace(/\.html$/, "");
    if (name !== ledger) return pages[name]?.[place];
    const tag = Object.keys(homes).find((one) => place.startsWith(`claim-${one}-`));
    return tag && pages[homes[tag]]?.[place.replace(`${tag}-`, "")];
  };
  // [line, address] of what is pointed at, or null.
  const lookUp = (node, data) => {
    if (node.dataset.s) {
      const rows = node.dataset.s.split(" ").map((number) => data.symbols[number]);
      const lines = rows.map((row) => `<p>${data.pages[data.notation][row]}</p>`);
      return [lines.join(""), `${root}${data.notation}.html#${rows[0]}`];
    }
    const found = said(node.href, data);
    return found ? [found, node.href] : ofRow(node);
  };
  // A row's name says what its row says: the claim and its verdict.
  const ofRow = (node) => {
    const cells = [...node.closest("tr[id^=claim-]")?.cells ?? []], claim = cells[1]?.innerHTML, verdict = cells.at(-1);
    if (!claim || !node.hash.startsWith("#claim-")) return null;
    return [`${claim.replace(/<\/?a\b[^>]*>| id="[^"]*"/g, "")} <small>${verdict.textContent.trim()}</small>`, node.href];
  };
  window.previewOf = async (node) => lookUp(node, await load());

  const build = () => {
    tip = document.createElement("div");
    tip.className = "preview";
    tip.hidden = true;
    line = document.createElement("div");
    line.id = "preview-line";
    line.setAttribute("role", "tooltip");
    go = document.createElement("a");
    go.tabIndex = -1; // who comes by keyboard stands on the link itself
    go.textContent = "Go there";
    tip.append(line, go);
    tip.addEventListener("pointerenter", () => clearTimeout(timer));
    tip.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") later(hide, LEAVE); });
    document.body.append(tip);
  };
  const later = (what, delay) => { clearTimeout(timer); timer = setTimeout(what, delay); };
  const described = (node) => node.closest("math") ?? node;
  const hide = () => {
    clearTimeout(timer);
    if (!trigger) return;
    described(trigger).removeAttribute("aria-describedby");
    trigger.classList.remove("previewed");
    trigger = null;
    tip.hidden = true;
  };

  const show = async (node) => {
    const data = await load(), found = data && node.isConnected && lookUp(node, data);
    if (!found) return;
    if (trigger === node) return;
    hide();
    if (!tip) build();
    trigger = node;
    [line.innerHTML, go.href] = found;
    go.hidden = !node.dataset.s;
    tip.hidden = false;
    node.classList.add("previewed");
    described(node).setAttribute("aria-describedby", "preview-line");
    room();
    fit();
    put(node.getClientRects()[0] ?? node.getBoundingClientRect());
  };
  const room = () => {
    tip.style.left = "0";
    tip.style.maxWidth = `min(36rem, ${document.documentElement.clientWidth - 2 * EDGE}px)`;
  };
  // A formula wider than its box is set smaller.
  const fit = () => line.querySelectorAll("math").forEach((formula) => {
    const ratio = line.clientWidth / formula.scrollWidth;
    if (ratio < 1) formula.style.fontSize = `${Math.max(0.5, ratio)}em`;
  });
  const put = (box) => {
    const below = box.bottom + GAP + tip.offsetHeight <= innerHeight || box.top < tip.offsetHeight + GAP;
    const widest = document.documentElement.clientWidth - tip.offsetWidth - EDGE;
    tip.style.left = `${scrollX + Math.max(EDGE, Math.min(box.left, widest))}px`;
    tip.style.top = `${scrollY + (below ? box.bottom + GAP : box.top - GAP - tip.offsetHeight)}px`;
  };

  addEventListener("pointerover", ({ target, pointerType }) => {
    if (pointerType === "touch") return;
    const node = source(target);
    if (node !== dismissed) dismissed = null;
    if (tip?.contains(target) || (node && node === trigger)) clearTimeout(timer);
    else if (node && node !== dismissed) later(() => show(node), node.dataset.s ? SYMBOL : HOVER);
    else if (trigger && document.activeElement !== trigger) later(hide, LEAVE);
    else clearTimeout(timer);
  });
  addEventListener("focusin", ({ target }) => {
    const node = source(target);
    if (node?.matches(":focus-visible")) show(node);
  });
  addEventListener("focusout", ({ target }) => { if (target === trigger) hide(); });
  addEventListener("keydown", ({ key }) => {
    if (key !== "Escape") return;
    dismissed = trigger;
    hide();
  });
  addEventListener("click", ({ target }) => {
    const node = source(target);
    if (node?.dataset.s && !node.closest("a")) show(node);
    else if (!node && !tip?.contains(target)) hide();
  });
})();
