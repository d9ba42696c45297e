// Everything that is drawn and moves: panels, controls, the address, play.  One global, ``Draw``. What a reader typed becomes text, never markup.
"use strict";
globalThis.Draw = (() => {
  const WIDTH = 214, LEFT = 48, FRAME = 272, TOP = 22, SVG = "http://www.w3.org/2000/svg";
  const still = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)") ?? {};
  const set = (node, attributes) => { for (const key in attributes) node.setAttribute(key, attributes[key]); return node; };
  const filled = (node, attributes, inside) => { set(node, attributes).append(...inside); return node; };
  const html = (tag, attributes = {}, ...inside) => filled(document.createElement(tag), attributes, inside);
  const shape = (tag, attributes = {}, ...inside) => filled(document.createElementNS(SVG, tag), attributes, inside);
  const digits = (value) => value.toFixed(1);
  const subscripts = (words) => words.split(/(?<=η)_(\w)/).map((part, k) => (k % 2 ? html("sub", {}, part) : part));   // η_Y as it is printed

  // Where a value lies on an axis: 0 at its low end, 1 at its high end.
  function place({ low, high, log }, value) {
    const f = log ? (v) => Math.log(Math.max(v, 1e-300)) : (v) => v;
    return Math.min(9, Math.max(-9, (f(value) - f(low)) / (f(high) - f(low))));
  }

  // The entries of a legend, in lines as wide as a panel.
  function wrapped(list) {
    let at = 0, line = 0;
    return list.map(([role, text]) => {
      const width = 30 + 6.6 * text.length;
      if (at && at + width > FRAME) { at = 0; line += 1; }
      at += width;
      return { role, text, at: at - width, line };
    });
  }

  // Heights of labels, moved apart so that none lies on another, within a plot.
  function apart(list, height) {
    const order = list.map((y, k) => [y, k]).sort((a, b) => a[0] - b[0]);
    let last = -3;
    for (const one of order) last = one[0] = Math.max(one[0], last + 13);
    for (let k = order.length - 1, most = height - 2; k >= 0; k--) most = (order[k][0] = Math.min(order[k][0], most)) - 13;
    return order.sort((a, b) => a[1] - b[1]).map(([y]) => y);
  }

  // A panel as an SVG with ``move(values)``.  about: kind, title, alt, height, and what the kind needs.
  function panel(about) {
    const { kind, title, alt, height = kind === "graph" ? 170 : 120, x, y } = about, under = about.slant ? 40 : 0, named = x?.name ? 15 : 0;
    const low = height + 44 + under + named, keys = shape("g");
    const plot = shape("svg", { x: LEFT, y: TOP, width: WIDTH, height }), marks = shape("g");
    const root = shape("svg", { class: "panel", role: "img", "aria-label": `${title}. ${alt}` },
      shape("text", { x: kind === "graph" ? 0 : LEFT, y: 14 }, title), plot, marks, keys);
    if (named) root.append(shape("text", { x: LEFT + WIDTH / 2, y: low - 4, "text-anchor": "middle" }, x.name));
    legend(about.legend ?? []);
    const across = (value) => WIDTH * place(x, value), down = (value) => height * (1 - place(y, value));
    for (const [at, text] of y?.ticks ?? []) root.append(shape("text", { x: LEFT - 4, y: digits(down(at) + TOP + 4), "text-anchor": "end" }, text));
    (x?.ticks ?? []).forEach(([at, text], k, all) => root.append(shape("text", { x: digits(across(at) + LEFT), y: height + 38, "text-anchor": k === 0 ? "start" : k === all.length - 1 ? "end" : "middle" }, text)));
    if (kind === "lines") plot.append(shape("path", { class: "axis", d: `M.5 0V${height - 0.5}H${WIDTH}` }));
    const draw = { lines, bars, graph }[kind]();
    return { root, move: (v) => { if (v.legend) legend(v.legend); draw(v); } };

    // What colours and lines mean, below the picture: pairs of a class and its words.
    function legend(list) {
      const entries = wrapped(list);
      set(root, { viewBox: `0 0 ${FRAME} ${low + 16 * ((entries.at(-1)?.line ?? -1) + 1)}` });
      keys.replaceChildren(...entries.flatMap(({ role, text, at, line }) => {
        const y = low + 16 * line + 8, words = shape("text", { x: at + 17, y: y + 4 }, text);
        return [/^(bar|dot)/.test(role) ? shape("rect", { class: role, x: at, y: y - 5, width: 12, height: 10 }) : shape("path", { class: role, d: `M${at} ${y}h13` }), words];
      }));
    }

    function lines() {
      const trace = (xs, ys) => Array.from(xs, (a, n) => `${digits(across(a))},${digits(down(ys[n]))}`).join(" "), points = (v, key) => trace(v[about.over], v[key]);
      const box = shape("g");
      plot.append(box);
      let first = null;
      return (v) => {
        const curves = v.curves ?? about.curves, labelled = curves.filter(({ label }) => label), heights = apart(labelled.map(({ key, below }) => down(v[key].at(-1)) + (below ? 14 : -4)), height);
        if (about.ghosts) first ??= curves.map(({ key }) => points(v, key));
        box.replaceChildren(
          ...(first ?? []).map((at) => shape("polyline", { class: "ghost", points: at })),
          ...(v.ghosts ?? []).map(({ x: xs, y: ys, role }) => shape("polyline", { class: `ghost held ${role}`, points: trace(xs, ys) })),
          ...(about.marks ?? []).filter((key) => v[key] !== null).map((key) => shape("line", { class: "when", y1: 0, y2: height, x1: digits(across(v[key])), x2: digits(across(v[key])) })),
          ...curves.map(({ key, role, dashed }) => shape("polyline", { class: `curve ${role}${dashed ? " dashed" : ""}`, points: points(v, key) })),
          ...labelled.map(({ label }, k) => shape("text", { x: WIDTH - 4, y: digits(heights[k]), "text-anchor": "end" }, label)),
          ...(about.dots ?? []).map(([a, b, role]) => shape("circle", { class: `dot ${role}`, r: 4.5, cx: digits(across(v[a])), cy: digits(down(v[b])) })));
      };
    }

    // keys: one series of bars, or two, the second below the line; nothing is drawn for null. numbers: whether each bar says its share; sides: what is above the line, what is below.
    function bars() {
      const zero = down(0), box = shape("g"), said = shape("g");
      plot.append(box, said, shape("path", { class: "axis", d: `M0 ${digits(zero)}H${WIDTH}` }),
        ...(about.sides ?? []).map((text, k) => shape("text", k ? { x: 0, y: height - 2 } : { x: WIDTH, y: 12, "text-anchor": "end" }, text)));
      let shown = "";
      return (v) => {
        const labels = v.labels ?? about.labels, slot = WIDTH / labels.length, list = [];
        for (const [key, role] of [...about.keys.map((k) => [k, "bar"]), ...(about.outlines ?? []).map((k) => [k, k === "held" ? "ghost held solid" : "ghost"])]) {
          v[key]?.forEach((value, k) => { if (value !== null) list.push([role === "bar" ? `bar ${v[about.roles][k]}` : role, k, down(value), value]); });
        }
        if (shown !== `${labels} ${list.length}`) {                    // new bars; else they glide
          shown = `${labels} ${list.length}`;
          box.replaceChildren(...list.map(([, k]) => shape("rect", { x: digits((k + 0.15) * slot), width: digits(0.7 * slot) })));
          marks.replaceChildren(...labels.map((label, k) => {
            const at = LEFT + (k + 0.5) * slot, low = height + 38 - (about.slant ? 6 : 0);
            return shape("text", about.slant ? { "text-anchor": "end", transform: `translate(${digits(at + 4)} ${low}) rotate(-35)` } : { x: digits(at), y: low, "text-anchor": "middle" }, label);
          }));
        }
        if (about.numbers) said.replaceChildren(...list.filter(([role]) => !role.startsWith("ghost")).map(([, k, top, value]) => shape("text", { class: "number", x: digits((k + 0.5) * slot), y: digits(value < 0 ? top + 10 : top - 3), "text-anchor": "middle" }, `${(100 * Math.abs(value)).toFixed(0)} %`)));
        list.forEach(([role, , top], n) => set(box.children[n], { class: role, y: digits(Math.min(top, zero)), height: digits(Math.abs(top - zero)) }));
      };
    }

    // x, y: shares of the plot; edges: [from, to, whether within a component]; off: nodes that nothing names.
    function graph() {
      const id = `tip-${Math.random().toString(36).slice(2)}`, arrows = shape("g"), nodes = shape("g");
      set(plot, { x: 0, width: FRAME });
      plot.append(shape("defs", {}, ...["theory", "muted"].map((role) => shape("marker", { id: `${id}-${role}`, class: role, viewBox: "0 0 10 10", refX: 9, refY: 5, markerUnits: "userSpaceOnUse", markerWidth: 8, markerHeight: 8, orient: "auto" }, shape("path", { class: "tip", d: "M0 0L10 5L0 10z" })))), arrows, nodes);
      let shown = null;
      return (v) => {
        const labels = v.labels ?? about.labels, x = v.x.map((a) => FRAME * a), y = v.y.map((b) => height * b), half = labels.map((label) => Math.max(11, 4 + 3.6 * label.length));
        if (shown !== String(labels)) {
          shown = String(labels);
          nodes.replaceChildren(...labels.map((label, k) => shape("g", {}, shape("rect", { x: -half[k], y: -10, width: 2 * half[k], height: 20, rx: 10 }), shape("text", { "text-anchor": "middle", y: 4 }, label))));
        }
        labels.forEach((_, k) => {
          set(nodes.children[k], { class: `node ${v.roles[k]}${v.off.includes(k) ? " off" : ""}` });
          nodes.children[k].style.transform = `translate(${digits(x[k])}px, ${digits(y[k])}px)`;
        });
        arrows.replaceChildren(...v.edges.map(([i, j, inner]) => {       // bent to the left, so that two between the same nodes stay apart
          const by = [(x[i] + x[j]) / 2 + 0.25 * (y[j] - y[i]), (y[i] + y[j]) / 2 - 0.25 * (x[j] - x[i])], role = inner ? "theory" : "muted";
          const [dx, dy] = [x[j] - by[0], y[j] - by[1]], share = Math.min(1, Math.min(half[j] / Math.max(1e-9, Math.abs(dx)), 11 / Math.max(1e-9, Math.abs(dy))));
          const [a, b, c] = [[x[i], y[i]], by, [x[j] - share * dx, y[j] - share * dy]].map((p) => p.map(digits).join(" "));
          return shape("path", { class: `edge ${inner ? "inner " : ""}${role}`, d: `M${a}Q${b} ${c}`, "marker-end": `url(#${id}-${role})` });
        }));
      };
    }
  }

  // Rows of nodes, one a component, two for three or more: shares of the plot.
  function rows(groups, least) {
    const x = {}, y = {};
    let line = 0;
    for (const members of groups) {
      const deep = members.length > 2 ? 2 : 1;
      members.forEach((token, slot) => {
        x[token] = 0.5 + 0.9 / Math.max(members.length, 2.5) * (slot - (members.length - 1) / 2);
        y[token] = line + slot % deep + 0.5;
      });
      line += deep;
    }
    for (const token in y) y[token] /= Math.max(line, least);
    return { x, y };
  }

  // A sentence with its gaps filled as Python's str.format does: {key}, {key:.2f}, {key:.0%}.
  function fill(template, values) {
    return template.replace(/\{(\w+)(?::\.(\d)([f%]))?\}/g, (_, key, digits, kind) => (
      !kind ? values[key] : kind === "%" ? `${(100 * values[key]).toFixed(digits)} %` : values[key].toFixed(digits)));
  }

  // A control for a position in a list of texts: slider, box (kind "box") or menu (kind "menu").  ``show(position)`` sets it.
  function control({ id, label, texts, kind = "range" }, changed) {
    const input = kind === "menu" ? html("select", { id }) : html("input", kind === "box" ? { id, type: "checkbox" } : { id, type: "range", min: 0, max: texts.length - 1, step: 1 });
    const output = html("output", { for: id }), name = html("label", { for: id }, ...subscripts(label));
    const root = html("div", { class: `set ${kind}` }, ...(kind === "box" ? [input, name] : kind === "menu" ? [name, input] : [name, input, output]));
    const options = (list) => { texts = list; if (kind === "menu") input.replaceChildren(...list.map((text, k) => html("option", { value: k }, text))); else if (kind === "range") input.max = list.length - 1; };
    options(texts ?? []);
    input.addEventListener(kind === "menu" ? "change" : "input", () => changed(kind === "box" ? Number(input.checked) : Number(input.value)));
    const show = (position) => {
      if (kind === "box") input.checked = position === 1; else input.value = position;
      if (kind === "range") { output.textContent = texts[position]; input.setAttribute("aria-valuetext", texts[position]); }
    };
    return { root, input, show, options };
  }

  function button(text, pressed) {
    const node = html("button", { type: "button", class: "btn btn-outline-primary btn-sm" }, text);
    node.addEventListener("click", pressed);
    return node;
  }

  // A button that moves a position from 0 to ``last()``: with reduced motion a step a press.
  function play({ at, last, to, every = 220 }) {
    let timer = null;
    const node = button("Play", () => {
      if (timer) return stop();
      if (at() >= last()) to(0);
      if (still.matches) return to(Math.min(last(), at() + 1));
      node.textContent = "Pause";
      timer = setInterval(() => { to(at() + 1); if (at() >= last()) stop(); }, every);
    });
    function stop() { clearInterval(timer); timer = null; node.textContent = "Play"; }
    still.addEventListener?.("change", stop);
    return { node, stop };
  }

  // Writes into a node, and has it read aloud only once nothing has moved for a while.
  function teller(node) {
    let rest = null;
    return (words) => {
      if (node.textContent === words) return;
      set(node, { "aria-live": "off" });
      node.textContent = words;
      clearTimeout(rest);
      rest = setTimeout(() => { set(node, { "aria-live": "polite" }); node.textContent = words; }, 700);
    };
  }

  return { html, subscripts, panel, rows, fill, control, button, play, teller, still };
})();
