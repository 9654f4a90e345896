import { actionError } from '../../action-error.ts';
import { systemClock } from '../../../core/time/clock.ts';
import { AcquireTimeoutError } from '../../../spi/errors.ts';
import type { Latch, WaitOptions } from '../../../spi/synchronizers.ts';
import { showDuration } from '../../duration.ts';
import type { Command, GivenArguments } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openLocks } from '../../open-locks.ts';
import { print, say } from '../../output/output.ts';
import { readCount, readWait } from '../../queries/numbers.ts';
import { printable } from '../../queries/sighting-table.ts';
import { retryOverOutages } from '../run/retry-over-outages.ts';
import { withSignals } from '../run/with-signals.ts';

/** How long to keep asking a store that does not answer. */
const SILENCE_MS = 30_000;

/** Carries out an action on the latch, and answers with the exit code. The signal ends a wait. */
type LatchAction = (latch: Latch, signal: AbortSignal) => Promise<number>;

const ACTIONS: Readonly<Record<string, (given: GivenArguments) => LatchAction>> = {
  set: (given) => {
    const count = readCount(given.words[2], 'latch set needs a count: holdfast latch set NAME N.');
    return async (latch) => {
      if (given.options.has('force')) await latch.reset(count);
      else if (!(await latch.trySetCount(count))) return sayStillCounting(latch);
      return printCount(count, given);
    };
  },
  'count-down': (given) => {
    const by = given.words[2] === undefined ? 1 : readCount(given.words[2], 'the number must be 1 or more.');
    return async (latch) => printCount(await latch.countDown(by), given);
  },
  count: (given) => async (latch) => printCount(await latch.count(), given),
  await: (given) => {
    const waitMs = readWait(given);
    return (latch, signal) => awaitOpen(latch, waitMs, signal);
  },
};

/** Sets a latch, counts it down, or waits until it is open. */
export const latch: Command = (given, address) => {
  const [word = '', name, , more] = given.words;
  const read = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (read === undefined || name === undefined || more !== undefined)
    throw actionError('latch', given.words, Object.keys(ACTIONS));
  const action = read(given);
  return withSignals(
    () => openLocks(address),
    (locks, signals) => action(locks.latch(name), signals.waiting),
  );
};

async function sayStillCounting(found: Latch): Promise<number> {
  say(`${printable(found.name)} is set and still counts; --force sets it anyway`);
  return EXIT.no;
}

function printCount(count: number, { options }: GivenArguments): number {
  print(options.has('json') ? JSON.stringify({ count }) : String(count));
  return EXIT.ok;
}

async function awaitOpen(found: Latch, waitMs: number, signal: AbortSignal): Promise<number> {
  const until = systemClock.now() + waitMs;
  const terms = {
    signal,
    silenceMs: SILENCE_MS,
    trouble: (message: string) => say(`still waiting: ${message}`),
  };
  try {
    // By itself, so that a short time to wait is no outage on a distant store.
    await retryOverOutages(() => found.count(), until, terms);
    await retryOverOutages(() => found.await(waitOptions(signal, until)), until, terms);
    return EXIT.ok;
  } catch (error) {
    if (!(error instanceof AcquireTimeoutError)) throw error;
    say(`latch ${printable(found.name)} is not open after ${showDuration(waitMs)}${await countLeft(found)}`);
    return EXIT.notAcquired;
  }
}

function waitOptions(signal: AbortSignal, until: number): WaitOptions {
  if (until === Infinity) return { signal };
  return { signal, timeoutMs: Math.max(0, until - systemClock.now()) };
}

async function countLeft(found: Latch): Promise<string> {
  try {
    return `: ${await found.count()} left to count`;
  } catch {
    return '';
  }
}
