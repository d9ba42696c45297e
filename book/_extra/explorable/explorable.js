// The explorable page: draws attention over iterations from the grid that tooling/explorable.py computed.
"use strict";
(function () {
  const root = document.getElementById("explorable");
  const grid = window.EXPLORABLE_GRID;
  if (!root || !grid) return;
  const bytes = Uint8Array.from(atob(grid.data), (c) => c.charCodeAt(0));
  const values = new Uint16Array(bytes.buffer);                      // little-endian, as every browser's machine
  const bars = grid.shape[5], frames = grid.times.length;
  const still = window.matchMedia("(prefers-reduced-motion: reduce)");
  const svgNS = "http://www.w3.org/2000/svg";
  const state = { ...grid.start, frame: 0 };
  let timer = null;
  for (const [role, color] of Object.entries(grid.colors)) root.style.setProperty(`--${role}`, color);

  function attention(frame) {                                        // common, distinct 1..10
    let at = 0;
    grid.sliders.forEach((s, k) => { at = at * grid.shape[k] + state[s.name]; });
    const from = (at * frames + frame) * bars;
    return Array.from(values.subarray(from, from + bars), (v) => v / 65535);
  }

  function entropy(c) {
    const total = c.slice(1).reduce((a, b) => a + b, 0);
    return -c.slice(1).reduce((sum, p) => sum + (p > 0 ? (p / total) * Math.log(p / total) : 0), 0);
  }

  function slider(name, label, count, text) {
    const row = document.createElement("div");
    row.className = "explorable-row";
    row.innerHTML = `<label for="explorable-${name}"></label><input type="range" id="explorable-${name}" min="0" max="${count - 1}" step="1"><output for="explorable-${name}"></output>`;
    row.querySelector("label").textContent = label;
    const input = row.querySelector("input");
    input.addEventListener("input", () => { stop(); state[name] = Number(input.value); draw(); });
    root.querySelector(".explorable-controls").append(row);
    return () => {
      input.value = state[name];
      input.setAttribute("aria-valuetext", text(state[name]));
      row.querySelector("output").textContent = text(state[name]);
    };
  }

  function shape(tag, attributes, parent, text) {
    const node = document.createElementNS(svgNS, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
  }

  function stop() {
    clearInterval(timer);
    timer = null;
    button.textContent = "Play";
  }

  function play() {
    if (timer) return stop();
    if (still.matches) { state.frame = frames - 1; return draw(); }  // no motion: show the end
    if (state.frame === frames - 1) state.frame = 0;
    button.textContent = "Pause";
    timer = setInterval(() => {
      state.frame += 1;
      if (state.frame >= frames - 1) stop();
      draw();
    }, 350);
  }

  // The two drawings: bars of this iteration, and the course of three numbers over all iterations.
  const chart = root.querySelector(".explorable-bars"), course = root.querySelector(".explorable-course");
  const columns = [];
  for (let k = 0; k < bars; k++) {
    const x = k === 0 ? 8 : 62 + 32 * (k - 1), width = k === 0 ? 40 : 26;
    columns.push(shape("rect", { x, width, y: 150, height: 0, class: k === 0 ? "common" : "distinct" }, chart));
    shape("text", { x: x + width / 2, y: 166, "text-anchor": "middle" }, chart, k === 0 ? "common" : k);
  }
  shape("line", { x1: 4, x2: 380, y1: 150, y2: 150, class: "axis" }, chart);
  shape("text", { x: 222, y: 182, "text-anchor": "middle" }, chart, "distinct tokens, from rare to frequent");
  const place = (f) => 30 + 340 * Math.log1p(grid.times[f]) / Math.log1p(grid.times[frames - 1]);
  const lines = ["common", "distinct"].map((name) => shape("polyline", { class: name, fill: "none" }, course));
  const cursor = shape("line", { y1: 8, y2: 130, class: "cursor" }, course);
  shape("line", { x1: 30, x2: 372, y1: 130, y2: 130, class: "axis" }, course);
  [0, 1, 3, 10, 32, 100, 400].forEach((t) => shape("text", { x: place(grid.times.indexOf(t)), y: 145, "text-anchor": "middle" }, course, t));
  shape("text", { x: 200, y: 160, "text-anchor": "middle" }, course, "iteration");
  shape("text", { x: 26, y: 16, "text-anchor": "end" }, course, "1");
  shape("text", { x: 26, y: 133, "text-anchor": "end" }, course, "0");

  const refresh = grid.sliders.map((s) => slider(s.name, s.label, s.values.length, (k) => String(s.values[k])));
  refresh.push(slider("frame", "iteration", frames, (k) => String(grid.times[k])));
  const button = root.querySelector("button");
  button.addEventListener("click", play);

  function draw() {
    refresh.forEach((update) => update());
    const c = attention(state.frame), top = c.indexOf(Math.max(...c.slice(1)), 1);
    columns.forEach((bar, k) => {
      const height = 140 * Math.min(1, k === 0 ? c[0] : 1.6 * c[k]);   // distinct bars at 1.6 times the scale
      bar.setAttribute("y", 150 - height);
      bar.setAttribute("height", height);
    });
    const all = grid.times.map((_, f) => attention(f));
    lines[0].setAttribute("points", all.map((a, f) => `${place(f)},${130 - 118 * a[0]}`).join(" "));
    lines[1].setAttribute("points", all.map((a, f) => `${place(f)},${130 - 118 * Math.max(...a.slice(1)) / (1 - a[0])}`).join(" "));
    cursor.setAttribute("x1", place(state.frame));
    cursor.setAttribute("x2", place(state.frame));
    root.querySelector(".explorable-readout").textContent =
      `Iteration ${grid.times[state.frame]}: common tokens ${(100 * c[0]).toFixed(1)} %, favourite is distinct token ${top} with ${(100 * c[top]).toFixed(1)} %, ` +
      `entropy on distinct tokens ${entropy(c).toFixed(3)}.`;
  }

  root.hidden = false;
  draw();
})();
