// What the buttons of a page do: contents, search, colours, what is downloaded, code to copy.
(() => {
  const { dataset } = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const on = (name, what) => document.querySelectorAll(name).forEach((one) => one.addEventListener("click", what));

  // Names for the ear that the theme and the writers leave out, or give beside the words that are seen.
  const each = (name, what) => document.querySelectorAll(name).forEach(what);
  each(".search-button-field, article summary", (one) => one.removeAttribute("aria-label"));
  each(".sidebar-primary-items__start", (one) => Object.assign(one, { role: "region", ariaLabel: "This book" }));
  each("[role=doc-biblioentry]", (one) => { one.role = "listitem"; });
  each(".proof.admonition", (one) => Object.assign(one, { role: "region", ariaLabel: one.querySelector(".admonition-title")?.textContent.trim() || "Statement" }));
  each("thead th", (one) => { if (!one.textContent.trim()) one.role = "cell"; });

  // Colours: the system's, or those that a reader chose.  Without a word the head has set the first.
  // A drawing fetches its picture shown or not: the dark one gets its address when it is dark.
  const fetchDark = () => dataset.theme === "dark" && each("image[data-href]", (one) => {
    one.setAttribute("href", one.dataset.href);
    one.removeAttribute("data-href");
  });
  const paint = () => {
    dataset.theme = dataset.mode !== "auto" ? dataset.mode : dark.matches ? "dark" : "light";
    fetchDark();
  };
  fetchDark();
  dark.addEventListener("change", paint);
  on(".theme-switch-button", () => {
    const turns = dark.matches ? ["auto", "light", "dark"] : ["auto", "dark", "light"];
    dataset.mode = turns[(turns.indexOf(dataset.mode) + 1) % 3];
    localStorage.setItem("mode", dataset.mode);
    paint();
  });

  // A press beside a dialog closes it.
  const outside = ({ currentTarget: box, clientX: x, clientY: y }) => {
    const { left, right, top, bottom } = box.getBoundingClientRect();
    if (x < left || x > right || y < top || y > bottom) box.close();
  };
  // Contents stand beside the page; where there is no room, in a dialog over it.
  for (const side of ["primary", "secondary"]) {
    const [beside, over] = ["", "-modal"].map((end) => document.getElementById(`pst-${side}-sidebar${end}`));
    if (!beside) continue;
    const move = (from, to) => {
      to.append(...from.childNodes);
      [from.className, to.className] = ["", from.className];
    };
    on(`.${side}-toggle`, () => {
      if (side === "primary" && matchMedia("(min-width: 992px)").matches) return beside.classList.toggle("pst-sidebar-hidden");
      move(beside, over);
      over.showModal();
    });
    over.addEventListener("click", (event) => { if (event.target.closest("a")) over.close(); else outside(event); });
    over.addEventListener("close", () => move(over, beside));
  }

  // The page of all results has a field of its own.
  const dialog = document.getElementById("pst-search-dialog"), field = document.querySelector("main form.bd-search input");
  const search = () => { if (field) field.focus(); else if (dialog.open) dialog.close(); else dialog.showModal(); };
  on(".search-button__button", search);
  dialog.addEventListener("click", outside);
  addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey || event.key.toLowerCase() !== "k") return;
    event.preventDefault();
    search();
  }, true);

  // A menu opens below its button, until something else is pressed.
  const menus = [...document.querySelectorAll(".dropdown-toggle")];
  const turn = (button, open) => {
    button.ariaExpanded = String(open);
    button.nextElementSibling.classList.toggle("show", open);
  };
  addEventListener("click", ({ target }) => menus.forEach((button) => turn(button, button.contains(target) && button.ariaExpanded !== "true")));
  addEventListener("keydown", ({ key }) => { if (key === "Escape") menus.forEach((button) => turn(button, false)); });
})();
