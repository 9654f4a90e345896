import type { Outcome, Reply } from '../driver.ts';
import { commandOptionNamesOf } from './node-redis-insides.ts';
import type { NodeRedisClient, NodeRedisCommandOptions } from './node-redis-shapes.ts';
import { outcomes } from './outcomes.ts';
import { plainly } from './reply.ts';

const optionsByClient = new WeakMap<NodeRedisClient, NodeRedisCommandOptions>();

export function sendOn(client: NodeRedisClient, command: readonly string[]): Promise<Reply> {
  return plainly(command, client.sendCommand(command, optionsFor(client)));
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
  const options = { ...optionsFor(client), chainId: Symbol('together') };
  return outcomes(commands.map((command) => client.sendCommand(command, options)));
}

export function addressOf(client: NodeRedisClient): string {
  const { host = 'localhost', port = 6379, path } = client.options?.socket ?? {};
  return path ?? `${host}:${port}`;
}

/**
 * Everything off that the client does with commands of its user. Its time limit is a timer for each command, which costs
 * more than the command, and the engine has its own; a mapping of types is for the user's eyes.
 *
 * Only what is set is switched off: the client merges these options into its own for each command, and a name that is not
 * among them makes that three times as slow.
 */
function optionsFor(client: NodeRedisClient): NodeRedisCommandOptions {
  const known = optionsByClient.get(client);
  if (known !== undefined) return known;
  const names = new Set(['timeout', ...commandOptionNamesOf(client)]);
  const options = Object.fromEntries([...names].map((name) => [name, undefined]));
  optionsByClient.set(client, options);
  return options;
}
