// The side panel, legend and tooltip: pick, selection and performance.

const byId = (id) => document.getElementById(id);

/** Formats a number with six significant digits, without trailing zeros. */
export function short(number) {
  return String(Number(number.toPrecision(6)));
}

/** Formats a position. */
export const point = (numbers) => numbers.map(short).join(", ");

/** Formats a number with a unit prefix: 1234567 as 1.23 M. */
export function readable(number) {
  const units = [[1e9, " G"], [1e6, " M"], [1e3, " k"]];
  const [size, unit] = units.find(([size]) => number >= size) ?? [1, ""];
  return Number((number / size).toPrecision(3)) + unit;
}

function duration(seconds) {
  return seconds < 1 ? `${Number((seconds * 1e3).toPrecision(3))} ms` : `${Number(seconds.toPrecision(3))} s`;
}

/** Fills a description list and skips rows without a value. */
export function fill(list, rows) {
  list.replaceChildren();
  for (const [term, value, id] of rows) {
    if (value === null || value === undefined || value === "") continue;
    const [dt, dd] = [document.createElement("dt"), document.createElement("dd")];
    dt.textContent = term;
    dd.textContent = value;
    if (id) dd.id = id;
    list.append(dt, dd);
  }
}

/** The description of a pick as [term, value, id]. */
function rows(pick) {
  const { hit } = pick;
  return [
    ["element", pick.element, "pick-element"],
    ["click", pick.click > 1 ? `${pick.click} at this pixel` : null],
    ["instance", pick.path.join(" / ") || pick.instance, "pick-instance"],
    ["polygon", pick.polygon, "pick-polygon"],
    ["triangle", hit?.triangle, "pick-triangle"],
    ["vertices", pick.vertices.join(", "), "pick-vertices"],
    ["object", pick.object, "pick-object"],
    ["group", pick.group],
    ["material", pick.material, "pick-material"],
    ["line of file", pick.line],
    ["t", short(pick.t), "pick-t"],
    ["point", point(pick.point), "pick-point"],
    ["normal", hit?.normal && point(hit.normal), "pick-normal"],
    ["side", hit && (hit.isFront ? "front" : "back")],
    ["weights u, v", hit && point(hit.weights), "pick-weights"],
    ["texture u, v", hit?.uv && point(hit.uv)],
  ];
}

export function showSelection(selection) {
  const { pick, n, first, command } = selection;
  fill(byId("picked"), pick ? rows(pick) : []);
  byId("picked-none").hidden = Boolean(pick);
  const line = pick?.command ?? command ?? "";
  // Wrap each flag in an element, so that lines do not break after its hyphens.
  const words = line.split(/(--[a-z-]+)/).map((word, n) => {
    const part = document.createElement(n % 2 ? "b" : "span");
    part.textContent = word;
    return part;
  });
  byId("command").replaceChildren(...words);
  byId("command-box").hidden = line === "";
  byId("n-selected").textContent = n === 0 ? "none" : n.toLocaleString("en");
  const items = first.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    return item;
  });
  if (n > first.length) {
    const more = document.createElement("li");
    more.className = "quiet";
    more.textContent = `and ${(n - first.length).toLocaleString("en")} more`;
    items.push(more);
  }
  byId("selected").replaceChildren(...items);
}

/** Describes the element under the pointer in a tooltip beside it. */
export function showTooltip(pick, [x, y]) {
  const tooltip = byId("tooltip");
  tooltip.hidden = !pick;
  if (!pick) return;
  const name = document.createElement("b");
  const number = pick.vertices.length > 0 ? pick.vertices.join("-") : pick.element === "face" ? pick.polygon : "";
  name.textContent = `${pick.element} ${number}`.trim();
  const names = [pick.path.join(" / "), pick.object, pick.material].filter(Boolean).join(", ");
  const lines = [
    names && ` ${names}`,
    pick.hit && `\ntriangle ${pick.hit.triangle}, t ${short(pick.t)}`,
    `\npoint ${point(pick.point)}`,
    pick.hit?.normal && `\nnormal ${point(pick.hit.normal)}`,
    pick.hit && `\nu, v ${point(pick.hit.weights)}`,
  ];
  tooltip.replaceChildren(name, lines.filter(Boolean).join(""));
  const stage = byId("stage").getBoundingClientRect();
  const left = x + 18 + tooltip.offsetWidth > stage.width ? x - 14 - tooltip.offsetWidth : x + 18;
  const top = Math.min(y + 16, stage.height - tooltip.offsetHeight - 4);
  tooltip.style.left = `${Math.max(left, 4)}px`;
  tooltip.style.top = `${Math.max(top, 4)}px`;
}

/** Shows facts about the model, statistics of the latest frame, and the frame rate. */
export function showStats(model, stats, framesPerSecond) {
  fill(byId("stats"), [
    ["triangles", model && model.nTriangles.toLocaleString("en"), "n-triangles"],
    ["instances", model && model.nInstances > 1 ? model.nInstances.toLocaleString("en") : null],
    ["read time", model && duration(model.readingSeconds)],
    ["tree build time", model && duration(model.buildingSeconds), "build-time"],
    ["rays", stats && `${readable(stats.raysPerSecond)}/s`, "rays-per-second"],
    ["tests per ray", stats?.workPerRay && short(Number(stats.workPerRay.toPrecision(3)))],
    ["resolution", stats && `${stats.width} × ${stats.height}`],
    ["samples", stats && `${stats.nSamples}, each in ${duration(stats.seconds)}`],
    ["frames", framesPerSecond > 0 ? `${framesPerSecond.toFixed(0)}/s` : null, "fps"],
  ]);
}

export function showLegend({ title, ramp, names }) {
  const legend = byId("legend");
  legend.replaceChildren();
  legend.hidden = !ramp && names.length === 0;
  const add = (parent, className, text) => {
    const element = document.createElement("div");
    element.className = className;
    element.textContent = text ?? "";
    parent.append(element);
    return element;
  };
  title.forEach((line) => add(legend, "title", line));
  if (ramp) {
    add(legend, "ramp").style.background = `linear-gradient(to right, ${ramp.colors.join(", ")})`;
    const ends = add(legend, "ends");
    ramp.ends.forEach((end) => add(ends, "", end));
  }
  for (const { name, color } of names.slice(0, 12)) {
    const line = add(legend, "name");
    add(line, "swatch").style.background = color;
    add(line, "", name);
  }
  if (names.length > 12) add(legend, "quiet", `and ${names.length - 12} more`);
}
