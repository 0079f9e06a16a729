// The list of objects, with an eye to hide or show each, and facts about the selected one.

import { fill, point, readable } from "./panel.js";

const byId = (id) => document.getElementById(id);

const EYES = [["hidden", "○", "Show"], ["partial", "◐", "Hide"], ["full", "●", "Hide"]];

export class Objects {
  /** @param {(type: string, fields: object) => void} send */
  constructor(send) {
    this.send = send;
    this.rows = [];
    this.names = [];
    byId("filter").addEventListener("input", () => this.filter());
    byId("objects").addEventListener("click", (event) => this.click(event));
  }

  /** Shows the list of a model. */
  list({ entries, nMore }) {
    this.names = entries.map(({ name }) => name);
    this.rows = entries.map(({ name, nTriangles }, index) => row(name, nTriangles, index));
    const items = [...this.rows];
    if (nMore > 0) items.push(note(`and ${nMore.toLocaleString("en")} more`));
    byId("objects").replaceChildren(...items);
    byId("n-objects").textContent = (entries.length + nMore).toLocaleString("en");
    byId("filter").hidden = entries.length < 9;
    this.filter();
  }

  /** Shows which objects are visible. */
  visibility({ states }) {
    this.rows.forEach((item, index) => {
      const [state, sign, verb] = EYES[states[index] ?? 2];
      const eye = item.firstElementChild;
      item.dataset.state = state;
      eye.textContent = sign;
      eye.setAttribute("aria-label", `${verb} ${this.names[index]}`);
      eye.title = verb;
    });
  }

  /** Marks the selected objects, and shows facts about a single one or the scene. */
  selection({ entries, facts }) {
    const selected = new Set(entries);
    this.rows.forEach((item, index) => {
      item.lastElementChild.setAttribute("aria-pressed", selected.has(index));
    });
    if (entries.length > 0) this.rows[entries[0]]?.scrollIntoView({ block: "nearest" });
    fill(byId("facts"), facts ? rows(facts) : []);
  }

  filter() {
    const text = byId("filter").value.toLowerCase();
    this.rows.forEach((item, index) => {
      item.hidden = !this.names[index].toLowerCase().includes(text);
    });
  }

  click(event) {
    const button = event.target.closest("button");
    const index = this.rows.indexOf(button?.parentElement);
    if (index < 0) return;
    if (button.className === "eye") {
      this.send("toggle-entry", { entry: index });
    } else {
      this.send("select-entry", { entry: index, extend: event.shiftKey || event.ctrlKey });
    }
  }
}

function row(name, nTriangles, index) {
  const item = document.createElement("li");
  const eye = document.createElement("button");
  eye.className = "eye";
  const label = document.createElement("button");
  label.className = "object";
  label.title = `${name}: ${nTriangles.toLocaleString("en")} triangles`;
  const text = document.createElement("span");
  text.textContent = name;
  const count = document.createElement("span");
  count.className = "quiet";
  count.textContent = readable(nTriangles);
  label.append(text, count);
  item.id = `object-${index}`;
  item.append(eye, label);
  return item;
}

function note(text) {
  const item = document.createElement("li");
  item.className = "quiet";
  item.textContent = text;
  return item;
}

/** The description of an object as [term, value, id]. */
function rows({ name, nPolygons, nTriangles, bounds, surface }) {
  const size = bounds && bounds[1].map((max, axis) => max - bounds[0][axis]);
  return [
    ["of", name, "facts-name"],
    ["polygons", nPolygons === nTriangles ? null : nPolygons.toLocaleString("en")],
    ["triangles", nTriangles.toLocaleString("en"), "facts-triangles"],
    ["size", size && point(size), "facts-size"],
    ["min", bounds && point(bounds[0])],
    ["max", bounds && point(bounds[1])],
    ...(surface ? surfaceRows(surface) : []),
  ];
}

/** Whether an object is closed, and what keeps it open. The view draws open edges in red. */
function surfaceRows(surface) {
  const count = (n, one, many) => (n > 0 ? `${n.toLocaleString("en")} ${n > 1 ? many : one}` : null);
  const loops = count(surface.nBoundaryLoops, "boundary", "boundaries");
  const edges = count(surface.nOpenEdges, "edge", "edges");
  return [
    ["closed", surface.isClosed ? "yes" : "no", "facts-closed"],
    ["open", edges && `${edges} in ${loops}`, "facts-open"],
    ["shared by 3 or more", count(surface.nNonManifoldEdges, "edge", "edges")],
    ["turned over", count(surface.nInconsistentEdges, "edge", "edges")],
    ["duplicates", count(surface.nDuplicateTriangles, "triangle", "triangles")],
    ["zero area", count(surface.nDegenerateTriangles, "triangle", "triangles")],
    ["pieces", surface.nComponents > 1 ? surface.nComponents.toLocaleString("en") : null],
  ];
}
