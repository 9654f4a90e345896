import { systemClock } from '../../../../core/time/clock.ts';
import type { CommandOutcome, Reply } from '../../driver.ts';
import { destroyNodeRedis } from './connect-node-redis.ts';
import { openFreshNodeRedis } from './open-fresh-node-redis.ts';
import { Listening } from '../subscriptions/listening.ts';
import { commandOptionNamesOf, forgetSentTo } from './node-redis-internals.ts';
import type { NodeRedisClient, NodeRedisCommandOptions } from './node-redis-shapes.ts';
import { outcomes } from '../outcomes.ts';
import { plainly } from '../reply.ts';

/** The path of one client's commands to the server. */
interface CommandPath {
  readonly options: NodeRedisCommandOptions;
  readonly listening: Listening;
  /** The client itself, or a connection of our own in its place while the client's is dead. */
  through: NodeRedisClient;
  /** Since when this connection carries commands, as far as the driver has seen. */
  since: number;
  isInDoubt: boolean;
}

/** The events of a connection that stands in for the user's. */
export interface StandInEvents {
  readonly reconnected: () => void;
  /** Called with each of its errors: the user's client does not emit them. */
  readonly failed?: (error: unknown) => void;
}

/** The node-redis clients that carry the commands of a driver, and the path of each. */
export class NodeRedisConnections {
  readonly #paths = new Map<NodeRedisClient, CommandPath>();

  send(client: NodeRedisClient, command: readonly string[]): Promise<Reply> {
    const { through, options } = this.pathOf(client);
    return plainly(command, through.sendCommand(command, options));
  }

  /** Whether a command for `client` leaves at once. Asks the connection that carries it, which may stand in for the client's. */
  isUp(client: NodeRedisClient): boolean {
    return (this.#paths.get(client)?.through ?? client).isReady;
  }

  /**
   * Sends commands back to back on one connection.
   *
   * The chain keeps them there. Without it, commands that are still in the client's queue when the connection breaks leave on
   * the next one, where a WAIT counts the replicas of other writes, perhaps of another server.
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
   * Opens a connection to replace one that has not answered for `unansweredMs`. The server answers on the new one, so the old
   * connection is dead. Undefined if the server answers no connection, or if the unanswered command went over an earlier one.
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
   * Sends the commands for `client` over a connection of our own, until the client has reconnected. The tempting alternative
   * is to make the client reconnect: it has no call for that but `destroy`, which rejects all that its user has in flight.
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
    // Version 5 may write a command to a connection that has just ended. On the next connection it would match the first reply
    // to that command, and so on: every command would get the reply of another.
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
 * Switches off all that the client does with the commands of its user. Its time limit is a timer for each command, which
 * costs more than the command, and the engine has its own; a mapping of types is for the user's replies only.
 *
 * Names only the options that are set: the client merges these options into its own for each command, and a new name makes
 * that three times as slow.
 */
function plainOptionsFor(client: NodeRedisClient): NodeRedisCommandOptions {
  const options: Record<string, undefined> = { timeout: undefined };
  for (const name of commandOptionNamesOf(client)) options[name] = undefined;
  return options;
}

/** Closes the stand-in, and returns to the client itself. */
function dismiss(path: CommandPath, client: NodeRedisClient): void {
  if (path.through !== client) destroyNodeRedis(path.through);
  path.through = client;
}
