import type { Outcome, Reply } from '../driver.ts';
import type { NodeRedisClient, NodeRedisCommandOptions } from './node-redis-shapes.ts';
import { outcomes } from './outcomes.ts';
import { plainly } from './reply.ts';

/**
 * The client's own time limit is off: it makes a timer for each command, which costs more than the command, and the
 * engine has its own. The user's mapping of types is off too: we read the replies, not they.
 */
export const commandOptions: NodeRedisCommandOptions = {
  timeout: undefined,
  typeMapping: undefined,
  abortSignal: undefined,
  asap: false,
  chainId: undefined,
};

export function sendOn(client: NodeRedisClient, command: readonly string[]): Promise<Reply> {
  return plainly(command, client.sendCommand(command, commandOptions));
}

/**
 * Sends commands right behind each other on the connection of one client.
 *
 * The chain is what keeps them on *one* connection. Without it, commands that are still in the client's queue when the
 * connection breaks go out on the next one, where a WAIT speaks of other writes, perhaps of another server's.
 */
export function sendTogetherOn(
  client: NodeRedisClient,
  commands: readonly (readonly string[])[],
): Promise<readonly Outcome[]> {
  const options = { ...commandOptions, chainId: Symbol('together') };
  return outcomes(commands.map((command) => client.sendCommand(command, options)));
}

export function addressOf(client: NodeRedisClient): string {
  const { host = 'localhost', port = 6379, path } = client.options?.socket ?? {};
  return path ?? `${host}:${port}`;
}
