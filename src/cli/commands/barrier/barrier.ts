import { actionError } from '../../action-error.ts';
import { AcquireTimeoutError, BrokenBarrierError } from '../../../spi/errors.ts';
import type { Barrier } from '../../../spi/synchronizers.ts';
import type { Command, GivenArguments } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { openLocks } from '../../open-locks.ts';
import { print, say } from '../../output/output.ts';
import { readCount, readWait } from '../../queries/numbers.ts';
import { withSignals } from '../run/with-signals.ts';

/** So that a short time to wait does not give up before a distant store has answered. */
const SHORTEST_WAIT_MS = 1_000;

const ACTIONS = ['arrive', 'reset'] as const;

/** Arrives at a barrier and waits for the other parties, or starts a new round. */
export const barrier: Command = (given, address) => {
  const [word, name, more] = given.words;
  const action = ACTIONS.find((one) => one === word);
  if (action === undefined || name === undefined || more !== undefined)
    throw actionError('barrier', given.words, ACTIONS);
  const parties = readCount(
    given.options.get('parties'),
    `barrier ${action} needs --parties N: how many meet in each round.`,
  );
  const waitMs = readWait(given);
  return withSignals(
    () => openLocks(address),
    async (locks, signals) => {
      const found = locks.barrier(name, { parties });
      if (action === 'arrive') return arrive(found, waitMs, signals.waiting, given);
      await found.reset();
      return EXIT.ok;
    },
  );
};

/** To give up breaks the barrier, and an arrival that is sent again would be another party: so no outage is waited for. */
async function arrive(
  found: Barrier,
  waitMs: number,
  signal: AbortSignal,
  { options }: GivenArguments,
): Promise<number> {
  try {
    const { generation, index } = await found.arrive({
      signal,
      ...(Number.isFinite(waitMs) && { timeoutMs: Math.max(waitMs, SHORTEST_WAIT_MS) }),
    });
    print(
      options.has('json') ? JSON.stringify({ generation, index }) : `round ${generation}, index ${index}`,
    );
    return EXIT.ok;
  } catch (error) {
    if (error instanceof AcquireTimeoutError) return exitSayingWhy(error, EXIT.notAcquired);
    if (error instanceof BrokenBarrierError) return exitSayingWhy(error, EXIT.no);
    throw error;
  }
}

function exitSayingWhy({ message }: Error, exitCode: number): number {
  say(message);
  return exitCode;
}
