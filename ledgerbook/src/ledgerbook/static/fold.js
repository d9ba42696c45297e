// Folds open for what leads into them: a link to a row, the page's own address, printing.
const openAround = (id) => {
  const target = id ? document.getElementById(decodeURIComponent(id)) : null;
  for (let box = target?.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  if (target) target.scrollIntoView();
};
addEventListener("DOMContentLoaded", () => openAround(location.hash.slice(1)));
addEventListener("hashchange", () => openAround(location.hash.slice(1)));
let closed = [];
addEventListener("beforeprint", () => {
  closed = [...document.querySelectorAll("details:not([open])")];
  closed.forEach((box) => { box.open = true; });
});
addEventListener("afterprint", () => closed.forEach((box) => { box.open = false; }));
