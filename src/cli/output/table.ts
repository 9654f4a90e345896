/** One column of a table. */
export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** Whether it may be cut off where there is no room. */
  readonly shrinks?: boolean;
}

const GAP = '  ';
const LEAST = 8;

/** Rows under titles, each column as wide as it needs to be. With a width, columns that may shrink are cut to fit. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width = Infinity,
): readonly string[] {
  const cells = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_column, at) => Math.max(...cells.map((row) => lengthOf(row[at] ?? ''))));
  shrink(columns, widths, width);
  return cells.map((row) =>
    columns
      .map(({ align }, at) => {
        const text = cut(row[at] ?? '', widths[at]!);
        const room = ' '.repeat(widths[at]! - lengthOf(text));
        return align === 'right' ? room + text : text + room;
      })
      .join(GAP)
      .trimEnd(),
  );
}

function shrink(columns: readonly Column[], widths: number[], width: number): void {
  let tooMuch = widths.reduce((sum, one) => sum + one, GAP.length * (widths.length - 1)) - width;
  while (tooMuch > 0) {
    const widest = columns
      .map((column, at) => ({ at, room: column.shrinks === true ? widths[at]! - LEAST : 0 }))
      .toSorted((one, other) => other.room - one.room)[0];
    if (widest === undefined || widest.room <= 0) return;
    widths[widest.at]!--;
    tooMuch--;
  }
}

export function cut(text: string, width: number): string {
  const letters = Array.from(text);
  return letters.length <= width ? text : `${letters.slice(0, Math.max(0, width - 1)).join('')}…`;
}

function lengthOf(text: string): number {
  return Array.from(text).length;
}
