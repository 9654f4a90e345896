import { setTimeout as sleep } from 'node:timers/promises';
import { aheadOf } from '../../ahead.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { ServerCounts } from '../server-counts.ts';
import { holdfast } from '../libraries/holdfast.ts';
import { redisSemaphore } from '../libraries/redis-semaphore.ts';
import type { Library } from '../../library.ts';

const LOCKS = 10_000;
const AT_ONCE = 100;
const ours = holdfast('ioredis 5');

/**
 * Until all have been renewed a few times. What the runtime compiles and tidies up in the half minute after ten thousand
 * acquisitions is not the price of keeping them, and was more than half of what was measured.
 */
const SETTLED_MS = 45_000;

/** Holds many locks and does nothing: what is left is the renewing. */
function contestant({ name, open }: Library): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const locker = await open(port, folder);
      let taken = 0;
      const take = async (): Promise<void> => {
        while (taken < LOCKS) await locker.acquire(`held-${taken++}`);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, take));
      await sleep(SETTLED_MS);
      const counts = await ServerCounts.at(port);
      return {
        round: async (roundMs) => {
          const cpu = process.cpuUsage();
          const { spent } = await counts.during(() => sleep(roundMs));
          const { user, system } = process.cpuUsage(cpu);
          return {
            'CPU % of a core': (user + system) / (roundMs * 10),
            'EVALSHA/s': ((spent.calls.get('evalsha') ?? 0) / roundMs) * 1000,
          };
        },
        close: async () => counts.close(),
      };
    },
  };
}

export const heldLocks: Trial = {
  name: `${LOCKS} held locks`,
  engine: 'redis',
  contestants: [ours, redisSemaphore].map(contestant),
  columns: [
    { figure: 'CPU % of a core', digits: 2 },
    { figure: 'EVALSHA/s', digits: 1 },
  ],
  promises: [
    {
      text: `CPU % of one core of the client, ${ours.name}`,
      of: [ours.name],
      value: (figureOf) => figureOf(ours.name, 'CPU % of a core'),
      bound: { atMost: 1 },
      over: 'median',
    },
    aheadOf(ours.name, [redisSemaphore.name], 'CPU % of a core', 'less'),
  ],
  // Renewed every third of 30 seconds: a round must be as long as that, or a multiple of it.
  pace: {
    full: { rounds: 5, warmUpRounds: 0, roundMs: 10_000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 10_000 },
  },
  story: {
    about:
      `A process holds ${LOCKS.toLocaleString('en')} locks and does nothing: what is left is the renewing of their leases, ` +
      'which a program pays for as long as it holds anything.',
    figure: 'CPU % of a core',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because a process with so many locks comes to rest only after most of a minute',
  openMs: SETTLED_MS + 3000,
  alone: 'all rounds',
};
