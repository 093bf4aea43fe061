// Which tabs of this rater are open. They hold the same items: only the last to close gives them back.

const FRESH = 180000; // a tab that crashed is forgotten after three minutes

export class Tabs {
  constructor(place) {
    this.prefix = `desk/${place.map(encodeURIComponent).join("/")}/tab/`;
    this.key = this.prefix + Math.random().toString(36).slice(2);
    this.stay();
    setInterval(() => this.stay(), FRESH / 3);
  }

  stay() {
    try {
      localStorage.setItem(this.key, String(Date.now()));
    } catch {
      // Without localStorage every tab believes that it is alone.
    }
  }

  // Leave, and return whether no other tab is open.
  leave() {
    try {
      localStorage.removeItem(this.key);
      const others = Object.keys(localStorage).filter((key) => key.startsWith(this.prefix));
      const open = others.filter((key) => Date.now() - Number(localStorage.getItem(key)) < FRESH);
      others.filter((key) => !open.includes(key)).forEach((key) => localStorage.removeItem(key));
      return open.length === 0;
    } catch {
      return true;
    }
  }
}
