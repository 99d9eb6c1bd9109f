"use strict";
(() => {
  const LANE = 17, THIN = 12, HEAD = 22, AXIS = 20, PAD = 2, WIDE = 640, NEAREST = 20;
  const node = (parent, name, attributes, text) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) made.setAttribute(key, value);
    if (text !== undefined) made.textContent = text;
    if (parent) parent.appendChild(made);
    return made;
  };
  const PREFIX = [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]];
  const seconds = (value, digits = 3) => {
    if (!value) return "0";
    const [scale, unit] = PREFIX.find(([s]) => Math.abs(value) >= s * 0.9995) || PREFIX[3];
    return `${Number((value / scale).toPrecision(digits))} ${unit}`;
  };

  // Columns of whole numbers: differences, byte by byte, deflated.
  async function unpack(text, lengths) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    const planes = new Uint8Array(await new Response(stream).arrayBuffer()), n = planes.length / 4;
    const found = [];
    let at = 0;
    for (const length of lengths) {
      const column = new Int32Array(length);
      for (let i = 0, sum = 0; i < length; i++, at++) {
        sum = (sum + (planes[at] | (planes[n + at] << 8) | (planes[2 * n + at] << 16) | (planes[3 * n + at] << 24))) | 0;
        column[i] = sum;
      }
      found.push(column);
    }
    return found;
  }

  // The lanes of one side: first and last slice of each, and their order there.
  function makeLanes(data, side, lane, start, length) {
    const found = [];
    for (let i = 0, k = 0; k < data.lanes.length; k++) {
      const first = i;
      while (i < data.count && lane[i] === k) i++;
      const order = new Int32Array(i - first);
      let sorted = true;
      for (let j = first; j < i; j++) { order[j - first] = j; sorted = sorted && (j === first || start[j] >= start[j - 1]); }
      if (!sorted) order.sort((a, b) => start[a] - start[b]);
      // Where one reaches over the next, the search for what is seen must begin earlier.
      const reached = new Int32Array(order.length);
      for (let j = 0, most = -1; j < order.length; j++) { most = Math.max(most, start[order[j]] + length[order[j]]); reached[j] = most; }
      found.push({ order, reached });
    }
    return found;
  }

  const firstAbove = (array, value) => {
    let low = 0, high = array.length;
    while (low < high) { const middle = (low + high) >> 1; if (array[middle] > value) high = middle; else low = middle + 1; }
    return low;
  };

  async function open(box) {
    const data = JSON.parse(box.querySelector("script").textContent), n = data.count, sides = data.sides.length;
    const [lane, kind, text, ...rest] = await unpack(data.packed, Array(3 + 2 * sides + 5).fill(n));
    const [call, operator, shape, bound, callName] = rest.slice(2 * sides);
    const view = data.sides.map((s, k) => ({ ...s, start: rest[2 * k], length: rest[2 * k + 1] }));
    for (const [k, s] of view.entries()) {
      s.lanes = makeLanes(data, k, lane, s.start, s.length);
      const [device, start, length, cause] = await unpack(s.packed, Array(4).fill(s.gaps));
      s.idle = data.devices.map((_, d) => {
        const rows = [];
        for (let i = 0; i < s.gaps; i++) if (device[i] === d) rows.push(i);
        return { start: Int32Array.from(rows, (i) => start[i]), end: Int32Array.from(rows, (i) => start[i] + length[i]), cause: Int32Array.from(rows, (i) => cause[i]) };
      });
      s.share = data.causes.map((_, c) => { let sum = 0; for (let i = 0; i < s.gaps; i++) if (cause[i] === c) sum += length[i]; return sum / (s.ticks * data.devices.length || 1); });
    }
    if (data.bins) {
      const flat = await unpack(data.bins, Array(sides * data.lanes.length).fill(2 * data.bin_count));
      view.forEach((s, k) => { s.bins = flat.slice(k * data.lanes.length, (k + 1) * data.lanes.length); });
    }

    const state = { from: 0, to: data.until, side: Math.min(1, sides - 1), chosen: -1, on: 0, dim: -1, hits: null, hover: null };
    const controls = node(box, "div", { class: "controls" });
    const button = (label, title, act) => node(controls, "button", { type: "button", title, "aria-label": title }, label).addEventListener("click", act);
    button("+", "zoom in", () => zoom(0.5));
    button("−", "zoom out", () => zoom(2));
    button("←", "earlier", () => pan(-0.25));
    button("→", "later", () => pan(0.25));
    button("all", "the whole run", () => place(0, data.until));
    if (sides > 2) {
      const label = node(controls, "label", {}, "below "), select = node(label, "select");
      view.slice(1).forEach((s, k) => node(select, "option", { value: k + 1 }, s.title));
      select.addEventListener("change", () => { state.side = Number(select.value); tellWhy(); tell(); later(); });
    }
    const find = node(node(controls, "label", {}, "Find "), "input", { type: "search", placeholder: "part of a name", autocomplete: "off" });
    const found = node(controls, "span", { role: "status" });
    const why = node(box, "p", { class: "why" });
    const canvas = node(box, "canvas", { tabindex: "0", role: "application", "aria-roledescription": "timeline", "aria-label": `${box.dataset.label}. Arrow keys move, plus and minus zoom, 0 shows the whole run, N and P choose the next and the previous slice, up and down change the lane.` });
    const chosen = node(box, "div", { class: "chosen", "aria-live": "polite" });
    const keys = node(box, "div", { class: "keys", role: "group", "aria-label": "colours; press one to see it alone" });
    const context = canvas.getContext("2d");
    box.querySelector(".still").hidden = true;

    const used = new Set(kind);
    data.kinds.forEach(([name, colour], k) => {
      if (!used.has(k)) return;
      const key = node(keys, "button", { type: "button", "aria-pressed": "false" }), mark = node(key, "canvas", { width: 12, height: 12, "aria-hidden": "true" }).getContext("2d");
      mark.fillStyle = colour;
      mark.fillRect(0, 0, 12, 12);
      node(key, "span", {}, name);
      key.addEventListener("click", () => {
        state.dim = state.dim === k ? -1 : k;
        for (const b of keys.children) b.setAttribute("aria-pressed", String(b === key && state.dim === k));
        later();
      });
    });
    const legend = node(box, "div", { class: "keys", role: "list", "aria-label": "why devices had nothing to do" });
    data.causes.forEach(([name, colour], c) => {
      if (!view.some((s) => s.share[c] > 0)) return;
      const item = node(legend, "span", { role: "listitem" }), mark = node(item, "canvas", { width: 12, height: 12, "aria-hidden": "true" }).getContext("2d");
      item.style.cssText = "display:inline-flex;align-items:center;gap:5px;padding:1px 6px;font-size:12.5px";
      mark.fillStyle = colour;
      mark.fillRect(0, 0, 12, 12);
      node(item, "span", { "data-cause": c });
    });
    const percent = (x) => (x < 5e-5 ? "0 %" : x < 0.005 ? "under 1 %" : `${(100 * x).toPrecision(x < 0.0995 ? 2 : 3).replace(/\.0+$/, "")} %`);
    function tellWhy() {
      const sentence = (s) => {
        const busy = 1 - s.share.reduce((a, b) => a + b, 0), most = s.share.indexOf(Math.max(...s.share));
        return `${s.title}, ${s.time}: devices busy ${percent(busy)}` + (s.share[most] > 0 ? `, idle most for “${data.causes[most][0]}” (${percent(s.share[most])})` : "");
      };
      why.textContent = [...new Set([view[0], view[state.side]])].map(sentence).join("; ") + ".";
      if (data.total > n) why.textContent += ` ${n} of ${data.total} slices are held, the longest; for the others the lanes show how busy they were.`;
      for (const span of legend.querySelectorAll("[data-cause]")) {
        const c = Number(span.dataset.cause);
        span.textContent = `${data.causes[c][0]}: ${percent(view[0].share[c])}` + (state.side ? ` → ${percent(view[state.side].share[c])}` : "");
      }
    }

    // ---- places

    let width = 0, left = 0, height = 0, rows = [], style = {};
    function layOut() {
      width = canvas.clientWidth;
      left = width > WIDE ? 150 : 0;
      rows = [];
      let y = 0;
      for (const side of [0, state.side]) {
        rows.push({ type: "head", side, y, h: HEAD });
        y += HEAD;
        data.devices.forEach((name, d) => { rows.push({ type: "idle", side, index: d, name, y, h: LANE }); y += LANE; });
        data.lanes.forEach((l, k) => { const h = l.thin ? THIN : LANE; rows.push({ type: "lane", side, index: k, name: l.name, y, h }); y += h; });
        if (sides < 2) break;
        y += 6;
      }
      height = y + AXIS;
      const ratio = window.devicePixelRatio || 1;
      canvas.style.height = `${height}px`;
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      context.setTransform(ratio, 0, 0, ratio, 0, 0);
      const read = getComputedStyle(document.documentElement);
      style = Object.fromEntries(["ink", "soft", "line", "panel", "paper", "accent"].map((v) => [v, read.getPropertyValue(`--${v}`).trim()]));
    }
    const xOf = (tick) => left + (width - left) * (tick - state.from) / (state.to - state.from);
    const tickOf = (x) => state.from + (state.to - state.from) * (x - left) / (width - left);

    // ---- drawing: in a lane at most a few rectangles a pixel, however many slices it has

    const light = new Map();
    const isLight = (colour) => {
      if (!light.has(colour)) { const c = parseInt(colour.slice(1), 16); light.set(colour, 0.3 * (c >> 16) + 0.59 * ((c >> 8) & 255) + 0.11 * (c & 255) > 150); }
      return light.get(colour);
    };
    let batches = [];
    const put = (k, x, y, w, h) => batches[k].push(x, y, w, h);
    function flush(colours) {
      batches.forEach((batch, k) => {
        if (!batch.length) return;
        context.fillStyle = colours[k];
        for (let i = 0; i < batch.length; i += 4) context.fillRect(batch[i], batch[i + 1], batch[i + 2], batch[i + 3]);
      });
    }
    function drawBins(s, row, scale) {
      const bins = s.bins[row.index], count = data.bin_count, each = data.until / count, h = row.h - PAD;
      const begin = Math.max(0, Math.floor(state.from / each)), end = Math.min(count, Math.ceil(state.to / each));
      for (let b = begin; b < end;) {
        const x = xOf(b * each);
        let last = b, most = 0, which = 0, sum = 0;
        while (last < end && xOf((last + 1) * each) - x <= 1) last++;
        last = Math.max(last, b + 1);
        for (let i = b; i < last; i++) { const level = bins[count + i]; sum += level; if (level > most) { most = level; which = bins[i]; } }
        if (sum) { const share = sum / (255 * (last - b)), tall = Math.max(1, h * share); put(which, x, row.y + h - tall, Math.max(1, (last - b) * each * scale), tall); }
        b = last;
      }
    }
    function drawLane(s, row, scale, names) {
      const { order, reached } = s.lanes[row.index], h = row.h - PAD, until = state.to;
      let x0 = -1, cover = 0, most = 0, which = 0;
      const end = () => { if (x0 >= 0) { const tall = Math.max(2, h * Math.min(1, cover)); put(which, left + x0, row.y + h - tall, 1, tall); } x0 = -1; cover = most = 0; };
      for (let j = firstAbove(reached, state.from); j < order.length; j++) {
        const i = order[j], start = s.start[i];
        if (start > until) break;
        const w = s.length[i] * scale, x = (start - state.from) * scale;
        if (w < 1) {
          const at = Math.max(0, Math.floor(x));
          if (at !== x0) { end(); x0 = at; }
          cover += w;
          if (w > most) { most = w; which = kind[i]; }
          continue;
        }
        const a = Math.max(0, x), b = Math.min(width - left, x + w);
        // A fine line between neighbours, so that each can be seen.
        put(kind[i], left + a, row.y, Math.max(1, b - a - (w > 4 ? 0.6 : 0)), h);
        if (b - a > 38 && row.h === LANE) names.push(i, left + a, row.y, b - a);
      }
      end();
    }
    function drawIdle(s, row, scale, colours) {
      const { start, end, cause } = s.idle[row.index], h = row.h - PAD;
      context.fillStyle = style.soft;
      context.fillRect(Math.max(left, xOf(0)), row.y, Math.max(0, Math.min(width, xOf(s.ticks)) - Math.max(left, xOf(0))), h);
      batches = data.causes.map(() => []);
      let x0 = -1, cover = 0, which = 0, most = 0;
      const finish = () => { if (x0 >= 0) put(which, left + x0, row.y, 1, h * Math.min(1, cover)); x0 = -1; cover = most = 0; };
      for (let i = firstAbove(end, state.from); i < start.length && start[i] <= state.to; i++) {
        const w = (end[i] - start[i]) * scale, x = (start[i] - state.from) * scale;
        if (w < 1) {
          const at = Math.max(0, Math.floor(x));
          if (at !== x0) { finish(); x0 = at; }
          cover += w;
          if (w > most) { most = w; which = cause[i]; }
        } else { const a = Math.max(0, x), b = Math.min(width - left, x + w); put(cause[i], left + a, row.y, b - a, h); }
      }
      finish();
      flush(colours);
    }
    function draw() {
      if (canvas.clientWidth !== width) layOut();
      const scale = (width - left) / (state.to - state.from), names = [];
      context.clearRect(0, 0, width, height);
      context.textBaseline = "middle";
      context.font = "11px system-ui, sans-serif";
      const causes = data.causes.map(([, c]) => c), colours = data.kinds.map(([, c]) => c);
      const below = rows.filter((r) => r.type === "lane");
      context.fillStyle = style.panel;
      for (const row of rows) if (row.type !== "head") context.fillRect(left, row.y, width - left, row.h - PAD);
      for (const row of rows.filter((r) => r.type === "idle")) drawIdle(view[row.side], row, scale, causes);
      batches = data.kinds.map(() => []);
      for (const row of below) {
        // Bins where a page does not hold all slices; what it holds over them once a bin is wide.
        if (data.bins) drawBins(view[row.side], row, scale);
        if (!data.bins || scale * data.until / data.bin_count > 1) drawLane(view[row.side], row, scale, names);
      }
      context.globalAlpha = state.dim >= 0 || state.hits ? 0.18 : 1;
      flush(colours);
      context.globalAlpha = 1;
      if (state.dim >= 0) flush(colours.map((c, k) => (k === state.dim ? c : "rgba(0,0,0,0)")));
      if (state.hits) drawHits(scale);
      drawWords(names, colours);
      drawFrame();
    }
    function drawHits(scale) {
      context.fillStyle = style.accent;
      for (const row of rows) {
        if (row.type !== "lane") continue;
        const s = view[row.side], { order, reached } = s.lanes[row.index];
        for (let j = firstAbove(reached, state.from), last = -1; j < order.length && s.start[order[j]] <= state.to; j++) {
          const i = order[j];
          if (!state.hits.has(text[i])) continue;
          const x = Math.max(0, (s.start[i] - state.from) * scale), w = Math.max(1.5, s.length[i] * scale);
          if (x + w <= last) continue;
          last = x + w;
          context.fillRect(left + x, row.y, Math.min(w, width - left - x), row.h - PAD);
        }
      }
    }
    function drawWords(names, colours) {
      for (let j = 0; j < names.length; j += 4) {
        const [i, x, y, w] = names.slice(j, j + 4), fit = Math.floor((w - 6) / 6.1), full = data.short[text[i]];
        context.fillStyle = state.dim >= 0 || state.hits ? style.ink : data.inks[isLight(colours[kind[i]]) ? 0 : 1];
        context.fillText(full.length > fit ? full.slice(0, Math.max(1, fit - 1)) + "…" : full, x + 3, y + (LANE - PAD) / 2 + 0.5);
      }
    }
    function drawFrame() {
      context.strokeStyle = style.line;
      for (const row of rows) {
        if (row.type === "head") {
          context.font = "600 12px system-ui, sans-serif";
          context.fillStyle = style.ink;
          context.fillText(`${view[row.side].title}, ${view[row.side].time}`, 2, row.y + HEAD / 2);
          context.font = "11px system-ui, sans-serif";
        } else if (row.name && left) {
          context.fillStyle = style.ink;
          context.fillText(row.name.length > 24 ? row.name.slice(0, 23) + "…" : row.name, 2, row.y + (row.h - PAD) / 2 + 0.5);
        }
      }
      // Where each side ends.
      context.setLineDash([3, 3]);
      context.strokeStyle = style.ink;
      for (const side of [0, state.side]) {
        const x = xOf(view[side].ticks), mine = rows.filter((r) => r.side === side && r.type !== "head");
        if (x < left || x > width || !mine.length) continue;
        context.beginPath();
        context.moveTo(x, mine[0].y);
        context.lineTo(x, mine.at(-1).y + mine.at(-1).h);
        context.stroke();
      }
      context.setLineDash([]);
      const rough = (state.to - state.from) * data.tick_s / Math.max(2, (width - left) / 130), power = 10 ** Math.floor(Math.log10(rough));
      const step = [1, 2, 5, 10].map((m) => m * power).find((m) => m >= rough);
      context.fillStyle = style.soft;
      for (let t = Math.ceil(state.from * data.tick_s / step) * step, last = state.to * data.tick_s; t <= last; t += step) {
        const x = xOf(t / data.tick_s), word = seconds(t, 6);
        context.fillRect(x, height - AXIS, 1, 4);
        if (x + context.measureText(word).width + 4 < width) context.fillText(word, x + 3, height - AXIS / 2 + 2);
      }
      const row = rows.find((r) => r.type === "lane" && r.side === state.on && state.chosen >= 0 && r.index === lane[state.chosen]);
      for (const r of rows) {
        if (state.chosen < 0 || r.type !== "lane" || r.index !== lane[state.chosen]) continue;
        const s = view[r.side], x = Math.max(left, xOf(s.start[state.chosen])), end = Math.min(width, xOf(s.start[state.chosen] + s.length[state.chosen]));
        if (end < left || x > width) continue;
        context.strokeStyle = style.ink;
        context.lineWidth = r === row ? 2 : 1;
        context.strokeRect(x, r.y, Math.max(2, end - x), r.h - PAD);
        context.lineWidth = 1;
      }
    }

    let waiting = 0;
    box.frames = [];
    function later() {
      if (!waiting) waiting = requestAnimationFrame(() => { waiting = 0; const before = performance.now(); draw(); box.frames.push(performance.now() - before); if (box.frames.length > 2000) box.frames.splice(0, 1000); });
    }

    // ---- moving

    function place(from, to, followed = false) {
      const span = Math.min(Math.max(to - from, NEAREST), data.until);
      state.from = Math.min(Math.max(from, 0), data.until - span);
      state.to = state.from + span;
      later();
      // Runs that are compared show the same seconds.
      const pair = followed ? null : box.closest(".run-pair");
      if (pair) for (const other of pair.querySelectorAll(".run-view")) if (other !== box && other.follow) other.follow(state.from * data.tick_s, state.to * data.tick_s);
    }
    box.follow = (from, to) => place(from / data.tick_s, to / data.tick_s, true);
    function zoom(factor, x = left + (width - left) / 2) {
      const at = tickOf(x);
      place(at - (at - state.from) * factor, at + (state.to - at) * factor);
    }
    function pan(share) { const span = state.to - state.from; place(state.from + share * span, state.from + share * span + span); }

    canvas.addEventListener("wheel", (event) => {
      const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
      // The page scrolls as ever until the timeline is in use.
      if (!sideways && !event.ctrlKey && document.activeElement !== canvas) return;
      event.preventDefault();
      if (sideways) pan((event.deltaX || event.deltaY) / 1000);
      else zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 250))), event.offsetX);
    }, { passive: false });
    const fingers = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => { fingers.set(event.pointerId, event.offsetX); moved = 0; try { canvas.setPointerCapture(event.pointerId); } catch { /* it is gone again */ } });
    canvas.addEventListener("pointermove", (event) => {
      const before = fingers.get(event.pointerId);
      if (before === undefined) { state.hover = at(event.offsetX, event.offsetY); canvas.title = state.hover ? whole(state.hover) : ""; return; }
      const others = [...fingers].filter(([id]) => id !== event.pointerId).map(([, x]) => x);
      moved += Math.abs(event.offsetX - before);
      if (others.length) {
        const old = Math.max(8, Math.abs(before - others[0])), now = Math.max(8, Math.abs(event.offsetX - others[0]));
        zoom(old / now, (event.offsetX + others[0]) / 2);
      } else if (moved > 3) pan((before - event.offsetX) / (width - left));
      fingers.set(event.pointerId, event.offsetX);
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, (event) => {
      fingers.delete(event.pointerId);
      if (name === "pointerup" && moved <= 3) { const hit = at(event.offsetX, event.offsetY); choose(hit); canvas.focus({ preventScroll: true }); }
    });
    canvas.addEventListener("dblclick", () => { if (state.chosen >= 0) showSlice(state.chosen); });
    canvas.addEventListener("keydown", (event) => {
      const act = {
        ArrowLeft: () => pan(-0.15), ArrowRight: () => pan(0.15), "+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6),
        0: () => place(0, data.until), Home: () => place(0, state.to - state.from), End: () => place(data.until - (state.to - state.from), data.until),
        n: () => step(1), p: () => step(-1), ArrowDown: () => change(1), ArrowUp: () => change(-1),
        Enter: () => { if (state.chosen >= 0) showSlice(state.chosen); }, Escape: () => choose(null),
      }[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      act();
    });
    // The next slice of the lane; of what was found where something was.
    const works = data.lanes.map(() => 0);
    for (let i = 0; i < n; i++) if (bound[i] >= 0) works[lane[i]]++;
    function step(way) {
      const l = state.chosen >= 0 ? lane[state.chosen] : works.indexOf(Math.max(...works)), s = view[state.on], { order } = s.lanes[l];
      if (!order.length) return;
      let j = state.chosen >= 0 ? order.indexOf(state.chosen) + way : Math.max(0, order.findIndex((i) => s.start[i] >= state.from));
      while (state.hits && order[j] !== undefined && !state.hits.has(text[order[j]])) j += way;
      if (order[j] !== undefined) { choose({ side: state.on, slice: order[j] }); reveal(order[j]); }
    }
    function change(way) {
      const l = state.chosen >= 0 ? lane[state.chosen] : -1, time = state.chosen >= 0 ? view[state.on].start[state.chosen] : state.from;
      for (let k = l + way; k >= 0 && k < data.lanes.length; k += way) {
        const { order } = view[state.on].lanes[k];
        if (!order.length) continue;
        const slice = order.reduce((best, i) => (Math.abs(view[state.on].start[i] - time) < Math.abs(view[state.on].start[best] - time) ? i : best), order[0]);
        choose({ side: state.on, slice });
        reveal(slice);
        return;
      }
    }
    function reveal(i) {
      const s = view[state.on], middle = s.start[i] + s.length[i] / 2, span = state.to - state.from;
      if (s.start[i] < state.from || s.start[i] + s.length[i] > state.to) place(middle - span / 2, middle + span / 2);
    }
    function showSlice(i) { const s = view[state.on], room = Math.max(s.length[i] * 3, NEAREST); place(s.start[i] - room, s.start[i] + s.length[i] + room); }

    // ---- what is there

    function at(x, y) {
      const row = rows.find((r) => y >= r.y && y < r.y + r.h);
      if (!row || row.type === "head" || x < left) return null;
      const tick = tickOf(x), s = view[row.side], slack = 3 * (state.to - state.from) / (width - left);
      if (row.type === "idle") {
        const { start, end, cause } = s.idle[row.index], i = firstAbove(end, tick - slack);
        return i < start.length && start[i] <= tick + slack ? { side: row.side, gap: [start[i], end[i], cause[i]] } : null;
      }
      const { order, reached } = s.lanes[row.index];
      let best = -1, far = slack;
      for (let j = firstAbove(reached, tick - slack); j < order.length && s.start[order[j]] <= tick + slack; j++) {
        const i = order[j], away = Math.max(s.start[i] - tick, tick - s.start[i] - s.length[i], 0);
        if (away <= far) { far = away; best = i; }
      }
      return best < 0 ? null : { side: row.side, slice: best };
    }
    const whole = (hit) => (hit.gap ? data.causes[hit.gap[2]][0] : data.names[text[hit.slice]]);
    function choose(hit) {
      state.gap = hit && hit.gap ? hit : null;
      state.chosen = hit && hit.slice !== undefined ? hit.slice : -1;
      if (hit) state.on = hit.side;
      tell();
      later();
    }
    function tell() {
      chosen.replaceChildren();
      const list = (title, facts) => {
        node(chosen, "h3", {}, title);
        const box = node(chosen, "dl");
        for (const [name, value] of facts) if (value) { node(box, "dt", {}, name); node(box, "dd", {}, value); }
      };
      const time = (ticks) => seconds(ticks * data.tick_s, 4);
      if (state.gap) {
        const [start, end, cause] = state.gap.gap;
        list("nothing to do", [["why", data.causes[cause][0]], ["for", time(end - start)], ["from", time(start)], ["on", view[state.gap.side].title]]);
        return;
      }
      const i = state.chosen;
      if (i < 0) { node(chosen, "p", {}, "Choose a slice to see what it is. Drag or arrow keys move, pinch, +, − or the wheel over the timeline in use zoom, N and P go on."); return; }
      const [a, b] = [view[0], view[state.side]], name = data.names[text[i]], limit = bound[i] >= 0 && state.side ? data.limits[state.side - 1][name] : null;
      const facts = [["what", data.kinds[kind[i]][0]], ["where", data.lanes[lane[i]].name]];
      if (data.short[text[i]] !== name) facts.push(["whole name", name]);
      facts.push(["measured", `${time(a.length[i])}, begins at ${time(a.start[i])}`]);
      if (state.side) {
        const factor = b.length[i] > 0 ? a.length[i] / b.length[i] : 0;
        facts.push(["forecast", `${time(b.length[i])}${factor && bound[i] >= 0 ? ` (${factor.toFixed(2)}x as fast)` : ""}, begins at ${time(b.start[i])}`]);
      }
      if (operator[i] >= 0) facts.push(["operator", data.operators[operator[i]]]);
      if (call[i] >= 0) facts.push(["launched", `${data.names[callName[i]]}, ${time(a.start[i] - call[i])} before it began`]);
      if (shape[i] >= 0 && data.shapes[shape[i]][0] > 0) { const g = data.shapes[shape[i]]; facts.push(["grid and block", `${g.slice(0, 3).join(" x ")}, ${g.slice(3).join(" x ")}`]); }
      if (bound[i] >= 0) facts.push(["why then", data.reasons[bound[i]]]);
      if (limit) facts.push(["limit", limit[1]], ["limit there", limit[2]], ["known by", limit[0]], ["no forecast", limit[3]]);
      list(data.short[text[i]], facts);
    }

    find.addEventListener("input", () => {
      const wanted = find.value.trim().toLowerCase();
      state.hits = null;
      found.textContent = "";
      if (wanted) {
        state.hits = new Set();
        data.names.forEach((name, k) => { if (name.toLowerCase().includes(wanted)) state.hits.add(k); });
        let count = 0, sum = 0;
        for (let i = 0; i < n; i++) if (state.hits.has(text[i])) { count++; sum += view[0].length[i]; }
        found.textContent = count ? `${count} slices, ${seconds(sum * data.tick_s)} measured; Enter shows the next` : "nothing of that name";
      }
      later();
    });
    find.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !state.hits) return;
      event.preventDefault();
      for (let count = 1; count <= n; count++) {
        const i = (state.chosen + count * (event.shiftKey ? -1 : 1) + n) % n;
        if (state.hits.has(text[i])) { state.on = 0; choose({ side: 0, slice: i }); reveal(i); return; }
      }
    });

    new ResizeObserver(() => later()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { width = 0; later(); });
    tellWhy();
    tell();
    layOut();
    draw();
    box.dataset.ready = "yes";
  }

  for (const box of document.querySelectorAll(".run-view")) open(box).catch(() => { box.querySelector(".still").hidden = false; });
})();
