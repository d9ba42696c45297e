// The chapters of the other parts, which every page would repeat, come when a part is opened.
(() => {
  const root = document.documentElement.dataset.content_root || "./";
  addEventListener("toggle", async ({ target }) => {
    if (!target.matches("details.part.more") || !target.open) return;
    const place = [...target.parentElement.querySelectorAll(":scope > details.part")].indexOf(target), lists = await dataOf("contents");
    if (!lists || !target.matches(".more")) return;
    target.classList.remove("more");
    target.querySelector("ul").innerHTML = lists[place].replaceAll('href="', `href="${root}`);
  }, true);
})();
