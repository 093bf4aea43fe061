// Items that need the owner: raters disagree about them, or put them off. Each is a card with a form of its own.

import { words } from "./answers.js";
import { decision, told } from "./decision.js";
import { button, make, write } from "./dom.js";
import { entry } from "./entry.js";
import { showItem } from "./show.js";
import { facts } from "./spending.js";

const MANY = 20; // cards that are shown at first
let made = 0;

// A list of cards that is changed in place: whoever reads or types in one is not disturbed by the others.
export class Cases {
  // `heading` gets the focus when the last card is gone, `build(entry, remove)` makes a card.
  constructor(list, heading, build) {
    Object.assign(this, { list, heading, build });
    this.cards = new Map();
    this.shown = MANY;
    this.more = button("", () => {
      this.shown += MANY;
      this.show(this.entries);
    }, { hidden: true });
    list.after(this.more);
  }

  show(entries) {
    this.entries = entries;
    const wanted = new Map(entries.map((one) => [one.query, one]));
    this.cards.forEach((card, query) => wanted.has(query) || this.gone(query, card));
    let before = null;
    for (const [query, one] of wanted) {
      const card = this.cards.get(query);
      if (card) {
        card.update(one);
        before = card.node;
      } else if (this.cards.size < this.shown) {
        before = this.add(query, one, before);
      }
    }
    this.more.textContent = `Show more of ${entries.length}`;
    this.more.hidden = entries.every((one) => this.cards.has(one.query));
  }

  // Cards that are there never move: one that moves would lose the focus.
  add(query, one, before) {
    const card = this.build(one, () => this.remove(query));
    this.cards.set(query, card);
    if (before) {
      before.after(card.node);
    } else {
      this.list.prepend(card.node);
    }
    card.update(one);
    return card.node;
  }

  gone(query, card) {
    if (card.held()) {
      card.late();
    } else {
      this.remove(query);
    }
  }

  remove(query) {
    const { node } = this.cards.get(query) ?? {};
    if (!node) {
      return;
    }
    const held = node.contains(document.activeElement);
    const next = node.nextElementSibling ?? node.previousElementSibling;
    node.remove();
    this.cards.delete(query);
    if (held) {
      (next?.querySelector("h3") ?? this.heading).focus();
    }
  }
}

// `act(path, body, done)` posts, says what happened, and returns whether it did.
export function conflictCard(config, act) {
  return (conflict, remove) => {
    const choice = config.can_settle ? decision(config, conflict) : null;
    const reason = reasonField();
    const card = caseCard(conflict, remove, config.can_settle && {
      parts: [choice.node, reason.node],
      verb: "Decide",
      summary: "Decide this item",
      filled: () => choice.chosen() !== undefined || reason.text() !== "",
      async send() {
        const answer = choice.chosen();
        if (answer === undefined) {
          choice.refuse("Choose an answer.");
        } else if (!reason.text()) {
          reason.refuse("Write a reason: it is kept with the decision.");
        } else {
          return act("/api/settle", { query: conflict.query, answer, reason: reason.text() },
            `Decided: item ${conflict.item} is “${told(answer)}”.`);
        }
        return false;
      },
    });
    const update = (now) => card.update(`Waits ${now.waits}.`, opinions(now), now.waits === "for you");
    return { ...card, update };
  };
}

export function putOffCard(act) {
  return (item, remove) => {
    const reason = reasonField();
    const card = caseCard(item, remove, {
      parts: [reason.node],
      verb: "Give up",
      summary: "Give up on this item",
      filled: () => reason.text() !== "",
      async send() {
        if (!reason.text()) {
          reason.refuse("Write a reason: it is kept with the item.");
          return false;
        }
        return act("/api/giveup", { query: item.query, reason: reason.text() },
          `Given up: item ${item.item} counts as one that cannot be told.`);
      },
    });
    return { ...card, update: (now) => card.update("", [["Put off by", now.raters.join(", ")]], true) };
  };
}

function opinions({ said, opinions: given }) {
  const model = said === null || said === undefined ? [] : [["The model said", words(said)]];
  return [...model, ...given.map(({ rater, answer }) => [rater, told(answer)])];
}

function caseCard(item, remove, ask) {
  const id = `case-${(made += 1)}`;
  const waits = make("p", { className: "waits" });
  const known = make("div", {});
  const fields = make("div", { className: "excerpt", tabIndex: 0, role: "group", "aria-labelledby": id },
    showItem(item.fields, "h4").node);
  const node = make("article", { className: "case", "aria-labelledby": id },
    make("h3", { id, tabIndex: -1, dir: "auto", textContent: `Item ${item.item}` }), waits, fields, known);
  node.dataset.query = item.query;
  const form = ask ? caseForm(item, ask, remove, node) : null;
  let before = "";
  let open = null;
  return {
    node,
    held: () => node.contains(document.activeElement) || (form !== null && ask.filled()),
    update(note, pairs, wanted) {
      const text = JSON.stringify(pairs);
      write(waits, note);
      waits.hidden = note === "";
      if (text !== before) {
        before = text;
        known.replaceChildren(facts(pairs));
      }
      if (wanted !== open && form) {
        open = wanted;
        form.part.open ||= wanted;
      }
      form?.late(false);
    },
    late() {
      waits.hidden = false;
      write(waits, "This item was decided meanwhile. What you typed was not sent.");
      form?.late(true);
    },
  };
}

// A conflict that waits for a rater has its form folded away: the owner may decide, but need not.
function caseForm(item, ask, remove, node) {
  const send = make("button", { type: "submit", textContent: ask.verb,
    "aria-label": `${ask.verb}: item ${item.item}` });
  const close = button("Dismiss", remove, { hidden: true, "aria-label": `Dismiss: item ${item.item}` });
  const form = make("form", { noValidate: true }, ...ask.parts, make("div", { className: "row" }, send, close));
  const part = make("details", {}, make("summary", { textContent: ask.summary }), form);
  let busy = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (busy || send.disabled) {
      return;
    }
    busy = true;
    if (await ask.send()) {
      remove();
    }
    busy = false;
  });
  node.append(part);
  return {
    part,
    late(is) {
      send.disabled = is;
      close.hidden = !is;
    },
  };
}

function reasonField() {
  return entry({ id: `reason-${(made += 1)}`, label: "Reason", hint: "Needed." });
}
