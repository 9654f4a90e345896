import { type Eventually } from '../../spi/eventually.ts';
import type { RedisDriver } from './driver.ts';

/** Whether messages go to all servers of a cluster or only through the shard that owns the channel. */
export type PubSub =
  | { readonly publish: 'PUBLISH'; readonly subscribe: 'channel' }
  | { readonly publish: 'SPUBLISH'; readonly subscribe: 'shard' };

const PLAIN: PubSub = { publish: 'PUBLISH', subscribe: 'channel' };
const SHARDED: PubSub = { publish: 'SPUBLISH', subscribe: 'shard' };

/** What the user may force. */
export type PubSubOption = 'auto' | 'plain' | 'sharded';

/**
 * Which of the two is used. Messages of one are not heard by the other, so it must be what Redisson uses on the same
 * servers: sharded in a cluster that knows it, plain everywhere else.
 */
export class PubSubMode {
  /** Undefined until it is known. */
  known: PubSub | undefined;
  readonly #driver: RedisDriver;
  #learning: Promise<PubSub> | undefined;

  constructor(driver: RedisDriver, option: PubSubOption) {
    this.#driver = driver;
    if (option === 'plain' || (option === 'auto' && driver.topology !== 'cluster')) this.known = PLAIN;
    else if (option === 'sharded') this.known = SHARDED;
  }

  get(): Eventually<PubSub> {
    return this.known ?? (this.#learning ??= this.#learn());
  }

  async #learn(): Promise<PubSub> {
    try {
      const [first] = await this.#driver.masters();
      if (first === undefined) throw new Error('the cluster has no master');
      this.known = await supported(first.send(['PUBSUB', 'SHARDNUMSUB', 'holdfast']));
      return this.known;
    } finally {
      this.#learning = undefined;
    }
  }
}

async function supported(probe: Promise<unknown>): Promise<PubSub> {
  try {
    await probe;
    return SHARDED;
  } catch (error) {
    // A server that does not know the word says so; any other trouble is no answer.
    if (error instanceof Error && /unknown|syntax|wrong number/i.test(error.message)) return PLAIN;
    throw error;
  }
}
