// Parts of the owner's page that are only read: they are drawn anew when their data change.

import { told } from "./decision.js";
import { make } from "./dom.js";
import { amount, between, hour, interval, percent } from "./format.js";
import { facts } from "./spending.js";
import { table } from "./table.js";

const SIGNS = { "rings true": ["✓", "good"], "rings false": ["✗", "bad"], "not yet known": ["?", "open"] };
const ROWS = 10; // of the curve in numbers

// The sign says what the colour says.
export function chip(text) {
  const [sign, kind] = SIGNS[text] ?? ["?", "open"];
  return make("strong", { className: `chip ${kind}` }, make("span", { textContent: sign, "aria-hidden": "true" }),
    ` ${text}`);
}

export function numbers({ curve: points, percent: share, spending }) {
  const step = Math.max(1, (points.length - 1) / (ROWS - 1));
  const some = Array.from({ length: Math.min(ROWS, points.length) }, (_, row) => points[Math.round(row * step)]);
  return table("The interval after so many answers", [
    [`${spending.unit} answered`, ([answers]) => String(answers), "number"],
    ["Low", ([, low]) => amount(low, share, "below"), "number"],
    ["Estimate", ([, , estimate]) => amount(estimate, share), "number"],
    ["High", ([, , , high]) => amount(high, share, "above"), "number"],
  ], some);
}

export function raters(rows) {
  if (!rows.length) {
    return [empty("No rater yet. Raters appear here when they open their links.")];
  }
  const known = (value, tell) => (value === null ? "–" : tell(value));
  return [table("What each rater did, and how often each differs from the agreed label", [
    ["Rater", (row) => row.name],
    ["Answers", (row) => String(row.answers), "number"],
    ["Second opinions", (row) => String(row.opinions), "number"],
    ["Corrected", (row) => String(row.corrected), "number"],
    ["Open", (row) => String(row.open), "number"],
    ["Per hour", (row) => known(row.per_hour, (value) => value.toFixed(0)), "number"],
    ["Median seconds", (row) => known(row.seconds, (value) => value.toFixed(1)), "number"],
    ["Last answer", (row) => known(row.last, hour), "number"],
    ["Disagrees", (row) => (row.differs === null ? "–"
      : `${percent(row.differs.estimate)} (${between(row.differs)}) of ${row.compared}`), "number"],
  ], rows)];
}

export function second(data) {
  if (data === null) {
    return [empty("This study asks for no second opinions.")];
  }
  const { disagreement, agreed } = data;
  const pairs = [
    ["Share asked twice", percent(data.share)],
    ["Answered twice", `${data.twice}, ${data.due} due, ${data.out} with raters now`],
    ["Disagreement", disagreement ? interval(disagreement) : "Nothing is answered twice yet."],
  ];
  if (data.alpha !== null) {
    pairs.push(["Krippendorff's alpha", data.alpha.toFixed(2)]);
  }
  if (data.ac1 !== null) {
    pairs.push(["Gwet's AC1", data.ac1.toFixed(2)]);
  }
  pairs.push(["Rate by agreed labels", ...(agreed ? [`${interval(agreed)} `] : []),
    ...(data.agreed_verdict ? [chip(data.agreed_verdict)] : []), data.agreed_note ?? ""]);
  return [facts(pairs)];
}

export function settled(rows) {
  if (!rows.length) {
    return [empty("Nothing is decided by you yet.")];
  }
  return [table("The newest decisions", [
    ["Item", (row) => row.item],
    ["Decision", (row) => told(row.answer)],
    ["Reason", (row) => row.reason],
    ["Answers before", (row) => row.opinions.map((one) => `${one.rater}: ${told(one.answer)}`).join("; ")],
  ], rows)];
}

export function out(rows) {
  if (!rows.length) {
    return [empty("No item is with a rater now.")];
  }
  return [table("Items that raters look at, and until when these are theirs", [
    ["Item", (row) => row.item], ["Rater", (row) => row.rater], ["Until", (row) => hour(row.until), "number"],
  ], rows)];
}

function empty(text) {
  return make("p", { className: "soft", textContent: text });
}
