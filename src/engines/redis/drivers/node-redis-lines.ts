import type { Outcome, Reply } from '../driver.ts';
import { Listening } from './listening.ts';
import { commandOptionNamesOf, forgetSentTo } from './node-redis-insides.ts';
import type { NodeRedisClient, NodeRedisCommandOptions } from './node-redis-shapes.ts';
import { outcomes } from './outcomes.ts';
import { plainly } from './reply.ts';

interface Line {
  readonly options: NodeRedisCommandOptions;
  readonly listening: Listening;
}

/** The node-redis clients that commands of a driver go through, and what each of them needs for that. */
export class NodeRedisLines {
  readonly #lines = new Map<NodeRedisClient, Line>();

  send(client: NodeRedisClient, command: readonly string[]): Promise<Reply> {
    return plainly(command, client.sendCommand(command, this.#lineOf(client).options));
  }

  /**
   * Sends commands right behind each other on one connection.
   *
   * The chain is what keeps them there. Without it, commands that are still in the client's queue when the connection
   * breaks go out on the next one, where a WAIT speaks of other writes, perhaps of another server's.
   */
  sendTogether(
    client: NodeRedisClient,
    commands: readonly (readonly string[])[],
  ): Promise<readonly Outcome[]> {
    const options = { ...this.#lineOf(client).options, chainId: Symbol('together') };
    return outcomes(commands.map((command) => client.sendCommand(command, options)));
  }

  close(): void {
    for (const { listening } of this.#lines.values()) listening.stopAll();
    this.#lines.clear();
  }

  #lineOf(client: NodeRedisClient): Line {
    return this.#lines.get(client) ?? this.#newLine(client);
  }

  #newLine(client: NodeRedisClient): Line {
    const line: Line = { options: plainOptionsFor(client), listening: new Listening(client) };
    this.#lines.set(client, line);
    // Version 5 may write a command to a connection that has just ended. On the next one it would take the first reply
    // for that command's, and so on: every command gets the reply of another.
    line.listening.on('connect', () => forgetSentTo(client));
    line.listening.on('end', () => {
      line.listening.stopAll();
      this.#lines.delete(client);
    });
    return line;
  }
}

/**
 * Everything off that the client does with commands of its user. Its time limit is a timer for each command, which costs
 * more than the command, and the engine has its own; a mapping of types is for the user's eyes.
 *
 * Only what is set is switched off: the client merges these options into its own for each command, and a name that is not
 * among them makes that three times as slow.
 */
function plainOptionsFor(client: NodeRedisClient): NodeRedisCommandOptions {
  const names = new Set(['timeout', ...commandOptionNamesOf(client)]);
  return Object.fromEntries([...names].map((name) => [name, undefined]));
}
