// Answers that the server has not confirmed. They live in localStorage, so a reload or a crash loses none.

const FIRST = 500;
const LONGEST = 15000;

export class Outbox {
  // `send(entry)` posts one entry. `on` has saved(entry, data), refused(entry), elsewhere(query), changed().
  constructor(place, send, on) {
    this.prefix = `desk/${place.map(encodeURIComponent).join("/")}/out/`;
    this.send = send;
    this.on = on;
    this.memory = new Map(); // what a full or forbidden localStorage did not take
    this.trouble = null;
    this.wait = FIRST;
    this.busy = false;
    addEventListener("online", () => this.retry());
    addEventListener("storage", (event) => this.heard(event));
  }

  // An answer and its correction have a place each: the answer may be on its way while it is corrected.
  key(entry) {
    return `${this.prefix}${encodeURIComponent(entry.query)}/${entry.kind}`;
  }

  put(entry) {
    this.write({ ...entry, at: Date.now(), refused: null });
    this.on.changed();
  }

  write(entry) {
    const text = JSON.stringify(entry);
    try {
      localStorage.setItem(this.key(entry), text);
      this.memory.delete(this.key(entry));
    } catch {
      this.memory.set(this.key(entry), text);
    }
  }

  read(key) {
    try {
      return JSON.parse(this.memory.get(key) ?? localStorage.getItem(key));
    } catch {
      return null;
    }
  }

  remove(entry) {
    this.memory.delete(this.key(entry));
    try {
      localStorage.removeItem(this.key(entry));
    } catch {
      // It was never stored there.
    }
  }

  entries() {
    const keys = new Set(this.memory.keys());
    try {
      Object.keys(localStorage).filter((key) => key.startsWith(this.prefix)).forEach((key) => keys.add(key));
    } catch {
      // A browser that forbids localStorage: memory is all there is.
    }
    return [...keys].map((key) => this.read(key)).filter(Boolean).sort((one, two) => one.at - two.at);
  }

  pending() {
    return this.entries().filter((entry) => !entry.refused);
  }

  refused() {
    return this.entries().filter((entry) => entry.refused);
  }

  has(query) {
    return this.entries().some((entry) => entry.query === query);
  }

  dismiss(entry) {
    this.remove(entry);
    this.on.changed();
  }

  retry() {
    this.wait = FIRST;
    this.flush();
  }

  // Post the entries one after the other, the oldest first, until none is left or the server is away.
  async flush() {
    clearTimeout(this.timer);
    if (this.busy) {
      return;
    }
    this.busy = true;
    for (let entry = this.pending()[0]; entry; entry = this.pending()[0]) {
      const reply = await this.send(entry);
      if (!this.settle(entry, reply)) {
        this.trouble = reply.state;
        this.timer = setTimeout(() => this.flush(), this.wait);
        this.wait = Math.min(this.wait * 2, LONGEST);
        break;
      }
      this.trouble = null;
      this.wait = FIRST;
    }
    this.busy = false;
    this.on.changed();
  }

  // Return whether the server has decided about this entry.
  settle(entry, reply) {
    const refused = reply.state === "refused";
    const saved = reply.state === "ok" && reply.data?.saved === true;
    if (!refused && !saved) {
      return false;
    }
    // While the entry was on its way, a newer answer may have taken its place.
    const newest = this.read(this.key(entry))?.at === entry.at;
    if (refused && newest) {
      this.write({ ...entry, refused: reply.error });
      this.on.refused(entry);
    }
    if (saved) {
      if (newest) {
        this.remove(entry);
      }
      this.on.saved(entry, reply.data);
    }
    return true;
  }

  // Another tab of the same rater wrote or delivered an answer. That tab delivers it, unless it is closed.
  heard(event) {
    if (!event.key?.startsWith(this.prefix)) {
      return;
    }
    const query = decodeURIComponent(event.key.slice(this.prefix.length).split("/")[0]);
    if (this.read(event.key)?.refused) {
      this.on.refused({ query });
    } else {
      this.on.elsewhere(query);
    }
    if (!this.busy) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.flush(), LONGEST);
    }
    this.on.changed();
  }
}
