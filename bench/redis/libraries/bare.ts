import { type ClientName, connect } from '../connections.ts';
import type { Library } from '../../library.ts';
import {
  leastAcquireCall,
  leastReleaseCall,
  loadScripts,
  lockAcquireCall,
  lockReleaseCall,
  type ScriptCall,
} from '../script-calls.ts';

type CallFor = (name: string) => ScriptCall;

/** The floor: our own two scripts with arguments that were made beforehand, and nothing around them. */
export function bare(client: ClientName): Library {
  return { name: `bare scripts (${client})`, open: sending(client, lockAcquireCall, lockReleaseCall) };
}

/** What nobody can go below who shares locks with Redisson, over the client that all of the others have. */
export const leastShared: Library = {
  name: 'the least that Redisson understands',
  open: sending('ioredis 5', leastAcquireCall, leastReleaseCall),
};

function sending(client: ClientName, acquireFor: CallFor, releaseFor: CallFor): Library['open'] {
  return async (port) => {
    const connection = await connect[client](port);
    const { send } = connection;
    await loadScripts(connection, [acquireFor('bench'), releaseFor('bench')]);
    const commands = new Map<string, readonly [acquire: readonly string[], release: readonly string[]]>();
    const commandsOf = (name: string) => {
      const known = commands.get(name);
      if (known !== undefined) return known;
      const made = [acquireFor(name).command, releaseFor(name).command] as const;
      commands.set(name, made);
      return made;
    };
    return {
      loop: async (name, pairs) => {
        const [acquire, release] = commandsOf(name);
        for (let done = 0; done < pairs; done += 1) {
          await send(acquire);
          await send(release);
        }
      },
      acquire: async (name) => {
        const [acquire, release] = commandsOf(name);
        await send(acquire);
        return () => send(release);
      },
      close: async () => connection.close(),
    };
  };
}
