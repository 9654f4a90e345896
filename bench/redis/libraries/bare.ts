import { memoized } from '../../memoized.ts';
import { type ClientName, connect } from '../connections.ts';
import type { Library } from '../../library.ts';
import {
  leastAcquireCall,
  leastReleaseCall,
  loadScripts,
  lockAcquireCall,
  lockReleaseCall,
  ownerAt,
  type ScriptCall,
} from '../script-calls.ts';

type CallFor = (name: string, owner?: string) => ScriptCall;
type Pair = readonly [acquire: readonly string[], release: readonly string[]];

/**
 * A lock has another owner each time it is taken. With always the same one the floor would be something that no lock can
 * do: the server finds a string that it has kept from the last script, and never makes one.
 */
const OWNERS = 256;

/** The floor: our own two scripts with arguments that were made beforehand, and nothing around them. */
export function bare(client: ClientName): Library {
  return { name: `bare scripts (${client})`, open: sending(client, lockAcquireCall, lockReleaseCall) };
}

/** The least for any library that shares locks with Redisson, over the client that all of the others use. */
export const leastShared: Library = {
  name: 'the least that Redisson understands',
  open: sending('ioredis 5', leastAcquireCall, leastReleaseCall),
};

function sending(client: ClientName, acquireFor: CallFor, releaseFor: CallFor): Library['open'] {
  return async (port) => {
    const connection = await connect[client](port);
    const { send } = connection;
    await loadScripts(connection, [acquireFor('bench'), releaseFor('bench')]);
    const pairsOf = memoized((name) =>
      Array.from({ length: OWNERS }, (_, turn): Pair => {
        const owner = ownerAt(turn);
        return [acquireFor(name, owner).command, releaseFor(name, owner).command];
      }),
    );
    let turn = 0;
    const nextPair = (pairs: readonly Pair[]): Pair => pairs[(turn = (turn + 1) % OWNERS)]!;
    return {
      prepare: (name) => void pairsOf(name),
      loop: async (name, count) => {
        const pairs = pairsOf(name);
        for (let done = 0; done < count; done += 1) {
          const [acquire, release] = nextPair(pairs);
          await send(acquire);
          await send(release);
        }
      },
      acquire: async (name) => {
        const [acquire, release] = nextPair(pairsOf(name));
        await send(acquire);
        return () => send(release);
      },
      close: async () => connection.close(),
    };
  };
}
