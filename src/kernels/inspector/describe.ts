import type { Describing } from './checked-inspector.ts';
import type { Protocols } from '../cells/protocols.ts';
import type { Description, HolderSighting, Waiting } from '../../spi/engine/inspector.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import type { Side } from '../../spi/verbs/read-write-lock.ts';
import type { SemaphoreLook } from '../../spi/verbs/semaphore.ts';

/** One synchronizer in full, when its kind is known: its rule looks at its cell. */
export function describing(protocols: Protocols, waitersOfLatch: (name: string) => Waiting): Describing {
  return {
    lock: async (name) => {
      const { holder, waiters } = await protocols.lock.look(name);
      if (holder === undefined && waiters === 0) return null;
      return { kind: 'lock', name, holders: holdersOf(holder), waiters: inFleet(waiters) };
    },
    fairLock: async (name) => {
      const { holder, waiters, line: places = [] } = await protocols.fairLock.look(name);
      if (holder === undefined && waiters === 0) return null;
      const line = places.map((place) => ({ ...place, program: 'holdfast' as const, count: 1 }));
      return { kind: 'fairLock', name, holders: holdersOf(holder), waiters: inFleet(waiters), line };
    },
    readWriteLock: async (name) => {
      const { writer, readers, waiters } = await protocols.readWriteLock.look(name);
      const waiting = waiters.read + waiters.write;
      if (writer === undefined && readers.length === 0 && waiting === 0) return null;
      const holders = [
        ...holdersOf(writer, 'write'),
        ...readers.flatMap((reader) => holdersOf(reader, 'read')),
      ];
      return { kind: 'readWriteLock', name, holders, waiters: inFleet(waiting) };
    },
    semaphore: async (name) => {
      const seen = await protocols.semaphore.look(name);
      if (seen.total === undefined) return null;
      const available = seen.total - seen.taken;
      return { kind: 'semaphore', name, ...permitsOf(seen), permits: seen.total, available };
    },
    permitSemaphore: async (name) => {
      const seen = await protocols.permitSemaphore.look(name);
      if (seen.total === undefined) return null;
      const available = seen.total - seen.taken;
      return { kind: 'permitSemaphore', name, ...permitsOf(seen), permits: seen.total, available };
    },
    latch: async (name) => {
      const { count } = await protocols.latch.look(name);
      if (count === 0) return null;
      // Who waits for a latch stands in no line: the cell does not know of it.
      return { kind: 'latch', name, holders: [], waiters: waitersOfLatch(name), count };
    },
    barrier: async (name) => {
      const { parties, generation, waiting, broken } = await protocols.barrier.look(name);
      if (parties === undefined) return null;
      return { kind: 'barrier', name, holders: [], waiters: inFleet(waiting), parties, generation, broken };
    },
    election: async (name) => {
      const { leader, candidates } = await protocols.election.look(name);
      if (leader === undefined && candidates === 0) return null;
      const value = leader?.value ?? null;
      return { kind: 'election', name, holders: holdersOf(leader), waiters: inFleet(candidates), value };
    },
    monitor: async (name) => {
      const { value, holder, entering, waiting } = await protocols.monitor.look(name);
      if (value === undefined) return null;
      const seen = { holders: holdersOf(holder), waiters: inFleet(entering) };
      return { kind: 'monitor', name, ...seen, state: value, conditions: waiting };
    },
  };
}

/** Whether somebody has it or waits for it. */
export function isInUse(seen: Description): boolean {
  if (seen.holders.length > 0 || seen.waiters.count > 0) return true;
  return seen.kind === 'monitor' && Object.keys(seen.conditions).length > 0;
}

function inFleet(count: number): Waiting {
  return { count, counts: 'fleet' };
}

function permitsOf(seen: SemaphoreLook): {
  readonly holders: readonly HolderSighting[];
  readonly waiters: Waiting;
} {
  const holders = seen.holders.map((holder) => ({ ...sightingOf(holder), count: holder.permits }));
  return { holders, waiters: inFleet(seen.waiters) };
}

function holdersOf(holder: HolderView | undefined, side?: Side): readonly HolderSighting[] {
  if (holder === undefined) return [];
  return [side === undefined ? sightingOf(holder) : { ...sightingOf(holder), side }];
}

/** In these cells everybody is ours. */
function sightingOf({ owner, fence, remainingMs }: HolderView): HolderSighting {
  return { owner, program: 'holdfast', fence: BigInt(fence), remainingMs, count: 1 };
}
