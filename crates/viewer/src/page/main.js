// The page: displays the frames of the server, and forwards input events to it.

import { Connection } from "./connection.js";
import { Objects } from "./objects.js";
import { showLegend, showSelection, showStats, showTooltip } from "./panel.js";
import { Pointer } from "./pointer.js";

const byId = (id) => document.getElementById(id);
const all = (selector) => [...document.querySelectorAll(selector)];
const stage = byId("stage");
const canvas = byId("picture");
const context = canvas.getContext("2d", { alpha: false });

let tool = "orbit";
let model = null;
let state = null;
let stats = null;
/** The pointer position, and the id of the latest hover message. */
let hover = { at: null, id: 0 };
/** Arrival times of the latest frames, in milliseconds. */
let times = [];

// State for the browser tests: the latest frame and its stage.
const page = { frame: -1, stage: -1, pictures: 0, hoverMillis: 0, firstMillis: 0 };
window.hitscan = page;

const connection = new Connection({
  message(message) {
    handlers[message.type]?.(message);
  },
  frame: show,
  state(isOpen) {
    notice(isOpen ? null : "hitscan: connection lost; check that the command is still running");
    if (isOpen) resize();
  },
});
const send = (type, fields) => connection.send(type, fields);

const objects = new Objects(send);

const handlers = {
  model(message) {
    model = message;
    page.version = message.version;
    byId("file").textContent = message.file.split(/[\\/]/).pop();
    byId("file").title = message.file;
    document.title = `${byId("file").textContent} – hitscan`;
    showStats(model, stats, 0);
  },
  state(message) {
    state = message;
    byId("mode").value = state.mode;
    check("[data-element]", (button) => button.dataset.element === state.element);
    byId("x-ray").setAttribute("aria-pressed", state.xRay);
    byId("edges").setAttribute("aria-pressed", state.edges);
    byId("section").value = state.section ?? "";
    byId("section-share").hidden = !state.section;
    byId("section-share").value = state.sectionShare;
    byId("projection").setAttribute("aria-pressed", state.orthographic);
    const hidden = [[state.nHiddenInstances, "object"], [state.nHiddenFaces, "face"]]
      .filter(([n]) => n > 0)
      .map(([n, what]) => `${n.toLocaleString("en")} ${what}${n > 1 ? "s" : ""}`);
    byId("hidden").textContent = hidden.length > 0 ? `(${hidden.join(", ")} hidden)` : "";
  },
  hover({ id, pick }) {
    if (id !== hover.id || !hover.at) return;
    page.hoverMillis = performance.now() - hover.asked;
    showTooltip(pick, hover.at);
  },
  selection(message) {
    showSelection(message);
    objects.selection(message);
  },
  objects: (message) => objects.list(message),
  visibility: (message) => objects.visibility(message),
  legend: showLegend,
  stats(message) {
    stats = { workPerRay: stats?.workPerRay, ...message };
    if (message.workPerRay === null) stats.workPerRay = undefined;
    times = times.filter((time) => time > performance.now() - 1000);
    showStats(model, stats, times.length > 3 ? times.length : 0);
  },
  problem({ text }) {
    notice(text && `Reload failed: ${text}; the view shows the previous version`);
  },
};

/** Draws the changed rectangles of a frame. */
function show({ frame, width, height, chunks, stage: quality }) {
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  for (const { left, top, pixels } of chunks) context.putImageData(pixels, left, top);
  times.push(performance.now());
  page.firstMillis ||= performance.now();
  Object.assign(page, { frame, stage: quality, pictures: page.pictures + 1 });
  // Acknowledge the frame when the browser displays it, so that frames do not queue up.
  requestAnimationFrame(() => send("shown", { frame }));
}

function notice(text) {
  byId("notice").hidden = !text;
  byId("notice").textContent = text ?? "";
}

function check(selector, is) {
  all(selector).forEach((button) => button.setAttribute("aria-checked", is(button)));
}

function resize() {
  const { clientWidth: width, clientHeight: height } = stage;
  byId("region").setAttribute("viewBox", `0 0 ${width} ${height}`);
  send("resize", { width, height, ratio: window.devicePixelRatio || 1 });
}
new ResizeObserver(resize).observe(stage);

/** Reports a new pixel ratio, for example when the window moves to another screen. */
function watchRatio() {
  const query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
  query.addEventListener("change", () => {
    resize();
    watchRatio();
  }, { once: true });
}
watchRatio();

// Pointer input.

new Pointer(stage, send, {
  tool: () => tool,
  region(points, enclose) {
    byId("region").classList.toggle("enclose", enclose);
    byId("region").firstElementChild.setAttribute("points", (points ?? []).join(" "));
  },
  hover(at) {
    hover = { at, id: hover.id + 1, asked: performance.now() };
    if (at) {
      send("hover", { x: at[0], y: at[1], id: hover.id });
    } else {
      showTooltip(null, [0, 0]);
      send("leave");
    }
  },
});

function setTool(name) {
  tool = name;
  check("[data-tool]", (button) => button.dataset.tool === name);
  stage.classList.toggle("selecting", name !== "orbit");
}

// Buttons.

all("[data-tool]").forEach((button) => button.addEventListener("click", () => setTool(button.dataset.tool)));
all("[data-element]").forEach((button) =>
  button.addEventListener("click", () => send("element", { element: button.dataset.element })));
all("[data-do]").forEach((button) => button.addEventListener("click", () => actions[button.dataset.do]()));
byId("mode").addEventListener("change", (event) => setMode(event.target.value));
byId("look").addEventListener("change", (event) => {
  send("look", { from: event.target.value });
  event.target.value = "";
});
byId("section").addEventListener("change", () => setSection(byId("section").value));
byId("section-share").addEventListener("input", () => setSection(byId("section").value));
byId("edges").addEventListener("click", () => actions.edges());
byId("x-ray").addEventListener("click", () => actions["x-ray"]());
byId("projection").addEventListener("click", () => actions.projection());
byId("help-button").addEventListener("click", () => byId("help").showModal());
byId("copy").addEventListener("click", () => actions.copy());

function setMode(mode) {
  showLegend({ title: [], ramp: null, names: [] });
  send("mode", { mode });
}

function setSection(from, share = Number(byId("section-share").value)) {
  send("section", { from: from || null, share });
}

function nextSection() {
  const sides = [...byId("section").options].map((option) => option.value);
  setSection(sides[(sides.indexOf(state?.section ?? "") + 1) % sides.length]);
}

function moveSection(by) {
  if (state?.section) setSection(state.section, Math.min(1, Math.max(0, state.sectionShare + by)));
}

function nextMode(step) {
  const modes = [...byId("mode").options].map((option) => option.value);
  const index = modes.indexOf(state?.mode ?? "shaded");
  setMode(modes[(index + step + modes.length) % modes.length]);
}

const actions = {
  hide: () => send("hide"),
  isolate: () => send("isolate"),
  "show-all": () => send("show-all"),
  frame: () => send("frame", { all: false }),
  edges: () => send("edges", { on: !state?.edges }),
  "x-ray": () => send("x-ray", { on: !state?.xRay }),
  projection: () => send("projection", { orthographic: !state?.orthographic }),
  async copy() {
    const text = byId("command").textContent;
    if (!text) return;
    try {
      await navigator.clipboard.writeText(text);
      byId("copy").textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(byId("command"));
      byId("copy").textContent = "Selected; press Ctrl+C to copy";
    }
    setTimeout(() => (byId("copy").textContent = "Copy as command"), 1500);
  },
};

// Keys.

const SIDES = { 5: "front", 6: "right", 7: "back", 8: "left", 9: "top", 0: "corner" };
const ELEMENTS = { 1: "object", 2: "face", 3: "edge", 4: "vertex" };
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

function key(event) {
  const { key, shiftKey } = event;
  const middle = { x: stage.clientWidth / 2, y: stage.clientHeight / 2 };
  const [x, y] = hover.at ?? [middle.x, middle.y];
  if (key in ARROWS) {
    const [dx, dy] = ARROWS[key].map((step) => 24 * step);
    send(shiftKey ? "pan" : "orbit", { dx, dy });
    return true;
  }
  if (key in SIDES) return send("look", { from: SIDES[key] }), true;
  if (key in ELEMENTS) return send("element", { element: ELEMENTS[key] }), true;
  const keys = {
    "+": () => send("zoom", { factor: 1.25, x, y }),
    "=": () => send("zoom", { factor: 1.25, x, y }),
    "-": () => send("zoom", { factor: 0.8, x, y }),
    Home: () => send("frame", { all: true }),
    Escape: () => (setTool("orbit"), send("clear")),
    "?": () => byId("help").showModal(),
    f: actions.frame,
    e: actions.edges,
    x: actions["x-ray"],
    p: actions.projection,
    h: actions.hide,
    i: actions.isolate,
    u: actions["show-all"],
    s: nextSection,
    ",": () => moveSection(-0.02),
    ".": () => moveSection(0.02),
    c: actions.copy,
    m: () => nextMode(shiftKey ? -1 : 1),
    g: () => send("element", { element: "group" }),
    t: () => send("element", { element: "material" }),
    o: () => setTool("orbit"),
    b: () => setTool("marquee"),
    l: () => setTool("lasso"),
  };
  const action = keys[key.length === 1 ? key.toLowerCase() : key];
  action?.();
  return Boolean(action);
}

addEventListener("keydown", (event) => {
  const isElsewhere = event.target.closest("select, dialog, input") || byId("help").open;
  if (isElsewhere || event.ctrlKey || event.metaKey || event.altKey) return;
  if (key(event)) event.preventDefault();
});

setTool("orbit");
