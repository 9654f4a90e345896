import type { ErrorSubject } from '../../spi/errors.ts';
import { isPending, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { Owing } from '../../spi/verbs/holding.ts';
import type { Client } from '../client.ts';
import { StepAwaiter } from './awaited-step.ts';
import { Contact } from './contact.ts';
import { mayHaveLeftSomething } from '../failures/store-full-error.ts';
import { throwIfOver, type WaitLimit } from './wait-limit.ts';

/** The first watch of a client opens a connection, which takes so long on a busy machine: a watch is late after that. */
const OPENING_MS = 100;
/** How often a waiter tries, at least, whose watch is late. */
const LONGEST_BETWEEN_MS = 500;

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
    const early = await tryUntilWatched(wait, turn, watching, pause);
    if (early?.kind === 'in') return early.value;
    if (pause !== undefined && early === undefined) {
      await wait.sleep(pause.ms);
      pause.used = wait.heard;
      throwIfOver(client, turn.subject, waitLimit, contact);
    }
    for (;;) {
      const attempt = await tryOnce(wait, turn, pause);
      if (attempt.kind === 'in') return attempt.value;
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

async function tryOnce<T>(
  wait: StepAwaiter,
  turn: Turn<T>,
  pause: YieldPause | undefined,
): Promise<Attempt<T>> {
  wait.heard = false;
  let attempt: Attempt<T>;
  try {
    attempt = await wait.outcomeOf(turn.attempt(), true);
  } catch (error) {
    attempt = wait.outWhileFull(turn, error);
  }
  if (attempt.kind === 'out' && pause !== undefined) pause.used = true;
  return attempt;
}

/**
 * Awaits the watch, and tries meanwhile if the watch is late. Answers the last attempt that the waiter has made, if any: it is in,
 * or has to try again now that it hears of every change.
 *
 * The tempting alternative tries nothing before the watch stands. At the end of its time such a waiter knows nothing of the store
 * but that a watch is not answered. To call that an outage is wrong of a store that answers every attempt while the first watch of
 * a client opens a connection, to call it contention is wrong of a store that has fallen silent, and in both cases the waiter
 * sleeps beside a lock that has become free.
 */
async function tryUntilWatched<T>(
  wait: StepAwaiter,
  turn: Turn<T>,
  watching: MaybeAsync<Unwatch>,
  pause: YieldPause | undefined,
): Promise<Attempt<T> | undefined> {
  if (!isPending(watching)) return undefined;
  const watch = wait.begin(watching, false);
  let attempt: Attempt<T> | undefined;
  // An attempt before the end of the pause would not yield to others.
  for (
    let againInMs = OPENING_MS + (pause?.ms ?? 0);
    !(await wait.settles(watch, againInMs));
    againInMs = Math.min(2 * againInMs, LONGEST_BETWEEN_MS)
  ) {
    attempt = await tryOnce(wait, turn, pause);
    if (attempt.kind === 'in') return attempt;
  }
  wait.take(watch);
  return attempt;
}
