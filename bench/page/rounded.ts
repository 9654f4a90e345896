/** Three digits that mean something, and no more: the fourth would be another one in the next run. */
export function rounded(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return '∞';
  if (!Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const magnitude = Math.floor(Math.log10(Math.abs(Number(value.toPrecision(3)))));
  // Below a ten-thousandth all our figures are nothing.
  const digits = Math.min(4, Math.max(0, 2 - magnitude));
  const shown = magnitude > 2 ? Number(value.toPrecision(3)) : value;
  return shown.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

/** A power of ten, or a size that the author of a trial chose: no digits but those it has. */
export function plain(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
}

/** A ratio, with its sign. */
export function times(ratio: number): string {
  return `${rounded(ratio)} ×`;
}
