// How long a rater looked at an item. Time in which the page was hidden does not count.

export class Clock {
  constructor() {
    this.spent = new Map();
    this.item = null;
    this.since = 0;
    document.addEventListener("visibilitychange", () => this.turn(this.item));
  }

  // Stop counting for the item before, and count for this one from now on.
  turn(item) {
    const now = performance.now();
    if (this.item !== null && this.since !== null) {
      this.spent.set(this.item, (this.spent.get(this.item) ?? 0) + now - this.since);
    }
    this.item = item;
    this.since = document.visibilityState === "visible" ? now : null;
  }

  stop(item) {
    this.turn(null);
    const seconds = Math.round((this.spent.get(item) ?? 0) / 100) / 10;
    this.spent.delete(item);
    return seconds;
  }
}
