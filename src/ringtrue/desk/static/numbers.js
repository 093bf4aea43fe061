// Read a number as the server does: a point or a comma is the decimal sign, and there is only one of them.

const SHAPE = /^[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?$/i;

// Return {value} or {error}; an empty text gives neither.
export function readNumber(typed) {
  const plain = typed.trim();
  if (plain === "") {
    return {};
  }
  if (!SHAPE.test(plain)) {
    const signs = plain.replace(/[^.,]/g, "").length;
    return { error: signs > 1 ? "Write one decimal sign and no others." : "This is not a number." };
  }
  const value = Number(plain.replace(",", "."));
  return Number.isFinite(value) ? { value } : { error: "This number is too large." };
}

// Say how a number is read, before it is saved.
export function preview(typed) {
  const { value, error } = readNumber(typed);
  if (error) {
    return error;
  }
  return value === undefined ? "" : `${typed.trim()} → ${value}`;
}
