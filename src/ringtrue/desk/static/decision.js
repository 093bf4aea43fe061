// What the owner decides about an item: one of the study's labels. Where raters may write any label, one of theirs or
// another.

import { words } from "./answers.js";
import { make, write } from "./dom.js";
import { entry } from "./entry.js";

let made = 0;

export function decision(config, conflict) {
  const name = `decision-${(made += 1)}`;
  const open = config.free || config.outputs.length > 0;
  const given = conflict.opinions.map((one) => one.answer).filter((answer) => answer !== null);
  const answers = open ? distinct(given) : config.choices.map((choice) => choice.label);
  const says = make("p", { id: `${name}-says`, className: "reading wrong" });
  const radios = [...answers, null].map((answer) => radio(name, answer));
  const group = make("fieldset", { "aria-describedby": says.id }, make("legend", { textContent: "Your decision" }),
    make("div", { className: "options" }, ...radios.map((one) => one.node)), says);
  const other = config.free ? entry({ id: `${name}-other`, label: "Another label" }) : null;
  if (other) {
    says.before(other.node);
    // A label that is typed takes the place of one that is chosen, and the other way round.
    other.input.addEventListener("input", () => radios.forEach((one) => { one.input.checked = false; }));
  }
  group.addEventListener("change", (event) => {
    write(says, "");
    if (other && event.target.type === "radio") {
      other.input.value = "";
    }
  });
  return {
    node: group,
    chosen: () => (other?.text() ? other.text() : radios.find((one) => one.input.checked)?.answer),
    refuse(text) {
      write(says, text);
      radios[0].input.focus();
    },
  };
}

function radio(name, answer) {
  const input = make("input", { type: "radio", name });
  const node = make("label", { className: "option" }, input, make("bdi", { textContent: told(answer) }));
  return { answer, input, node };
}

function distinct(answers) {
  return [...new Map(answers.map((answer) => [JSON.stringify(answer), answer])).values()];
}

export function told(answer) {
  return answer === null ? "cannot be told" : words(answer);
}
