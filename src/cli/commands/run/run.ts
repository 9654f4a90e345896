import { systemClock } from '../../../core/time/clock.ts';
import { isHoldfastError, LeaseLostError } from '../../../spi/errors.ts';
import type { Command } from '../command.ts';
import { EXIT, exitCodeOfSignal } from '../../exit-codes.ts';
import { pause } from '../../pause.ts';
import { withTimeout } from '../../with-timeout.ts';
import { openLocks, type InspectedLocks } from '../../open-locks.ts';
import { say } from '../../output/output.ts';
import { acquire, type AnyHold, fencesOf } from './acquisition.ts';
import { CaughtSignals, SignalCaught } from './caught-signals.ts';
import { ChildCommand, type CommandEnd, exitCodeOf } from './command.ts';
import type { MachineQueue } from '../../../engines/sqlite/machine-queue.ts';
import { LossGuard } from './loss-guard.ts';
import { markOf, runEnvironment, type ToldToCommand } from './run-environment.ts';
import { type TellEvent, eventTeller } from './run-event.ts';
import { readRunRequest, type RunRequest, type Wanted } from './run-request.ts';
import { tellBlockingHolders } from './blocking-holders.ts';

/** How long to wait for killed processes. They end at once, unless the system is stuck. */
const LAST_LOOKS_MS = 2_000;
/** How long to wait for a store when closing: a hold that was not released ends with its lease. */
const CLOSING_MS = 1_000;

const clock = systemClock;

/** Runs a command while a lock is held. */
export const run: Command = async (given, address) => {
  const request = readRunRequest(given);
  const signals = new CaughtSignals();
  const tell = eventTeller(request.telling);
  let locks: InspectedLocks | undefined;
  try {
    locks = await rejectOnSignal(
      openLocks(address, { renewalLeaseMs: request.leaseMs }, request.retryMs),
      signals.waiting,
    );
    return await runHolding(locks, request, signals, tell);
  } catch (error) {
    if (error instanceof SignalCaught) return exitCodeOfSignal(error.signal);
    throw error;
  } finally {
    if (locks !== undefined) await withTimeout(locks.close(), CLOSING_MS);
  }
};

async function runHolding(
  locks: InspectedLocks,
  request: RunRequest,
  signals: CaughtSignals,
  tell: TellEvent,
): Promise<number> {
  const { wanted, waitLimit } = request;
  const owners = new Map<string, string>();
  locks.on('acquire', ({ name, owner = '' }) => owners.set(name, owner));
  const isCurious = request.telling === 'verbose' || request.telling === 'json';
  const askedAt = clock.now();
  const hold = await acquire({
    locks,
    wanted,
    waitLimit,
    signal: signals.waiting,
    contended: () => void (isCurious && tellBlockingHolders(locks, wanted, tell)),
    trouble: (message) => tell({ event: 'trouble', message }),
    silenceMs: request.leaseMs,
    openQueue: () => queueFor(locks, wanted),
  });
  const waitedMs = clock.now() - askedAt;
  if (hold === null) {
    tell({ event: 'not-acquired', waitedMs });
    return request.conflictExitCode;
  }
  const acquiredAt = clock.now();
  const told: ToldToCommand = {
    names: wanted.names,
    owners: wanted.names.map((name) => owners.get(name) ?? ''),
    fences: fencesOf(hold),
    engine: locks.label,
    deadline: clock.epochNow() + hold.remainingMs,
  };
  const { names, engine } = told;
  tell({ event: 'acquired', names, owners: told.owners, fences: told.fences.map(String), engine, waitedMs });
  const { ended, wasLost } = await runCommand(hold, told, request, signals, tell);
  await keepFor(request.minHoldMs - (clock.now() - acquiredAt), hold, signals, tell);
  if (request.onLost === 'warn') {
    await release(hold, acquiredAt, tell);
    return exitCodeOf(ended);
  }
  // Whatever the store says now: the command was ended because of the loss.
  if (wasLost) return EXIT.lost;
  return (await release(hold, acquiredAt, tell)) === 'lost' ? EXIT.lost : exitCodeOf(ended);
}

/** On a file, waiters queue before it. A fair lock has a queue of its own in the file, for all programs that use it. */
async function queueFor(
  { file }: InspectedLocks,
  { kind, names }: Wanted,
): Promise<MachineQueue | undefined> {
  if (file === undefined || kind === 'fairLock') return undefined;
  const { MachineQueue: Queue } = await import('../../../engines/sqlite/machine-queue.ts');
  return new Queue(file, [kind, ...names.toSorted()].join('\n'));
}

/** Runs the command to its end. */
async function runCommand(
  hold: AnyHold,
  told: ToldToCommand,
  request: RunRequest,
  signals: CaughtSignals,
  tell: TellEvent,
): Promise<{ readonly ended: CommandEnd; readonly wasLost: boolean }> {
  // A signal may have arrived while the lock was acquired.
  signals.waiting.throwIfAborted();
  const command = new ChildCommand(request.work, runEnvironment(process.env, told), markOf(told));
  signals.passTo((signal) => {
    if (command.pass(signal)) tell({ event: 'forwarded', signal });
  });
  if (command.pid !== undefined) tell({ event: 'started', pid: command.pid });
  const guard = new LossGuard({ hold, request, clock, end: (signal) => command.end(signal), tell });
  const ended = await command.ended;
  if (guard.wasLost && request.onLost === 'kill') await endTheRest(command);
  guard.end();
  if (ended.kind === 'exited') tell({ event: 'ended', code: ended.code });
  else if (ended.kind === 'signalled') tell({ event: 'ended', signal: ended.signal });
  else say(ended.message);
  return { ended, wasLost: guard.wasLost };
}

/** The command has ended, but processes it started may not have: guards until none is left. */
async function endTheRest(command: ChildCommand): Promise<void> {
  const until = clock.now() + LAST_LOOKS_MS;
  command.end('SIGKILL');
  while (command.isLeft && clock.now() < until) await pause(5);
}

/**
 * Keeps the hold after the command has ended: programs whose clocks are behind still find it held. A signal ends this.
 */
async function keepFor(ms: number, hold: AnyHold, signals: CaughtSignals, tell: TellEvent): Promise<void> {
  if (ms <= 0 || hold.lost.aborted) return;
  tell({ event: 'keeping', ms });
  await new Promise<void>((resolve) => {
    const timer = clock.timer(ms, resolve);
    timer.keepsAlive(true);
    const stop = (): void => {
      timer.cancel();
      resolve();
    };
    signals.passTo(stop);
    hold.lost.addEventListener('abort', stop, { once: true });
  });
}

/** Releases the hold. The release may be the first to find that the hold was lost. */
async function release(hold: AnyHold, acquiredAt: number, tell: TellEvent): Promise<'lost' | 'given-back'> {
  try {
    await hold.release();
    tell({ event: 'released', heldMs: clock.now() - acquiredAt });
  } catch (error) {
    if (error instanceof LeaseLostError) {
      if (!hold.lost.aborted) tell({ event: 'lost', reason: error.reason, command: 'is-over' });
      return 'lost';
    }
    if (!isHoldfastError(error)) throw error;
    tell({ event: 'release-failed', message: error.message });
  }
  return 'given-back';
}

/** Until something is held, a signal ends everything at once. */
function rejectOnSignal<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    const stopListening = (): void => signal.removeEventListener('abort', stop);
    promise.then(stopListening, stopListening);
    promise.then(resolve, reject);
  });
}
