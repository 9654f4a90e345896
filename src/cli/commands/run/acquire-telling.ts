import { systemClock } from '../../../core/time/clock.ts';
import type { MachineQueue } from '../../../engines/sqlite/machine-queue.ts';
import type { InspectedLocks } from '../../open-locks.ts';
import { acquire, type AnyHold, fencesOf } from './acquisition.ts';
import { findHolders } from './blocking-holders.ts';
import type { CaughtSignals } from './caught-signals.ts';
import type { HoldRequest, Wanted } from './hold-request.ts';
import type { ToldToCommand } from './run-environment.ts';
import { isToldAtTerminal, type TellEvent } from './run-event.ts';

const clock = systemClock;

/** A hold, and what there is to say about it. */
export interface HeldNames {
  readonly hold: AnyHold;
  readonly told: ToldToCommand;
  readonly acquiredAt: number;
}

/** Acquires what is wanted, and reports how that went. Null if it was not acquired in time. */
export async function acquireTelling(
  locks: InspectedLocks,
  request: HoldRequest,
  signals: CaughtSignals,
  tell: TellEvent,
): Promise<HeldNames | null> {
  const { wanted, waitLimit, telling, silenceMs } = request;
  const owners = new Map<string, string>();
  const unlisten = locks.on('acquire', ({ name, owner = '' }) => owners.set(name, owner));
  const isCurious = telling === 'verbose' || telling === 'json';
  const askedAt = clock.now();
  const hold = await acquire({
    locks,
    wanted,
    waitLimit,
    signal: signals.waiting,
    contended: () => void (isCurious && tellWaiting(locks, wanted, tell)),
    trouble: (message) => tell({ event: 'trouble', message }),
    silenceMs,
    openQueue: () => queueFor(locks, wanted),
  }).finally(unlisten);
  const acquiredAt = clock.now();
  const waitedMs = acquiredAt - askedAt;
  if (hold === null) {
    const isWanted = isCurious || isToldAtTerminal(telling);
    tell({ event: 'not-acquired', waitedMs, holders: isWanted ? await findHolders(locks, wanted) : [] });
    return null;
  }
  const told: ToldToCommand = {
    names: wanted.names,
    owners: wanted.names.map((name) => owners.get(name) ?? ''),
    fences: fencesOf(hold),
    engine: locks.label,
    deadline: clock.epochNow() + hold.remainingMs,
  };
  const { names, engine } = told;
  tell({ event: 'acquired', names, owners: told.owners, fences: told.fences.map(String), engine, waitedMs });
  return { hold, told, acquiredAt };
}

async function tellWaiting(locks: InspectedLocks, wanted: Wanted, tell: TellEvent): Promise<void> {
  tell({ event: 'waiting', holders: await findHolders(locks, wanted) });
}

/** On a file, waiters queue before it. What is fair has a queue of its own in the file, for all programs that use it. */
async function queueFor(
  { file }: InspectedLocks,
  { kind, names }: Wanted,
): Promise<MachineQueue | undefined> {
  if (file === undefined || kind === 'fairLock' || kind === 'election') return undefined;
  const { MachineQueue: Queue } = await import('../../../engines/sqlite/machine-queue.ts');
  return new Queue(file, [kind, ...names.toSorted()].join('\n'));
}
