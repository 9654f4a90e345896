import { EngineError } from '../../../../spi/errors.ts';
import type { CommandOutcome, Reply } from '../../driver.ts';
import { keySlot } from './key-slot.ts';
import { isAnswer, redirectOf } from './redirect.ts';

/** The most redirects to follow. One is the rule; more happen only while the cluster is changing. */
const REDIRECTS = 5;

type RedisCommand = readonly string[];

/** A cluster as its client shows it: the owner of each slot, and a client for each server. */
export interface ClusterMap<C> {
  /** The client of the master of a slot, if it is ready. */
  ownerOf(slot: number): C | undefined;
  /** Connects to the master of a slot if needed; undefined if no owner is known. */
  findOwner(slot: number): Promise<C | undefined>;
  findAt(address: string): Promise<C | undefined>;
  /** Asks the cluster for the owners of all slots. */
  refresh(): Promise<void>;
  send(client: C, command: RedisCommand): Promise<Reply>;
  sendTogether(client: C, commands: readonly RedisCommand[]): Promise<readonly CommandOutcome[]>;
}

/**
 * Sends commands to the master that owns a key. The tempting alternative is the routing of the cluster clients: each sends
 * commands without a key in its own way, to any server or to all, and a WAIT at another server than the write would be
 * answered at once.
 */
export class ClusterRouter<C> {
  readonly #map: ClusterMap<C>;

  constructor(map: ClusterMap<C>) {
    this.#map = map;
  }

  send(key: string, command: RedisCommand): Promise<Reply> {
    const owner = this.#map.ownerOf(keySlot(key));
    if (owner === undefined) return this.#sendAlone(key, command);
    return this.#map.send(owner, command).catch((error: unknown) => {
      if (redirectOf(error) !== undefined) return this.#sendAlone(key, command);
      this.#refreshUnlessAnswered(error);
      throw error;
    });
  }

  /** Follows a redirect of the first command with all of them: nothing has been carried out then. */
  async sendTogether(key: string, commands: readonly RedisCommand[]): Promise<readonly CommandOutcome[]> {
    const slot = keySlot(key);
    let client = this.#map.ownerOf(slot) ?? (await this.#findOwner(slot));
    let asking = false;
    for (let left = REDIRECTS; ; left -= 1) {
      const outcomes = await (asking
        ? this.#ask(client, commands)
        : this.#map.sendTogether(client, commands));
      const first = outcomes[0];
      const error = first !== undefined && 'error' in first ? first.error : undefined;
      const redirect = redirectOf(error);
      if (redirect === undefined || left === 0) {
        if (error !== undefined) this.#refreshUnlessAnswered(error);
        return outcomes;
      }
      if (redirect.kind === 'moved') await this.#map.refresh().catch(() => undefined);
      client = (await this.#map.findAt(redirect.address)) ?? (await this.#findOwner(slot));
      asking = redirect.kind === 'ask';
    }
  }

  async #sendAlone(key: string, command: RedisCommand): Promise<Reply> {
    const [outcome] = await this.sendTogether(key, [command]);
    if (outcome !== undefined && 'reply' in outcome) return outcome.reply;
    throw outcome?.error;
  }

  async #ask(client: C, commands: readonly RedisCommand[]): Promise<readonly CommandOutcome[]> {
    const asked = commands.flatMap((command) => [['ASKING'], command]);
    return (await this.#map.sendTogether(client, asked)).filter((_outcome, i) => i % 2 === 1);
  }

  async #findOwner(slot: number): Promise<C> {
    const owner = await this.#map.findOwner(slot);
    if (owner !== undefined) return owner;
    await this.#map.refresh();
    const found = await this.#map.findOwner(slot);
    if (found !== undefined) return found;
    throw new EngineError(
      `redis: no server of the cluster is known to own slot ${slot}. Check that the cluster is whole, then try again.`,
      { resource: 'cluster', engine: 'redis' },
      { retryable: true },
    );
  }

  /** Refreshes the owners after a broken connection: only the other servers know a new master in its place. */
  #refreshUnlessAnswered(cause: unknown): void {
    if (!isAnswer(cause)) void this.#map.refresh().catch(() => undefined);
  }
}
