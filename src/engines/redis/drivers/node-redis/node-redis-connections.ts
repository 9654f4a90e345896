import { systemClock } from '../../../../core/time/clock.ts';
import type { CommandOutcome, Reply } from '../../driver.ts';
import { destroyNodeRedis } from './connect-node-redis.ts';
import { openFreshNodeRedis } from '../fresh-node-redis.ts';
import { Listening } from '../subscriptions/listening.ts';
import { commandOptionNamesOf, forgetSentTo } from './node-redis-internals.ts';
import type { NodeRedisClient, NodeRedisCommandOptions } from './node-redis-shapes.ts';
import { outcomes } from '../outcomes.ts';
import { plainly } from '../reply.ts';

/** How commands for one client reach the server. */
interface CommandPath {
  readonly options: NodeRedisCommandOptions;
  readonly listening: Listening;
  /** The client itself, or a connection of our own in its place while that of the client is silent. */
  through: NodeRedisClient;
  /** Since when commands go over this connection, as far as we have seen. */
  since: number;
  isInDoubt: boolean;
}

/** What becomes of a connection that stands in for one of the user's. */
export interface StandInEvents {
  readonly reconnected: () => void;
  /** Called with each of its errors: the user's client does not know them. */
  readonly failed?: (error: unknown) => void;
}

/** The node-redis clients that commands of a driver go through, and what each of them needs for that. */
export class NodeRedisConnections {
  readonly #paths = new Map<NodeRedisClient, CommandPath>();

  send(client: NodeRedisClient, command: readonly string[]): Promise<Reply> {
    const { through, options } = this.pathOf(client);
    return plainly(command, through.sendCommand(command, options));
  }

  /** Whether what is for `client` leaves at once: asked of the connection that carries it, which may stand in for the client's. */
  isUp(client: NodeRedisClient): boolean {
    return (this.#paths.get(client)?.through ?? client).isReady;
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
  ): Promise<readonly CommandOutcome[]> {
    const path = this.pathOf(client);
    const options = { ...path.options, chainId: Symbol('together') };
    return outcomes(commands.map((command) => path.through.sendCommand(command, options)));
  }

  /**
   * A fresh connection in the place of one that has not answered for so long: the server answers on the fresh one, so it is
   * the connection that carries nothing any more. Undefined if the server answers nobody, or if what was not answered went
   * over an earlier connection.
   */
  async openFresh(client: NodeRedisClient, unansweredMs: number): Promise<NodeRedisClient | undefined> {
    const path = this.pathOf(client);
    if (path.isInDoubt || systemClock.now() - path.since < unansweredMs) return undefined;
    path.isInDoubt = true;
    const fresh = await openFreshNodeRedis(client);
    path.isInDoubt = false;
    if (fresh === undefined || this.#paths.get(client) === path) return fresh;
    destroyNodeRedis(fresh);
    return undefined;
  }

  /**
   * Sends what is for `client` over a connection of our own, until the client has made its own anew. The tempting
   * alternative is to have the client reconnect: it has no word for that but to be destroyed, with all that its user has
   * under way on it.
   */
  standIn(client: NodeRedisClient, fresh: NodeRedisClient, { reconnected, failed }: StandInEvents): void {
    const path = this.pathOf(client);
    dismiss(path, client);
    path.through = fresh;
    path.since = systemClock.now();
    fresh.on('connect', () => forgetSentTo(fresh));
    fresh.on('error', (error: unknown) => failed?.(error));
    fresh.on('ready', () => {
      path.since = systemClock.now();
      reconnected();
    });
  }

  close(): void {
    for (const [client, path] of this.#paths) {
      path.listening.stopAll();
      dismiss(path, client);
    }
    this.#paths.clear();
  }

  pathOf(client: NodeRedisClient): CommandPath {
    return this.#paths.get(client) ?? this.#createPath(client);
  }

  #createPath(client: NodeRedisClient): CommandPath {
    const path: CommandPath = {
      options: plainOptionsFor(client),
      listening: new Listening(client),
      through: client,
      since: systemClock.now(),
      isInDoubt: false,
    };
    this.#paths.set(client, path);
    // Version 5 may write a command to a connection that has just ended. On the next one it would take the first reply
    // for that command's, and so on: every command gets the reply of another.
    path.listening.on('connect', () => forgetSentTo(client));
    path.listening.on('ready', () => {
      path.since = systemClock.now();
      dismiss(path, client);
    });
    path.listening.on('end', () => {
      path.listening.stopAll();
      dismiss(path, client);
      this.#paths.delete(client);
    });
    return path;
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

/** Goes back to the client itself. */
function dismiss(path: CommandPath, client: NodeRedisClient): void {
  if (path.through !== client) destroyNodeRedis(path.through);
  path.through = client;
}
