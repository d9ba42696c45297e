// Figures with sliders: moves what tooling/sliders has drawn, by the formulas of one file a figure.
"use strict";
(function () {
  const WIDTH = 214, BEND = 0.25, RADIUS = 10;                                       // as tooling/sliders has them
  const root = typeof document === "undefined" ? null : document.getElementById(document.currentScript?.dataset.figure);
  if (root) start(root);
  else globalThis.fillSliders = fill;

  // The sentence with its gaps filled: {key:2} digits, {key:0%}, {key:falls|rises}, {key}, {@control}.
  function fill(template, values, shown) {
    return template.replace(/\{(@?\w+)(?::([^}]*))?\}/g, (_, key, how) => {
      if (key[0] === "@") return shown[key.slice(1)];
      if (how === undefined) return values[key];
      if (how.includes("|")) return how.split("|")[values[key] >= 0 ? 1 : 0];
      const percent = how.endsWith("%");
      return (values[key] * (percent ? 100 : 1)).toFixed(parseInt(how, 10)) + (percent ? " %" : "");
    });
  }

  function start(root) {
    const about = JSON.parse(root.querySelector("script[type='application/json']").textContent);
    const formulas = globalThis.SLIDERS[about.name];
    const at = {};                                                      // control to position
    for (const control of about.controls) at[control.name] = control.start;
    fromAddress();
    const panels = about.panels.map((panel, k) => drawer(panel, root.querySelector(`[data-panel="${k}"] > svg`), root.id));
    const says = root.querySelector(".says");
    const updates = about.controls.map(row);
    const back = document.createElement("button");
    back.type = "button";
    back.className = "btn btn-outline-primary btn-sm";
    back.textContent = "Back to the start";
    back.addEventListener("click", () => {
      for (const control of about.controls) at[control.name] = control.start;
      moved();
    });
    const box = root.querySelector(".controls");
    box.append(back);
    box.hidden = false;
    draw();

    function values() {
      const state = {}, shown = {};
      for (const { name, values, texts } of about.controls) [state[name], shown[name]] = [values[at[name]], texts[at[name]]];
      return [formulas(state, about.data), shown];
    }

    function draw() {
      const [found, shown] = values();
      panels.forEach((move) => move(found));
      updates.forEach((update) => update());
      const sentence = fill(about.says, found, shown);
      if (says.textContent !== sentence) says.textContent = sentence;
    }

    function moved() {
      draw();
      toAddress();
    }

    // A slider over positions, or a box to tick; returns what shows the position.
    function row(control) {
      const { name, label, values, texts } = control, id = `${root.id}-${name}`;
      const line = document.createElement("div");
      line.className = control.box ? "set box" : "set";
      line.innerHTML = control.box
        ? `<input type="checkbox" id="${id}"><label for="${id}"></label>`
        : `<label for="${id}"></label><input type="range" id="${id}" min="0" max="${values.length - 1}" step="1"><output for="${id}"></output>`;
      line.querySelector("label").textContent = label;
      const input = line.querySelector("input"), output = line.querySelector("output");
      input.addEventListener("input", () => {
        at[name] = control.box ? Number(input.checked) : Number(input.value);
        moved();
      });
      root.querySelector(".controls").append(line);
      return () => {
        if (control.box) input.checked = at[name] === 1;
        else {
          input.value = at[name];
          output.textContent = texts[at[name]];
          input.setAttribute("aria-valuetext", texts[at[name]]);
        }
      };
    }

    // The address holds what differs from the start, so that it can be sent.
    function fromAddress() {
      const asked = new URLSearchParams(location.search);
      for (const { name, values } of about.controls) {
        const found = values.findIndex((value) => String(Number(value)) === asked.get(name));
        if (found >= 0) at[name] = found;
      }
    }

    function toAddress() {
      const asked = new URLSearchParams(location.search);
      for (const { name, values, start } of about.controls) {
        if (at[name] === start) asked.delete(name);
        else asked.set(name, String(Number(values[at[name]])));
      }
      const query = asked.toString();
      history.replaceState(null, "", `${location.pathname}${query ? `?${query}` : ""}#${root.id}`);
    }
  }

  // How a panel is moved: a function of the values.
  function drawer(panel, plot, id) {
    const all = (selector) => [...plot.querySelectorAll(selector)];
    const set = (node, attributes) => { for (const key in attributes) node.setAttribute(key, attributes[key]); };
    const down = (value) => panel.height * (1 - place(panel.y, value));
    return { lines, bars, graph }[panel.kind]();

    function lines() {
      const curves = all(".curve"), marks = all(".when"), dots = all(".dot");
      const across = (value) => WIDTH * place(panel.x, value);
      return (v) => {
        const x = Array.from(v[panel.over], across);
        panel.curves.forEach((curve, k) => set(curves[k], { points: x.map((a, n) => `${a.toFixed(1)},${down(v[curve.key][n]).toFixed(1)}`).join(" ") }));
        panel.marks.forEach((key, k) => set(marks[k], { x1: across(v[key]).toFixed(1), x2: across(v[key]).toFixed(1) }));
        panel.dots.forEach(([a, b], k) => set(dots[k], { cx: across(v[a]).toFixed(1), cy: down(v[b]).toFixed(1) }));
      };
    }

    function bars() {
      const shown = all(".bar"), zero = down(0);
      return (v) => shown.forEach((bar, k) => {
        const top = down(v[panel.key][k]);
        set(bar, { y: Math.min(top, zero).toFixed(1), height: Math.abs(top - zero).toFixed(1), class: `bar ${v[panel.roles][k]}` });
      });
    }

    function graph() {
      const nodes = all(".node"), edges = plot.querySelector(".edges");
      return (v) => {
        const x = v.x.map((a) => WIDTH * a), y = v.y.map((b) => panel.height * b);
        nodes.forEach((node, k) => {
          node.style.transform = `translate(${x[k].toFixed(1)}px, ${y[k].toFixed(1)}px)`;
          node.classList.toggle("off", v.off.includes(k));
        });
        edges.replaceChildren(...v.edges.map(([i, j, inner]) => {
          const path = document.createElementNS("http://www.w3.org/2000/svg", "path"), role = inner ? "theory" : "muted";
          const by = [(x[i] + x[j]) / 2 + BEND * (y[j] - y[i]), (y[i] + y[j]) / 2 - BEND * (x[j] - x[i])];
          const share = (RADIUS + 1) / Math.hypot(x[j] - by[0], y[j] - by[1]);
          const end = [x[j] - share * (x[j] - by[0]), y[j] - share * (y[j] - by[1])];
          const [a, b, c] = [[x[i], y[i]], by, end].map((p) => p.map((n) => n.toFixed(1)).join(" "));
          set(path, { class: `edge ${inner ? "inner " : ""}${role}`, d: `M${a}Q${b} ${c}`, "marker-end": `url(#${id}-${role})` });
          return path;
        }));
      };
    }
  }

  // Where a value lies on an axis: 0 at its low end, 1 at its high end.
  function place({ low, high, log }, value) {
    const f = log ? (v) => Math.log(Math.max(v, 1e-300)) : (v) => v;
    return Math.min(9, Math.max(-9, (f(value) - f(low)) / (f(high) - f(low))));
  }
})();
