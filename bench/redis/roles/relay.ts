import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { connect } from '../connections.ts';
import { libraryOf } from '../libraries/index.ts';
import type { Release } from '../library.ts';
import { monotonicUs } from '../monotonic.ts';
import { fairLockAcquireCall, fairLockReleaseCall, loadScripts } from '../script-calls.ts';

/** One of two processes: the first holds something and lets it go, the second waits for that. */
interface RelayEnd {
  hold(): Promise<void>;
  /** Returns when it has asked. */
  ask(): Promise<void>;
  /** Lets go after a while, and tells when. */
  letGo(afterMs: number): Promise<number>;
  /** When it was let in. */
  entered(): Promise<number>;
  giveBack(): Promise<void>;
}

/** Stands for a message and a script call of the bare client, where other contestants have the name of a library. */
export const BARE_RELAY = 'PUBLISH and then EVALSHA';

const NAME = 'relay';

export async function relay(library: string, port: number): Promise<RelayEnd> {
  if (library === BARE_RELAY) return bareRelay(port);
  const locker = await libraryOf(library).open(port);
  let release: Release | undefined;
  let entering: Promise<number> | undefined;
  const enter = async (): Promise<number> => {
    release = await locker.acquire(NAME);
    return monotonicUs();
  };
  return {
    hold: async () => void (await enter()),
    ask: async () => void (entering = enter()),
    letGo: async (afterMs) => {
      await sleep(afterMs);
      const sinceUs = monotonicUs();
      await release?.();
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => void (await release?.()),
  };
}

/** The least that a hand-over can be made of: one message to the other process, and one call from there. */
async function bareRelay(port: number): Promise<RelayEnd> {
  const connection = await connect['ioredis 5'](port);
  const { send } = connection;
  const acquire = fairLockAcquireCall(NAME);
  const release = fairLockReleaseCall(NAME);
  await loadScripts(connection, [acquire, release]);
  const subscriber = new Redis(port);
  await subscriber.subscribe(NAME);
  let entering: Promise<number> | undefined;
  return {
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
