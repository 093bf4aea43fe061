// What was spent, and the form that changes the budget.

import { at, make, write } from "./dom.js";
import { entry } from "./entry.js";
import { count } from "./format.js";

export function facts(pairs) {
  return make("dl", { className: "facts" }, ...pairs.map(([name, ...value]) => make("div", {},
    make("dt", { textContent: name, dir: "auto" }), make("dd", { dir: "auto" }, ...value))));
}

export function spent({ spending }) {
  const budget = spending.budget_labels;
  const pairs = [["Answered", budget === null ? String(spending.answered) : `${spending.answered} of ${budget}`],
    ["With raters now", String(spending.open)], ["Could not be told", String(spending.unanswerable)]];
  if (spending.has_price) {
    const money = spending.budget_money;
    pairs.push(["Money spent", money === null ? String(spending.spent_money) : `${spending.spent_money} of ${money}`]);
  }
  const bar = make("progress", { max: Math.max(1, budget ?? 1), value: spending.answered, hidden: budget === null,
    "aria-label": `${spending.unit} answered, of the budget` });
  return [bar, facts(pairs)];
}

export class Budget {
  // `act(path, body, done)` posts, says what happened, and returns whether it did.
  constructor(act) {
    this.act = act;
    const hint = "Leave it empty for no limit.";
    this.labels = entry({ id: "budget-labels", label: "Budget in labels", hint, mode: "numeric" });
    this.money = entry({ id: "budget-money", label: "Budget in money", hint, mode: "decimal" });
    this.shown = new Map([[this.labels, ""], [this.money, ""]]);
    this.form = at("budget");
    this.form.prepend(this.labels.node, this.money.node);
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send();
    });
  }

  show({ spending }) {
    this.priced = spending.has_price;
    write(this.labels.node.querySelector("label"), `Budget in ${spending.unit}`);
    this.money.node.hidden = !this.priced;
    this.fill(this.labels, spending.budget_labels);
    this.fill(this.money, spending.budget_money);
  }

  // What the owner typed stays until it is sent.
  fill(field, value) {
    const text = value === null ? "" : String(value);
    if (field.input !== document.activeElement && field.input.value === this.shown.get(field)) {
      field.input.value = text;
      this.shown.set(field, text);
    }
  }

  async send() {
    const labels = this.labels.text();
    const money = this.priced ? this.money.text().replace(",", ".") : "";
    if (labels && !/^\d{1,9}$/.test(labels)) {
      this.labels.refuse("Write a whole number, or nothing for no limit.");
    } else if (money && !/^\d+(\.\d+)?$/.test(money)) {
      this.money.refuse("Write an amount such as 40 or 12.50, or nothing for no limit.");
    } else {
      const body = { labels: labels ? Number(labels) : null, money: money || null };
      if (await this.act("/api/budget", body, this.told(body))) {
        this.shown.set(this.labels, this.labels.input.value).set(this.money, this.money.input.value);
      }
    }
  }

  told({ labels, money }) {
    const parts = [labels === null ? "any number of labels" : count(labels, "label")];
    if (this.priced) {
      parts.push(money === null ? "any cost" : `a cost of ${money}`);
    }
    return `The budget is now ${parts.join(" and ")}.`;
  }
}
