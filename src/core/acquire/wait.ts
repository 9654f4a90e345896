import type { ErrorSubject } from '../../spi/errors.ts';
import { isPending, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { Owing } from '../../spi/verbs/holding.ts';
import type { Client } from '../client.ts';
import { StepAwaiter } from './awaited-step.ts';
import { Contact } from './contact.ts';
import { mayHaveLeftSomething } from './store-full-error.ts';
import { throwIfOver, type WaitLimit } from './wait-limit.ts';

/** How one attempt went: granted, or to be repeated after `againInMs` unless a wake-up comes before. */
export type Attempt<T> =
  | { readonly kind: 'in'; readonly value: T }
  | { readonly kind: 'out'; readonly againInMs: number; readonly behind?: Owing | undefined };

/** One owner's turn at a synchronizer: how to try, how to watch, how to leave without a trace. */
export interface Turn<T> {
  readonly subject: ErrorSubject;
  attempt(): MaybeAsync<Attempt<T>>;
  watch(heard: () => void): MaybeAsync<Unwatch>;
  /** Whether the store has answered that this owner must wait: before, the owner is a newcomer. */
  readonly isWaiting?: boolean;
  /** After giving up: leaves the queue and gives back what an attempt still under way may bring. */
  withdraw(why: unknown): MaybeAsync<unknown>;
}

/** A pause before the first attempt, for waiters of other clients. A wake-up ends it: one of them has come and gone. */
export interface YieldPause {
  readonly ms: number;
  /** Another client has made use of it: was heard to release, or was in when the pause was over. */
  used: boolean;
}

/**
 * The only wait loop there is: watch, try, sleep until something is heard or could have changed by itself.
 *
 * Watching comes before trying. The other order loses the wake-up of a release that happens between a refused try and
 * the watch, and the waiter sleeps on beside a free lock. The same race has a second door: a wake-up that arrives while
 * a try is under way, decided before the release but answered after it. `heard` therefore outlives the try.
 */
export function waitFor<T>(
  client: Client,
  turn: Turn<T>,
  waitLimit: WaitLimit,
  pause?: YieldPause,
  contact = new Contact(false),
): Promise<T> {
  const waiting = watchAndTry(client, turn, waitLimit, pause, contact);
  // Closing waits for it, and so for the withdrawal that it ends with.
  client.background(waiting);
  return waiting;
}

async function watchAndTry<T>(
  client: Client,
  turn: Turn<T>,
  waitLimit: WaitLimit,
  pause: YieldPause | undefined,
  contact: Contact,
): Promise<T> {
  const wait = new StepAwaiter(client, turn.subject, waitLimit, contact);
  let watching: MaybeAsync<Unwatch> | undefined;
  try {
    // It may have aborted while the caller was on its way here: nothing would wake it any more.
    waitLimit.signal?.throwIfAborted();
    watching = turn.watch(wait.hear);
    await wait.outcomeOf(watching, false);
    if (pause !== undefined) {
      await wait.sleep(pause.ms);
      pause.used = wait.heard;
      throwIfOver(client, turn.subject, waitLimit, contact);
    }
    for (;;) {
      wait.heard = false;
      let attempt: Attempt<T>;
      try {
        attempt = await wait.outcomeOf(turn.attempt(), true);
      } catch (error) {
        attempt = wait.outWhileFull(turn, error);
      }
      if (attempt.kind === 'in') return attempt.value;
      if (pause !== undefined) pause.used = true;
      if (!wait.heard) await wait.sleep(attempt.againInMs);
      throwIfOver(client, turn.subject, waitLimit, contact);
    }
  } catch (error) {
    // An attempt may still be under way, or have been granted without our knowing: settled by a write, never by a read.
    if (turn.isWaiting === true || mayHaveLeftSomething(error)) client.background(turn.withdraw(error));
    throw error;
  } finally {
    // Also if it was given up while the watch was only being begun: nothing else would ever end it.
    if (isPending(watching)) client.background(watching.then((unwatch) => unwatch()));
    else watching?.();
    wait.end();
  }
}
