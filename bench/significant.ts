/** The number with no more than so many digits that mean something. */
export function significant(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
