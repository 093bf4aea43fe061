// The line that says what is saved, and the answers that the server did not accept.

import { words } from "./answers.js";
import { button, make } from "./dom.js";

const SLOW = 1000; // an answer that waits longer is told as not saved

export class Status {
  constructor(outbox, ended) {
    this.outbox = outbox;
    this.ended = ended; // called with the entry that the rater has dismissed
    this.line = document.getElementById("status");
    this.list = document.getElementById("refused");
    this.last = "";
    this.link = { state: "ok" }; // what came of the last call that was no answer
  }

  saved(data) {
    this.link = { state: "ok" };
    this.last = data.read ? `Saved as ${data.read.join(", ")}` : "Saved";
  }

  draw() {
    const pending = this.outbox.pending();
    const late = pending.filter((entry) => Date.now() - entry.at > SLOW).length > 0;
    const bad = pending.length > 0 && (late || this.outbox.trouble !== null);
    const out = this.link.state === "out" || this.outbox.trouble === "out";
    const parts = [];
    if (out) {
      parts.push("You have been signed out: open your link again.");
    }
    if (bad) {
      parts.push(`Not saved yet: ${pending.length === 1 ? "1 answer waits" : `${pending.length} answers wait`}`);
    } else if (this.link.state === "away") {
      parts.push("The server does not answer. The page tries again.");
    } else if (this.link.state === "refused") {
      parts.push(this.link.error);
    }
    const fine = pending.length ? "Saving…" : this.last;
    this.say(parts.join(" ") || fine, parts.length > 0);
    clearTimeout(this.timer);
    if (pending.length && !bad) {
      this.timer = setTimeout(() => this.draw(), SLOW);
    }
    this.list.replaceChildren(...this.outbox.refused().map((entry) => this.refusal(entry)));
    this.list.hidden = this.list.childElementCount === 0;
  }

  say(text, bad) {
    // The same words again would be read aloud again.
    if (this.line.textContent !== text) {
      this.line.textContent = text;
    }
    this.line.classList.toggle("bad", bad);
    this.line.classList.toggle("good", !bad && text.startsWith("Saved"));
  }

  refusal(entry) {
    const answer = words(entry.numbers ?? entry.answer);
    const text = `Item ${itemName(entry.query)}: the server did not accept “${answer}”. ${entry.refused}`;
    return make("div", { className: "row" }, make("p", { textContent: text, dir: "auto" }), button("Dismiss", () => {
      this.outbox.dismiss(entry);
      this.ended(entry);
    }));
  }
}

// "loans:17" is item 17 of the study.
export function itemName(query) {
  return String(query).split(":").pop();
}
