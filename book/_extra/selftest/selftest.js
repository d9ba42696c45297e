// The self-test: buttons for the choices of each question. What was chosen stays in this browser.
"use strict";
(function () {
  const blocks = [...document.querySelectorAll("div.question")];
  const score = document.getElementById("selftest-score");
  if (!blocks.length || !score) return;
  const KEY = "selftest";
  const load = () => { try { return JSON.parse(localStorage.getItem(KEY)) || {}; } catch { return {}; } };
  const save = () => { try { localStorage.setItem(KEY, JSON.stringify(chosen)); } catch { /* private window */ } };
  let chosen = load();

  const questions = blocks.map((block) => {
    const data = block.querySelector(".choices").dataset;
    const row = document.createElement("p");
    row.className = "selftest-row";
    row.setAttribute("role", "group");
    row.setAttribute("aria-label", "Your answer");
    const verdict = document.createElement("span");
    verdict.setAttribute("aria-live", "polite");
    const answer = block.querySelector("details");
    const asked = [...block.querySelectorAll("p, li")].filter((one) => !one.closest("details"));
    const text = ` ${asked.map((one) => one.textContent).join(" ").replace(/\s+/g, " ")} `;
    const buttons = data.choices.split(" ").map((letter) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn btn-outline-primary btn-sm";
      button.textContent = `(${letter})`;
      // For the ear its name is the choice itself, up to the next one.
      button.ariaLabel = `(${letter}) ${text.split(` (${letter}) `)[1]?.split(/ \([a-z]\) /)[0].trim() ?? ""}`.trim();
      button.addEventListener("click", () => {
        chosen[block.id] = letter;
        save();
        if (answer) answer.open = true;
        show();
      });
      row.append(button);
      return [letter, button];
    });
    row.append(verdict);
    (answer || block.lastElementChild).before(row);
    return { id: block.id, right: data.right, buttons, verdict };
  });

  function show() {
    let had = 0, tried = 0;
    for (const { id, right, buttons, verdict } of questions) {
      const mine = chosen[id];
      for (const [letter, button] of buttons) button.setAttribute("aria-pressed", String(letter === mine));
      verdict.textContent = mine === undefined ? "" : right.includes(mine) ? " ✓ right" : " ✗ not so: the answer says why";
      if (mine !== undefined) { tried += 1; if (right.includes(mine)) had += 1; }
    }
    score.textContent = `${had} right of ${tried} tried, ${questions.length} in all.`;
  }

  document.getElementById("selftest-clear").addEventListener("click", () => { chosen = {}; save(); show(); });
  document.getElementById("selftest-controls").hidden = false;
  show();
})();
