import { systemClock } from '../../../core/time/clock.ts';
import type { Command, GivenArguments } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openLocks } from '../../open-locks.ts';
import { say } from '../../output/output.ts';
import { pause } from '../../pause.ts';
import { printable } from '../../queries/sighting-table.ts';
import { UsageError } from '../../usage-error.ts';
import { keepHold } from '../hold/keep-hold.ts';
import { resultTeller } from '../hold/result-teller.ts';
import { InputEnded, watchInput } from '../hold/watch-input.ts';
import { acquireTelling, type HeldNames } from '../run/acquire-telling.ts';
import type { CaughtSignals } from '../run/caught-signals.ts';
import { exitCodeOf } from '../run/command.ts';
import { type HoldRequest, readTermsOfHold } from '../run/hold-request.ts';
import { releaseHold } from '../run/release-hold.ts';
import { retryOverOutages } from '../run/retry-over-outages.ts';
import { runCommand } from '../run/run-command.ts';
import { eventTeller, type TellEvent } from '../run/run-event.ts';
import { readKillAfter, readWork, type Work } from '../run/run-request.ts';
import { withSignals } from '../run/with-signals.ts';

/** Two turns begin at least so far apart: a leadership that is lost at once must not flood the store. */
const SHORTEST_TURN_MS = 1_000;

interface ElectRequest extends HoldRequest {
  readonly work: Work | undefined;
  readonly killAfterMs: number;
  /** Whether to campaign again after a loss. */
  readonly again: boolean;
}

/** Campaigns, and leads: runs a command meanwhile, or waits until it is asked to stop. */
export const elect: Command = async (given, address) => {
  const request = readElectRequest(given);
  const [name, value] = given.words;
  const tell =
    request.work === undefined
      ? resultTeller(request.telling, ({ fences }) => electedLine(name!, value!, fences))
      : eventTeller(request.telling);
  try {
    return await withSignals(
      () => openLocks(address, { renewalLeaseMs: request.leaseMs }, request.retryMs),
      async (locks, signals) => {
        // The input of a command is the command's.
        const input = request.work === undefined ? watchInput(signals) : new AbortController().signal;
        const campaign = () => acquireTelling(locks, request, signals, tell);
        const terms = {
          signal: signals.waiting,
          silenceMs: request.silenceMs,
          trouble: (message: string) => tell({ event: 'trouble', message }),
        };
        for (let turn = 1; ; turn++) {
          // The store that has lost us our leadership may still be away.
          const held = await (turn === 1 ? campaign() : retryOverOutages(campaign, Infinity, terms));
          if (held === null) return request.conflictExitCode;
          const exitCode = await lead(held, request, signals, input, tell);
          if (exitCode !== EXIT.lost || !request.again || signals.isAskedToEnd) return exitCode;
          signals.passTo(undefined);
          const turnMs = systemClock.now() - held.acquiredAt;
          await pause(Math.max(0, SHORTEST_TURN_MS - turnMs), signals.waiting);
        }
      },
    );
  } catch (error) {
    if (!(error instanceof InputEnded)) throw error;
    if (request.telling !== 'quiet') say(error.message);
    return request.conflictExitCode;
  }
};

function readElectRequest(given: GivenArguments): ElectRequest {
  const { words, options } = given;
  const [name, value, more] = words;
  if (name === undefined || value === undefined || more !== undefined)
    throw new UsageError('elect needs a name and a value: holdfast elect NAME VALUE [-- COMMAND].');
  const terms = readTermsOfHold(given, 'elect');
  const again = options.has('again');
  return {
    ...terms,
    wanted: { kind: 'election', names: [name], value },
    work: readWork(given, 'elect'),
    killAfterMs: readKillAfter(options.get('kill-after'), terms.leaseMs),
    again,
    // Its purpose is to lead again when the store is back, however long that takes.
    silenceMs: again ? Infinity : terms.silenceMs,
  };
}

/** One turn as the leader. Answers with the exit code. */
async function lead(
  held: HeldNames,
  request: ElectRequest,
  signals: CaughtSignals,
  input: AbortSignal,
  tell: TellEvent,
): Promise<number> {
  const { work } = request;
  if (work === undefined) return keepHold(held, signals, input, tell);
  const terms = { ...request, work, onLost: 'kill', timeoutMs: undefined } as const;
  const { ended, wasLost } = await runCommand(held.hold, held.told, terms, signals, tell);
  if (wasLost) return EXIT.lost;
  return (await releaseHold(held, tell)) === 'lost' ? EXIT.lost : exitCodeOf(ended);
}

function electedLine(name: string, value: string, fences: readonly string[]): string {
  return `${printable(name)}: ${printable(value)} leads, fence ${fences.join(' ')}`;
}
