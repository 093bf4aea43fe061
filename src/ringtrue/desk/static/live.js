// Follow the study: the server says that something changed, and the page fetches the whole view again.

import { call } from "./net.js";

const FIRST = 500;
const LONGEST = 15000;
const STEADY = 5000; // a stream that held so long was a good one: its end is news, not the same trouble again
const SLOW = 30000; // a connection may die without a word, so the page looks now and then all the same

export class Live {
  // `show(view)` takes each view, `heard(reply)` what came of each fetch.
  constructor({ show, heard }) {
    Object.assign(this, { show, heard });
    this.source = null;
    this.fetching = false;
    this.again = false;
    this.acts = 0;
    this.wait = FIRST;
    this.opened = Infinity;
  }

  start() {
    document.addEventListener("visibilitychange", () => this.turn());
    addEventListener("online", () => this.turn());
    addEventListener("pagehide", () => this.close());
    addEventListener("pageshow", (event) => event.persisted && this.turn());
    setInterval(() => document.hidden || this.refresh(), SLOW);
    this.turn();
  }

  // A page that nobody looks at must not hold one of the few connections that a browser has.
  turn() {
    this.close();
    if (!document.hidden) {
      this.open();
      this.refresh();
    }
  }

  close() {
    clearTimeout(this.timer);
    this.timer = null;
    this.source?.close();
    this.source = null;
  }

  open() {
    this.close();
    this.opened = Infinity;
    this.source = new EventSource("/api/events");
    this.source.addEventListener("open", () => {
      this.opened = performance.now();
      this.refresh(); // what happened before the stream was open
    });
    this.source.addEventListener("change", () => this.refresh());
    this.source.addEventListener("error", () => {
      this.retry();
      this.refresh(); // its outcome says what is wrong: a stream does not
    });
  }

  retry() {
    if (this.timer || document.hidden) {
      return;
    }
    if (performance.now() - this.opened > STEADY) {
      this.wait = FIRST;
    }
    this.close();
    this.timer = setTimeout(() => this.open(), this.wait);
    this.wait = Math.min(this.wait * 2, LONGEST);
  }

  // The owner did something: a view that was asked for before does not know of it, and is not shown.
  acted() {
    this.acts += 1;
    return this.refresh();
  }

  async refresh() {
    if (this.fetching) {
      this.again = true;
      return;
    }
    this.fetching = true;
    try {
      do {
        this.again = false;
        const acts = this.acts;
        this.take(await call("/api/live"), acts === this.acts);
      } while (this.again);
    } finally {
      this.fetching = false;
    }
  }

  take(reply, fresh) {
    const whole = reply.state !== "ok" || Array.isArray(reply.data?.curve);
    const outcome = whole ? reply : { state: "away" };
    this.heard(outcome);
    if (outcome.state !== "ok") {
      this.retry();
    } else if (fresh) {
      this.show(outcome.data);
    }
  }
}
