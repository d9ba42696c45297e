// Data of the whole book, each list a script of its own: fetched once, when somebody first asks.
// The value, or null where it cannot be had.
const dataOf = (() => {
  const asked = {};
  return (name) => asked[name] ||= new Promise((done) => {
    const script = document.createElement("script");
    script.src = `${document.documentElement.dataset.content_root || "./"}_static/${name}.js`;
    script.onload = () => done(window[name]);
    script.onerror = () => done(null);
    document.head.append(script);
  });
})();
