import type { Follower, Owing } from '../../spi/verbs/holding.ts';
import { Followers } from './followers.ts';

/** An answer that the store has owed for less than this part of the time-out is late by chance, and no sign of an outage. */
const CHANCE_PART = 0.25;
/** And however long the time-out is, an answer that the store has owed for so long is one. */
const LONGEST_CHANCE_MS = 1000;
/** A machine that is busy with other work may keep an answer back for so long. */
const SHORTEST_CHANCE_MS = 100;
/**
 * Silence for this part of the wait is an outage, however short the wait is. Not for the whole of it: the time of a waiter
 * begins some microseconds before the waiter stands in line and the line begins to count.
 */
const WHOLE_PART = 0.9;

/**
 * What one acquisition knows of the store: whether an attempt was ever answered, and since when an answer is owed. When its
 * time is over, this tells contention from an outage.
 *
 * The tempting rule is that an attempt which is unanswered at the end means an outage. A waiter that is woken 5 ms before
 * the end sends its last attempt then, and would report a store that has answered all the others as silent. The opposite
 * rule, that one answer proves the store alive for the whole wait, reports a lock as busy whose holder left an hour ago.
 */
export class Contact implements Owing {
  #isAnswered: boolean;
  readonly #attemptsWait: boolean;
  #owedSince: number | undefined;
  #behind: Owing | undefined;
  /** Made with the first of them. */
  #followers: Followers | undefined;
  #full: Error | undefined;

  /**
   * `attemptsWait`: the store answers an attempt only when the thing is free, or after a while. `owedSince`: what the store
   * owes already, to the others in a line of this process of which this acquisition has become the head.
   */
  constructor(isAnswered: boolean, attemptsWait = false, owedSince?: number) {
    this.#isAnswered = isAnswered;
    this.#attemptsWait = attemptsWait;
    this.#owedSince = owedSince;
  }

  /** Since when the store owes an answer; undefined while it owes none. */
  owedSince(): number | undefined {
    return this.#behind === undefined ? this.#owedSince : this.#behind.owedSince();
  }

  /** What the store refused the last attempt with for lack of room, also that of the waiter in front. */
  fullStore(): Error | undefined {
    return this.#behind === undefined ? this.#full : this.#behind.fullStore?.();
  }

  /** The store has no room for the attempt that it has answered. */
  noteFullStore(error: Error | undefined): void {
    this.#full = error;
  }

  /**
   * A request goes out. Once an attempt was answered, one that waits in the store behind a holder owes nothing.
   *
   * Nor does a watch: a waiter whose watch is late tries all the same, and those attempts tell whether the store answers. Before any
   * attempt was answered the watch is all that the waiter has asked.
   */
  noteRequest(now: number, isAttempt: boolean): void {
    const mayBeLate = !isAttempt || this.#attemptsWait;
    if (!this.#isAnswered || !mayBeLate) this.#owedSince ??= now;
    this.#behind = undefined;
    this.#followers?.followSource();
  }

  /** This one waits for the request of another waiter of its process, or for the heartbeats of its session. */
  standBehind(head: Owing): void {
    this.#behind = head;
    this.#owedSince = undefined;
    // What stands in front owes nothing, so it was answered: the thing is not free.
    if (head.owedSince() === undefined) this.#followers?.tell('busy');
    else this.#followers?.followSource();
  }

  /** Tells what the store does: the acquisition whose contact this is tells how it ends. */
  follow(follower: Follower): () => void {
    this.#followers ??= new Followers(() => this.#behind);
    const unfollow = this.#followers.add(follower);
    if (this.#isAnswered && this.owedSince() === undefined) this.#followers.tell('busy');
    return unfollow;
  }

  /**
   * The request was answered. Only the answer to an attempt says whether the thing is free. A watch says nothing: a
   * subscription that stands is answered at once by this process, while the store owes the answer to an attempt.
   */
  noteAnswer(isAttempt: boolean): void {
    if (!isAttempt) return;
    this.#owedSince = undefined;
    this.#full = undefined;
    this.#followers?.tell('busy');
    this.#isAnswered = true;
  }

  /** Whether an acquisition that ends now, after `timeoutMs`, ends because the store is silent. */
  isSilent(now: number, timeoutMs: number): boolean {
    const owedSince = this.owedSince();
    if (owedSince === undefined) return false;
    const isFirst = !this.#isAnswered && this.#behind === undefined;
    return isFirst || isOwedForLong(now - owedSince, timeoutMs);
  }
}

/** Whether an answer that is owed for `owedMs` is a sign of an outage to a waiter with this time-out. */
export function isOwedForLong(owedMs: number, timeoutMs: number): boolean {
  const chanceMs = Math.min(CHANCE_PART * timeoutMs, LONGEST_CHANCE_MS);
  return owedMs >= Math.min(WHOLE_PART * timeoutMs, Math.max(chanceMs, SHORTEST_CHANCE_MS));
}
