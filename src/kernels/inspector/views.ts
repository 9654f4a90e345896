import type {
  DescriptionOf,
  HolderSighting,
  Kind,
  Waiting,
  WaitingLine,
} from '../../spi/engine/inspector.ts';
import type { Kinds } from '../../spi/kinds.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import type { LineView } from '../../spi/verbs/line-view.ts';
import type { Side } from '../../spi/verbs/read-write-lock.ts';

/** What an inspector shows of a record, besides its kind and name; null if nothing of that kind is there. */
export type View<K extends Kind> = Omit<DescriptionOf<K>, 'kind' | 'name'> | null;

/** Turns the look of a rule into a {@link View}. `watching` counts the watchers of the name, for a record that keeps no line. */
export type ViewOf<K extends Kind> = (look: Kinds[K]['look'], watching: () => Waiting) => View<K>;

export const viewLock: ViewOf<'lock' | 'fairLock'> = ({ holder, waiters, line }) => {
  if (holder === undefined && waiters === 0) return null;
  return { holders: holdersOf(holder), waiters: inFleet(waiters), line: lineOf(line) };
};

export const viewReadWriteLock: ViewOf<'readWriteLock'> = ({ writer, readers, waiters, line }) => {
  const waiting = waiters.read + waiters.write;
  if (writer === undefined && readers.length === 0 && waiting === 0) return null;
  const reading = readers.flatMap((reader) => holdersOf(reader, 'read'));
  return {
    holders: [...holdersOf(writer, 'write'), ...reading],
    waiters: inFleet(waiting),
    line: lineOf(line),
  };
};

export const viewPermits: ViewOf<'semaphore' | 'permitSemaphore'> = (look) => {
  // Other programs that share a layout need not write their number down: then only those who hold and wait are known.
  if (look.total === undefined && look.holders.length === 0 && look.waiters === 0) return null;
  const total = look.total ?? Infinity;
  const holders = look.holders.map((holder) => ({ ...sightingOf(holder), count: holder.permits }));
  return {
    holders,
    waiters: inFleet(look.waiters),
    line: lineOf(look.line),
    permits: total,
    available: total - look.taken,
  };
};

export const viewLatch: ViewOf<'latch'> = ({ count }, watching) => {
  if (count === 0) return null;
  // A waiter of a latch changes nothing in the record: only its watch shows it.
  return { holders: [], waiters: watching(), line: UNKNOWN, count };
};

export const viewBarrier: ViewOf<'barrier'> = ({ parties, generation, waiting, line, broken }) => {
  if (parties === undefined) return null;
  return { holders: [], waiters: inFleet(waiting), line: lineOf(line), parties, generation, broken };
};

export const viewElection: ViewOf<'election'> = ({ leader, candidates, line }) => {
  if (leader === undefined && candidates === 0) return null;
  const value = leader?.value ?? null;
  return { holders: holdersOf(leader), waiters: inFleet(candidates), line: lineOf(line), value };
};

export const viewMonitor: ViewOf<'monitor'> = ({ value, holder, entering, line, waiting }) => {
  if (value === undefined) return null;
  return {
    holders: holdersOf(holder),
    waiters: inFleet(entering),
    line: lineOf(line),
    state: value,
    conditions: waiting,
  };
};

const UNKNOWN: WaitingLine = { order: 'unknown' };

/** Only Holdfast writes these records; an engine that shares its layout says of each place which program it is of. */
function lineOf(line: LineView | undefined): WaitingLine {
  if (line === undefined) return UNKNOWN;
  const places = line.places.map((place) => ({ ...place, program: 'holdfast' as const, count: 1 }));
  return { order: line.order, places };
}

function inFleet(count: number): Waiting {
  return { count, counts: 'fleet' };
}

function holdersOf(holder: HolderView | undefined, side?: Side): readonly HolderSighting[] {
  if (holder === undefined) return [];
  return [side === undefined ? sightingOf(holder) : { ...sightingOf(holder), side }];
}

/** Only Holdfast writes these records, so every holder in them is one of its clients. What finds its name goes along. */
function sightingOf({ owner, fence, remainingMs, clientId, since }: HolderView): HolderSighting {
  return {
    owner,
    program: 'holdfast',
    fence: BigInt(fence),
    remainingMs,
    count: 1,
    ...(clientId !== undefined && { clientId }),
    ...(since !== undefined && { since }),
  };
}
