// Pointer input: mouse, pen, touch, wheel and trackpad.

/** A press that moves fewer pixels than this is a click. */
const CLICK = 4;

export class Pointer {
  /**
   * @param {HTMLElement} stage
   * @param {(type: string, fields?: object) => void} send
   * @param {{tool: () => string, region: (points: number[][] | null, enclose: boolean) => void,
   *   hover: (position: number[] | null) => void}} page
   */
  constructor(stage, send, page) {
    Object.assign(this, { stage, send, page });
    /** Positions of the pressed pointers, by id. */
    this.down = new Map();
    this.drag = null;
    stage.addEventListener("pointerdown", (event) => this.press(event));
    stage.addEventListener("pointermove", (event) => this.move(event));
    stage.addEventListener("pointerup", (event) => this.release(event));
    stage.addEventListener("pointercancel", (event) => this.release(event));
    stage.addEventListener("pointerleave", () => this.page.hover(null));
    stage.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    stage.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  position(event) {
    const box = this.stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  press(event) {
    this.stage.focus({ preventScroll: true });
    this.stage.setPointerCapture(event.pointerId);
    const at = this.position(event);
    this.down.set(event.pointerId, at);
    this.page.hover(null);
    if (this.down.size > 1) {
      this.page.region(null, false);
      this.drag = { kind: "pinch", moved: CLICK };
      return;
    }
    this.drag = { kind: this.kind(event), from: at, points: [at], moved: 0, shift: event.shiftKey };
  }

  kind(event) {
    if (event.button === 1 || event.button === 2) return "pan";
    if (event.ctrlKey || event.metaKey) return "marquee";
    if (event.altKey) return "lasso";
    const tool = this.page.tool();
    return event.shiftKey && tool === "orbit" ? "pan" : tool;
  }

  move(event) {
    const at = this.position(event);
    const before = this.down.get(event.pointerId);
    if (!before || !this.drag) {
      if (event.pointerType !== "touch") this.page.hover(at);
      return;
    }
    const [dx, dy] = [at[0] - before[0], at[1] - before[1]];
    const { drag } = this;
    drag.moved += Math.hypot(dx, dy);
    if (drag.kind === "pinch") {
      this.pinch(event.pointerId, at);
    }
    this.down.set(event.pointerId, at);
    if (drag.moved < CLICK) return;
    this.stage.classList.toggle("dragging", drag.kind === "orbit" || drag.kind === "pan");
    if (drag.kind === "orbit" || drag.kind === "pan") {
      this.send(drag.kind, { dx, dy });
    } else if (drag.kind !== "pinch") {
      drag.points = drag.kind === "lasso" ? [...drag.points, at] : [drag.from, at];
      this.page.region(outline(drag), encloses(drag));
    }
  }

  /** Two fingers: spreading zooms in, moving together pans. */
  pinch(id, at) {
    const [other] = [...this.down].filter(([key]) => key !== id).map(([, position]) => position);
    const before = this.down.get(id);
    const span = (a, b) => Math.max(Math.hypot(a[0] - b[0], a[1] - b[1]), 1);
    const factor = span(at, other) / span(before, other);
    const [x, y] = [(at[0] + other[0]) / 2, (at[1] + other[1]) / 2];
    this.send("zoom", { factor, x, y });
    this.send("pan", { dx: (at[0] - before[0]) / 2, dy: (at[1] - before[1]) / 2 });
  }

  release(event) {
    const { drag } = this;
    this.down.delete(event.pointerId);
    this.stage.classList.remove("dragging");
    if (!drag || this.down.size > 0) return;
    this.drag = null;
    if (event.type === "pointercancel") {
      this.page.region(null, false);
      return;
    }
    const [x, y] = this.position(event);
    if (drag.moved < CLICK) {
      if (event.button === 0) this.send("click", { x, y, extend: drag.shift });
    } else if (drag.kind === "marquee") {
      this.send("marquee", { from: drag.from, to: [x, y], enclose: encloses(drag), extend: drag.shift });
    } else if (drag.kind === "lasso" && drag.points.length > 2) {
      this.send("lasso", { outline: thinned(drag.points), enclose: false, extend: drag.shift });
    }
    this.page.region(null, false);
  }

  wheel(event) {
    event.preventDefault();
    const [x, y] = this.position(event);
    const unit = [1, 16, this.stage.clientHeight][event.deltaMode];
    const [dx, dy] = [event.deltaX * unit, event.deltaY * unit];
    // Browsers report a trackpad pinch as a wheel event with Ctrl. Other trackpad events have small
    // or horizontal steps, while the steps of a wheel are large.
    const isTrackpad = event.deltaMode === 0 && (dx !== 0 || Math.abs(dy) < 40);
    if (event.ctrlKey) {
      this.send("zoom", { factor: Math.exp(-dy * 0.01), x, y });
    } else if (event.shiftKey) {
      this.send("pan", { dx: -dx - dy, dy: 0 });
    } else if (isTrackpad) {
      this.send("orbit", { dx: -dx, dy: -dy });
    } else {
      this.send("zoom", { factor: Math.exp(-dy * 0.0015), x, y });
    }
  }
}

/** CAD convention: a marquee dragged right encloses, one dragged left touches. */
function encloses({ kind, points }) {
  return kind === "marquee" && points[points.length - 1][0] > points[0][0];
}

/** The corners of a marquee or lasso. */
function outline({ kind, points }) {
  if (kind === "lasso" || points.length < 2) return points;
  const [[x0, y0], [x1, y1]] = points;
  return [[x0, y0], [x1, y0], [x1, y1], [x0, y1]];
}

/** Thins the points to at most 2000, which is enough for any outline drawn by hand. */
function thinned(points) {
  const step = Math.ceil(points.length / 2000);
  return points.filter((_, index) => index % step === 0);
}
