/** Where the keyboard is in the grid: on a row as a whole, or on one of its cells. Row -1 is the head, of which it is always on a cell. */
export interface GridPlace {
  readonly row: number;
  readonly column?: number;
}

export interface GridSize {
  readonly rows: number;
  /** The columns that are shown, by number. */
  readonly columns: readonly number[];
  /** How many rows a page has. */
  readonly page: number;
}

interface Key {
  readonly key: string;
  readonly ctrlKey: boolean;
}

const HEAD = -1;

/**
 * Where a key leads, as the ARIA patterns of grid and treegrid have it; undefined for a key that does not move. The keyboard begins on rows, which
 * a screen reader reads as a whole; the arrow to the right goes into the cells, and the one to the left out of them.
 */
export function movedBy({ key, ctrlKey }: Key, at: GridPlace, size: GridSize): GridPlace | undefined {
  const { row, column } = at;
  const last = size.rows - 1;
  switch (key) {
    case 'ArrowDown':
      return onRow(row + 1, at, size);
    case 'ArrowUp':
      return onRow(row - 1, at, size);
    case 'PageDown':
      return onRow(Math.max(0, row) + size.page, at, size);
    case 'PageUp':
      return onRow(Math.max(0, row - size.page), at, size);
    case 'Home':
      return column === undefined || ctrlKey
        ? onRow(0, at, size)
        : { row, column: size.columns[0] ?? column };
    case 'End':
      return column === undefined || ctrlKey
        ? onRow(last, at, size)
        : { row, column: size.columns.at(-1) ?? column };
    case 'ArrowRight':
      return { row, column: size.columns.find((one) => one > (column ?? -1)) ?? column ?? 0 };
    case 'ArrowLeft': {
      const before = size.columns.findLast((one) => one < (column ?? 0));
      if (before !== undefined) return { row, column: before };
      return row === HEAD ? at : { row };
    }
    default:
      return undefined;
  }
}

/** Never past the last row, and on a cell in the head. */
function onRow(target: number, { column }: GridPlace, { rows, columns }: GridSize): GridPlace {
  const row = Math.max(HEAD, Math.min(rows - 1, target));
  if (row === HEAD) return { row, column: column ?? columns[0] ?? 0 };
  return column === undefined ? { row } : { row, column };
}
