import type { Command } from '../command.ts';
import { openLocks } from '../../open-locks.ts';
import { say } from '../../output/output.ts';
import { printable } from '../../queries/sighting-table.ts';
import { UsageError } from '../../usage-error.ts';
import { acquireTelling } from '../run/acquire-telling.ts';
import { readTermsOfHold, readWanted } from '../run/hold-request.ts';
import { withSignals } from '../run/with-signals.ts';
import { keepHold } from './keep-hold.ts';
import { type AcquiredEvent, resultTeller } from './result-teller.ts';
import { InputEnded, watchInput } from './watch-input.ts';

/** Holds a lock until its input ends or a signal comes. */
export const hold: Command = async (given, address) => {
  if (given.words.length === 0) throw new UsageError('hold needs a name: holdfast hold NAME.');
  const request = { ...readTermsOfHold(given, 'hold'), wanted: readWanted(given, 'hold') };
  const tell = resultTeller(request.telling, heldLine);
  try {
    return await withSignals(
      () => openLocks(address, { renewalLeaseMs: request.leaseMs }, request.retryMs),
      async (locks, signals) => {
        const input = watchInput(signals);
        const held = await acquireTelling(locks, request, signals, tell);
        return held === null ? request.conflictExitCode : keepHold(held, signals, input, tell);
      },
    );
  } catch (error) {
    if (!(error instanceof InputEnded)) throw error;
    if (request.telling !== 'quiet') say(error.message);
    return request.conflictExitCode;
  }
};

function heldLine({ names, fences }: AcquiredEvent): string {
  return `held ${names.map(printable).join(' ')}, fence ${fences.join(' ')}`;
}
