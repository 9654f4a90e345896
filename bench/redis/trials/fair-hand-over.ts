import { percentile } from '../../statistics.ts';
import type { Trial, TrialContestant } from '../../trial.ts';
import { Hand } from '../hands.ts';
import { holdfastFair } from '../libraries/holdfast.ts';
import { redisSemaphore, redisSemaphoreFast } from '../libraries/redis-semaphore.ts';
import { BARE_RELAY } from '../roles/relay.ts';
import { ofWaiters } from './paces.ts';

/** Long enough for the other process to stand in line. */
const HELD_MS = 3;
const ours = holdfastFair('ioredis 5').name;

/** One process holds and lets go, another waits for it, again and again. */
function contestant(name: string): TrialContestant {
  return {
    name,
    open: async (port) => {
      const first = new Hand('relay', name, port);
      const second = new Hand('relay', name, port);
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const handOversUs: number[] = [];
          while (performance.now() - start < roundMs) {
            await first.call('hold');
            await second.call('ask');
            const sinceUs = await first.call('letGo', HELD_MS);
            handOversUs.push((await second.call('entered')) - sinceUs);
            await second.call('giveBack');
          }
          return {
            'p50 µs': percentile(handOversUs, 0.5),
            'p99 µs': percentile(handOversUs, 0.99),
            'hand-overs': handOversUs.length,
          };
        },
        close: async () => {
          first.letGo();
          second.letGo();
        },
      };
    },
  };
}

export const fairHandOver: Trial = {
  name: 'hand-over on a fair lock between processes',
  engine: 'redis',
  contestants: [BARE_RELAY, ours, redisSemaphore.name, redisSemaphoreFast.name].map(contestant),
  columns: [
    { figure: 'p50 µs', digits: 0 },
    { figure: 'p99 µs', digits: 0 },
    { figure: 'hand-overs', digits: 0 },
  ],
  promises: [
    {
      text: `p50, ${ours} to ${BARE_RELAY}`,
      of: [ours, BARE_RELAY],
      value: (figureOf) => figureOf(ours, 'p50 µs') / figureOf(BARE_RELAY, 'p50 µs'),
      bound: { atMost: 1.5 },
      over: 'median',
    },
  ],
  pace: ofWaiters,
};
