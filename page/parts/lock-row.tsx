import { now } from '../live/board-state.ts';
import type { HolderRow, HoldRow } from '../live/hold-rows.ts';
import { waitingOf } from '../live/hold-rows.ts';
import { duration, holderText, kindText, plain, waitingText } from '../texts.ts';

interface LockRowOptions {
  readonly row: HoldRow;
  readonly index: number;
  readonly top: number;
  /** What of it the keyboard is on: all of it, or one of its cells. */
  readonly active: 'row' | number | undefined;
  readonly isOpen: boolean;
  readonly onOpen: () => void;
}

export function rowElementId(id: number): string {
  return `row-${id}`;
}

export function cellElementId(id: number, column: number): string {
  return `row-${id}-${column}`;
}

export function LockRow({ row, index, top, active, isOpen, onOpen }: LockRowOptions) {
  const { id, kind, name, holders } = row;
  const [holder, ...others] = holders;
  const marks = `${active === 'row' ? ' active' : ''}${isOpen ? ' open' : ''}`;
  /** What every cell has. The style may hide those before it: its number says which one it is. */
  const cell = (column: number, classes: string) => ({
    id: cellElementId(id, column),
    role: 'gridcell' as const,
    class: active === column ? `${classes} active` : classes,
    'aria-colindex': column + 1,
  });
  return (
    <div
      id={rowElementId(id)}
      class={`row${marks}`}
      role="row"
      aria-rowindex={index + 2}
      aria-selected={isOpen}
      style={{ transform: `translateY(${top}px)` }}
      onClick={onOpen}
    >
      <div {...cell(0, 'name')} title={plain(name)}>
        <bdi>{plain(name)}</bdi>
      </div>
      <div {...cell(1, 'kind')}>{kindText(kind)}</div>
      <div {...cell(2, 'holder')} title={holder?.client?.command}>
        {holder === undefined ? (
          <span class="none">free</span>
        ) : (
          <HolderName holder={holder} others={others.length} />
        )}
      </div>
      <div {...cell(3, 'lease')}>{holder !== undefined && <Lease holder={holder} />}</div>
      <div {...cell(4, 'age')}>{holder !== undefined && <Age holder={holder} />}</div>
      <div {...cell(5, 'fence')}>{holder?.fence ?? ''}</div>
      <div {...cell(6, `waiting${waitingOf(row) > 0 ? ' some' : ''}`)}>{waitingText(row)}</div>
    </div>
  );
}

function HolderName({ holder, others }: { holder: HolderRow; others: number }) {
  return (
    <>
      {holder.side !== undefined && <span class="side">{holder.side}</span>}
      <bdi>{holderText(holder)}</bdi>
      {holder.count > 1 && <span class="more"> ×{holder.count}</span>}
      {others > 0 && <span class="more"> and {others} more</span>}
    </>
  );
}

/** What is left, and how much that is of the most that was left since the page was opened. */
export function Lease({ holder: { endsAt, longestMs } }: { holder: HolderRow }) {
  if (endsAt === null) return <span class="none">no end</span>;
  const leftMs = Math.max(0, endsAt - now.value);
  const part = Math.min(1, leftMs / Math.max(1, longestMs));
  return (
    <>
      <span class={`bar${part < 0.2 ? ' low' : ''}`} aria-hidden="true">
        <i style={{ transform: `scaleX(${part.toFixed(3)})` }} />
      </span>
      <span>{duration(leftMs)}</span>
    </>
  );
}

export function Age({ holder: { since, isExactAge } }: { holder: HolderRow }) {
  const text = duration(now.value - since);
  return isExactAge ? <>{text}</> : <span title="At least since this page has seen it">&gt; {text}</span>;
}
