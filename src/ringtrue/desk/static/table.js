// A table that becomes a list of cards on a phone. Its roles are written out, because a browser forgets them when the
// style sheet lays a table out as blocks.

import { make } from "./dom.js";

// A column is [heading, cell(row), className?]. The first one names the row. A cell is a text or an element.
export function table(caption, columns, rows) {
  const head = columns.map(([heading, , className = ""]) => make("th", { scope: "col", role: "columnheader",
    textContent: heading, className }));
  return make("table", { role: "table" }, make("caption", { textContent: caption }),
    make("thead", { role: "rowgroup" }, make("tr", { role: "row" }, ...head)),
    make("tbody", { role: "rowgroup" }, ...rows.map((row) => make("tr", { role: "row" },
      ...columns.map((column, at) => cell(column, at === 0, row))))));
}

function cell([heading, content, className = ""], first, row) {
  const properties = first ? { scope: "row", role: "rowheader" } : { role: "cell" };
  return make(first ? "th" : "td", { ...properties, className, "data-label": heading },
    make("span", { dir: "auto" }, content(row)));
}
