import type { Client } from '../client.ts';
import { TimerTask } from '../time/timer-queue.ts';
import type { Grant } from './grant.ts';
import { renewalIntervalMs } from './renewal-interval.ts';

/**
 * Renewed grants that have not been renewed yet, in the order in which they were given: so in the order in which they
 * are due, and one task does for all of them.
 *
 * Nearly all grants are given back while they are here, and a place of its own in the timer queue for each was most of what
 * the keeper cost them.
 */
export class UnrenewedGrants extends TimerTask {
  readonly #client: Client;
  #first: Grant | undefined;
  #last: Grant | undefined;

  constructor(client: Client) {
    super();
    this.#client = client;
  }

  override get keepsAlive(): boolean {
    return false;
  }

  /** Takes a grant in, if it is not due before one that is here: its answer may have come late. */
  take(grant: Grant): boolean {
    const last = this.#last;
    if (grant.leaseMs !== this.#client.renewalLeaseMs) return false;
    if (last === undefined) {
      this.#first = grant;
      // A grant that was handed off may be older than those that have gone, whose task stands.
      if (this.slot === -1 || dueAt(grant) < this.at) {
        // Here and not with each grant: a task stands for a third of a lease, however many grants come and go.
        this.#client.names.announcer?.noteGrant();
        this.#client.timers.set(this, dueAt(grant));
      }
    } else {
      if (grant.grantedAt < last.grantedAt) return false;
      last.after = grant;
    }
    grant.before = last;
    grant.fresh = true;
    this.#last = grant;
    return true;
  }

  remove(grant: Grant): void {
    if (grant.before === undefined) this.#first = grant.after;
    else grant.before.after = grant.after;
    if (grant.after === undefined) this.#last = grant.before;
    else grant.after.before = grant.before;
    grant.before = undefined;
    grant.after = undefined;
    grant.fresh = false;
  }

  override due(now: number): void {
    for (let grant = this.#first; grant !== undefined && dueAt(grant) <= now; grant = this.#first) {
      this.remove(grant);
      grant.due(now);
    }
    if (this.#first !== undefined) this.#client.timers.set(this, dueAt(this.#first));
  }

  /** Those that are due until then; they leave. */
  takeDue(until: number): Grant[] {
    const due: Grant[] = [];
    for (let grant = this.#first; grant !== undefined && dueAt(grant) <= until; grant = this.#first) {
      this.remove(grant);
      due.push(grant);
    }
    return due;
  }

  *[Symbol.iterator](): Generator<Grant> {
    for (let grant = this.#first; grant !== undefined; grant = grant.after) yield grant;
  }
}

function dueAt(grant: Grant): number {
  return grant.grantedAt + renewalIntervalMs(grant.leaseMs);
}
