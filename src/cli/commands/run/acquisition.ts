import {
  multiLock,
  type Election,
  type Hold,
  type HoldOptions,
  type MultiHold,
  type Synchronizers,
} from '../../../index.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { AcquireTimeoutError, EngineError } from '../../../spi/errors.ts';
import type { Kind } from '../../../spi/engine/inspector.ts';
import type { MachineQueue, QueueTicket } from '../../../engines/sqlite/machine-queue.ts';
import { retryOverOutages } from './retry-over-outages.ts';
import type { RunWaitLimit, Wanted } from './hold-request.ts';

/**
 * How long the first attempt has at least, so that a short wait limit does not refuse a free lock on a distant store.
 */
const SHORTEST_ATTEMPT_MS = 1_000;
const TOO_LATE = new Error('the time to wait ended in the queue of this machine');

export type AnyHold = Hold | MultiHold;

/** What `run` acquires: one synchronizer, or several together. */
interface Obtainable {
  acquire(options: HoldOptions): Promise<AnyHold>;
  tryAcquire(options: HoldOptions): Promise<AnyHold | null>;
}

export interface RunAcquisition {
  readonly locks: Synchronizers;
  readonly wanted: Wanted;
  readonly waitLimit: RunWaitLimit;
  readonly signal: AbortSignal;
  /** Called when the lock is busy and the waiting begins. */
  readonly contended: () => void;
  /** Called when the store did not answer, before it is asked again. */
  readonly trouble: (message: string) => void;
  /** How long to keep asking a silent store. */
  readonly silenceMs: number;
  /** Opens the queue of this machine, where there is one. */
  readonly openQueue: () => Promise<MachineQueue | undefined>;
}

/** Null if it was not acquired in time. Throws the reason of the signal. */
export async function acquire(acquisition: RunAcquisition): Promise<AnyHold | null> {
  const { locks, wanted, waitLimit, signal, contended, openQueue } = acquisition;
  const obtainable = obtainableOf(locks, wanted);
  const options = { signal, ...(wanted.kind === 'permits' && { permits: wanted.permits }) };
  const startedAt = systemClock.now();
  const until = waitLimit.kind === 'at-most' ? startedAt + waitLimit.ms : Infinity;
  const hold = await attemptOnce(obtainable, options, acquisition);
  if (hold !== null || waitLimit.kind === 'not-at-all') return hold;
  contended();
  const ticket = await takeTicket(await openQueue(), waitLimit, signal);
  if (ticket === 'too-late') return null;
  const wait = async (): Promise<AnyHold | null> => {
    if (waitLimit.kind === 'for-ever') return obtainable.acquire(options);
    const timeoutMs = Math.max(0, until - systemClock.now());
    return obtainable.tryAcquire({ ...options, timeoutMs });
  };
  try {
    return await retryOverOutages(wait, until, acquisition);
  } finally {
    ticket?.leave();
  }
}

/**
 * Attempts once, without a ticket in any queue. By itself an attempt on a silent store ends after twice
 * `commandTimeoutMs`, however short the wait limit is; so the wait limit ends it, too.
 */
async function attemptOnce(
  obtainable: Obtainable,
  options: HoldOptions,
  { locks, wanted, waitLimit, signal }: RunAcquisition,
): Promise<AnyHold | null> {
  if (waitLimit.kind !== 'at-most') return obtainable.tryAcquire(options);
  const limitMs = Math.max(waitLimit.ms, SHORTEST_ATTEMPT_MS);
  const late = new AbortController();
  const timer = systemClock.timer(limitMs, () => late.abort(noAnswerError(locks, wanted, limitMs)));
  timer.keepsAlive(true);
  try {
    return await obtainable.tryAcquire({ ...options, signal: AbortSignal.any([signal, late.signal]) });
  } finally {
    timer.cancel();
  }
}

function noAnswerError(locks: Synchronizers, wanted: Wanted, limitMs: number): EngineError {
  const { engine } = locks.lock(wanted.names[0]!);
  const resource = `${kindOf(wanted)} ${wanted.names.map((name) => JSON.stringify(name)).join(', ')}`;
  return new EngineError(
    `${resource}: ${engine} did not answer within ${limitMs} ms. Whether it is free is not known, and nothing was run. Check that the store can be reached, then try again.`,
    { resource, engine },
    { retryable: true },
  );
}

/**
 * Takes a ticket of the machine's queue, within the wait limit. Undefined without a queue: there is nothing to wait
 * for.
 */
async function takeTicket(
  queue: MachineQueue | undefined,
  waitLimit: RunWaitLimit,
  signal: AbortSignal,
): Promise<QueueTicket | 'too-late' | undefined> {
  if (queue === undefined) return undefined;
  const late = new AbortController();
  const timer =
    waitLimit.kind === 'at-most' ? systemClock.timer(waitLimit.ms, () => late.abort(TOO_LATE)) : undefined;
  timer?.keepsAlive(true);
  try {
    return await queue.enter(AbortSignal.any([signal, late.signal]));
  } catch (error) {
    if (error === TOO_LATE) return 'too-late';
    if (signal.aborted) throw error;
    // The queue cannot be used, for example because the folder is not writable: the processes then meet in the file.
    return undefined;
  } finally {
    timer?.cancel();
  }
}

function obtainableOf(locks: Synchronizers, wanted: Wanted): Obtainable {
  const { names } = wanted;
  if (wanted.kind === 'permits') return locks.semaphore(names[0]!, { permits: wanted.of });
  if (wanted.kind === 'election') return candidacy(locks.election(names[0]!), wanted.value);
  const { kind } = wanted;
  const members = names.map((name) => {
    if (kind === 'lock') return locks.lock(name);
    if (kind === 'fairLock') return locks.fairLock(name);
    return locks.readWriteLock(name)[kind === 'readLock' ? 'read' : 'write'];
  });
  return members.length === 1 ? members[0]! : multiLock(members);
}

/** An election in the form of a lock: its campaign rejects where a lock answers null. */
function candidacy(election: Election<string>, value: string): Obtainable {
  return {
    acquire: (options) => election.campaign({ ...options, value }),
    tryAcquire: async (options) => {
      try {
        return await election.campaign({ timeoutMs: 0, ...options, value });
      } catch (error) {
        if (error instanceof AcquireTimeoutError) return null;
        throw error;
      }
    },
  };
}

/** The kind under which the inspector knows it. */
export function kindOf({ kind }: Wanted): Kind {
  if (kind === 'permits') return 'semaphore';
  return kind === 'readLock' || kind === 'writeLock' ? 'readWriteLock' : kind;
}

/** One for each name. */
export function fencesOf(hold: AnyHold): readonly bigint[] {
  return 'fences' in hold ? hold.fences : [hold.fence];
}
