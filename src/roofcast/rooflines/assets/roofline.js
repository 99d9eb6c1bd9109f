"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const SVG = "http://www.w3.org/2000/svg";
  const W = 720, H = 480, LEFT = 66, RIGHT = 12, TOP = 12, BOTTOM = 46, STRIP = 120, GAP = 64, FAINT_AFTER = 40, DENSE = 200, INTERVALS_UP_TO = 12;
  const RING = { bytes_l1: 1.5, bytes_shared: 1.2, bytes_l2: 1, bytes_dram: 0.62 };
  const state = { focus: null, hidden: new Set(), filter: "", levels: new Set(Object.keys(data.levels)), ceilings: true, intervals: true, overlay: false };
  const byId = (id) => document.getElementById(id);
  const PREFIX = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
  const SMALL = [["", 1], ["m", 1e-3], ["u", 1e-6], ["n", 1e-9]];

  const three = (v) => v.toFixed(Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(Number(v.toPrecision(3))))))));
  function quantity(value, unit) {
    if (value === null || !Number.isFinite(value)) return "–";
    if (value === 0) return "0 " + unit;
    const [prefix, scale] = (unit === "s" ? SMALL : PREFIX).find(([, s]) => Math.abs(value) >= s * 0.9995) || ["", 1];
    return three(value / scale) + " " + prefix + unit;
  }
  const percent = (v) => (v === null ? "–" : (100 * v).toFixed(v < 0.1 ? 1 : 0) + " %");
  const times = (v) => (v ? v.toPrecision(3) + "×" : "–");
  const shown = (k) => !state.hidden.has(k) && (!state.filter || data.kernels[k].search.includes(state.filter));

  function node(parent, name, attributes, text) {
    const element = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.appendChild(element);
    return element;
  }

  function scales(strip) {
    const right = strip ? W - RIGHT - STRIP - GAP : W - RIGHT;
    const log = ([low, high], from, to) => {
      const a = Math.log10(low), b = Math.log10(high);
      return (v) => from + (to - from) * (Math.log10(Math.min(Math.max(v, low), high)) - a) / (b - a);
    };
    return { right, x: log(data.extent.x, LEFT, right), y: log(data.extent.y, H - BOTTOM, TOP), s: log(data.extent.strip, H - BOTTOM, TOP) };
  }

  function decades([low, high]) {
    const out = [];
    if (high / low < 30) for (let e = Math.floor(Math.log10(low)); e <= Math.log10(high); e++) for (const k of [1, 2, 5]) if (k * 10 ** e >= low && k * 10 ** e <= high) out.push(k * 10 ** e);
    if (out.length) return out;
    for (let e = Math.ceil(Math.log10(low) - 1e-9); e <= Math.log10(high); e++) out.push(10 ** e);
    return out;
  }

  function axes(svg, sc) {
    for (const v of decades(data.extent.x)) {
      node(svg, "svg:line", { class: "grid", x1: sc.x(v), x2: sc.x(v), y1: TOP, y2: H - BOTTOM });
      node(svg, "svg:text", { class: "axis", x: sc.x(v), y: H - BOTTOM + 16, "text-anchor": "middle" }, String(Number(v.toPrecision(3))));
    }
    for (const v of decades(data.extent.y)) {
      node(svg, "svg:line", { class: "grid", x1: LEFT, x2: sc.right, y1: sc.y(v), y2: sc.y(v) });
      node(svg, "svg:text", { class: "axis", x: LEFT - 6, y: sc.y(v) + 4, "text-anchor": "end" }, String(Number((v / data.extent.unit).toPrecision(3))));
    }
    node(svg, "svg:path", { class: "frame", d: `M${LEFT},${TOP}V${H - BOTTOM}H${sc.right}` });
    node(svg, "svg:text", { class: "axis", x: (LEFT + sc.right) / 2, y: H - 8, "text-anchor": "middle" }, "Operational intensity (FLOP/B)");
    node(svg, "svg:text", { class: "axis", transform: `translate(14,${(H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, `Performance (${data.extent.unit_name})`);
  }

  function sloped(svg, sc, perSecond, top, cls) {
    const [x0, x1] = data.extent.x, end = Math.min(Math.min(top, data.extent.y[1]) / perSecond, x1);
    const start = Math.max(x0, data.extent.y[0] / perSecond);
    if (end > start) node(svg, "svg:line", { class: cls, x1: sc.x(start), y1: sc.y(start * perSecond), x2: sc.x(end), y2: sc.y(end * perSecond) });
    return start;
  }

  function roofs(svg, words, sc, panel, weak) {
    const memory = panel.roofs.filter((r) => r.memory), compute = panel.roofs.filter((r) => !r.memory);
    const top = Math.max(data.extent.y[0], ...compute.map((r) => r.v)) || data.extent.y[1];
    const fastest = Math.max(...memory.map((r) => r.v));
    const style = (r) => `roof ${r.memory ? "" : "compute "}${r.l}${r.estimated ? " estimated" : ""}${weak ? " faint" : ""}`;
    const slope = (Math.atan2(sc.y(10 * data.extent.y[0]) - sc.y(data.extent.y[0]), sc.x(10 * data.extent.x[0]) - sc.x(data.extent.x[0])) * 180) / Math.PI;
    const used = [];
    memory.forEach((r) => {
      if (!state.levels.has(r.l)) return;
      const start = sloped(svg, sc, r.v, compute.length ? top : data.extent.y[1], style(r)) * 1.3;
      // Roofs that nearly coincide get their labels one behind the other.
      const decades = Math.log10(data.extent.x[1] / data.extent.x[0]), tall = Math.log10(data.extent.y[1] / data.extent.y[0]);
      const near = used.filter(([v]) => Math.abs(Math.log10(v / r.v)) < 0.06 * tall).map(([, x]) => x * 10 ** (0.36 * decades));
      const at = Math.max(start, ...near);
      used.push([r.v, at]);
      if (!weak) node(words, "svg:text", { class: "named " + r.l, transform: `translate(${sc.x(at)},${sc.y(at * r.v) - 5}) rotate(${slope})` }, r.text);
    });
    let last = Infinity;
    [...compute].filter((r) => inFrame("y", r.v)).sort((a, b) => a.v - b.v).forEach((r) => {
      const from = Number.isFinite(fastest) ? Math.max(data.extent.x[0], r.v / fastest) : data.extent.x[0];
      node(svg, "svg:line", { class: style(r), x1: sc.x(from), x2: sc.right, y1: sc.y(r.v), y2: sc.y(r.v) });
      last = Math.min(sc.y(r.v) - 5, last - 15);
      if (!weak) node(words, "svg:text", { x: sc.right - 3, y: last, "text-anchor": "end" }, r.text);
    });
  }

  function ceilings(svg, words, sc, mark) {
    const top = mark.ceiling || data.extent.y[1];
    let widest = 0;
    for (const p of mark.points) {
      if (!state.levels.has(p.l) || !p.c) continue;
      widest = Math.max(widest, p.c);
      sloped(svg, sc, p.c, top, "ceiling " + p.l);
    }
    let y = 0;
    const lines = [[mark.mix, "FMA mix"], [mark.ceiling, "FMA mix and idle lanes"]].filter(([v], n) => v && v < 0.985 * (n ? mark.mix : mark.peak));
    for (const [v, text] of lines) {
      const from = widest ? Math.max(data.extent.x[0], v / widest) : data.extent.x[0];
      node(svg, "svg:line", { class: "ceiling compute", x1: sc.x(from), x2: sc.right, y1: sc.y(v), y2: sc.y(v) });
      y = Math.max(y + 14, sc.y(v) + 13);
      node(words, "svg:text", { x: sc.right - 3, y, "text-anchor": "end" }, `${text} ${quantity(v, "FLOP/s")}`);
    }
  }

  const radius = (mark, level) => Math.sqrt(RING[level] * (14 + 150 * (mark.share || 0)));

  function kernels(svg, sc, panel, square) {
    const visible = panel.marks.filter((m) => shown(m.k) && m.points.length);
    const crowded = visible.length > FAINT_AFTER;
    const strip = visible.filter((m) => !m.rate), placed = visible.filter((m) => m.rate);
    const few = placed.filter((m) => m.k !== state.focus && (m.share || 0) < 0.02), dense = !zoomed() && few.length > DENSE;
    if (dense) density(svg, sc, few);
    for (const mark of (dense ? placed.filter((m) => !few.includes(m)) : placed.slice()).reverse()) {
      // What a magnified picture leaves out stays out; else the frame holds everything.
      const on = mark.k === state.focus, points = mark.points.filter((p) => state.levels.has(p.l) && (!zoomed() || inFrame("x", p.x)));
      if (!points.length || (zoomed() && !inFrame("y", mark.rate))) continue;
      const y = sc.y(mark.rate), xs = points.map((p) => sc.x(p.x));
      if (panel.role === "target" && state.intervals && mark.low && (on || visible.length <= INTERVALS_UP_TO)) {
        const flops = mark.rate * mark.time, up = sc.y(flops / mark.low), down = sc.y(flops / mark.high);
        node(svg, "svg:rect", { class: "interval", x: Math.min(...xs) - 5, width: Math.max(...xs) - Math.min(...xs) + 10, y: up, height: Math.max(down - up, 1.5) });
      }
      node(svg, "svg:line", { class: "join" + (on ? " on" : ""), x1: Math.min(...xs), x2: Math.max(...xs), y1: y, y2: y });
      points.forEach((p, n) => dot(svg, xs[n], y, mark, p, on, crowded, square));
    }
    strip.forEach((mark, n) => {
      const on = mark.k === state.focus, left = sc.right + GAP, x = left + (STRIP * (n + 0.5)) / Math.max(strip.length, 4);
      const points = mark.points.filter((p) => state.levels.has(p.l)), ys = points.map((p) => sc.s(p.b));
      if (!points.length) return;
      if (panel.role === "target" && state.intervals && mark.low && (on || strip.length <= INTERVALS_UP_TO)) {
        const rates = points.map((p) => p.b), up = sc.s((Math.max(...rates) * mark.time) / mark.low), down = sc.s((Math.min(...rates) * mark.time) / mark.high);
        node(svg, "svg:rect", { class: "interval", x: x - 5, width: 10, y: up, height: Math.max(down - up, 1.5) });
      }
      node(svg, "svg:line", { class: "join" + (on ? " on" : ""), x1: x, x2: x, y1: Math.min(...ys), y2: Math.max(...ys) });
      points.forEach((p, m) => dot(svg, x, ys[m], mark, p, on, crowded, square));
    });
  }

  // Very many kernels with little time: how many stand where; magnified, each is a point again.
  function density(svg, sc, marks) {
    const cells = new Map(), size = 10;
    for (const mark of marks) {
      const p = mark.points.filter((q) => state.levels.has(q.l)).at(-1);
      if (!p) continue;
      const key = Math.floor(sc.x(p.x) / size) + "," + Math.floor(sc.y(mark.rate) / size);
      cells.set(key, (cells.get(key) || 0) + 1);
    }
    const most = Math.log2(1 + Math.max(1, ...cells.values()));
    for (const [key, count] of cells) {
      const [x, y] = key.split(",");
      node(svg, "svg:rect", { class: "cell", x: x * size, y: y * size, width: size, height: size, opacity: 0.12 + (0.6 * Math.log2(1 + count)) / most });
    }
  }

  function dot(svg, x, y, mark, point, on, crowded, square) {
    const r = radius(mark, point.l), cls = `dot ${point.l}${on ? " on" : crowded && (mark.share || 0) < 0.02 ? " faint" : ""}`;
    const element = square
      ? node(svg, "svg:rect", { class: cls, x: x - r * 0.85, y: y - r * 0.85, width: r * 1.7, height: r * 1.7, transform: `rotate(45 ${x} ${y})` })
      : node(svg, "svg:circle", { class: cls, cx: x, cy: y, r });
    element.mark = mark;
    element.point = point;
  }

  function strip(svg, sc, panel) {
    const left = sc.right + GAP;
    for (const v of decades(data.extent.strip)) {
      node(svg, "svg:line", { class: "grid", x1: left, x2: left + STRIP, y1: sc.s(v), y2: sc.s(v) });
      node(svg, "svg:text", { class: "axis", x: left - 6, y: sc.s(v) + 4, "text-anchor": "end" }, String(Number((v / 1e9).toPrecision(3))));
    }
    for (const r of panel.roofs) if (r.memory && state.levels.has(r.l)) node(svg, "svg:line", { class: `roof ${r.l}${r.estimated ? " estimated" : ""}`, x1: left, x2: left + STRIP, y1: sc.s(r.v), y2: sc.s(r.v) });
    node(svg, "svg:path", { class: "frame", d: `M${left},${TOP}V${H - BOTTOM}H${left + STRIP}` });
    node(svg, "svg:text", { class: "axis", x: left + STRIP / 2, y: H - BOTTOM + 16, "text-anchor": "middle" }, "no FLOPs");
    node(svg, "svg:text", { class: "axis", transform: `translate(${left - 44},${(H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, "Bandwidth (GB/s)");
  }

  // Pictures stand side by side in one page: each has an arrow of its own.
  let arrows = 0;
  function chains(svg, sc, panel) {
    const marks = new Map(panel.marks.filter((m) => m.rate && shown(m.k)).map((m) => [m.k, m]));
    for (const chain of data.joined) for (let n = 1; n < chain.length; n++) {
      const [a, b] = [marks.get(chain[n - 1]), marks.get(chain[n])];
      if (!a || !b) continue;
      const there = new Map(b.points.map((p) => [p.l, p]));
      for (const p of a.points) {
        const q = there.get(p.l);
        if (!q || !state.levels.has(p.l) || !(inFrame("x", p.x) && inFrame("x", q.x) && inFrame("y", a.rate) && inFrame("y", b.rate))) continue;
        if (Math.hypot(sc.x(p.x) - sc.x(q.x), sc.y(a.rate) - sc.y(b.rate)) > 12) node(svg, "svg:path", { class: "chain " + p.l, "marker-end": `url(#${svg.querySelector("marker").id})`, d: `M${sc.x(p.x)},${sc.y(a.rate)}L${sc.x(q.x)},${sc.y(b.rate)}` });
      }
    }
  }

  function chart(parent, panels) {
    const figure = node(parent, "figure"), caption = node(figure, "figcaption");
    caption.append(panels.map((p) => (p.role === "source" ? "measured on " : "forecast for ") + p.name).join(" → "));
    if (panels.every((p) => p.lost)) { node(figure, "p", { class: "lost" }, panels[0].lost); return; }
    node(caption, "small", {}, panels.filter((p) => !p.lost).map((p) => "roofs at " + p.clock).join("; "));
    const bandwidth = panels.some((p) => p.marks.some((m) => m.points.length && !m.rate)), sc = scales(bandwidth);
    const words = document.createElementNS(SVG, "g"), svg = node(figure, "svg:svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": caption.textContent + ". The table below lists the same kernels." });
    const arrow = node(node(svg, "svg:defs"), "svg:marker", { id: `arrow${++arrows}`, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto" });
    node(arrow, "svg:path", { d: "M0,0L8,4L0,8Z", fill: "context-stroke" });
    axes(svg, sc);
    if (bandwidth) strip(svg, sc, panels[panels.length - 1]);
    panels.forEach((panel, n) => roofs(svg, words, sc, panel, n < panels.length - 1));
    panels.forEach((panel, n) => {
      const focus = panel.marks.find((m) => m.k === state.focus && m.rate && shown(m.k));
      if (state.ceilings && focus && (panels.length === 1 || n === 0)) ceilings(svg, words, sc, focus);
      kernels(svg, sc, panel, n > 0);
      chains(svg, sc, panel);
    });
    svg.appendChild(words);
    magnifies(svg, sc);
    svg.addEventListener("pointermove", (event) => tip(event, panels));
    svg.addEventListener("pointerleave", () => { byId("tip").hidden = true; });
    svg.addEventListener("click", (event) => { if (event.target.mark) focus(event.target.mark.k, true); });
  }

  // The wheel and + and - magnify around the pointer or the middle, dragging and arrow keys move, 0 and a double click show everything.
  const whole = { x: data.extent.x, y: data.extent.y };
  const inFrame = (axis, v) => v >= data.extent[axis][0] && v <= data.extent[axis][1];
  const zoomed = () => data.extent.x !== whole.x || data.extent.y !== whole.y;
  const stretched = ([low, high], at, factor) => [at * (low / at) ** factor, at * (high / at) ** factor];

  function magnify(fx, fy, factor) {
    const place = ([low, high], f) => low * (high / low) ** f;
    for (const [axis, f] of [["x", fx], ["y", fy]]) {
      const next = stretched(data.extent[axis], place(data.extent[axis], f), factor);
      data.extent[axis] = next[0] <= whole[axis][0] && next[1] >= whole[axis][1] ? whole[axis] : [Math.max(next[0], whole[axis][0]), Math.min(next[1], whole[axis][1])];
    }
    charts();
  }

  function shift(dx, dy) {
    for (const [axis, d] of [["x", dx], ["y", dy]]) {
      const [low, high] = data.extent[axis], span = Math.log10(high / low), step = Math.min(Math.max(10 ** (d * span), whole[axis][0] / low), whole[axis][1] / high);
      if (zoomed()) data.extent[axis] = [low * step, high * step];
    }
    charts();
  }

  function everything() { data.extent.x = whole.x; data.extent.y = whole.y; charts(); }

  function magnifies(svg, sc) {
    svg.setAttribute("tabindex", "0");
    const place = (event) => {
      const box = svg.getBoundingClientRect();
      return [((event.clientX - box.left) / box.width * W - LEFT) / (sc.right - LEFT), 1 - ((event.clientY - box.top) / box.height * H - TOP) / (H - BOTTOM - TOP)];
    };
    const inside = ([fx, fy]) => fx >= 0 && fx <= 1 && fy >= 0 && fy <= 1;
    let from = null;
    svg.addEventListener("wheel", (event) => {
      const at = place(event);
      if (!inside(at) || !(event.ctrlKey || document.activeElement === svg || zoomed())) return;
      event.preventDefault();
      magnify(at[0], at[1], event.deltaY > 0 ? 1.25 : 0.8);
    }, { passive: false });
    svg.addEventListener("pointerdown", (event) => { from = event.target.mark ? null : place(event); });
    svg.addEventListener("pointerup", (event) => {
      const to = place(event);
      if (from && zoomed() && Math.hypot(to[0] - from[0], to[1] - from[1]) > 0.01) shift(from[0] - to[0], from[1] - to[1]);
      from = null;
    });
    svg.addEventListener("dblclick", (event) => { if (zoomed()) everything(); else magnify(...place(event), 0.4); });
    svg.addEventListener("keydown", (event) => {
      const moves = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
      const factor = { "+": 0.7, "=": 0.7, "-": 1.43 }[event.key];
      if (!moves && !factor && event.key !== "0") return;
      event.preventDefault();
      const figures = [...document.querySelectorAll("#charts svg")], n = figures.indexOf(svg);
      if (moves) shift(...moves);
      else if (factor) magnify(0.5, 0.5, factor);
      else everything();
      document.querySelectorAll("#charts svg")[n].focus();
    });
  }

  function tip(event) {
    const box = byId("tip"), { mark, point } = event.target;
    box.hidden = !mark;
    if (!mark) return;
    const rows = [data.kernels[mark.k].full, `${quantity(mark.time, "s")} (${percent(mark.share)} of the time)`];
    if (mark.low) rows.push(`interval ${quantity(mark.low, "s")} to ${quantity(mark.high, "s")}`);
    if (mark.rate) rows.push(`${quantity(mark.rate, "FLOP/s")} at ${Number(point.x.toPrecision(3))} FLOP/B (${data.levels[point.l]})`);
    rows.push(`${data.levels[point.l]}: ${quantity(point.b, "B/s")}, ${percent(point.s)} of the kernel's ceiling`);
    if (mark.limit) rows.push("limit: " + mark.limit);
    box.textContent = rows.join("\n");
    const { innerWidth, innerHeight } = window;
    box.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - box.offsetWidth - 8)) + "px";
    box.style.top = Math.max(4, Math.min(event.clientY + 14, innerHeight - box.offsetHeight - 8)) + "px";
  }

  function charts() {
    const parent = byId("charts");
    parent.replaceChildren();
    if (state.overlay) chart(parent, data.panels);
    else data.panels.forEach((panel) => chart(parent, [panel]));
  }

  const rows = new Map();
  const targets = data.panels.filter((p) => p.role === "target");
  const sources = new Map(data.panels.filter((p) => p.role === "source").flatMap((p) => p.marks.map((m) => [m.k, m])));
  const forecasts = targets.map((p) => new Map(p.marks.map((m) => [m.k, m])));

  function table() {
    const head = node(byId("head"), "tr");
    node(node(head, "th", { scope: "col" }), "input", { type: "checkbox", id: "all", checked: "", "aria-label": "show all listed kernels" });
    for (const text of ["kernel", "time", "share", "limit"]) node(head, "th", text === "kernel" ? { scope: "col", class: "left" } : { scope: "col" }, text);
    targets.forEach((p) => { node(head, "th", { scope: "col" }, p.name); node(head, "th", { scope: "col" }, "speed-up"); });
    for (const k of data.order) {
      const mark = sources.get(k), kernel = data.kernels[k], row = node(byId("rows"), "tr", { tabindex: "-1", "aria-selected": "false" });
      row.k = k;
      rows.set(k, row);
      node(node(row, "td"), "input", { type: "checkbox", checked: "", "aria-label": "show " + kernel.name });
      node(row, "td", { title: kernel.full.slice(0, 300) }, kernel.name);
      node(row, "td", {}, quantity(mark.time, "s"));
      node(row, "td", {}, percent(mark.share));
      const limit = node(row, "td");
      if (mark.by) node(limit, "span", { class: "key " + mark.by });
      limit.append(mark.limit || (mark.points.length ? "–" : "not drawn"));
      forecasts.forEach((of) => {
        const there = of.get(k);
        node(row, "td", {}, there ? quantity(there.time, "s") : "–");
        node(row, "td", {}, there && there.time && mark.time ? times(mark.time / there.time) : "–");
      });
    }
    byId("all").addEventListener("change", (event) => {
      for (const [k, row] of rows) if (!row.hidden) toggle(k, event.target.checked);
      charts();
    });
    byId("rows").addEventListener("change", (event) => { toggle(event.target.closest("tr").k, event.target.checked); charts(); });
    byId("rows").addEventListener("click", (event) => { if (event.target.type !== "checkbox") focus(event.target.closest("tr").k, false); });
    byId("rows").addEventListener("keydown", step);
  }

  function toggle(k, on) {
    state.hidden[on ? "delete" : "add"](k);
    rows.get(k).querySelector("input").checked = on;
  }

  function step(event) {
    const row = event.target.closest("tr"), listed = data.order.filter((k) => !rows.get(k).hidden), at = listed.indexOf(row.k);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: listed.length - 1 }[event.key];
    if (event.key === "Enter") focus(row.k, false);
    if (event.key === " " && event.target === row) { toggle(row.k, state.hidden.has(row.k)); charts(); event.preventDefault(); }
    if (next === undefined || next < 0 || next >= listed.length) return;
    event.preventDefault();
    focus(listed[next], true);
    rows.get(listed[next]).focus();
  }

  function focus(k, scroll) {
    if (state.focus !== null && rows.has(state.focus)) { rows.get(state.focus).setAttribute("aria-selected", "false"); rows.get(state.focus).tabIndex = -1; }
    state.focus = k;
    const row = rows.get(k);
    row.setAttribute("aria-selected", "true");
    row.tabIndex = 0;
    if (scroll) row.scrollIntoView({ block: "nearest" });
    details(k);
    charts();
    // Lets the report, where this roofline is one of several views, follow the selection.
    document.dispatchEvent(new CustomEvent("kernel-focus", { detail: k }));
  }

  function details(k) {
    const box = byId("details"), kernel = data.kernels[k];
    box.replaceChildren();
    node(box, "h2", {}, kernel.full);
    if (kernel.file) node(box, "p", {}, kernel.file);
    kernel.flags.forEach((flag) => node(box, "p", {}, "doubtful: " + flag));
    data.panels.forEach((panel) => {
      const mark = panel.marks.find((m) => m.k === k);
      if (!mark) return;
      node(box, "h3", {}, (panel.role === "source" ? "measured on " : "forecast for ") + panel.name);
      const facts = [quantity(mark.time, "s") + (mark.low ? ` [${quantity(mark.low, "s")} to ${quantity(mark.high, "s")}]` : "")];
      if (mark.rate) facts.push(quantity(mark.rate, "FLOP/s") + (mark.precision ? " " + mark.precision : ""));
      if (mark.ceiling) facts.push("compute ceiling " + quantity(mark.ceiling, "FLOP/s"));
      if (mark.limit) facts.push("limit " + mark.limit);
      node(box, "p", {}, facts.join(", "));
      if (mark.reason) node(box, "p", {}, mark.reason);
      if (!mark.points.length) return;
      const grid = node(box, "table"), head = node(grid, "tr");
      for (const text of ["level", "FLOP/B", "bandwidth", "its ceiling", "reached"]) node(head, "th", { scope: "col" }, text);
      for (const p of mark.points) {
        const row = node(grid, "tr"), first = node(row, "td");
        node(first, "span", { class: "key " + p.l });
        first.append(data.levels[p.l]);
        for (const text of [p.x === null ? "–" : String(Number(p.x.toPrecision(3))), quantity(p.b, "B/s"), quantity(p.c, "B/s"), percent(p.s)]) node(row, "td", {}, text);
      }
    });
  }

  function controls() {
    for (const [key, text] of Object.entries(data.levels)) {
      const label = node(byId("levels"), "label"), box = node(label, "input", { type: "checkbox", checked: "" });
      node(label, "span", { class: "key " + key });
      label.append(text);
      box.addEventListener("change", () => { state.levels[box.checked ? "add" : "delete"](key); charts(); });
    }
    byId("filter").addEventListener("input", (event) => {
      state.filter = event.target.value.trim().toLowerCase();
      let count = 0;
      for (const [k, row] of rows) {
        row.hidden = Boolean(state.filter) && !data.kernels[k].search.includes(state.filter);
        count += row.hidden ? 0 : 1;
      }
      byId("count").textContent = `${count} of ${rows.size} kernels`;
      charts();
    });
    for (const name of ["ceilings", "intervals", "overlay"]) byId(name).addEventListener("change", (event) => { state[name] = event.target.checked; charts(); });
    byId("overlay").closest("label").hidden = data.panels.length < 2;
    byId("intervals").closest("label").hidden = !targets.length;
    byId("print").addEventListener("click", () => window.print());
    byId("count").textContent = `${rows.size} kernels`;
  }

  data.kernels.forEach((k) => { k.search = (k.name + " " + k.full + " " + k.file).toLowerCase(); });
  table();
  controls();
  document.addEventListener("kernel-choose", (event) => { if (rows.has(event.detail) && event.detail !== state.focus) focus(event.detail, false); });
  if (data.order.length) focus(data.order[0], false);
  else charts();
  document.documentElement.dataset.ready = "yes";
})();
