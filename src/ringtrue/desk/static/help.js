// The help panel: what each key does, a switch for all of them, and a way to change each.

import { button, make } from "./dom.js";

export function helpPanel(keys) {
  const dialog = document.getElementById("help");
  const list = document.getElementById("key-list");
  const say = document.getElementById("key-say");
  const on = document.getElementById("keys-on");
  let waiting = null; // the command that gets the next key

  function draw() {
    on.checked = keys.on;
    list.replaceChildren(...keys.commands.map(row));
  }

  function row(command) {
    const key = keys.keyOf(command);
    const change = button("", () => listen(command), { "aria-label": `${command.label}: ${key ?? "no key"}, change` });
    change.append(make("kbd", { textContent: command === waiting ? "…" : (key ?? "none") }));
    change.dataset.name = command.name;
    return make("div", {}, make("dt", { textContent: command.label, dir: "auto" }), make("dd", {}, change));
  }

  function listen(command) {
    waiting = command;
    say.textContent = `Press the new key for “${command.label}”, or Esc.`;
    redraw(command);
  }

  function redraw(command) {
    draw();
    [...list.querySelectorAll("button")].find((one) => one.dataset.name === command.name)?.focus();
  }

  dialog.addEventListener("keydown", (event) => {
    if (!waiting || ["Shift", "Control", "Alt", "AltGraph", "Meta", "CapsLock"].includes(event.key)) {
      return;
    }
    event.preventDefault();
    const command = waiting;
    const kept = event.key === "Escape" || event.key === "Tab";
    const refusal = kept ? null : keys.change(command, event.key);
    waiting = refusal ? command : null;
    say.textContent = refusal ?? (kept ? "" : `“${command.label}” now has the key ${event.key}.`);
    redraw(command);
  });
  dialog.addEventListener("cancel", (event) => {
    if (waiting) {
      event.preventDefault();
    }
  });
  dialog.addEventListener("close", () => {
    waiting = null;
    say.textContent = "";
  });
  on.addEventListener("change", () => {
    keys.on = on.checked;
    keys.save();
  });
  document.getElementById("keys-reset").addEventListener("click", () => {
    keys.reset();
    say.textContent = "All keys are as they were at first.";
    draw();
  });
  document.getElementById("help-close").addEventListener("click", () => dialog.close());
  return () => {
    draw();
    dialog.showModal();
  };
}
