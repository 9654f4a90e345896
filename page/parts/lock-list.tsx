import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { connection, openKey, selection, shown } from '../live/board-state.ts';
import { rowKey } from '../live/hold-rows.ts';
import type { SortKey } from '../live/selection.ts';
import { LockRow } from './lock-row.tsx';

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
const narrow = matchMedia('(max-width: 700px)');

/**
 * A list of any length with as many elements as fit. The tempting alternative, all rows with `content-visibility`, has 10,000 rows in the
 * tree, and each frame of changes compares them.
 */
export function LockList() {
  const list = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [rowHeight, setRowHeight] = useState(narrow.matches ? NARROW_ROW : WIDE_ROW);
  const [active, setActive] = useState<string>();
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

  const first = Math.max(0, Math.floor(view.top / rowHeight) - SPARE);
  const last = Math.min(all.length, Math.ceil((view.top + view.height) / rowHeight) + SPARE);
  const at = active === undefined ? -1 : all.findIndex((row) => rowKey(row) === active);

  function moveTo(target: number): void {
    const index = Math.max(0, Math.min(all.length - 1, target));
    const row = all[index];
    if (row === undefined) return;
    setActive(rowKey(row));
    const element = list.current!;
    const [top, bottom] = [index * rowHeight, (index + 1) * rowHeight];
    if (top < element.scrollTop) element.scrollTop = top;
    else if (bottom > element.scrollTop + element.clientHeight)
      element.scrollTop = bottom - element.clientHeight;
  }

  function onKey(event: KeyboardEvent): void {
    const page = Math.max(1, Math.floor(view.height / rowHeight) - 1);
    const moves: Readonly<Record<string, number>> = {
      ArrowDown: at + 1,
      ArrowUp: at - 1,
      PageDown: at + page,
      PageUp: at - page,
      Home: 0,
      End: all.length - 1,
    };
    const target = moves[event.key];
    if (target !== undefined) moveTo(target);
    else if (event.key === 'Enter' && active !== undefined) openKey.value = active;
    else if (event.key === 'Escape' && openKey.value !== undefined) openKey.value = undefined;
    else return;
    event.preventDefault();
  }

  // The row that was active is not among those that are drawn after a scroll: then no element has its id.
  const isActiveDrawn = at >= first && at < last;
  return (
    <div
      class="table"
      role="grid"
      aria-label="Locks"
      aria-rowcount={all.length + 1}
      aria-colcount={COLUMNS.length}
    >
      <Head />
      <div
        class="rows"
        role="rowgroup"
        ref={list}
        tabIndex={0}
        aria-label="Locks: arrow keys move, Enter opens"
        aria-activedescendant={isActiveDrawn ? `row-${all[at]!.id}` : undefined}
        onKeyDown={onKey}
        onFocus={() => {
          if (at === -1) moveTo(first === 0 ? 0 : first + SPARE);
        }}
      >
        <Height pixels={all.length * rowHeight}>
          {all.slice(first, last).map((row, index) => (
            <LockRow
              key={row.id}
              row={row}
              index={first + index}
              top={(first + index) * rowHeight}
              isActive={rowKey(row) === active}
              isOpen={rowKey(row) === openKey.value}
              onOpen={() => {
                setActive(rowKey(row));
                openKey.value = rowKey(row);
              }}
            />
          ))}
        </Height>
        {all.length === 0 && <p class="empty">{emptyText()}</p>}
      </div>
    </div>
  );
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

function Head() {
  const { sort, isDescending } = selection.value;
  return (
    <div class="head row" role="row" aria-rowindex={1}>
      {COLUMNS.map(({ key, title, isLargestFirst = false }) => (
        <div
          key={key}
          class={key}
          role="columnheader"
          aria-sort={sort !== key ? 'none' : isDescending ? 'descending' : 'ascending'}
        >
          <button
            type="button"
            onClick={() => {
              const turned = sort === key ? !isDescending : isLargestFirst;
              selection.value = { ...selection.value, sort: key, isDescending: turned };
            }}
          >
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
