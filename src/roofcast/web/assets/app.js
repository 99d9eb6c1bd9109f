"use strict";
(() => {
  const meta = (name) => document.querySelector(`meta[name="roofcast-${name}"]`).content;
  const token = meta("token"), start = JSON.parse(meta("start"));
  const byId = (id) => document.getElementById(id);
  const DEFAULTS = { source: "", model: start.model, conditions: "production", clock: "auto", ghz: "1.4", cache: "auto", coverage: "0.9", floor: "", floor_source: "4", floor_target: "4", kernel: "" };
  const SETTINGS = Object.keys(DEFAULTS);
  const LABELS = { html: "page", json: "JSON", csv: "CSV", svg: "SVG", png: "PNG", parquet: "Parquet", "trace.json": "timeline for Perfetto" };
  const TABS = Object.fromEntries(start.tabs.map((t) => [t.name, t]));
  const MEASURED = ["kernels", "run"];
  const has = (kinds) => state.profiles.some((p) => kinds.includes(p.kind));
  // Why a view has nothing to show; "" where it has.
  function idle(name) {
    const tab = TABS[name], own = name === "scale" && valueOf("scale", "start");
    if (!state.profiles.length && !own) return name === "scale" ? tab.wanted : "Drop a profile to begin.";
    if (!has(tab.takes) && !own) return tab.wanted;
    if (name === "compare" && state.profiles.filter((p) => tab.takes.includes(p.kind)).length < 2) return "Drop a second profile to compare it with this one.";
    return tab.targeted && !state.targets.length ? "Choose a GPU to forecast for." : "";
  }
  const RANGE = 4, WAIT_MS = 120, REPORT_WAIT_MS = 350, QUICK_MS = 800;
  const NEWER = "a newer one was asked for";
  const state = { profiles: start.profiles, targets: [], asked: 0, shown: 0, working: 0, result: "", past: "", tab: "kernels", forms: [], command: "", views: new Map(), chosen: false, lead: null };

  function node(parent, name, attributes, text) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    if (parent) parent.appendChild(element);
    return element;
  }

  const PREFIX = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
  function quantity(value, unit, digits) {
    if (!unit) return String(Math.round(value));
    const [prefix, scale] = PREFIX.find(([, s]) => value >= s * 0.9995) || ["", 1];
    return Number((value / scale).toPrecision(digits)) + (digits > 3 ? "" : " ") + prefix + unit;
  }

  async function ask(path, options) {
    const answer = await fetch(path, { ...options, headers: { "X-Roofcast-Token": token, ...(options || {}).headers } });
    let data;
    try { data = await answer.json(); } catch { data = { error: `the server answered ${answer.status}` }; }
    if (!answer.ok) throw new Error(data.error || `the server answered ${answer.status}`);
    return data;
  }

  // Work that takes its time says how long, how many wait before it, and can be ended; the server ends it too.
  async function askSlowly(path, options, parent, ending = new AbortController(), quick = 0) {
    const ticket = crypto.randomUUID ? crypto.randomUUID() : String(Math.random()), began = performance.now();
    const line = node(null, "span", { class: "progress" }), told = node(line, "span", {}, "working …");
    // What is usually done at once says so only where it is not.
    const late = setTimeout(() => parent.append(line), quick);
    if (!quick) parent.append(line);
    node(line, "button", { type: "button", class: "small" }, "Cancel").addEventListener("click", () => ending.abort());
    const look = async () => {
      const passed = `${Math.round((performance.now() - began) / 1000)} s`;
      try {
        const { ahead } = await ask(`/api/place?ticket=${ticket}`, { signal: ending.signal });
        told.textContent = ahead ? `waiting, ${ahead - 1} before you, ${passed}` : `working, ${passed}`;
      } catch { told.textContent = `working, ${passed}`; }
    };
    const timer = setInterval(look, 1000);
    try { return await ask(path, { ...options, signal: ending.signal, headers: { ...options.headers, "X-Ticket": ticket } }); }
    catch (error) { throw ending.signal.aborted ? new Error(ending.signal.reason === NEWER ? "" : "Cancelled.") : error; }
    finally { clearTimeout(late); clearInterval(timer); line.remove(); }
  }

  function say(text) { byId("status").textContent = text; byId("lead").hidden = true; }

  // The command line's first sentence, and beside it why it is so and how sure it is.
  function tellLead(lead, notes) {
    say([lead.verdict || "", ...(notes || [])].join(" ").trim());
    const box = byId("lead");
    box.replaceChildren();
    for (const [name, text] of [["Why", lead.why], ["How sure", lead.sure]]) {
      if (!text) continue;
      const part = node(box, "details");
      node(part, "summary", {}, name);
      node(part, "p", {}, text);
    }
    box.hidden = !box.children.length;
  }

  // One message per cause, so that a forecast that works does not wipe out what was said of a file or a GPU.
  const failures = new Map();
  function fail(cause, text) {
    failures.set(cause, text);
    byId("error").textContent = [...failures.values()].filter(Boolean).join("\n");
  }

  // ---- profiles

  async function take(files) {
    const bad = [];
    fail("files", "");
    for (const file of files.filter((f) => !f.name.startsWith("."))) {
      say(`reading ${file.name} …`);
      try {
        const profile = await askSlowly("/api/profiles", { method: "POST", body: file, headers: { "X-File-Name": encodeURIComponent(file.name) } }, byId("uploads"));
        state.profiles.push(profile);
      } catch (error) { bad.push(error.message.startsWith(file.name) ? error.message : `${file.name}: ${error.message}`); }
      // Of a folder with much that is no profile, a line for the first and how many there are.
      fail("files", bad.length > 3 ? `${bad[0]} (and ${bad.length - 1} more files that cannot be read)` : bad.join("\n"));
    }
    say("");
    listProfiles();
    // What is dropped is answered as `roofcast FILE` answers it, unless GPUs were chosen.
    if (!state.targets.length && state.profiles.length) await chooseTargets();
    later();
  }

  async function chooseTargets() {
    try {
      const { targets } = await ask("/api/targets", { method: "POST", body: JSON.stringify({ profiles: state.profiles.map((p) => p.id) }), headers: { "Content-Type": "application/json" } });
      for (const text of targets) await addTarget(text, true);
      listTargets();
    } catch (error) { fail("gpu", error.message); }
  }

  // Files of what was dropped, those in folders too.
  async function filesOf(transfer) {
    const entries = [...transfer.items].map((i) => i.webkitGetAsEntry && i.webkitGetAsEntry()).filter(Boolean);
    if (!entries.some((e) => e.isDirectory)) return [...transfer.files];
    const found = [];
    async function walk(entry) {
      if (entry.isFile) { found.push(await new Promise((ok, no) => entry.file(ok, no))); return; }
      const reader = entry.createReader();
      for (;;) {
        const some = await new Promise((ok, no) => reader.readEntries(ok, no));
        if (!some.length) return;
        for (const one of some) await walk(one);
      }
    }
    for (const entry of entries) await walk(entry);
    return found;
  }

  const KINDS = { model: "a language model: the view Serving", operators: "a list of operators: the view Scale" };
  const tellProfile = (profile) => KINDS[profile.kind] || `${profile.kind === "run" ? "timeline, " : ""}${profile.kernels} kernel${profile.kernels === 1 ? "" : "s"}${profile.gpus.length ? ", " + profile.gpus.join(", ") : ", GPU unknown"}`;

  function listProfiles() {
    byId("drop").hidden = document.querySelector(".folder").hidden = Boolean(start.read_only);
    const list = byId("profiles");
    list.replaceChildren();
    state.profiles.forEach((profile) => {
      const item = node(list, "li"), line = node(item, "div", { class: "line" });
      node(line, "span", {}, profile.name);
      if (start.read_only) { node(item, "small", {}, tellProfile(profile)); return; }
      const remove = node(line, "button", { type: "button", class: "small", "aria-label": `remove ${profile.name}` }, "×");
      node(item, "small", {}, tellProfile(profile));
      remove.addEventListener("click", () => {
        state.profiles = state.profiles.filter((p) => p !== profile);
        ask(`/api/profiles/${encodeURIComponent(profile.id)}`, { method: "DELETE" }).catch(() => {});
        listProfiles();
        later();
      });
    });
  }

  const drop = byId("drop");
  for (const name of ["dragenter", "dragover"]) document.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  for (const name of ["dragleave", "drop"]) document.addEventListener(name, (event) => { event.preventDefault(); if (name === "drop" || !event.relatedTarget) drop.classList.remove("over"); });
  if (!start.read_only) document.addEventListener("drop", (event) => { filesOf(event.dataTransfer).then(take); });
  for (const id of ["files", "folder"]) byId(id).addEventListener("change", (event) => { take([...event.target.files]).then(() => { event.target.value = ""; }); });

  // ---- GPUs

  function textOf(target) {
    const changes = Object.entries(target.factors).map(([key, factor]) => {
      const knob = target.knobs.find((k) => k.key === key);
      return `${key}=${quantity(knob.value * factor, knob.unit, 4)}`;
    });
    return changes.length ? `${target.name}{${changes.join(",")}}` : target.name;
  }

  const gpu = (name) => ask(`/api/gpu?name=${encodeURIComponent(name)}`);

  // Changes in braces as factors of sliders; null where one of them has no slider.
  function factorsOf(changes, knobs) {
    const factors = {};
    for (const change of changes.split(",")) {
      const [key, value] = change.split("="), knob = knobs.find((k) => k.key === key.trim());
      const read = knob && /^\s*(\d+\.?\d*)\s*([PTGMk]?)(\D*)$/.exec(value || "");
      if (!read || read[3].trim() !== knob.unit) return null;
      factors[knob.key] = (Number(read[1]) * (PREFIX.find(([p]) => p === read[2]) || ["", 1])[1]) / knob.value;
    }
    return factors;
  }

  async function targetOf(text) {
    const found = await gpu(text), parts = /^([^{}]*)\{([^{}]*)\}$/.exec(text);
    if (!parts) return { name: found.name, knobs: found.knobs, factors: {}, open: false };
    const base = await gpu(parts[1].trim()), factors = factorsOf(parts[2], base.knobs);
    // A variation that no slider can show stays as it was written, without sliders.
    if (!factors) return { name: found.name, knobs: [], factors: {}, open: false };
    return { name: base.name, knobs: base.knobs, factors, open: false };
  }

  async function addTarget(text, again) {
    if (!text.trim()) return;
    try {
      const target = await targetOf(text.trim());
      fail("gpu", "");
      if (!again && state.targets.some((t) => textOf(t) === textOf(target))) return;
      state.targets.push(target);
    } catch (error) { fail("gpu", error.message); }
    listTargets();
    later();
  }

  function listTargets() {
    const list = byId("targets");
    list.replaceChildren();
    state.targets.forEach((target, n) => {
      const item = node(list, "li"), line = node(item, "div", { class: "line" });
      node(line, "span", {}, target.name);
      const tune = node(line, "button", { type: "button", class: "small", "aria-expanded": String(target.open), "aria-controls": `knobs${n}` }, "change");
      const copy = node(line, "button", { type: "button", class: "small", title: "add it once more, to compare" , "aria-label": `add ${target.name} once more` }, "+");
      const remove = node(line, "button", { type: "button", class: "small", "aria-label": `remove ${target.name}` }, "×");
      const text = node(item, "small", {}, textOf(target) === target.name ? "" : textOf(target));
      const box = node(item, "div", { class: "knobs", id: `knobs${n}` });
      box.hidden = !target.open;
      tune.hidden = !target.knobs.length;
      target.knobs.forEach((knob) => slider(box, target, knob, text));
      tune.addEventListener("click", () => { target.open = !target.open; box.hidden = !target.open; tune.setAttribute("aria-expanded", String(target.open)); });
      copy.addEventListener("click", () => { state.targets.splice(n + 1, 0, { ...target, factors: { ...target.factors }, open: true }); listTargets(); later(); });
      remove.addEventListener("click", () => { state.targets.splice(n, 1); listTargets(); later(); });
    });
  }

  function slider(box, target, knob, text) {
    const label = node(box, "label", { class: "knob" });
    node(label, "span", {}, knob.label);
    const output = node(label, "output"), steps = 100;
    const input = node(label, "input", { type: "range", min: -steps, max: steps, step: 1, "data-knob": knob.key });
    const show = () => {
      const factor = target.factors[knob.key] || 1;
      output.textContent = quantity(knob.value * factor, knob.unit, 3) + (factor === 1 ? "" : ` (×${factor.toFixed(2)})`);
      label.classList.toggle("changed", factor !== 1);
      text.textContent = textOf(target) === target.name ? "" : textOf(target);
    };
    input.value = Math.round((steps * Math.log(target.factors[knob.key] || 1)) / Math.log(RANGE));
    input.addEventListener("input", () => {
      const at = Number(input.value);
      if (at === 0) delete target.factors[knob.key];
      else target.factors[knob.key] = RANGE ** (at / steps);
      show();
      later();
    });
    input.addEventListener("dblclick", () => { input.value = 0; delete target.factors[knob.key]; show(); later(); });
    show();
  }

  byId("add").addEventListener("submit", (event) => {
    event.preventDefault();
    addTarget(byId("gpu").value);
    byId("gpu").value = "";
  });
  byId("gpu").addEventListener("change", (event) => {
    // A name picked from the list needs no further click.
    if ([...byId("gpus").options].some((o) => o.value === event.target.value)) { addTarget(event.target.value); event.target.value = ""; }
  });

  // ---- forecast

  let timer = 0;
  function later() {
    remember();
    clearTimeout(timer);
    // One alone is asked at once; what comes while it is answered waits for the last of it.
    timer = setTimeout(forecast, state.working ? WAIT_MS : 15);
  }

  function request() {
    const asked = { profiles: state.profiles.map((p) => p.id), targets: state.targets.map(textOf) };
    for (const name of ["source", "model", "conditions", "cache", "kernel"]) asked[name] = byId(name).value;
    asked.coverage = Number(byId("coverage").value);
    asked.clock = byId("clock").value === "fixed" ? `${byId("ghz").value}GHz` : byId("clock").value;
    if (byId("floor").value) asked.launch_floor = `${byId("floor_source").value}us,${byId("floor_target").value}us`;
    return asked;
  }

  async function forecast() {
    state.views.clear();
    listChoices();
    document.body.classList.toggle("answered", Boolean(state.profiles.length && state.targets.length));
    if (!state.chosen) state.tab = firstTab();
    const number = ++state.asked;
    if (state.ending) state.ending.abort(NEWER);
    if (!has(MEASURED) || !state.targets.length) {
      // Nothing that was measured, or nobody to forecast it for: other views may have an answer.
      state.shown = number;
      state.result = "";
      state.lead = null;
      byId("cards").replaceChildren();
      fail("forecast", "");
      openTab();
      return;
    }
    const waiting = state.pending;
    markTab();
    // The new forecast takes the place of the one whose report waits to be loaded.
    clearTimeout(showing);
    state.pending = false;
    state.working += 1;
    document.body.setAttribute("aria-busy", "true");
    const ending = state.ending = new AbortController();
    try {
      const asked = { method: "POST", body: JSON.stringify({ ...request(), replaces: state.past }), headers: { "Content-Type": "application/json" } };
      const answer = await askSlowly("/api/forecast", asked, byId("downloads"), ending, QUICK_MS);
      if (number < state.shown) return;
      state.shown = number;
      // Only what no longer stands here may go: an answer that is broken off leaves the one before.
      state.past = state.result;
      state.result = answer.result;
      state.command = answer.command;
      state.forms = answer.forms;
      fail("forecast", "");
      cards(answer);
      openTab();
    } catch (error) {
      if (!error.message) return;
      if (number >= state.shown) fail("forecast", error.message);
      byId("report").querySelectorAll(".waiting").forEach((w) => w.remove());
      if (waiting) openTab();
    } finally {
      state.working -= 1;
      if (!state.working) document.body.removeAttribute("aria-busy");
    }
  }

  // A recorded run is asked about as a whole first; a model, as it is served.
  function firstTab() {
    const first = { run: "run", model: "serving", operators: "scale" };
    const kinds = state.profiles.map((p) => p.kind);
    if (kinds.includes("run")) return "run";
    return kinds.includes("kernels") || !kinds.length ? "kernels" : first[kinds[0]];
  }

  function cards(answer) {
    const box = byId("cards");
    box.replaceChildren();
    const first = node(box, "div", { class: "card measured", role: "listitem" });
    node(first, "h2", {}, answer.source);
    node(first, "p", { class: "figure" }, answer.source_time);
    node(first, "p", {}, `${answer.role}, ${answer.kernels} kernel${answer.kernels === 1 ? "" : "s"}`);
    for (const total of answer.totals) {
      const card = node(box, "div", { class: "card", role: "listitem" });
      node(card, "h2", {}, total.name);
      const figure = node(card, "p", { class: "figure" }, total.time + " ");
      if (total.speedup) node(figure, "span", { class: "speed" + (total.slower ? " slower" : "") }, total.speedup + (total.slower ? " (slower)" : ""));
      if (total.interval) node(card, "p", {}, "interval " + total.interval + (total.outer ? "; outer bound " + total.outer : ""));
      if (total.counted) node(card, "p", {}, total.counted);
    }
    state.lead = [answer.lead, answer.notes];
  }

  // ---- views: each is what a command prints of the same files

  const idOf = (tab, name) => `own-${tab}-${name}`;
  const fieldsOf = (tab) => (TABS[tab] ? TABS[tab].fields : []);
  const read = (input) => (input.type === "checkbox" ? input.checked : input.value);
  const valueOf = (tab, name) => read(byId(idOf(tab, name)));

  function makeTabs() {
    for (const tab of start.tabs) {
      const button = node(byId("tabs"), "button", { role: "tab", type: "button", id: `tab-${tab.name}`, "data-tab": tab.name, "aria-controls": "report" }, tab.title);
      button.addEventListener("click", () => { state.tab = tab.name; state.chosen = true; remember(); openTab(); });
      button.addEventListener("keydown", (event) => {
        const all = [...document.querySelectorAll("[role=tab]")], at = all.indexOf(button);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1 + all.length, Home: 0, End: all.length - 1 }[event.key];
        if (to === undefined) return;
        event.preventDefault();
        all[to % all.length].focus();
        all[to % all.length].click();
      });
      const row = node(byId("fields"), "div", { class: "row", "data-for": tab.name });
      for (const field of tab.fields) makeField(row, tab.name, field);
      if (tab.name === "gpus") makeField(row, "gpus", { name: "among", label: "only the GPUs on the left", kind: "flag" });
      if (tab.name === "gpus") makeMarket(node(byId("fields"), "details", { class: "market", "data-for": "gpus" }));
      if (tab.name === "compare") for (const name of ["before", "after"]) makeField(row, "compare", { name, label: name, kind: "choice", choices: [] });
    }
  }

  function makeField(row, tab, field) {
    const label = node(row, "label", field.says ? { title: field.says } : {}), id = idOf(tab, field.name);
    if (field.kind === "flag") {
      label.className = "check";
      node(label, "input", { id, type: "checkbox" });
      label.append(` ${field.label}`);
    } else if (field.kind === "choice" || field.kind === "gpu") {
      label.append(`${field.label} `);
      const select = node(label, "select", { id });
      for (const [value, text] of field.choices) node(select, "option", { value }, text);
    } else {
      label.append(`${field.label} `);
      node(label, "input", { id, type: "text", maxlength: 8000, placeholder: field.example || "", autocomplete: "off", value: field.initial || "", size: Math.max(7, (field.example || "").length) });
    }
    byId(id).addEventListener("change", () => { remember(); if (state.tab === tab) openTab(); });
  }

  // ---- what a choice counts with: a table that is edited in place, and writes the two fields beside it

  const COLUMNS = [["buy", "buy, USD", ""], ["rent", "rent, USD/h", "/h"], ["power", "power, W", "W"]], ENERGY = "kWh";
  const market = { rows: new Map(), body: null };
  const apart = (text) => text.split(/,(?![^{]*})/).map((part) => part.trim()).filter(Boolean);
  const own = (name) => byId(idOf("gpus", name));

  function makeMarket(box) {
    node(box, "summary", {}, "Prices and candidates");
    const list = node(box, "div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "prices and candidates, scrolls" });
    const table = node(list, "table"), head = node(node(table, "thead"), "tr");
    for (const title of ["GPU to choose from", ...COLUMNS.map(([, t]) => t)]) node(head, "th", { scope: "col" }, title);
    market.body = node(table, "tbody");
    const line = node(box, "form", { class: "row" }), energy = node(node(line, "label", {}, "energy, USD/kWh "), "input", { type: "number", min: 0, step: "any", "data-energy": "" });
    const more = node(node(line, "label", {}, "one more "), "input", { list: "gpus", placeholder: "GPU, e.g. B200", autocomplete: "off", "data-more": "" });
    node(line, "button", { type: "submit" }, "Add");
    energy.addEventListener("change", () => statePrice(ENERGY, "buy", energy.value));
    line.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (!more.value.trim()) return;
      let name = "";
      try { name = (await gpu(more.value.trim())).name; fail("gpu", ""); } catch (error) { fail("gpu", error.message); return; }
      market.rows.set(name, { gpu: name });
      more.value = "";
      const chosen = apart(own("candidates").value);
      setOwn("candidates", (chosen.length ? [...chosen, name] : [...market.rows.keys()]).join(", "));
    });
  }

  function setOwn(name, text) {
    own(name).value = text;
    own(name).dispatchEvent(new Event("change"));
  }

  // What the visitor stated, as the field of own prices has it: "GPU=27000", "GPU=2.9/h", "GPU=300W", "kWh=0.15".
  function statedPrices() {
    const found = new Map();
    for (const part of apart(own("own_prices").value)) {
      const read = /^(.+?)\s*=\s*([\d.eE+]+)\s*(\/\s*h|W)?$/.exec(part);
      if (read) found.set(`${read[1]}=${read[3] ? (read[3] === "W" ? "power" : "rent") : "buy"}`, read[2]);
    }
    return found;
  }

  function statePrice(gpu, kind, value) {
    const found = statedPrices();
    found.delete(`${gpu}=${kind}`);
    if (value !== "" && Number(value) >= 0) found.set(`${gpu}=${kind}`, value);
    const suffix = Object.fromEntries(COLUMNS.map(([k, , s]) => [k, s]));
    setOwn("own_prices", [...found].map(([key, v]) => { const at = key.lastIndexOf("="); return `${key.slice(0, at)}=${v}${suffix[key.slice(at + 1)]}`; }).join(", "));
  }

  function showMarket(rows) {
    const energy = rows.find((r) => r.gpu === ENERGY), chosen = apart(own("candidates").value);
    for (const row of rows) if (row.gpu !== ENERGY) market.rows.set(row.gpu, row);
    byId("fields").querySelector("[data-energy]").value = energy && energy.buy !== null ? energy.buy : "";
    market.body.replaceChildren();
    for (const row of [...market.rows.values()].sort((a, b) => a.gpu.localeCompare(b.gpu))) {
      const line = node(market.body, "tr"), name = node(node(node(line, "th", { scope: "row" }), "label", { class: "check" }), "input", { type: "checkbox" });
      name.after(` ${row.gpu}`);
      name.checked = !chosen.length || chosen.includes(row.gpu);
      name.addEventListener("change", () => {
        const kept = [...market.body.querySelectorAll("tr")].filter((r) => r.querySelector("input").checked).map((r) => r.dataset.gpu);
        setOwn("candidates", kept.length === market.rows.size ? "" : kept.join(", "));
      });
      line.dataset.gpu = row.gpu;
      for (const [kind, title] of COLUMNS) {
        const input = node(node(line, "td"), "input", { type: "number", min: 0, step: "any", "aria-label": `${title} of ${row.gpu}`, "data-kind": kind });
        input.value = row[kind] ?? "";
        input.addEventListener("change", () => statePrice(row.gpu, kind, input.value));
      }
    }
  }

  function listChoices() {
    const fill = (id, options) => {
      const select = byId(id), before = select.value;
      select.replaceChildren();
      for (const [value, text] of options) node(select, "option", { value }, text);
      if (options.some(([value]) => value === before)) select.value = before;
    };
    fill(idOf("advice", "on"), [["", "the GPU that it was measured on"], ...state.targets.map((t) => [textOf(t), textOf(t)])]);
    const there = state.profiles.filter((p) => MEASURED.includes(p.kind));
    const sides = there.map((p, n) => [p.id, there.filter((q) => q.name === p.name).length > 1 ? `${p.name} #${n + 1}` : p.name]);
    fill(idOf("compare", "before"), sides);
    const after = byId(idOf("compare", "after")), fresh = !after.options.length || !sides.some(([id]) => id === after.value);
    fill(idOf("compare", "after"), sides);
    if (fresh && sides.length > 1) after.value = sides[1][0];
  }

  function markTab() {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      tab.setAttribute("aria-selected", String(tab.dataset.tab === state.tab));
      tab.tabIndex = tab.dataset.tab === state.tab ? 0 : -1;
    }
    for (const row of document.querySelectorAll("#choices [data-for]")) row.hidden = row.dataset.for !== state.tab;
    byId("report").setAttribute("aria-labelledby", `tab-${state.tab}`);
    byId("choices").hidden = !byId("fields").querySelector(`[data-for="${state.tab}"]`).children.length || (state.tab === "compare" && Boolean(idle("compare")));
    byId("cards").hidden = state.tab !== "kernels";
  }

  function openTab() {
    markTab();
    if (state.tab === "kernels" && state.lead) tellLead(...state.lead);
    else say("");
    fail("view", "");
    clearTimeout(showing);
    state.pending = false;
    const why = idle(state.tab);
    if (why) {
      state.wanted = "";
      byId("downloads").replaceChildren();
      byId("report").replaceChildren();
      say(why);
      return;
    }
    awaitContent();
    if (state.tab === "kernels" && !state.result) return;
    if (state.tab === "kernels") show(state.result, `/download/${state.result}`, state.forms, state.command);
    else openView(state.tab);
  }

  // Nothing of another view stands under the name of this one: until its own content is there, a placeholder does.
  function awaitContent() {
    const box = byId("report");
    box.querySelectorAll("iframe.coming").forEach((f) => f.remove());
    const there = box.querySelector("iframe");
    if (there && there.dataset.tab === state.tab) return;
    box.replaceChildren();
    const waiting = node(box, "div", { class: "waiting" });
    for (let n = 0; n < 4; n++) node(waiting, "span", { "aria-hidden": "true" });
  }

  function dataOf(tab) {
    const data = request();
    for (const input of byId("fields").querySelectorAll(`[data-for="${tab}"] [id]`)) {
      const value = read(input);
      if (value !== "" && value !== false) data[input.id.slice(idOf(tab, "").length)] = value;
    }
    if (tab === "compare") data.profiles = [data.before, data.after].filter(Boolean);
    return data;
  }

  async function openView(tab) {
    const body = JSON.stringify(dataOf(tab)), key = tab + body;
    state.wanted = key;
    let view = state.views.get(key);
    if (!view) {
      document.body.setAttribute("aria-busy", "true");
      byId("downloads").replaceChildren();
      state.working += 1;
      try {
        view = await askSlowly(`/api/tab/${tab}`, { method: "POST", body, headers: { "Content-Type": "application/json" } }, byId("downloads"));
        state.views.set(key, view);
      } catch (error) {
        if (state.wanted === key && state.tab === tab) { byId("downloads").replaceChildren(); byId("report").replaceChildren(); fail("view", error.message); }
        return;
      } finally {
        state.working -= 1;
        if (!state.working) document.body.removeAttribute("aria-busy");
      }
    }
    if (state.wanted !== key || state.tab !== tab) return;
    tellLead(view.lead);
    if (tab === "gpus" && view.lead.rows) showMarket(view.lead.rows);
    show(view.result, `/download/${view.result}`, view.forms, view.command);
  }

  // What was chosen in the old report: the kernel, the filter, the place on the page.
  function carryOver(old, frame) {
    const before = old.contentDocument, after = frame.contentDocument;
    const chosen = before.querySelector("#kernel-rows tr[aria-current='true']");
    const name = chosen && after.querySelector(`#kernel-rows tr[data-k="${chosen.dataset.k}"] .name`);
    if (name) name.click();
    const filter = before.getElementById("filter").value;
    if (filter) {
      after.getElementById("filter").value = filter;
      after.getElementById("filter").dispatchEvent(new Event("input"));
    }
    frame.contentWindow.scrollTo(0, old.contentWindow.scrollY);
  }

  // The report of the newest forecast; the old one stays until the new one is there, at the same place.
  let showing = 0;
  function show(result, place, forms, command) {
    const bar = byId("downloads");
    bar.replaceChildren();
    node(bar, "span", {}, "Download");
    for (const form of forms) node(bar, "a", { href: `${place}.${form}`, "data-form": form }, LABELS[form]);
    const link = node(bar, "button", { type: "button", id: "link" }, "Copy link to these settings");
    link.addEventListener("click", copyLink);
    if (command) node(bar, "code", { title: "the command that prints this" }, command);
    // A large report takes the browser a second: while a slider moves, only the cards follow it.
    clearTimeout(showing);
    state.pending = true;
    showing = setTimeout(() => load(result), byId("report").querySelector("iframe") && state.tab === "kernels" ? REPORT_WAIT_MS : 0);
  }

  function load(result) {
    state.pending = false;
    const box = byId("report"), old = box.querySelector("iframe:not(.coming)");
    box.querySelectorAll("iframe.coming").forEach((f) => f.remove());
    const frame = node(box, "iframe", { class: "coming", title: "report", src: `/view/${result}`, "data-result": result, "data-tab": state.tab });
    frame.addEventListener("load", () => {
      if (!frame.isConnected) return;
      if (old) {
        try { if (old.dataset.tab === "kernels" && frame.dataset.tab === "kernels") carryOver(old, frame); } catch { /* the old one is gone */ }
        old.remove();
      }
      box.querySelectorAll(".waiting").forEach((w) => w.remove());
      frame.classList.remove("coming");
    });
  }

  // ---- settings in the link

  function remember() {
    const settings = new URLSearchParams();
    for (const target of state.targets) settings.append("to", textOf(target));
    for (const name of SETTINGS) if (byId(name).value !== DEFAULTS[name]) settings.set(name, byId(name).value);
    for (const [key, input] of ownInputs()) if (!isInitial(input)) settings.set(key, input.type === "checkbox" ? String(input.checked) : input.value);
    if (state.chosen) settings.set("tab", state.tab);
    history.replaceState(null, "", settings.size ? "#" + settings : location.pathname);
  }

  // What a link holds of one view: not which profile stands on which side.
  const ownInputs = () => start.tabs.flatMap((t) => [...byId("fields").querySelectorAll(`[data-for="${t.name}"] [id]`)].map((i) => [`${t.name}.${i.id.slice(idOf(t.name, "").length)}`, i])).filter(([key]) => !key.startsWith("compare."));
  const isInitial = (input) => (input.type === "checkbox" ? !input.checked : input.value === (input.getAttribute("value") || ""));

  async function recall() {
    const settings = new URLSearchParams(location.hash.slice(1));
    const restore = () => ownInputs().filter(([key]) => settings.has(key)).forEach(([key, input]) => {
      if (input.type === "checkbox") input.checked = settings.get(key) === "true";
      else input.value = settings.get(key);
    });
    restore();
    if (TABS[settings.get("tab")]) { state.tab = settings.get("tab"); state.chosen = true; }
    for (const name of SETTINGS) byId(name).value = settings.has(name) ? settings.get(name) : DEFAULTS[name];
    const named = settings.getAll("to");
    // A profile that is there from the start is answered as `roofcast FILE` answers it.
    for (const text of named.length || !state.profiles.length ? named : start.targets) await addTarget(text, true);
    listTargets();
    listChoices();
    restore();
    later();
  }

  async function copyLink() {
    remember();
    try { await navigator.clipboard.writeText(location.href); say("Copied. The link holds the settings, not the profiles."); }
    catch { say(location.href); }
  }

  function showOwnTimes() {
    byId("ghz-row").hidden = byId("clock").value !== "fixed";
    for (const row of document.querySelectorAll(".floors")) row.hidden = !byId("floor").value;
  }
  for (const name of SETTINGS) byId(name).addEventListener(name === "kernel" ? "input" : "change", () => { showOwnTimes(); later(); });

  makeTabs();
  for (const name of start.models) node(byId("model"), "option", {}, name);
  ask("/api/gpus").then(({ gpus }) => {
    for (const name of gpus) { node(byId("gpus"), "option", { value: name }); node(byId("source"), "option", { value: name }, name); }
    recall().then(showOwnTimes);
  });
  listProfiles();
  // A phone has no room for choices before the answer.
  byId("choices").open = matchMedia("(min-width: 861px)").matches;
  document.documentElement.dataset.ready = "yes";
})();
