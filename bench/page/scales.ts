/** Where on a picture a value stands, in pixels. */
export type Scale = (value: number) => number;

/** From zero on: a bar that began anywhere else would lie. */
export function fromZero(most: number, left: number, right: number): Scale {
  const span = most > 0 ? most : 1;
  return (value) => left + ((right - left) * value) / span;
}

/** Equal ratios are equally far apart. What is outside stands on the edge. */
export function logarithmic(least: number, most: number, start: number, end: number): Scale {
  const from = Math.log10(least);
  const span = Math.log10(most) - from;
  return (value) => {
    const part = (Math.log10(value) - from) / span;
    return start + (end - start) * Math.min(1, Math.max(0, part));
  };
}

/** Powers of ten around all these values, at least one decade apart. */
export function decadesAround(values: readonly number[]): readonly [least: number, most: number] {
  const known = values.filter((value) => value > 0 && Number.isFinite(value));
  if (known.length === 0) return [1, 10];
  const least = 10 ** Math.floor(Math.log10(Math.min(...known)));
  const most = 10 ** Math.ceil(Math.log10(Math.max(...known)));
  return [least, Math.max(most, least * 10)];
}

/** Powers of ten from the least to the most, but not more than so many: then only every second or third of them. */
export function decades(least: number, most: number, atMost: number): number[] {
  const from = Math.round(Math.log10(least));
  const to = Math.round(Math.log10(most));
  const step = Math.ceil((to - from + 1) / atMost);
  const first = Math.ceil(from / step) * step;
  const count = Math.floor((to - first) / step) + 1;
  return Array.from({ length: count }, (_, at) => 10 ** (first + at * step));
}
