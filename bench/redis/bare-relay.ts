import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { monotonicUs } from '../monotonic.ts';
import type { RelayEnd } from '../relay-end.ts';
import { connect } from './connections.ts';
import { fairLockAcquireCall, fairLockReleaseCall, loadScripts } from './script-calls.ts';

export const BARE_RELAY = 'PUBLISH and then EVALSHA';

const NAME = 'relay';
/** As often as the others before they are measured. */
const WARM_UP = 1000;

/** The least that a hand-over can be made of: one message to the other process, and one call from there. */
export async function bareRelay(port: number): Promise<RelayEnd> {
  const connection = await connect['ioredis 5'](port);
  const { send } = connection;
  const acquire = fairLockAcquireCall(NAME);
  const release = fairLockReleaseCall(NAME);
  await loadScripts(connection, [acquire, release]);
  const subscriber = new Redis(port);
  await subscriber.subscribe(NAME);
  let entering: Promise<number> | undefined;
  return {
    warmUp: async () => {
      for (let done = 0; done < WARM_UP; done += 1) {
        await send(acquire.command);
        await send(release.command);
      }
    },
    hold: async () => undefined,
    ask: async () => {
      entering = new Promise((resolve, reject) => {
        subscriber.once('message', () => {
          send(acquire.command).then(() => resolve(monotonicUs()), reject);
        });
      });
    },
    letGo: async (afterMs) => {
      await sleep(afterMs);
      const sinceUs = monotonicUs();
      await send(['PUBLISH', NAME, '0']);
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => void (await send(release.command)),
  };
}
