import { explainedFor, SharedFailure } from '../../../kernels/requests/shared-failure.ts';
import { inTime } from '../../../core/async/in-time.ts';
import type { Clock } from '../../../spi/clock.ts';
import { EngineError, type ErrorSubject } from '../../../spi/errors.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import type { RedisDriver, RedisNode } from '../driver.ts';
import { explained, isFinal } from '../requests/server-errors.ts';
import { isError } from '../../../spi/is-error.ts';

/** Whether messages travel to all servers of a cluster, or only through the shard that owns the channel. */
export type PubSub =
  | { readonly publish: 'PUBLISH'; readonly subscribe: 'channel' }
  | { readonly publish: 'SPUBLISH'; readonly subscribe: 'shard' };

const PLAIN: PubSub = { publish: 'PUBLISH', subscribe: 'channel' };
const SHARDED: PubSub = { publish: 'SPUBLISH', subscribe: 'shard' };

/** The user's choice. */
export type PubSubOption = 'auto' | 'plain' | 'sharded';

export interface PubSubModeOptions {
  readonly driver: RedisDriver;
  readonly option: PubSubOption;
  readonly clock: Clock;
  /** How long one server may take to answer before the next is asked. */
  readonly timeoutMs: number;
}

/**
 * Decides between plain and sharded messages. A subscriber of one kind does not receive the other, so the choice must be
 * Redisson's on the same servers: sharded in a cluster that supports it, plain everywhere else.
 */
export class PubSubMode {
  /** Undefined until the servers have answered. */
  known: PubSub | undefined;
  readonly #options: PubSubModeOptions;
  #learning: Promise<PubSub> | undefined;

  constructor(options: PubSubModeOptions) {
    this.#options = options;
    const { driver, option } = options;
    if (option === 'plain' || (option === 'auto' && driver.topology !== 'cluster')) this.known = PLAIN;
    else if (option === 'sharded') this.known = SHARDED;
  }

  /** Learns the mode at the first call. Concurrent callers share one request, and each gets a failure for its own subject. */
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
      // A silent server says nothing about the others.
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
    // A final answer, for example that the server takes no more connections, explains more than the absence of one.
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
    // A server without the subcommand replies with such an error; any other error is no answer.
    if (isError(error) && /unknown|syntax|wrong number/i.test(error.message)) return PLAIN;
    throw error;
  }
}
