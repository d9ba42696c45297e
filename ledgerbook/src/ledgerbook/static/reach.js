// What scrolls sideways can be scrolled by the keyboard; what does not is no stop on the way.  A box
// is measured when it has been laid out, near the window: before, that would lay it out.  Until then
// a displayed formula and code count as wide.  Code has a button then that copies it.
const BOXES = "article .math, article pre, article .output, article .pst-scrollable-table-container, article .graph-scroll";
const near = new IntersectionObserver((seen) => {
  const boxes = seen.filter((one) => one.isIntersecting).map((one) => one.target);
  const scrolls = boxes.map((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible");
  boxes.forEach((box, place) => {
    const wide = box.matches(".math, pre");
    if (scrolls[place]) {
      box.tabIndex = 0;
      if (wide) Object.assign(box, { role: "group", ariaLabel: `${box.matches("pre") ? "Code" : "Formula"}, wider than its place` });
    } else if (wide && box !== document.activeElement) {
      for (const name of ["tabindex", "role", "aria-label"]) box.removeAttribute(name);
    }
    if (box.matches(".highlight > pre") && navigator.clipboard) copyable(box);
  });
}, { rootMargin: "100000px" }); // all that is laid out
const reachAll = () => {
  near.disconnect();
  document.querySelectorAll("article .math.display, article pre").forEach((box) => { box.tabIndex = 0; });
  document.querySelectorAll(BOXES).forEach((box) => near.observe(box));
};
const copyable = (box) => {
  if (box.nextElementSibling) return;
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.addEventListener("click", () => navigator.clipboard.writeText(box.textContent).then(() => { button.textContent = "Copied"; }));
  box.after(button);
};
addEventListener("load", () => document.fonts.ready.then(reachAll));
addEventListener("resize", reachAll);
// On paper nothing scrolls: what is wider than a page of A4 is set smaller, by its own measure.  The
// room is what the block leaves that a formula stands in: a line breaks before a formula, wherever in
// it that stands, and a table takes the whole page.
const PAPER = 770; // px of the screen, where letters are a seventh larger: 182 mm between the margins
const LEAST = 0.8; // of its size: what is smaller than that cannot be read
const BLOCK = "p, li, dd, dt, figcaption, summary, h1, h2, h3, h4, div";
const fitToPaper = () => {
  const left = document.querySelector("article")?.getBoundingClientRect().left ?? 0;
  const formulas = [...document.querySelectorAll("article math")];
  document.documentElement.classList.add("measured");
  const fits = formulas.map((formula) => {
    const signs = [...formula.querySelectorAll("*")].map((sign) => sign.getBoundingClientRect()).filter(({ width }) => width);
    const width = Math.max(...signs.map(({ right }) => right)) - Math.min(...signs.map(({ left: start }) => start));
    const block = formula.closest("table") ? null : (formula.closest(".math.display")?.parentElement ?? formula.closest(BLOCK));
    const indent = block ? Math.max(0, block.getBoundingClientRect().left - left) : 0;
    return width > 0 ? Math.max(LEAST, (PAPER - indent) / width) : 1;
  });
  document.documentElement.classList.remove("measured");
  formulas.forEach((formula, place) => { if (fits[place] < 1) formula.style.setProperty("--fit", fits[place].toFixed(3)); });
};
addEventListener("beforeprint", fitToPaper);
// The contents scroll below the search; the open page's entry is in view.
addEventListener("load", () => {
  if (!matchMedia("(min-width: 992px)").matches) return;
  const here = document.querySelector(".bd-sidebar-primary nav .active > a"), box = here?.closest(".sidebar-primary-item");
  if (box) box.scrollTop += here.getBoundingClientRect().top - box.getBoundingClientRect().top - box.clientHeight / 3;
});
