// Draw how the interval narrows: a band from low to high, the estimate as a line, the claim's limit as a dashed line.

import { make } from "./dom.js";
import { amount, between, percent } from "./format.js";

const SPACE = "http://www.w3.org/2000/svg";
const PAD = { top: 12, right: 16, bottom: 44, left: 58 };
const LATE = 0.25; // the scale fits the intervals after this part of the answers: the first ones reach anywhere

// The figure is drawn in pixels of the screen, so that its words stay legible on a phone.
export class Curve {
  constructor(place) {
    this.place = place;
    this.view = null;
    this.width = 0;
    new ResizeObserver(() => this.view && place.clientWidth !== this.width && this.draw()).observe(place);
  }

  show(view) {
    const { curve, limit, percent: share, estimate, spending } = view;
    const next = { points: curve, limit, share, level: estimate?.level ?? null, unit: spending.unit };
    if (JSON.stringify(next) !== JSON.stringify(this.view)) {
      this.view = next;
      this.draw();
    }
  }

  draw() {
    this.width = this.place.clientWidth;
    if (this.width && this.view.points.length) {
      this.place.replaceChildren(picture(this.view, this.width));
    }
  }
}

function picture(view, width) {
  const { points, limit, share } = view;
  const height = Math.round(Math.min(340, Math.max(200, width * 0.45)));
  const [least, most] = range(view);
  const last = points.at(-1);
  const end = Math.max(1, last[0]);
  const x = (answers) => PAD.left + (answers / end) * (width - PAD.left - PAD.right);
  // An end that is not known stands at the edge.
  const y = (value, otherwise) => {
    const part = ((Number.isFinite(value) ? value : otherwise) - least) / (most - least);
    return height - PAD.bottom - part * (height - PAD.top - PAD.bottom);
  };
  const lows = points.map(([answers, low]) => [x(answers), y(low, least)]);
  const highs = points.map(([answers, , , high]) => [x(answers), y(high, most)]);
  const known = points.filter((point) => Number.isFinite(point[2]));
  const middle = known.map(([answers, , value]) => [x(answers), y(value)]);
  const drawing = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img",
    "aria-labelledby": "curve-name curve-says" },
  named("title", "curve-name", "The interval after each answer"), named("desc", "curve-says", describe(view)));
  for (const value of ticks(least, most, 5)) {
    drawing.append(line("grid", PAD.left, y(value), width - PAD.right, y(value)),
      word("end", PAD.left - 8, y(value) + 4, share ? percent(value) : String(value)));
  }
  for (const value of ticks(0, end, width < 480 ? 3 : 6).filter(Number.isInteger)) {
    drawing.append(line("grid", x(value), height - PAD.bottom, x(value), height - PAD.bottom + 5),
      word("middle", x(value), height - PAD.bottom + 20, String(value)));
  }
  drawing.append(word("end", width - PAD.right, height - 6, `${view.unit} answered`),
    shape("clipPath", { id: "curve-inside" }, shape("rect", { x: PAD.left, y: PAD.top - 2,
      width: width - PAD.left - PAD.right + 2, height: height - PAD.top - PAD.bottom + 4 })),
    shape("g", { "clip-path": "url(#curve-inside)" },
      shape("path", { class: "band", d: `${path(highs)}${path([...lows].reverse(), "L")}Z` }),
      shape("path", { class: "bound", d: path(highs) }), shape("path", { class: "bound", d: path(lows) }),
      line("now", ...lows.at(-1), ...highs.at(-1)), shape("path", { class: "estimate", d: path(middle) })));
  if (Number.isFinite(limit)) {
    drawing.append(line("limit", PAD.left, y(limit), width - PAD.right, y(limit)));
  }
  if (middle.length) {
    drawing.append(shape("circle", { class: "dot", cx: middle.at(-1)[0], cy: middle.at(-1)[1], r: 4 }));
  }
  return drawing;
}

// The ends of the scale: the limit and the later intervals are on it.
function range({ points, limit, share }) {
  const from = points.at(-1)[0] * LATE;
  const late = points.filter(([answers]) => answers >= from);
  const values = [...late.flatMap(([, low, estimate, high]) => [low, estimate, high]), limit].filter(Number.isFinite);
  if (!values.length) {
    return [0, 1];
  }
  let least = Math.min(...values);
  let most = Math.max(...values, least + (share ? 0.01 : 1e-9));
  const room = (most - least) * 0.08;
  // Near zero, the scale starts there.
  least = least >= 0 && least < most / 2 ? 0 : least - room;
  most += room;
  return share ? [Math.max(-1, least), Math.min(1, most)] : [least, most];
}

function ticks(least, most, wanted) {
  const raw = (most - least) / wanted;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].find((one) => one * power >= raw * 0.999) * power;
  const first = Math.ceil(least / step - 1e-9);
  const many = Math.floor(most / step + 1e-9) - first + 1;
  return Array.from({ length: many }, (_, at) => Number(((first + at) * step).toPrecision(12)));
}

function describe({ points, limit, share, level, unit }) {
  const [answers, low, estimate, high] = points.at(-1);
  const [first, lowest, , highest] = points[0];
  const sure = level === null ? "" : ` at ${percent(level)}`;
  const before = points.length > 1 ? ` With ${first} it was ${between({ low: lowest, high: highest }, share)}.` : "";
  const goal = Number.isFinite(limit) ? ` The claim's limit is ${amount(limit, share)}.` : "";
  return `With ${answers} ${unit} answered the estimate is ${amount(estimate, share)}, and the interval is `
    + `${between({ low, high }, share)}${sure}.${before}${goal}`;
}

// The legend tells the marks apart by their shapes, so that nobody needs the colours.
export function legend({ curve, limit, percent: share, estimate }) {
  const sure = Number.isFinite(estimate?.level) ? ` at ${percent(estimate.level)}` : "";
  const entries = [["estimate", "Line with a dot: the estimate"], ["band", `Band: the interval${sure}`]];
  if (Number.isFinite(limit)) {
    entries.push(["limit", `Dashed line: the claim's limit, ${amount(limit, share)}`]);
  }
  const [, most] = range({ points: curve, limit, share });
  const highest = Math.max(...curve.map((point) => point[3]).filter(Number.isFinite));
  const top = amount(highest, share, "above");
  const cut = highest > most ? `At first the band reaches beyond the figure, up to ${top}.` : "";
  return [make("ul", { className: "legend" }, ...entries.map(([kind, text]) => make("li", {}, sample(kind), text))),
    make("p", { className: "soft", textContent: cut, hidden: !cut })];
}

function sample(kind) {
  const drawing = shape("svg", { width: 32, height: 14, viewBox: "0 0 32 14", "aria-hidden": "true" });
  if (kind === "band") {
    drawing.append(shape("path", { class: "band", d: "M1,2H31V12H1Z" }), line("bound", 1, 2, 31, 2),
      line("bound", 1, 12, 31, 12));
  } else {
    drawing.append(line(kind, 1, 7, 31, 7));
  }
  if (kind === "estimate") {
    drawing.append(shape("circle", { class: "dot", cx: 27, cy: 7, r: 4 }));
  }
  return drawing;
}

function path(points, start = "M") {
  return points.map(([across, down], at) => `${at ? "L" : start}${across.toFixed(1)},${down.toFixed(1)}`).join("");
}

function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SPACE, tag);
  Object.entries(attributes).forEach(([name, value]) => element.setAttribute(name, value));
  element.append(...children);
  return element;
}

function line(kind, x1, y1, x2, y2) {
  return shape("line", { class: kind, x1, y1, x2, y2 });
}

function word(anchor, x, y, text) {
  return shape("text", { class: "tick", "text-anchor": anchor, x, y }, text);
}

function named(tag, id, text) {
  return shape(tag, { id }, text);
}
