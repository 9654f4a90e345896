import { explainedFor, SharedFailure } from '../../../kernels/requests/shared-failure.ts';
import { inTime } from '../../../core/async/in-time.ts';
import type { Clock } from '../../../spi/clock.ts';
import { EngineError, type ErrorSubject } from '../../../spi/errors.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { RedisDriver, RedisNode } from '../driver.ts';
import { explained, isFinal } from '../requests/server-errors.ts';

/** Whether messages go to all servers of a cluster or only through the shard that owns the channel. */
export type PubSub =
  | { readonly publish: 'PUBLISH'; readonly subscribe: 'channel' }
  | { readonly publish: 'SPUBLISH'; readonly subscribe: 'shard' };

const PLAIN: PubSub = { publish: 'PUBLISH', subscribe: 'channel' };
const SHARDED: PubSub = { publish: 'SPUBLISH', subscribe: 'shard' };

/** What the user may force. */
export type PubSubOption = 'auto' | 'plain' | 'sharded';

export interface PubSubModeOptions {
  readonly driver: RedisDriver;
  readonly option: PubSubOption;
  readonly clock: Clock;
  /** How long one server may take to answer before the next one is asked. */
  readonly timeoutMs: number;
}

/**
 * Which of the two is used. Messages of one are not heard by the other, so it must be what Redisson uses on the same
 * servers: sharded in a cluster that knows it, plain everywhere else.
 */
export class PubSubMode {
  /** Undefined until it is known. */
  known: PubSub | undefined;
  readonly #options: PubSubModeOptions;
  #learning: Promise<PubSub> | undefined;

  constructor(options: PubSubModeOptions) {
    this.#options = options;
    const { driver, option } = options;
    if (option === 'plain' || (option === 'auto' && driver.topology !== 'cluster')) this.known = PLAIN;
    else if (option === 'sharded') this.known = SHARDED;
  }

  /** Those who ask at the same time share the look, and each is told a failure for its own subject. */
  get(subject = ofEngine): MaybeAsync<PubSub> {
    return this.known ?? this.#learnFor(subject);
  }

  async #learnFor(subject: () => ErrorSubject): Promise<PubSub> {
    try {
      return await (this.#learning ??= this.#learn());
    } catch (error) {
      throw explainedFor(subject(), error);
    }
  }

  async #learn(): Promise<PubSub> {
    const { driver, clock, timeoutMs } = this.#options;
    let cause: unknown;
    try {
      // One server that does not answer says nothing about the others.
      for (const master of await inTime(clock, driver.findMasters(), timeoutMs)) {
        try {
          this.known = await inTime(clock, askSupport(master), timeoutMs);
          return this.known;
        } catch (error) {
          cause = error;
        }
      }
    } catch (error) {
      cause = error;
    } finally {
      this.#learning = undefined;
    }
    // A server that has answered, for example that it takes no more connections, says more than that none has told.
    throw new SharedFailure((subject) =>
      isFinal(cause, driver.topology)
        ? explained(cause, subject, driver.topology)
        : new EngineError(
            `${subject.resource}: no server of the cluster said whether it supports sharded messages; nothing was done. Check that the cluster can be reached, then try again.`,
            subject,
            { cause, retryable: true },
          ),
    );
  }
}

function ofEngine(): ErrorSubject {
  return { resource: 'redis()', engine: 'redis' };
}

async function askSupport(server: RedisNode): Promise<PubSub> {
  try {
    await server.send(['PUBSUB', 'SHARDNUMSUB', 'holdfast']);
    return SHARDED;
  } catch (error) {
    // A server that does not know the word says so; any other trouble is no answer.
    if (error instanceof Error && /unknown|syntax|wrong number/i.test(error.message)) return PLAIN;
    throw error;
  }
}
