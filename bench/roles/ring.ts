import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicUs } from '../monotonic.ts';

/** Where one process stands in the ring. */
export interface RingPlace {
  readonly place: number;
  readonly places: number;
  readonly untilUs: number;
}

/** One of several processes that pass a message round, and do nothing else. */
export async function ring(_library: string, port: number) {
  const { Redis } = await import('ioredis');
  const subscriber = new Redis(port);
  const client = new Redis(port);
  let passed = 0;
  return {
    /** Returns when it can hear the one before it. */
    stand: async ({ place, places, untilUs }: RingPlace): Promise<void> => {
      await subscriber.unsubscribe();
      subscriber.removeAllListeners('message');
      passed = 0;
      subscriber.on('message', () => {
        if (monotonicUs() >= untilUs) return;
        passed += 1;
        void client.publish(`ring ${(place + 1) % places}`, '0');
      });
      await subscriber.subscribe(`ring ${place}`);
    },

    /** How often the message has come by when the time is over. */
    passed: async (untilUs: number): Promise<number> => {
      await sleep(Math.max(0, (untilUs - monotonicUs()) / 1000));
      return passed;
    },
  };
}
