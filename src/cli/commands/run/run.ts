import { systemClock } from '../../../core/time/clock.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openLocks, type InspectedLocks } from '../../open-locks.ts';
import { acquireTelling } from './acquire-telling.ts';
import type { AnyHold } from './acquisition.ts';
import type { CaughtSignals } from './caught-signals.ts';
import { exitCodeOf } from './command.ts';
import { releaseHold } from './release-hold.ts';
import { runCommand } from './run-command.ts';
import { type TellEvent, eventTeller } from './run-event.ts';
import { readRunRequest, type RunRequest } from './run-request.ts';
import { withSignals } from './with-signals.ts';

const clock = systemClock;

/** Runs a command while a lock is held. */
export const run: Command = (given, address) => {
  const request = readRunRequest(given);
  const tell = eventTeller(request.telling);
  return withSignals(
    () => openLocks(address, { renewalLeaseMs: request.leaseMs }, request.retryMs),
    (locks, signals) => runHolding(locks, request, signals, tell),
  );
};

async function runHolding(
  locks: InspectedLocks,
  request: RunRequest,
  signals: CaughtSignals,
  tell: TellEvent,
): Promise<number> {
  const held = await acquireTelling(locks, request, signals, tell);
  if (held === null) return request.conflictExitCode;
  const { hold, told, acquiredAt } = held;
  const { ended, wasLost, timedOut } = await runCommand(hold, told, request, signals, tell);
  await keepFor(request.minHoldMs - (clock.now() - acquiredAt), hold, signals, tell);
  const exitCode = timedOut ? EXIT.timedOut : exitCodeOf(ended);
  if (request.onLost === 'warn') {
    await releaseHold(held, tell);
    return exitCode;
  }
  // Whatever the store says now: the command was ended because of the loss.
  if (wasLost) return EXIT.lost;
  return (await releaseHold(held, tell)) === 'lost' ? EXIT.lost : exitCode;
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
