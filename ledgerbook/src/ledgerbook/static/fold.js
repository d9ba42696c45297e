// Folds open for what leads into them: a link to a row, the page's own address.
// An address is found in capitals too: people write E14.
const openAround = (address) => {
  const id = decodeURIComponent(address), target = document.getElementById(id) ?? document.getElementById(id.toLowerCase());
  for (let box = target?.querySelector(":scope > details.evidence") ?? target?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  document.querySelector(".astray")?.remove();
  const narrow = target && !target.getClientRects().length && document.getElementById(`narrow-${target.id}`); // the graph of a phone
  if (target) settle(narrow || target);
  else if (/^[\w-]+$/.test(id)) astray(id); // what has a "=" is the state of a picture
};
// An address that leads to nothing says so.
const astray = (id) => document.querySelector("article h1")?.after(Object.assign(document.createElement("p"),
  { className: "astray", role: "status", textContent: `Nothing on this page has the address “${id}”; this is the page's beginning.` }));
// What lies far from the window has a height only when it comes near, pictures and fonts come later
// still: the way there is gone again, until the reader moves or leads somewhere else.
const FRAMES = 8;
let wanted = null;
const settle = (target) => {
  wanted = target;
  const go = () => { if (wanted === target) target.scrollIntoView({ behavior: "instant" }); };
  const again = (left) => { go(); if (left) requestAnimationFrame(() => again(left - 1)); };
  again(FRAMES);
  addEventListener("load", go, { once: true });
  document.fonts.ready.then(go);
};
for (const moved of ["wheel", "touchmove", "keydown", "pointerdown"]) addEventListener(moved, () => { wanted = null; }, { passive: true });
addEventListener("DOMContentLoaded", () => openAround(location.hash.slice(1)));
addEventListener("hashchange", () => openAround(location.hash.slice(1)));
// Paper shows what is open on the screen; asked for all of it, every fold too.
let closed = [];
const printWhole = () => {
  closed = [...document.querySelectorAll("article details:not([open])")];
  closed.forEach((box) => { box.open = true; });
  print();
};
addEventListener("afterprint", () => { closed.forEach((box) => { box.open = false; }); closed = []; });
