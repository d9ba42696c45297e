// The ledger's rows by part, verdict, strength, words: what does not fit is hidden, nothing is gone.
addEventListener("DOMContentLoaded", () => {
  const place = document.querySelector("#ledger-filter");
  if (!place) return;
  const cell = (row, fromEnd) => row.cells[row.cells.length - fromEnd]?.textContent.trim() ?? "";
  const groups = [...document.querySelectorAll("article section section")].filter((s) => s.querySelector("table"))
    .map((section) => ({ section, part: section.querySelector("code")?.textContent.split(".")[0] ?? "",
      rows: [...section.querySelectorAll("tbody tr")] }));
  const values = (of) => [...new Set(groups.flatMap(of))].filter(Boolean).sort();
  const choice = (label, options) => {
    const box = document.createElement("label"), select = document.createElement("select");
    box.append(`${label} `, select);
    select.append(new Option("all", ""), ...options.map((text) => new Option(text)));
    select.addEventListener("change", apply);
    place.append(box);
    return select;
  };
  const words = document.createElement("input"), count = document.createElement("output");
  const chosen = { part: choice("part", values((g) => g.part)),
    verdict: choice("verdict", values((g) => g.rows.map((row) => cell(row, 1).split(":")[0]))),
    strength: choice("evidence", values((g) => g.rows.map((row) => cell(row, 3)))) };
  const label = document.createElement("label");
  words.type = "search";
  words.addEventListener("input", apply);
  label.append("words ", words);
  place.append(label, count);
  function apply() {
    const wanted = words.value.toLowerCase();
    let shown = 0;
    for (const { section, part, rows } of groups) {
      let here = 0;
      for (const row of rows) {
        const fits = (!chosen.part.value || part === chosen.part.value)
          && (!chosen.verdict.value || cell(row, 1).startsWith(chosen.verdict.value))
          && (!chosen.strength.value || cell(row, 3) === chosen.strength.value)
          && (!wanted || row.textContent.toLowerCase().includes(wanted));
        row.hidden = !fits;
        here += fits;
      }
      section.hidden = !here;
      shown += here;
    }
    count.textContent = ` ${shown} rows`;
  }
  apply();
});
