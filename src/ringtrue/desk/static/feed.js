// Ask the server for items, again after a while if there are none or if the server is away.

import { call } from "./net.js";

const AWAY = { first: 500, growth: 2 };
const EMPTY = { first: 5000, growth: 1.5 };
const LONGEST = 15000;

export class Feed {
  // `size()` says how many items are wanted. `items(data)` takes them and returns whether one can be answered.
  constructor(rater, { size, items, reply }) {
    Object.assign(this, { rater, size, items, reply });
    this.asking = false;
    this.again = false;
    this.tries = 0;
    this.pace = null;
  }

  async ask() {
    if (this.asking) {
      this.again = true; // the answer that is on its way may be out of date
      return;
    }
    clearTimeout(this.timer);
    this.asking = true;
    const reply = await call("/api/ask", { body: { n: this.size() }, rater: this.rater });
    this.asking = false;
    this.reply(reply);
    if (reply.state !== "ok" || !Array.isArray(reply.data?.queries)) {
      this.poll(AWAY);
    } else if (this.items(reply.data)) {
      this.pace = null;
    } else {
      this.poll(EMPTY);
    }
    if (this.again) {
      this.again = false;
      this.ask();
    }
  }

  poll(pace) {
    this.tries = this.pace === pace ? this.tries + 1 : 0;
    this.pace = pace;
    clearTimeout(this.timer);
    // A hidden page must not take an item that nobody looks at: it asks when it is looked at again.
    this.timer = setTimeout(() => document.visibilityState === "visible" && this.ask(),
      Math.min(pace.first * pace.growth ** this.tries, LONGEST));
  }
}
