import { type MaybeAsync, isPending } from '../../spi/maybe-async.ts';
import type { Renewable, RenewalOutcome } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { RenewAsk } from '../../spi/verbs/holding.ts';
import type { HoldfastEvent } from '../../spi/synchronizers.ts';
import type { Client } from '../client.ts';
import { UnrenewedGrants } from './unrenewed-grants.ts';
import { Grant } from './grant.ts';
import { grantEvent, tellReleased } from './grant-events.ts';
import { renewalIntervalMs } from './renewal-interval.ts';
import { weakenHolder } from './weak-holder.ts';

/** No renewal shortens a hold (soundness 4): one for so short a time only asks whether the store still has it. */
const ASKED_ONLY_MS = 1;
/** The shortest interval at which the keeper renews a grant whose time another program cuts, however little it leaves. */
const SHORTEST_PACE_MS = 100;

/**
 * Renewal, watchdog, keep-alive: renews each grant every `renewalIntervalMs` of its lease, and reports its loss to its holder.
 *
 * Sends a renewal that is due soon together with those that are due now, so that holds acquired over a while share one
 * request. No exception stops the keeper: an error is an outcome of the holds it belongs to, and the keeper tries them
 * again until their deadlines.
 */
export class LeaseKeeper {
  readonly #client: Client;
  readonly #maxHoldMs: number;
  readonly #fresh: UnrenewedGrants;
  #due: Grant[] = [];

  constructor(client: Client, maxHoldMs: number) {
    this.#client = client;
    this.#maxHoldMs = maxHoldMs;
    this.#fresh = new UnrenewedGrants(client);
  }

  /** Renews a grant from now on, or ends it at its deadline if its lease is its own. */
  keep(grant: Grant): void {
    const { cutToMs } = grant.answer;
    if (cutToMs !== undefined) this.#setPace(grant, cutToMs);
    else if (grant.renewed && this.#maxHoldMs === Infinity && this.#fresh.take(grant)) return;
    this.#client.names.announcer?.noteGrant();
    this.#client.timers.set(grant, this.#nextLook(grant, grant.grantedAt));
  }

  /** The deadline of a grant has moved. */
  reschedule(grant: Grant): void {
    if (!grant.fresh) this.#client.timers.set(grant, this.#nextLook(grant, this.#client.clock.now()));
  }

  /** Renews from now on a hold that was to end by itself. */
  renewFromNowOn(grant: Grant): void {
    grant.renewed = true;
    this.reschedule(grant);
  }

  drop(grant: Grant): void {
    if (grant.fresh) this.#fresh.remove(grant);
    else this.#client.timers.drop(grant);
  }

  /** Renews in one batch with all others that are due in this turn of the loop. */
  renew(grant: Grant): void {
    if (this.#due.push(grant) === 1) queueMicrotask(() => this.#flush());
  }

  /**
   * Asks the store about every grant at once, the renewed and the leased ones: the connection was made anew, and behind it
   * may be a store that has lost what it granted (an empty restart, a failover that lost writes). Each grant has its
   * task anyway, but that is up to a third of a lease away, and another client can be granted the lock by then.
   */
  askAboutAll(): void {
    const { timers } = this.#client;
    const kept = [...timers].filter((task) => task instanceof Grant);
    // Or the batch would have those twice that are due soon.
    for (const grant of kept) timers.drop(grant);
    for (const grant of [...this.#fresh.takeDue(Infinity), ...kept]) this.renew(grant);
  }

  /** The grant of this wire owner, if it is ours. */
  find(owner: OwnerId): Grant | undefined {
    return this.kept().find((grant) => grant.owner === owner);
  }

  /** The grant that this fence was reserved with, if it is ours. */
  grantOf(kind: string, name: string, fence: number): Grant | undefined {
    return this.kept().find(
      ({ holdable, answer }) =>
        holdable.kind === kind &&
        holdable.name === name &&
        fence >= answer.fence &&
        fence < answer.fence + answer.fences,
    );
  }

  /** A grant of this client was released by force: its holder need not wait for a renewal to be told. */
  loseForced(owner: OwnerId): void {
    this.find(owner)?.lose('gone');
  }

  /** All grants are lost: the store has ended this client's session. */
  loseAll(): void {
    for (const grant of this.kept()) grant.lose('session-ended');
    // The next grant is one of a new identity, and arms it again.
    this.#client.timers.drop(this.#fresh);
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.kept().map(closeGrant));
  }

  /** Every open grant that is not fresh has a task: its next renewal or its end. */
  kept(): Grant[] {
    const tasks = [...this.#client.timers].filter((task) => task instanceof Grant);
    return [...this.#due, ...this.#fresh, ...tasks];
  }

  #isRenewed(grant: Grant, now: number): boolean {
    return grant.renewed && now - grant.heldAt <= this.#maxHoldMs;
  }

  #nextLook(grant: Grant, now: number): number {
    if (!this.#isRenewed(grant, now) && !grant.holdable.traits.othersCutLeases) return grant.deadline;
    return Math.min(now + (grant.paceMs ?? this.#usualPaceMs(grant)), grant.deadline);
  }

  #usualPaceMs(grant: Grant): number {
    return renewalIntervalMs(grant.renewed ? grant.leaseMs : this.#client.renewalLeaseMs);
  }

  /**
   * Another program has cut the time of a grant in the store to so much, or has not since the last look. It does so at
   * moments of its own, and may die right after one: the next look must come before the time that it leaves is over.
   *
   * Of the time that it sets, at least two thirds were still there if it renews every third, as Redisson does: a look
   * after a third of what was seen is in time, and one after twice as long sees a program that is still there once more.
   * To go back to the usual pace after one look that finds nothing cut would miss a program that was between two renewals.
   */
  #setPace(grant: Grant, cutToMs: number | undefined): void {
    const usualMs = this.#usualPaceMs(grant);
    // Cut to that much, it lasts from one usual look to the next.
    const isEnough = cutToMs !== undefined && cutToMs >= 1.5 * usualMs;
    const paceMs = cutToMs === undefined ? 2 * (grant.paceMs ?? Infinity) : cutToMs / 3;
    grant.paceMs = isEnough || paceMs >= usualMs ? undefined : Math.max(paceMs, SHORTEST_PACE_MS);
  }

  #flush(): void {
    const now = this.#client.clock.now();
    const soon = now + this.#client.renewalLeaseMs / 30;
    const batches: Batches = new Map();
    for (const grant of this.#due) addTo(batches, grant);
    this.#due = [];
    for (const grant of this.#fresh.takeDue(soon)) addTo(batches, grant);
    for (const task of this.#client.timers) {
      if (task.at <= soon && task instanceof Grant && this.#mayGoEarly(task, now)) addTo(batches, task);
    }
    // Never rejects, and closing need not wait for it: whatever it brings, the holds are given back by then.
    for (const [protocol, grants] of batches) void this.#renewBatch(protocol, grants);
  }

  #mayGoEarly(grant: Grant, now: number): boolean {
    return !grant.isBeingRenewed && this.#isRenewed(grant, now);
  }

  /** A hold that is not renewed only gets back what it was promised, where another program may have cut it. */
  #askedMs(grant: Grant, now: number): number {
    if (this.#isRenewed(grant, now)) return grant.leaseMs;
    return grant.holdable.traits.othersCutLeases ? grant.promisedMs(now) : ASKED_ONLY_MS;
  }

  async #renewBatch(protocol: Renewable<RenewAsk>, batch: readonly Grant[]): Promise<void> {
    const sentAt = this.#client.clock.now();
    // `due` compared an earlier reading: a process that is stopped between the two, past the deadline, goes on here. To send
    // all the same would keep the lock of a transaction, which is confirmed without asking the server (soundness 6).
    for (const grant of batch) if (sentAt >= grant.goodUntil) grant.loseByTime();
    const grants = batch.filter((grant) => grant.open);
    if (grants.length === 0) return;
    const askedMs = grants.map((grant) => this.#askedMs(grant, sentAt));
    const requests = grants.map((grant, at) => {
      // Looked at again at its deadline, whatever becomes of the call.
      this.#client.timers.set(grant, grant.deadline);
      return grant.noteRequest(askedMs[at]!);
    });
    const renewals = grants.map((grant, at) => grant.holdable.renewal(grant.owner, askedMs[at]!));
    const outcomes = await outcomesOf(() => protocol.renewMany(renewals), grants.length);
    grants.forEach((grant, at) => {
      const outcome = outcomes[at];
      if (outcome !== undefined) this.#apply(grant, requests[at]!, outcome, sentAt);
    });
  }

  #apply(grant: Grant, request: number, outcome: RenewalOutcome, sentAt: number): void {
    const { client } = grant.holdable;
    if (grant.renewed && client.events.renew.wanted) client.events.renew.emit(renewEvent(grant, outcome));
    if (grant.loss !== undefined) {
      // Lost is final: a renewal that succeeded after all would keep out the next holder for a whole lease.
      if (outcome.kind === 'renewed') grant.giveBack();
      return;
    }
    // Released while the renewal was under way: "gone" is then no loss.
    if (!grant.open) return;
    if (outcome.kind === 'renewed') {
      grant.confirm(request, sentAt, outcome.remainingMs, grant.leaseMs);
      if (outcome.cutToMs !== undefined || grant.paceMs !== undefined) this.#setPace(grant, outcome.cutToMs);
      client.timers.set(grant, this.#nextLook(grant, client.clock.now()));
      if (grant.renewed) weakenHolder(grant);
    } else if (outcome.kind === 'gone') {
      grant.lose('gone');
    } else {
      client.timers.set(grant, Math.min(client.clock.now() + grant.leaseMs / 30, grant.deadline));
    }
  }
}

async function closeGrant(grant: Grant): Promise<void> {
  if (grant.staysAfterClose) return grant.end();
  const released = grant.release();
  // On its way from owner to owner it has no holder: the last one has reported its release already.
  const isHeld = grant.lossListener !== undefined;
  grant.tellClosed();
  await released;
  if (isHeld) tellReleased(grant, grant.heldAt);
}

function renewEvent(grant: Grant, outcome: RenewalOutcome): HoldfastEvent {
  return outcome.kind === 'failed' ? { ...grantEvent(grant), error: outcome.error } : grantEvent(grant);
}

async function outcomesOf(
  renewMany: () => MaybeAsync<readonly RenewalOutcome[]>,
  count: number,
): Promise<readonly RenewalOutcome[]> {
  try {
    const outcomes = renewMany();
    return isPending(outcomes) ? await outcomes : outcomes;
  } catch (error) {
    return Array.from({ length: count }, () => ({ kind: 'failed' as const, error }));
  }
}

/** What goes out together. */
type Batches = Map<Renewable<RenewAsk>, Grant[]>;

function addTo(batches: Batches, grant: Grant): void {
  if (!grant.open) return;
  const batch = batches.get(grant.holdable.protocol);
  if (batch === undefined) batches.set(grant.holdable.protocol, [grant]);
  else batch.push(grant);
}
