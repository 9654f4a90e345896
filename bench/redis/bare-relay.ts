import { holdFor } from '../hold-for.ts';
import { monotonicUs } from '../monotonic.ts';
import type { RelayEnd } from '../relay-end.ts';
import { connect } from './connections.ts';
import {
  fairLockAcquireCall,
  fairLockReleaseCall,
  loadScripts,
  lockAcquireCall,
  lockReleaseCall,
  type ScriptCall,
} from './script-calls.ts';

export const BARE_RELAY = 'PUBLISH and then EVALSHA';
export const BARE_FAIR_RELAY = 'PUBLISH and then EVALSHA of a fair lock';

const NAME = 'relay';

export function bareRelay(port: number): Promise<RelayEnd> {
  return relayOver(port, lockAcquireCall(NAME), lockReleaseCall(NAME));
}

export function bareFairRelay(port: number): Promise<RelayEnd> {
  return relayOver(port, fairLockAcquireCall(NAME), fairLockReleaseCall(NAME));
}

/** The least that a hand-over can be made of: one message to the other process, and one call from there. */
async function relayOver(port: number, acquire: ScriptCall, release: ScriptCall): Promise<RelayEnd> {
  const connection = await connect['ioredis 5'](port);
  const { send } = connection;
  await loadScripts(connection, [acquire, release]);
  const { Redis } = await import('ioredis');
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
      await holdFor(afterMs);
      const sinceUs = monotonicUs();
      await send(['PUBLISH', NAME, '0']);
      return sinceUs;
    },
    entered: async () => (await entering) ?? Number.NaN,
    giveBack: async () => void (await send(release.command)),
  };
}
