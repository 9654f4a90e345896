import { expect, test } from 'vitest';
import { type GridPlace, movedBy } from '../../page/live/grid-place.ts';

const ROWS = 100;

/** Column 5 is not shown. */
const COLUMNS = [0, 1, 2, 3, 4, 6];

function after(keys: string, from: GridPlace, rows = ROWS): GridPlace | undefined {
  let at: GridPlace | undefined = from;
  for (const key of keys.split(' ')) {
    const ctrlKey = key.startsWith('Ctrl+');
    at &&= movedBy({ key: key.replace('Ctrl+', ''), ctrlKey }, at, { rows, columns: COLUMNS, page: 10 });
  }
  return at;
}

test.each<[string, GridPlace, GridPlace | undefined]>([
  ['ArrowDown', { row: 0 }, { row: 1 }],
  ['ArrowDown', { row: 99 }, { row: 99 }],
  ['PageDown PageDown', { row: 85 }, { row: 99 }],
  ['PageUp', { row: 5 }, { row: 0 }],
  ['End', { row: 3 }, { row: 99 }],
  ['Home', { row: 3 }, { row: 0 }],
  // Into the cells, along them, and out of them.
  ['ArrowRight', { row: 3 }, { row: 3, column: 0 }],
  ['ArrowRight ArrowDown', { row: 3, column: 0 }, { row: 4, column: 1 }],
  ['ArrowRight ArrowRight', { row: 3, column: 4 }, { row: 3, column: 6 }],
  ['ArrowLeft', { row: 3, column: 6 }, { row: 3, column: 4 }],
  ['ArrowLeft', { row: 3, column: 0 }, { row: 3 }],
  ['End', { row: 3, column: 1 }, { row: 3, column: 6 }],
  ['Home', { row: 3, column: 4 }, { row: 3, column: 0 }],
  ['Ctrl+End', { row: 3, column: 4 }, { row: 99, column: 4 }],
  ['Ctrl+Home', { row: 3, column: 4 }, { row: 0, column: 4 }],
  // The head has cells only.
  ['ArrowUp', { row: 0 }, { row: -1, column: 0 }],
  ['ArrowUp ArrowUp', { row: 0, column: 3 }, { row: -1, column: 3 }],
  ['ArrowLeft', { row: -1, column: 0 }, { row: -1, column: 0 }],
  ['ArrowRight ArrowDown', { row: -1, column: 0 }, { row: 0, column: 1 }],
  ['PageDown', { row: -1, column: 2 }, { row: 10, column: 2 }],
  // No key of the grid.
  ['a', { row: 3 }, undefined],
  ['Tab', { row: 3 }, undefined],
])('%s from %o leads to %o', (keys, from, to) => {
  expect(after(keys, from)).toEqual(to);
});

test('a grid without rows has its head', () => {
  expect(after('ArrowDown', { row: -1, column: 1 }, 0)).toEqual({ row: -1, column: 1 });
  expect(after('End', { row: -1, column: 1 }, 0)).toEqual({ row: -1, column: 6 });
  expect(after('PageUp', { row: -1, column: 1 }, 0)).toEqual({ row: -1, column: 1 });
});
