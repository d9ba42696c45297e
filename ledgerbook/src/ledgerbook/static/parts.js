// The chapters of the other parts, which every page would repeat, come when a part is opened.
(() => {
  const root = document.documentElement.dataset.content_root || "./";
  let loading;
  const load = () => loading ||= new Promise((done) => {
    const script = document.createElement("script");
    script.src = `${root}_static/contents.js`;
    script.onload = () => done(window.contents);
    script.onerror = () => done(null);
    document.head.append(script);
  });
  addEventListener("toggle", async ({ target }) => {
    if (!target.matches("details.part.more") || !target.open) return;
    const place = [...target.parentElement.querySelectorAll(":scope > details.part")].indexOf(target), lists = await load();
    if (!lists || !target.matches(".more")) return;
    target.classList.remove("more");
    target.querySelector("ul").innerHTML = lists[place].replaceAll('href="', `href="${root}`);
  }, true);
})();
