import { useSignal } from '@preact/signals';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { connection, openKey, selection, shown } from '../live/board-state.ts';
import { type GridPlace, movedBy } from '../live/grid-place.ts';
import { rowKey } from '../live/hold-rows.ts';
import type { SortKey } from '../live/selection.ts';
import { cellElementId, LockRow, rowElementId } from './lock-row.tsx';

const COLUMNS: readonly {
  readonly key: SortKey;
  readonly title: string;
  readonly isLargestFirst?: boolean;
}[] = [
  { key: 'name', title: 'Name' },
  { key: 'kind', title: 'Kind' },
  { key: 'holder', title: 'Held by' },
  { key: 'lease', title: 'Lease left' },
  { key: 'age', title: 'Held for', isLargestFirst: true },
  { key: 'fence', title: 'Fence', isLargestFirst: true },
  { key: 'waiting', title: 'Waiting', isLargestFirst: true },
];

/** As app.css has it: the rows of a phone have two lines. */
const WIDE_ROW = 38;
const NARROW_ROW = 62;
/** Rows above and below those that are seen, so that a fast scroll shows no gap. */
const SPARE = 8;
const NEAREST: ScrollIntoViewOptions = { block: 'nearest', inline: 'nearest' };
const narrow = matchMedia('(max-width: 700px)');

/** A row by its lock, whatever its number is by now; without a lock, the head. */
interface Active {
  readonly lock?: string;
  readonly column?: number;
}

/**
 * A list of any length with as many elements as fit. The tempting alternative, all rows with `content-visibility`, has 10,000 rows in the
 * tree, and each frame of changes compares them.
 *
 * The grid has the focus, and names the row or cell that the keyboard is on: a row that had the focus itself would take it along when it
 * is scrolled away, and is no element any more.
 */
export function LockList() {
  const grid = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [rowHeight, setRowHeight] = useState(narrow.matches ? NARROW_ROW : WIDE_ROW);
  const active = useSignal<Active | undefined>(undefined);
  /** Where the keyboard goes on when the lock that it was on is gone from the list. */
  const lastIndex = useRef(0);
  const all = shown.value;

  useLayoutEffect(() => {
    const element = list.current!;
    const look = (): void => setView({ top: element.scrollTop, height: element.clientHeight });
    const resized = new ResizeObserver(look);
    const fitRows = (): void => setRowHeight(narrow.matches ? NARROW_ROW : WIDE_ROW);
    resized.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    narrow.addEventListener('change', fitRows);
    look();
    return () => {
      resized.disconnect();
      element.removeEventListener('scroll', look);
      narrow.removeEventListener('change', fitRows);
    };
  }, []);

  // After the details are closed, and not by them: on a narrow screen the list is not displayed before.
  const isOpen = openKey.value !== undefined;
  const wasOpen = useRef(isOpen);
  useEffect(() => {
    if (wasOpen.current && !isOpen) grid.current!.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);

  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE);
  const last = Math.min(all.length, Math.ceil((view.top + view.height) / rowHeight) + SPARE);
  const { lock, column } = active.value ?? {};
  const at = lock === undefined ? -1 : all.findIndex((row) => rowKey(row) === lock);
  if (at !== -1) lastIndex.current = at;
  const drawn = Array.from({ length: Math.max(0, last - first) }, (_, index) => first + index);
  // The row that the keyboard is on is drawn wherever it is, for the grid names its element.
  if (at !== -1 && at < first) drawn.unshift(at);
  if (at >= last) drawn.push(at);

  function goTo({ row: index, column: target }: GridPlace): void {
    const row = all[index];
    const columns = shownColumns(grid.current!, row === undefined);
    const isShown = target !== undefined && columns.includes(target);
    active.value = {
      ...(row !== undefined && { lock: rowKey(row) }),
      ...(isShown ? { column: target } : row === undefined && { column: columns[0] ?? 0 }),
    };
    if (row === undefined) {
      // On a narrow screen the head is wider than its box.
      grid.current!.querySelector('.head')!.children[active.value.column!]!.scrollIntoView(NEAREST);
      return;
    }
    const element = list.current!;
    const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
  }

  function onKey(event: KeyboardEvent): void {
    if (event.target instanceof HTMLButtonElement) return;
    const isHead = active.value !== undefined && lock === undefined;
    const place = { row: isHead ? -1 : at === -1 ? lastIndex.current : at };
    const target = movedBy(event, column === undefined ? place : { ...place, column }, {
      rows: all.length,
      columns: shownColumns(grid.current!, isHead),
      page: Math.max(1, Math.floor(view.height / rowHeight) - 1),
    });
    if (target !== undefined) goTo(target);
    else if (event.key === 'Escape' && isOpen) openKey.value = undefined;
    else if (event.key !== 'Enter' && event.key !== ' ') return;
    else if (isHead) sortBy(column ?? 0);
    else if (at !== -1) openKey.value = lock;
    event.preventDefault();
  }

  const focusGrid = (): void => grid.current!.focus();
  return (
    <div class="table">
      <div
        class="grid"
        role="grid"
        ref={grid}
        tabIndex={0}
        aria-label="Locks: arrow keys move, Enter opens or sorts"
        aria-rowcount={all.length + 1}
        aria-colcount={COLUMNS.length}
        aria-activedescendant={activeId(active.value, all[at]?.id)}
        onKeyDown={onKey}
        onFocus={() => {
          if (active.value === undefined) goTo({ row: first === 0 ? 0 : first + SPARE });
        }}
      >
        <Head
          activeColumn={active.value !== undefined && lock === undefined ? column : undefined}
          onSort={(sorted) => {
            sortBy(sorted);
            active.value = { column: sorted };
            focusGrid();
          }}
        />
        {/* Not in the order of Tab, which every box that scrolls is in by itself. */}
        <div class="rows" role="rowgroup" ref={list} tabIndex={-1} onFocus={focusGrid}>
          <Height pixels={all.length * rowHeight}>
            {drawn.map((index) => {
              const row = all[index]!;
              const key = rowKey(row);
              return (
                <LockRow
                  key={row.id}
                  row={row}
                  index={index}
                  top={index * rowHeight}
                  active={key !== lock ? undefined : (column ?? 'row')}
                  isOpen={key === openKey.value}
                  onOpen={() => {
                    active.value = { lock: key };
                    openKey.value = key;
                  }}
                />
              );
            })}
          </Height>
        </div>
      </div>
      {all.length === 0 && <p class="empty">{emptyText()}</p>}
    </div>
  );
}

/** The element that the keyboard is on. Without one for a lock that is gone from the list. */
function activeId(active: Active | undefined, rowId: number | undefined): string | undefined {
  if (active === undefined) return undefined;
  if (active.lock === undefined) return headCellId(active.column ?? 0);
  if (rowId === undefined) return undefined;
  return active.column === undefined ? rowElementId(rowId) : cellElementId(rowId, active.column);
}

/** The style hides columns where there is little room. */
function shownColumns(grid: HTMLElement, isHead: boolean): readonly number[] {
  const cells = [...(grid.querySelector(isHead ? '.head' : '.all .row')?.children ?? [])];
  return [...cells.keys()].filter((column) => cells[column]!.checkVisibility());
}

function sortBy(column: number): void {
  const { key, isLargestFirst = false } = COLUMNS[column]!;
  const { sort, isDescending } = selection.value;
  const turned = sort === key ? !isDescending : isLargestFirst;
  selection.value = { ...selection.value, sort: key, isDescending: turned };
}

function emptyText(): string {
  if (connection.value.is === 'opening') return 'Looking…';
  const { search, kind, prefix } = selection.value;
  if (search !== '' || kind !== '' || prefix !== '') return 'Nothing matches.';
  return 'Nothing is held or waited for.';
}

function Height({ pixels, children }: { pixels: number; children: preact.ComponentChildren }) {
  return (
    <div class="all" role="presentation" style={{ height: `${pixels}px` }}>
      {children}
    </div>
  );
}

interface HeadOptions {
  readonly activeColumn: number | undefined;
  readonly onSort: (column: number) => void;
}

function Head({ activeColumn, onSort }: HeadOptions) {
  const { sort, isDescending } = selection.value;
  return (
    <div class="head row" role="row" aria-rowindex={1}>
      {COLUMNS.map(({ key, title }, column) => (
        <div
          key={key}
          id={headCellId(column)}
          class={`${key}${column === activeColumn ? ' active' : ''}`}
          role="columnheader"
          aria-colindex={column + 1}
          aria-sort={sort !== key ? 'none' : isDescending ? 'descending' : 'ascending'}
        >
          {/* For a pointer: the keyboard is on the cell. */}
          <button type="button" tabIndex={-1} onClick={() => onSort(column)}>
            {title}
            <span class="arrow" aria-hidden="true">
              {sort !== key ? '' : isDescending ? ' ↓' : ' ↑'}
            </span>
          </button>
        </div>
      ))}
    </div>
  );
}

function headCellId(column: number): string {
  return `head-${column}`;
}
