import { type ClientName, connect } from '../connections.ts';
import type { Library } from '../../library.ts';
import { loadScripts, lockAcquireCall, lockReleaseCall } from '../script-calls.ts';

/** The floor: our own two scripts with arguments that were made beforehand, and nothing around them. */
export function bare(client: ClientName): Library {
  return {
    name: `bare scripts (${client})`,
    open: async (port) => {
      const connection = await connect[client](port);
      const { send } = connection;
      await loadScripts(connection, [lockAcquireCall('bench'), lockReleaseCall('bench')]);
      const commands = new Map<string, readonly [acquire: readonly string[], release: readonly string[]]>();
      const commandsOf = (name: string) => {
        const known = commands.get(name);
        if (known !== undefined) return known;
        const made = [lockAcquireCall(name).command, lockReleaseCall(name).command] as const;
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
    },
  };
}
