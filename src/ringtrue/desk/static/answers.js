// The panel of answers: buttons for known labels, a field for each number, or one field for free text.

import { button, make } from "./dom.js";
import { preview, readNumber } from "./numbers.js";

// `give(answer)` takes {answer} or {numbers}. The panel says which `field` gets the focus, if it has fields.
export function answerPanel(config, give) {
  if (config.outputs.length) {
    return fieldPanel(config.outputs.map(numberField), (typed) => give({ numbers: typed }));
  }
  return config.free ? fieldPanel([textField()], ([label]) => give({ answer: label })) : choicePanel(config, give);
}

function choicePanel(config, give) {
  const buttons = config.choices.map((choice, at) => {
    const element = button("", () => give({ answer: choice.label }), { className: "choice" });
    element.append(make("bdi", { textContent: words(choice.label) }),
      make("kbd", { "data-key": `choice ${at}`, "aria-hidden": "true" }));
    return element;
  });
  const node = make("div", { className: "list", role: "group", "aria-labelledby": "ask" }, ...buttons);
  return {
    node,
    field: null,
    clear(before) {
      buttons.forEach((element, at) => {
        element.removeAttribute("aria-pressed");
        if (before !== undefined) {
          element.setAttribute("aria-pressed", String(config.choices[at].label === before));
        }
      });
    },
    enable: (on) => buttons.forEach((element) => { element.disabled = !on; }),
  };
}

function fieldPanel(fields, give) {
  const save = make("button", { type: "submit", className: "choice" }, "Save ",
    make("kbd", { textContent: "Enter", "aria-hidden": "true" }));
  const node = make("form", { noValidate: true, autocomplete: "off" }, ...fields.map((field) => field.node), save);
  node.addEventListener("submit", (event) => {
    event.preventDefault();
    const wrong = fields.find((field) => !field.check());
    if (wrong) {
      wrong.input.focus();
    } else {
      give(fields.map((field) => field.input.value.trim()));
    }
  });
  return {
    node,
    field: fields[0].input,
    clear(before) {
      const old = before === undefined || before === null ? [] : [before].flat();
      fields.forEach((field, at) => field.set(at in old ? String(old[at]) : ""));
    },
    enable: (on) => [save, ...fields.map((field) => field.input)].forEach((element) => { element.disabled = !on; }),
  };
}

function numberField(name, at) {
  const read = (typed) => (typed.trim() ? readNumber(typed).error : "Write a number.");
  return field({ label: name, id: `number-${at}`, mode: "decimal", read, preview });
}

function textField() {
  const read = (typed) => (typed.trim() ? null : "Write a label.");
  return field({ label: "Label", id: "label", mode: "text", read, preview: () => "" });
}

function field(of) {
  const input = make("input", { type: "text", id: of.id, inputMode: of.mode, dir: "auto",
    "aria-describedby": `${of.id}-says`, autocapitalize: "off", spellcheck: false });
  const says = make("output", { id: `${of.id}-says`, className: "reading", "aria-live": "off" });
  const show = (text, wrong) => {
    says.textContent = text;
    input.setAttribute("aria-invalid", String(wrong));
  };
  // A half-written number is no mistake yet: only Enter marks the field.
  input.addEventListener("input", () => show(of.preview(input.value), false));
  return {
    input,
    node: make("div", { className: "entry" }, make("label", { htmlFor: of.id, textContent: of.label, dir: "auto" }),
      input, says),
    set(value) {
      input.value = value;
      show(of.preview(value), false);
    },
    check() {
      const error = of.read(input.value);
      if (error) {
        show(error, true);
      }
      return !error;
    },
  };
}

// An answer in words, for messages and buttons.
export function words(answer) {
  if (answer === null) {
    return "cannot tell";
  }
  return [answer].flat().map((part) => (String(part).trim() === "" ? "(empty)" : String(part))).join(", ");
}
