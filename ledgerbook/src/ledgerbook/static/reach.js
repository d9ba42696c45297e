// What scrolls sideways can be scrolled by the keyboard; what does not is no stop on the way.  A box
// is measured when it has been laid out, near the window: before, that would lay it out.  Code has a
// button then that copies it.
const BOXES = "article .math, article pre, article .output, article .pst-scrollable-table-container, article .graph-scroll";
const near = new IntersectionObserver((seen) => {
  const boxes = seen.filter((one) => one.isIntersecting).map((one) => one.target);
  const scrolls = boxes.map((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "visible");
  boxes.forEach((box, place) => {
    if (scrolls[place]) box.tabIndex = 0;
    else if (box.matches(".math, pre")) box.removeAttribute("tabindex");
    if (box.matches(".highlight > pre") && navigator.clipboard) copyable(box);
  });
}, { rootMargin: "100000px" }); // all that is laid out
const reachAll = () => {
  near.disconnect();
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
// On paper nothing scrolls: what is wider than a page of A4 is set smaller, by its own measure.
const PAPER = 620; // px between the margins
const fitToPaper = () => {
  const left = document.querySelector("article")?.getBoundingClientRect().left ?? 0;
  const formulas = [...document.querySelectorAll("article math")];
  document.documentElement.classList.add("measured");
  const fits = formulas.map((formula) => {
    const signs = [...formula.querySelectorAll("*")].map((sign) => sign.getBoundingClientRect()).filter(({ width }) => width);
    const width = Math.max(...signs.map(({ right }) => right)) - Math.min(...signs.map(({ left: start }) => start));
    const indent = Math.max(0, (formula.closest(".math") ?? formula).parentElement.getBoundingClientRect().left - left);
    return (PAPER - indent) / width;
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
