// Show an item: one renderer for each kind of field. What the server sends is data, so it only becomes text.

import { button, make } from "./dom.js";
import { imageViewer } from "./image.js";

const LONGEST = 200000; // characters of a text that are shown at first
const MANY = 200; // entries of a list that are shown at first
const OPEN = 2; // levels of JSON that are open at first, if they are short
const SHORT = 20;

// Return the item's element, and its image viewers for the keys. Fields have headings of the given level.
export function showItem(fields, heading = "h3") {
  const viewers = [];
  const node = make("div", { className: "fields" });
  const groups = new Map();
  for (const field of fields) {
    const group = GROUPS[field.kind];
    if (!group) {
      node.append(section(field, heading, viewers));
    } else if (!groups.has(group)) {
      // Fields of a group stand together, where the first of them is.
      groups.set(group, [field]);
      node.append(make("div", { className: "placeholder" }));
      groups.get(group).place = node.lastChild;
    } else {
      groups.get(group).push(field);
    }
  }
  groups.forEach((members, group) => members.place.replaceWith(group(members, heading)));
  return { node, viewers };
}

const GROUPS = { number: facts, short: facts, side: sides };

function section(field, heading, viewers) {
  const body = KINDS[field.kind] ?? ((other) => text(JSON.stringify(other.value ?? null)));
  return make("section", { className: "field" }, make(heading, { textContent: field.name, dir: "auto" }),
    body(field, viewers));
}

const KINDS = {
  text: (field) => text(field.value),
  json: (field) => make("div", { className: "json" }, json(field.value, 0)),
  chat: (field) => chat(field.value),
  image: (field, viewers) => {
    const viewer = imageViewer(field);
    viewers.push(viewer);
    return viewer.node;
  },
};

function text(value) {
  const whole = String(value ?? "");
  const block = make("div", { className: "text", dir: "auto" });
  if (whole.length <= LONGEST) {
    block.textContent = whole;
    return block;
  }
  // Never cut a character in two.
  const pair = /[\uDC00-\uDFFF]/.test(whole[LONGEST]);
  block.textContent = whole.slice(0, pair ? LONGEST - 1 : LONGEST);
  const length = whole.length.toLocaleString("en");
  const all = button(`Show all ${length} characters`, () => {
    block.textContent = whole;
    block.tabIndex = -1;
    block.focus({ preventScroll: true });
    all.remove();
  });
  return make("div", {}, block, all);
}

function facts(fields) {
  const list = make("dl", { className: "facts" });
  for (const field of fields) {
    list.append(make("div", {}, make("dt", { textContent: field.name, dir: "auto" }),
      make("dd", { textContent: String(field.value ?? ""), dir: "auto", className: field.kind })));
  }
  return list;
}

// The names are not shown: the name of a column may say whose answer it is.
function sides(fields, heading) {
  const parts = fields.map((field, at) => make("section", { className: "field" },
    make(heading, { textContent: at < 26 ? String.fromCharCode(65 + at) : String(at + 1) }), text(field.value)));
  return make("div", { className: "sides" }, ...parts);
}

function chat(messages) {
  if (!Array.isArray(messages)) {
    return json(messages, 0);
  }
  return make("ol", { className: "chat" }, ...messages.map((message) => {
    const said = message?.content ?? message;
    return make("li", {}, make("p", { className: "role", textContent: String(message?.role ?? ""), dir: "auto" }),
      typeof said === "string" ? text(said) : json(said, 0));
  }));
}

function json(value, depth) {
  if (value === null || typeof value !== "object") {
    return typeof value === "string" ? text(value) : make("span", { className: "value", textContent: String(value) });
  }
  const list = Array.isArray(value);
  const entries = Object.entries(value);
  const count = `${entries.length} ${list ? "item" : "key"}${entries.length === 1 ? "" : "s"}`;
  const part = make("details", {}, make("summary", { textContent: count }));
  // What is closed is made when it is opened, so that a large document opens at once.
  const fill = () => part.append(entryList(entries, 0, depth));
  if (depth === 0 || (depth < OPEN && entries.length <= SHORT)) {
    part.open = true;
    fill();
  } else {
    part.addEventListener("toggle", fill, { once: true });
  }
  return part;
}

function entryList(entries, from, depth) {
  const rows = make("dl", { className: "entries" });
  for (const [key, value] of entries.slice(from, from + MANY)) {
    rows.append(make("div", {}, make("dt", { textContent: key, dir: "auto" }), make("dd", {}, json(value, depth + 1))));
  }
  if (entries.length <= from + MANY) {
    return rows;
  }
  const more = button(`Show more of ${entries.length}`, () => more.replaceWith(entryList(entries, from + MANY, depth)));
  return make("div", {}, rows, more);
}
