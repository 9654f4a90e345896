import type { Acquirable, Hold, HoldOptions, TimedAcquireOptions } from 'holdfast';
import { beginSection, someOptions, type Surroundings, type Work, workUnder } from '../worker.ts';

type Anything = Acquirable<HoldOptions, Hold>;

/** No hold is to last for longer. */
export const LONGEST_MIN_HOLD_MS = 3000;

/** Options of a lock that is sometimes to last after its release; never longer than the lease that it asks for. */
function someLasting(at: Surroundings): TimedAcquireOptions {
  const options = someOptions(at);
  if (!at.dice.chance(0.15)) return options;
  const minHoldMs = Math.floor(at.dice.between(50, LONGEST_MIN_HOLD_MS));
  return { ...options, minHoldMs: Math.min(minHoldMs, options.leaseMs ?? Infinity) };
}

async function holdFor(
  at: Surroundings,
  kind: string,
  held: Anything,
  exclusive: boolean,
  options: HoldOptions,
) {
  const hold = await held.acquire(options);
  const section = beginSection(at, kind, held.name, hold, exclusive);
  try {
    await workUnder(at, section, hold);
  } finally {
    await hold.release();
  }
}

const NAMES = ['a', 'b'];

/** Locks, plain and fair, also by `run` and re-entered, and by several who ask in the same turn. */
function lockWork(kind: 'lock' | 'fairLock'): Work {
  return async (at) => {
    const lock = at.engine[kind](at.dice.pick(NAMES));
    if (at.dice.chance(0.3)) {
      const company = Array.from({ length: 2 + at.dice.below(3) }, () =>
        holdFor(at, kind, lock, true, someLasting(at)),
      );
      return throwFirst(await Promise.allSettled(company));
    }
    if (at.dice.chance(0.7)) return holdFor(at, kind, lock, true, someLasting(at));
    return lock.run(async (hold) => {
      const section = beginSection(at, kind, lock.name, hold, true);
      await lock.run((inner) => workUnder(at, section, inner));
    }, someLasting(at));
  };
}

function throwFirst(outcomes: readonly PromiseSettledResult<void>[]): void {
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
}

const readWriteWork: Work = async (at) => {
  const { read, write } = at.engine.readWriteLock('a');
  if (at.dice.chance(0.6)) return holdFor(at, 'readWriteLock', read, false, someOptions(at));
  if (at.dice.chance(0.7)) return holdFor(at, 'readWriteLock', write, true, someOptions(at));
  // Downgrade: the read side taken under the write side and kept a little longer, also when the write side was lost.
  let kept: Hold | undefined;
  try {
    await write.run(async (hold) => {
      await workUnder(at, beginSection(at, 'readWriteLock', 'a', hold, true), hold);
      kept = await read.acquire();
    }, someOptions(at));
    if (kept !== undefined) await workUnder(at, beginSection(at, 'readWriteLock', 'a', kept, false), kept);
  } finally {
    await kept?.release();
  }
};

const semaphoreWork: Work = async (at) => {
  const semaphore = at.engine.semaphore('a', { permits: 4 });
  await holdFor(at, 'semaphore', semaphore, false, {
    ...someOptions(at),
    permits: 1 + at.dice.below(4),
  } as HoldOptions);
};

const permitSemaphoreWork: Work = async (at) => {
  const semaphore = at.engine.permitSemaphore('a', { permits: 3 });
  const options = { ...someOptions(at), permits: 1 + at.dice.below(3) } as HoldOptions;
  await holdFor(at, 'permitSemaphore', semaphore, false, options);
};

/** Leads for some turns; every one of them is a section of its own, and no two run at a time. */
async function leadTurns(at: Surroundings): Promise<void> {
  const stop = new AbortController();
  let inside = 0;
  await at.engine.election('a').lead(
    async (signal, leadership) => {
      if (signal.aborted) at.history.problem(`${at.process.name} leads after its signal has aborted`);
      if (++inside > 1) at.history.problem(`${at.process.name} leads twice at a time`);
      const section = beginSection(at, 'election', 'a', leadership, true);
      if (at.dice.chance(0.5) || at.process.world.now >= at.until) stop.abort();
      try {
        await workUnder(at, section, leadership);
      } finally {
        inside--;
      }
    },
    { signal: stop.signal, value: at.process.name },
  );
}

const electionWork: Work = async (at) => {
  if (at.dice.chance(0.2)) return leadTurns(at);
  const election = at.engine.election('a');
  const leadership = await election.campaign({ ...someOptions(at), value: at.process.name });
  const section = beginSection(at, 'election', 'a', leadership, true);
  try {
    if (at.dice.chance(0.3)) await leadership.proclaim('new');
    await workUnder(at, section, leadership);
  } finally {
    await leadership.resign();
  }
};

export const holdingWorkloads = {
  lock: lockWork('lock'),
  fairLock: lockWork('fairLock'),
  readWriteLock: readWriteWork,
  semaphore: semaphoreWork,
  permitSemaphore: permitSemaphoreWork,
  election: electionWork,
} as const;
