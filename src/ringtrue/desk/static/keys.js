// Keys of one character. They can be switched off and changed, because speech input and tremor press keys by mistake.

export class Keys {
  // A command is {name, label, key, run, repeats?}. The keys of a study are kept in this browser.
  constructor(study, commands) {
    this.store = `desk/${encodeURIComponent(study)}/keys`;
    this.commands = commands;
    this.on = true;
    this.chosen = {};
    this.load();
    this.escape = () => {};
    this.arrow = () => false;
    document.addEventListener("keydown", (event) => this.press(event));
  }

  load() {
    try {
      const kept = JSON.parse(localStorage.getItem(this.store)) ?? {};
      this.on = kept.on !== false;
      this.chosen = kept.chosen ?? {};
    } catch {
      this.chosen = {};
    }
    const keys = this.commands.map((command) => this.keyOf(command)).filter(Boolean);
    if (new Set(keys).size < keys.length) {
      this.chosen = {}; // the labels changed since: two commands would have one key
    }
  }

  save() {
    try {
      localStorage.setItem(this.store, JSON.stringify({ on: this.on, chosen: this.chosen }));
    } catch {
      // The keys last until the page is closed.
    }
    this.paint();
  }

  keyOf(command) {
    return this.chosen[command.name] ?? command.key;
  }

  // Give a command another key. Return null, or the sentence that says why not.
  change(command, key) {
    if ([...key].length !== 1 || key.trim() === "") {
      return "Choose a letter, a digit or a sign.";
    }
    const other = this.commands.find((one) => one !== command && this.keyOf(one) === key);
    if (other) {
      return `The key ${key} is taken by “${other.label}”.`;
    }
    this.chosen[command.name] = key;
    this.save();
    return null;
  }

  reset() {
    this.chosen = {};
    this.save();
  }

  // Write the keys into each <kbd data-key="name"> of the page, and tell them to screen readers.
  paint(root = document) {
    for (const sign of root.querySelectorAll("kbd[data-key]")) {
      const command = this.commands.find((one) => one.name === sign.dataset.key);
      const key = command && this.keyOf(command);
      sign.textContent = key ?? "";
      sign.hidden = !key || !this.on;
      const owner = sign.closest("button");
      if (sign.hidden) {
        owner?.removeAttribute("aria-keyshortcuts");
      } else {
        owner?.setAttribute("aria-keyshortcuts", key);
      }
    }
  }

  press(event) {
    const chord = event.ctrlKey || event.altKey || event.metaKey || event.isComposing;
    if (chord || event.defaultPrevented || document.querySelector("dialog[open]")) {
      return;
    }
    if (event.key === "Escape") {
      this.escape(event);
      return;
    }
    if (event.target.closest?.("input, textarea, select, [contenteditable]")) {
      return;
    }
    const arrow = ARROWS[event.key];
    const command = this.on ? this.find(event.key) : null;
    if (arrow ? this.arrow(...arrow) : command) {
      event.preventDefault();
    }
    // A key that is held down must not answer one item after the other.
    if (command && (command.repeats || !event.repeat)) {
      command.run();
    }
  }

  // Caps lock changes the key's name; a key that is named exactly comes first.
  find(key) {
    const same = (wanted) => this.commands.find((command) => this.keyOf(command) === wanted);
    return same(key) ?? same(key.toLowerCase()) ?? null;
  }
}

const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
