import { EngineError } from '../../../spi/errors.ts';
import type { Leader } from '../../../spi/synchronizers.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { keepAlive } from '../../keep-alive.ts';
import { type InspectedLocks, openLocks } from '../../open-locks.ts';
import { print, say } from '../../output/output.ts';
import { pause } from '../../pause.ts';
import { readName } from '../../queries/lookup.ts';
import { printable } from '../../queries/sighting-table.ts';
import { withSignals } from '../run/with-signals.ts';

const AGAIN_MS = 1_000;

type SeenLeader = Leader<unknown> | null;

/** Prints the leader of an election now, and after each change. */
export const observe: Command = (given, address) => {
  const name = readName(given, 'observe');
  const { options } = given;
  const show = options.has('json') ? leaderJson : leaderLine;
  return withSignals(
    () => openLocks(address),
    async (locks, signals) => {
      if (options.has('once')) {
        const leader = await locks.election<unknown>(name).leader();
        print(show(name, leader));
        return leader === null ? EXIT.no : EXIT.ok;
      }
      const letGo = keepAlive();
      try {
        return await printChanges(locks, name, show, signals.waiting);
      } finally {
        letGo();
      }
    },
  );
};

/** Goes on through outages of the store: a change that happened meanwhile is printed when the store is back. */
async function printChanges(
  locks: InspectedLocks,
  name: string,
  show: (name: string, leader: SeenLeader) => string,
  signal: AbortSignal,
): Promise<never> {
  let last: string | undefined;
  let isAway = false;
  for (;;) {
    try {
      for await (const leader of locks.election<unknown>(name).observe({ signal })) {
        isAway = false;
        const line = show(name, leader);
        if (line !== last) print(line);
        last = line;
      }
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof EngineError) || !error.retryable) throw error;
      if (!isAway) say(`tries again until the store answers: ${error.message}`);
      isAway = true;
    }
    await pause(AGAIN_MS, signal);
    signal.throwIfAborted();
  }
}

function leaderLine(_name: string, leader: SeenLeader): string {
  if (leader === null) return 'no leader';
  const { value, fence } = leader;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${printable(text)} leads, fence ${fence}`;
}

function leaderJson(name: string, leader: SeenLeader): string {
  if (leader === null) return JSON.stringify({ name, leader: null });
  const { value, owner, fence } = leader;
  return JSON.stringify({ name, leader: { value, owner, fence: String(fence) } });
}
