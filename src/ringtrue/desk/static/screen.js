// What stands on the screen: an item with its note, or the reason why there is none.

import { at, make } from "./dom.js";
import { showItem } from "./show.js";
import { itemName } from "./status.js";

export class Screen {
  constructor(panel, keys) {
    this.panel = panel;
    this.keys = keys;
    this.viewers = [];
    this.prepared = new Map();
  }

  // Make the elements of the items that come next, so that their images are loaded before they are needed.
  prepare(queries) {
    const known = this.prepared;
    this.prepared = new Map(queries.map((query) => [query.id, known.get(query.id) ?? showItem(query.fields)]));
  }

  show(query, note = "", before = undefined) {
    const item = this.prepared.get(query.id) ?? showItem(query.fields);
    this.viewers = item.viewers;
    this.fill(`Item ${itemName(query.id)}`, note, item.node, true, before);
    this.focus();
  }

  // Whoever types the answer goes on typing; everybody else starts to read.
  focus() {
    (this.panel.field ?? at("title")).focus();
  }

  blank(title, ...lines) {
    this.viewers = [];
    const text = lines.filter(Boolean).map((line) => make("p", { textContent: line, dir: "auto" }));
    this.fill(title, "", make("div", {}, ...text), false);
    // A button that is switched off loses the focus.
    if (document.activeElement === document.body) {
      at("title").focus();
    }
  }

  fill(title, note, node, on, before) {
    at("title").textContent = title;
    this.remark(note);
    at("fields").replaceChildren(node);
    ["item", "choices"].forEach((part) => { at(part).scrollTop = 0; });
    this.panel.clear(before);
    this.panel.enable(on);
    ["unsure", "later"].forEach((name) => { at(`do-${name}`).disabled = !on; });
    this.keys.paint();
  }

  remark(text) {
    at("note").textContent = text;
    at("note").hidden = text === "";
  }

  // The image that the keys move: the one with the focus, or the first.
  viewer() {
    return this.viewers.find((one) => one.node.contains(document.activeElement)) ?? this.viewers[0];
  }
}
