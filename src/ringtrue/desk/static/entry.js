// A field with a label and a line below it that says what is wrong. Owners type reasons and budgets into it.

import { make } from "./dom.js";

export function entry({ id, label, hint = "", mode = "text" }) {
  const says = make("p", { id: `${id}-says`, className: "reading", textContent: hint });
  const input = make("input", { type: "text", id, inputMode: mode, dir: "auto", autocomplete: "off",
    "aria-describedby": says.id });
  const mark = (text, wrong) => {
    says.textContent = text;
    input.setAttribute("aria-invalid", String(wrong));
  };
  input.addEventListener("input", () => mark(hint, false));
  return {
    input,
    node: make("div", { className: "entry" }, make("label", { htmlFor: id, textContent: label }), input, says),
    text: () => input.value.trim(),
    refuse(text) {
      mark(text, true);
      input.focus();
    },
  };
}
