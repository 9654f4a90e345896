import { checkFunction } from '../core/arguments.ts';
import { timeoutError } from '../core/acquire/wait.ts';
import { AcquireTimeoutError, type ErrorSubject, LeaseLostError } from '../spi/errors.ts';
import { asPromise, type MaybeAsync, isPending, type Pending, mapAnswer } from '../spi/maybe-async.ts';
import type { Acquirable, HoldOptions } from '../spi/synchronizers.ts';
import type { Granted } from '../spi/verbs/holding.ts';
import { type GrantHold, releaseQuietly } from './hold.ts';

/** The three ways to hold something, over the one way to get in that each primitive has. */
export abstract class HoldAcquirable<
  O extends HoldOptions,
  G extends Granted,
  H extends GrantHold<G>,
> implements Acquirable<O, H> {
  abstract readonly name: string;
  protected abstract readonly subject: ErrorSubject;

  /** Null if a single attempt was all that was wanted and it was refused. `forRun` says that a section follows. */
  protected abstract enter(options: O | undefined, single: boolean, forRun: boolean): MaybeAsync<H | null>;

  /** Runs the section; a re-entrant primitive runs it in a scope of its own. */
  section<T>(hold: H, fn: (hold: H) => T | PromiseLike<T>): T | PromiseLike<T> {
    return fn(hold);
  }

  acquire(options?: O): Promise<H> {
    return this.take(options, false);
  }

  tryAcquire(options?: O): Promise<H | null> {
    return this.tryTake(options, false);
  }

  /** `acquire`, also for a `run` of its own or of a composed lock. */
  take(options: O | undefined, forRun: boolean): Promise<H> {
    try {
      const entered = this.enter(options, false, forRun);
      if (!isPending(entered)) return this.#heldOrTimeout(entered).asPromise();
      // Who has no patience may be refused; nobody else, and they are spared one more step.
      return options?.timeoutMs === 0 ? this.#heldWhenIn(entered) : asPromise(entered as Pending<H>);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryTake(options: O | undefined, forRun: boolean): Promise<H | null> {
    try {
      return await asPromise(this.enter(options, true, forRun));
    } catch (error) {
      if (error instanceof AcquireTimeoutError) return null;
      throw error;
    }
  }

  #heldWhenIn(entering: Pending<H | null>): Promise<H> {
    return asPromise(mapAnswer(entering, (hold) => this.#heldOrTimeout(hold)));
  }

  #heldOrTimeout(hold: H | null): H {
    if (hold === null) throw timeoutError(this.subject, 0);
    return hold;
  }

  async run<T>(fn: (hold: H) => T | PromiseLike<T>, options?: O): Promise<T> {
    checkFunction(fn, this.subject);
    const hold = await this.take(options, true);
    let result: T;
    try {
      result = await this.section(hold, fn);
    } catch (error) {
      await releaseQuietly(hold);
      throw error;
    }
    await releaseAfterSuccess(hold);
    return result;
  }
}

/**
 * The work is done. A lost hold is an error, because the work may not have been alone; a release that did not reach the store
 * is not: the caller would repeat work that succeeded, and the lease ends by itself.
 */
async function releaseAfterSuccess(hold: GrantHold): Promise<void> {
  try {
    await hold.release();
  } catch (error) {
    if (error instanceof LeaseLostError) throw error;
    const { client, kind, name } = hold.grant.resource;
    client.events.trouble.emit({ kind, name, engine: client.label, error });
  }
}
