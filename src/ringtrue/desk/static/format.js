// Numbers and times in words, as the study's report writes them.

const ROUND = { nearest: Math.round, above: Math.ceil, below: Math.floor };

// Three significant digits, counted from the nearer end of the scale. A bound is rounded outward ("above", "below"),
// so that it never says more than was shown.
export function percent(rate, toward = "nearest") {
  const value = Number((rate * 100).toFixed(10));
  const distance = Math.min(Math.abs(value), Math.abs(100 - value));
  const decimals = distance > 1e-12 ? Math.min(10, Math.max(0, 2 - Math.floor(Math.log10(distance)))) : 0;
  const scale = 10 ** decimals;
  return `${Number((ROUND[toward](Number((value * scale).toFixed(6))) / scale).toFixed(decimals))}%`;
}

// A share is told in per cent, any other number as it is.
export function amount(value, share, toward) {
  if (!Number.isFinite(value)) {
    return "unknown";
  }
  return share ? percent(value, toward) : String(Number(value.toPrecision(4)));
}

export function between({ low, high }, share = true) {
  return `${amount(low, share, "below")} to ${amount(high, share, "above")}`;
}

export function interval(one, share = true) {
  const level = Number.isFinite(one.level) ? ` at ${percent(one.level)}` : "";
  return `${amount(one.estimate, share)} (${between(one, share)}${level})`;
}

export function count(number, one, many = `${one}s`) {
  return `${number} ${number === 1 ? one : many}`;
}

export function hour(seconds) {
  const day = new Date(seconds * 1000);
  const time = [day.getHours(), day.getMinutes()].map((part) => String(part).padStart(2, "0")).join(":");
  return day.toDateString() === new Date().toDateString() ? time : `${time} on ${day.toDateString()}`;
}
