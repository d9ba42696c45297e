// Folds open for what leads into them: a link to a row, the page's own address, printing.
const openAround = (id) => {
  const target = id ? document.getElementById(decodeURIComponent(id)) : null;
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  if (target) settle(target);
};
// What lies far from the window has a height only when it comes near: the way there is gone again.
const FRAMES = 8;
const settle = (target, left = FRAMES) => {
  target.scrollIntoView({ behavior: "instant" });
  if (left) requestAnimationFrame(() => settle(target, left - 1));
};
addEventListener("DOMContentLoaded", () => openAround(location.hash.slice(1)));
addEventListener("hashchange", () => openAround(location.hash.slice(1)));
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((box) => { box.open = true; });
});
addEventListener("afterprint", () => closed.forEach((box) => { box.open = false; }));
