"use strict";
(() => {
  const causes = JSON.parse(document.getElementById("causes-data").textContent);
  const full = JSON.parse(document.getElementById("data").textContent).kernels.map((k) => k.full);
  const SVG = "http://www.w3.org/2000/svg";
  const LABEL = 136, VALUE = 196, WIDTH = 640, ROW = 30, THICK = 9, MOST = 9, TARGETS = 4;
  const byId = (id) => document.getElementById(id);
  const body = byId("kernel-rows"), rows = [...body.rows], tip = byId("tip");
  const SMALL = [["", 1], ["m", 1e-3], ["u", 1e-6], ["n", 1e-9]];
  let current = null;

  const three = (v) => v.toFixed(Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(Math.abs(Number(v.toPrecision(3))))))));
  const present = (v) => v !== null && Number.isFinite(v);
  function seconds(value) {
    if (!present(value)) return "–";
    if (value === 0) return "0 s";
    const [prefix, scale] = SMALL.find(([, s]) => value >= s * 0.9995) || ["n", 1e-9];
    return three(value / scale) + " " + prefix + "s";
  }

  function node(parent, name, attributes, text) {
    const element = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.appendChild(element);
    return element;
  }

  function pair(svg, y, word, css, before, after, scale) {
    node(svg, "svg:text", { class: "plainword", x: LABEL - 6, y: y + 13, "text-anchor": "end" }, word);
    if (present(before)) node(svg, "svg:rect", { class: css + " source", x: LABEL, y, width: Math.max(scale(before), 0.8), height: THICK });
    if (present(after)) node(svg, "svg:rect", { class: css, x: LABEL, y: y + THICK + 2, width: Math.max(scale(after), 0.8), height: THICK });
    const ratio = present(before) && before > 0 && after > 0 ? `  (${Number((before / after).toPrecision(2))}x)` : "";
    node(svg, "svg:text", { class: "value", x: WIDTH - VALUE + 8, y: y + 13 }, `${seconds(before)} → ${seconds(after)}${ratio}`);
  }

  function picture(parent, k, j) {
    const [time, low, high] = k.f[j], lines = k.r.slice(0, MOST);
    const longest = Math.max(k.t || 0, time || 0, high || 0, ...lines.map(([, a, b]) => Math.max(a || 0, b[j] || 0)));
    if (!(longest > 0)) return;
    const scale = (v) => ((WIDTH - LABEL - VALUE) * v) / longest, height = ROW * (lines.length + 1) + 4;
    const spoken = lines.map(([r, a, b]) => `${causes.resources[r].label} ${seconds(a)} to ${seconds(b[j])}`).join("; ");
    const svg = node(parent, "svg:svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `Seconds on the source, then on the target. Whole kernel ${seconds(k.t)} to ${seconds(time)}; ${spoken}` });
    pair(svg, 4, "whole kernel", "whole", k.t, time, scale);
    if (present(low) && present(high)) {
      const y = 4 + THICK + 2 + THICK / 2;
      node(svg, "svg:path", { class: "whisker", fill: "none", d: `M${LABEL + scale(low)},${y - 4}v8m0,-4H${LABEL + scale(high)}m0,-4v8` });
    }
    lines.forEach(([r, a, b], n) => pair(svg, 4 + ROW * (n + 1), causes.resources[r].label, "bar " + causes.resources[r].css, a, b[j], scale));
  }

  // From the source's seconds to the target's: each bar starts where the one before it ends.
  function waterfall(parent, k, j) {
    const [time] = k.f[j], steps = k.w[j];
    if (!present(k.t) || !present(time) || !steps.length) return;
    const bars = [["measured", 0, k.m], ...steps.map(([c, at], n) => [causes.steps[c], n ? steps[n - 1][1] : k.m, at]), ["forecast", 0, time]];
    const longest = Math.max(...bars.map(([, a, b]) => Math.max(a, b)));
    const line = 19, scale = (v) => ((WIDTH - LABEL - VALUE) * v) / longest, height = line * bars.length + 4;
    const change = (a, b) => (b > a ? "+" : "−") + seconds(Math.abs(b - a));
    const spoken = bars.slice(1, -1).map(([label, a, b]) => `${label} ${change(a, b)}`).join("; ");
    const svg = node(parent, "svg:svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "img", "aria-label": `From ${seconds(k.t)} to ${seconds(time)} by cause: ${spoken}` });
    bars.forEach(([label, a, b], n) => {
      const y = 3 + line * n, end = n === 0 || n === bars.length - 1;
      node(svg, "svg:text", { class: "plainword", x: LABEL - 6, y: y + 11, "text-anchor": "end" }, label);
      node(svg, "svg:rect", { class: end ? "whole" : b < a ? "saves" : "costs", x: LABEL + scale(Math.min(a, b)), y, width: Math.max(scale(Math.abs(b - a)), 0.8), height: 13 });
      node(svg, "svg:text", { class: "value", x: WIDTH - VALUE + 8, y: y + 11 }, end ? seconds(b) : `${change(a, b)}  → ${seconds(b)}`);
    });
  }

  function show(index) {
    const k = causes.kernels[index], box = byId("causes");
    if (!k) return;
    current = index;
    for (const row of rows) {
      if (Number(row.dataset.k) === index) row.setAttribute("aria-current", "true");
      else row.removeAttribute("aria-current");
    }
    box.replaceChildren();
    // A template's name takes ten lines: the short one stands here, the whole on hover and on request.
    const short = rows.find((row) => Number(row.dataset.k) === index).querySelector(".name").textContent.trim();
    node(box, "h3", { title: full[index] }, short);
    if (short !== full[index]) {
      const whole = node(box, "details");
      node(whole, "summary", { class: "small" }, "whole name");
      node(whole, "p", { class: "small" }, full[index]);
    }
    node(box, "p", { class: "small" }, "Seconds that each resource alone would need in one launch: outlined" + (causes.sources[index] ? " on " + causes.sources[index] : " on the source") + ", filled as forecast, with its interval.");
    const pictures = node(box, "div", { class: "pictures" });
    causes.targets.slice(0, TARGETS).forEach((name, j) => {
      const part = node(pictures, "div", { tabindex: "0", role: "group", "aria-label": `${name}, scrolls` });
      node(part, "h4", {}, name);
      if (present(k.f[j][0])) {
        picture(part, k, j);
        if (k.e[j]) node(part, "p", { class: "small" }, `energy ${k.e[j]} a launch`);
        if (k.w[j].length) node(part, "h5", {}, "From source to target, cause by cause");
        waterfall(part, k, j);
      } else node(part, "p", {}, "no forecast");
    });
    if (causes.targets.length > TARGETS) node(box, "p", { class: "small" }, `${causes.targets.length - TARGETS} more GPUs are in the table.`);
    if (k.n.length) {
      const list = node(box, "ul");
      k.n.forEach((t) => node(list, "li", {}, causes.texts[t]));
    }
  }

  function choose(index) {
    show(index);
    document.dispatchEvent(new CustomEvent("kernel-choose", { detail: index }));
  }

  function filter(text) {
    const wanted = text.trim().toLowerCase();
    for (const row of rows) row.hidden = Boolean(wanted) && !(row.cells[0].textContent + " " + full[row.dataset.k]).toLowerCase().includes(wanted);
  }

  function tell(button) {
    tip.textContent = full[button.closest("tr").dataset.k];
    tip.hidden = false;
    const { left, bottom, top } = button.getBoundingClientRect();
    const below = bottom + tip.offsetHeight + 12 < window.innerHeight;
    tip.style.left = Math.max(4, Math.min(left + 10, window.innerWidth - tip.offsetWidth - 8)) + "px";
    tip.style.top = (below ? bottom + 6 : top - tip.offsetHeight - 6) + "px";
  }

  function step(event) {
    const row = event.target.closest("tr"), listed = [...body.rows].filter((r) => !r.hidden), at = listed.indexOf(row);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: listed.length - 1 }[event.key];
    if (at < 0 || next === undefined || next < 0 || next >= listed.length) return;
    event.preventDefault();
    listed[next].querySelector(".name").focus();
    choose(Number(listed[next].dataset.k));
  }

  body.addEventListener("click", (event) => { const row = event.target.closest("tr"); if (row) choose(Number(row.dataset.k)); });
  body.addEventListener("keydown", step);
  for (const name of ["pointerover", "focusin"]) body.addEventListener(name, (event) => { const button = event.target.closest(".name"); if (button) tell(button); });
  for (const name of ["pointerout", "focusout"]) body.addEventListener(name, () => { tip.hidden = true; });
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") tip.hidden = true; });
  byId("filter").addEventListener("input", (event) => filter(event.target.value));
  document.addEventListener("kernel-focus", (event) => { if (event.detail !== current) show(event.detail); });
})();
