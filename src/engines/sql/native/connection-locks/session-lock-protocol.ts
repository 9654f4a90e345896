import { subjectOf } from '../../../../core/arguments.ts';
import type { Protocols } from '../../../../spi/engine/protocols.ts';
import { inTime } from '../../../../core/async/in-time.ts';
import { argumentRangeError, type ErrorSubject } from '../../../../spi/errors.ts';
import type { Renewal, RenewalOutcome } from '../../../../spi/engine/protocol.ts';
import { protocolTraits } from '../../../../spi/engine/protocol-traits.ts';
import type { OwnerId } from '../../../../spi/rule.ts';
import type { Busy, Granted, Released, RenewAsk } from '../../../../spi/verbs/holding.ts';
import type { Forced, LockAsk, LockLook } from '../../../../spi/verbs/lock.ts';
import { sessionInTime } from '../../session-in-time.ts';
import { WaiterCounts } from './waiter-counts.ts';
import { nativeError, refusal } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind, LockStep } from './session-lock-kind.ts';

/** So long the end of a hold may take to arrive, before the connection is closed instead. */
const RELEASE_MS = 5_000;
const INTERRUPT_MS = 1_000;
/** What a system can be told of the silence of a connection. */
const LONGEST_TRUST_MS = 32_000_000;
/** Those who were in each other's way begin again at different times. */
const LEAST_PAUSE_MS = 10;
/** MySQL waits for whole seconds. */
const LEAST_SLICE_MS = 1_000;
/** A hold whose connection broke on the way to its owner is looked for again after so long. */
const LOOK_AGAIN_MS = [0, 20, 200] as const;

interface LockRequest {
  bearer: LockConnection | undefined;
  gaveUp: boolean;
}

interface ConnectionHold {
  readonly bearer: LockConnection;
  readonly fence: number;
  readonly unlisten: () => void;
}

/**
 * Locks that live as long as a connection, each by a connection of its own: one that waits on the connection of another
 * hold could not give that one up.
 *
 * Their lease is only how long a connection is believed in without an answer. The server itself believes for longer: it
 * ends a silent connection after its holder has stopped to believe in it, or not at all.
 */
export class SessionLockProtocol {
  readonly #parts: SessionParts;
  readonly #kind: SessionLockKind;
  readonly #held = new Map<OwnerId, ConnectionHold>();
  readonly #asking = new Map<OwnerId, LockRequest>();
  readonly #waiters = new WaiterCounts();

  constructor(parts: SessionParts, kind: SessionLockKind) {
    this.#parts = parts;
    this.#kind = kind;
  }

  readonly protocol: Protocols['lock'] = {
    traits: protocolTraits({ clientEndsLeases: true, attemptsWait: true }),
    acquire: (name, ask) => this.#acquire(name, ask),
    release: (_name, { owner }) => this.#release(owner),
    renew: async (_name, ask) => this.#renew(ask),
    renewMany: (renewals) => this.#renewMany(renewals),
    force: (name, { fence }) => this.#force(name, fence),
    raise: (name) => Promise.reject(refusal(this.#subject(name), 'its fence cannot be raised.')),
    look: (name) => this.#look(name),
    // Whoever waits does so in the server, as part of its attempts.
    watch: (name) => this.#waiters.watch(name),
  };

  /** The hold of this process that was given this fence: each is given once. */
  bearerOf(fence: bigint): LockConnection | undefined {
    for (const held of this.#held.values()) if (BigInt(held.fence) === fence) return held.bearer;
    return undefined;
  }

  #subject(name: string): ErrorSubject {
    return subjectOf(this.#kind.kind, name, this.#parts.client.label);
  }

  async #acquire(name: string, ask: LockAsk): Promise<Granted | Busy> {
    const { client } = this.#parts;
    const subject = this.#subject(name);
    const trustMs = Math.max(client.renewalLeaseMs, ask.leaseMs);
    if (trustMs > LONGEST_TRUST_MS) throw tooLong(subject);
    const startedAt = client.clock.now();
    const before = this.#asking.get(ask.owner);
    const asking = before ?? { bearer: undefined, gaveUp: false };
    this.#asking.set(ask.owner, asking);
    try {
      const bearer = before?.bearer ?? (await this.#begin(name, subject, trustMs, asking));
      if (bearer === undefined) return given;
      const first = before === undefined;
      const step = await (first ? this.#attempt(bearer, asking) : this.#wait(bearer));
      if (asking.gaveUp) return given;
      if (step.kind === 'busy') {
        if (!ask.wait) await this.#leave(ask.owner, bearer);
        return { kind: 'busy', againInMs: 1 };
      }
      // It was granted at some time while we waited. A sign of life now is what counts from now on.
      const provenAt = first ? startedAt : client.clock.now();
      if (!first && !(await this.#answered(this.#kind.isHeld(bearer))))
        throw new Error('it was lost as soon as it was granted');
      if (asking.gaveUp) return given;
      this.#asking.delete(ask.owner);
      this.#hold(ask.owner, bearer, step.fence);
      const remainingMs = provenAt - startedAt + ask.leaseMs;
      return { kind: 'granted', fence: step.fence, fences: 1, remainingMs };
    } catch (error) {
      if (asking.gaveUp) return given;
      this.#asking.delete(ask.owner);
      await asking.bearer?.session.end('discard');
      // A deadlock, for example: the database has undone it, and nothing of the user's was done yet.
      if (ask.wait && this.#parts.sql.failure(error) === 'again')
        return { kind: 'busy', againInMs: this.#pauseMs };
      throw nativeError(error, this.#parts.sql, subject);
    }
  }

  get #pauseMs(): number {
    return LEAST_PAUSE_MS * (1 + this.#parts.client.random.fraction());
  }

  /** A connection for it, if one is free in time; undefined if it is no longer wanted by then. */
  async #begin(
    name: string,
    subject: ErrorSubject,
    trustMs: number,
    asking: LockRequest,
  ): Promise<LockConnection | undefined> {
    const { client, opened, commandTimeoutMs } = this.#parts;
    await opened();
    const session = await sessionInTime(client.clock, this.#parts.session(), commandTimeoutMs);
    if (asking.gaveUp) {
      await session.end('reuse');
      return undefined;
    }
    const bearer = { session, name, subject, trustMs, serverId: undefined, before: [], done: false };
    asking.bearer = bearer;
    return bearer;
  }

  /** Nothing in it waits for a lock: no answer in time is no busy lock, but a server that does not answer. */
  #attempt(bearer: LockConnection, asking: LockRequest): Promise<LockStep> {
    const attempt = async (): Promise<LockStep> => {
      await this.#kind.prepare(bearer);
      return asking.gaveUp ? { kind: 'busy' } : this.#kind.attempt(bearer);
    };
    return this.#answered(attempt());
  }

  /** A server that has fallen silent answers nothing: the caller, and the client that closes, must not wait for it. */
  #answered<T>(step: Promise<T>): Promise<T> {
    const { client, commandTimeoutMs } = this.#parts;
    return inTime(client.clock, step, commandTimeoutMs);
  }

  /** The server ends the wait with the slice, and its answer comes after that. */
  #wait(bearer: LockConnection): Promise<LockStep> {
    const { client, commandTimeoutMs, waitSliceMs } = this.#parts;
    const limitMs = Math.max(waitSliceMs, LEAST_SLICE_MS) + commandTimeoutMs;
    return inTime(client.clock, this.#kind.wait(bearer, waitSliceMs), limitMs);
  }

  async #leave(owner: OwnerId, bearer: LockConnection): Promise<void> {
    this.#asking.delete(owner);
    await this.#answered(this.#kind.leave(bearer));
    await bearer.session.end('reuse');
  }

  #hold(owner: OwnerId, bearer: LockConnection, fence: number): void {
    const unlisten = bearer.session.onBroken(() => {
      this.#held.delete(owner);
      void bearer.session.end('discard');
      this.#tellLost(owner);
    });
    this.#held.set(owner, { bearer, fence, unlisten });
  }

  /** The connection may break while the grant is still on its way to whoever is to be told. */
  #tellLost(owner: OwnerId): void {
    const { keeper, clock } = this.#parts.client;
    const lose = (): void => keeper.find(owner)?.lose('session-ended');
    lose();
    for (const delayMs of LOOK_AGAIN_MS) clock.timer(delayMs, lose);
  }

  async #release(owner: OwnerId): Promise<Released> {
    const held = this.#held.get(owner);
    if (held === undefined) return this.#withdraw(owner);
    this.#held.delete(owner);
    held.unlisten();
    const { session } = held.bearer;
    try {
      const was = await inTime(this.#parts.client.clock, this.#kind.release(held.bearer), RELEASE_MS);
      await session.end(was ? 'reuse' : 'discard');
      return was ? { kind: 'released', others: 0 } : { kind: 'not-held' };
    } catch {
      // A connection that is closed holds nothing, whatever became of the statement.
      await this.#abandon(held.bearer);
      return { kind: 'released', others: 0 };
    }
  }

  /** Somebody has given up waiting. The server would not notice before it is their turn. */
  async #withdraw(owner: OwnerId): Promise<Released> {
    const asking = this.#asking.get(owner);
    if (asking === undefined) return { kind: 'not-held' };
    asking.gaveUp = true;
    this.#asking.delete(owner);
    if (asking.bearer !== undefined) await this.#abandon(asking.bearer);
    return { kind: 'not-held' };
  }

  /**
   * At both ends: the server first, for as long as there is patience, because it does not look at a connection that waits
   * for a lock. A pool of one connection has no other to say it with; then the end of the slice has to do.
   */
  async #abandon(bearer: LockConnection): Promise<void> {
    const { session, serverId } = bearer;
    if (serverId !== undefined) {
      const interrupted = this.#kind.interrupt(bearer);
      await inTime(this.#parts.client.clock, interrupted, INTERRUPT_MS).catch(() => undefined);
    }
    await session.end('discard');
  }

  async #renewMany(renewals: readonly Renewal<RenewAsk>[]): Promise<readonly RenewalOutcome[]> {
    return Promise.all(
      renewals.map(async ({ ask }) => {
        try {
          return await this.#renew(ask);
        } catch (error) {
          return { kind: 'failed' as const, error };
        }
      }),
    );
  }

  async #renew({ owner, leaseMs }: RenewAsk): Promise<Exclude<RenewalOutcome, { kind: 'failed' }>> {
    const { client } = this.#parts;
    const held = this.#held.get(owner);
    if (held === undefined) return { kind: 'gone' };
    const { bearer } = held;
    const isHeld = await inTime(client.clock, this.#isHeldFor(bearer, leaseMs), leaseMs / 3, false);
    return isHeld ? { kind: 'renewed', remainingMs: leaseMs } : { kind: 'gone' };
  }

  /** The server has to be more patient than the holder, before the holder is. */
  async #isHeldFor(bearer: LockConnection, leaseMs: number): Promise<boolean> {
    if (leaseMs > LONGEST_TRUST_MS) throw tooLong(bearer.subject);
    if (leaseMs > bearer.trustMs) {
      await this.#kind.trust(bearer, leaseMs);
      bearer.trustMs = leaseMs;
    }
    return this.#kind.isHeld(bearer);
  }

  /** Ends the connection of whoever holds it. With a fence only that of this process which has it: no other is known. */
  async #force(name: string, fence: number | undefined): Promise<Forced> {
    const subject = this.#subject(name);
    try {
      const { holder } = await this.#look(name);
      if (holder === undefined || (fence !== undefined && holder.fence !== fence))
        return { kind: 'not-forced' };
      const serverId = await this.#holder(name);
      if (serverId === undefined) return { kind: 'not-forced' };
      await this.#answered(this.#kind.terminate(serverId, name));
      await this.#untilGone(name, serverId);
      return { kind: 'forced', holder };
    } catch (error) {
      throw nativeError(error, this.#parts.sql, subject);
    }
  }

  /** The server ends a connection when it gets to it. */
  async #untilGone(name: string, serverId: string): Promise<void> {
    const { client } = this.#parts;
    const until = client.clock.now() + RELEASE_MS;
    while (!client.closed && client.clock.now() < until) {
      if ((await this.#holder(name)) !== serverId) return;
      await client.sleep(LEAST_PAUSE_MS);
    }
  }

  /** Through the pool, which may have no connection to give. */
  #holder(name: string): Promise<string | undefined> {
    return this.#answered(this.#kind.holder(name));
  }

  async #look(name: string): Promise<LockLook> {
    let serverId: string | undefined;
    try {
      serverId = await this.#holder(name);
    } catch (error) {
      throw nativeError(error, this.#parts.sql, this.#subject(name));
    }
    const waiters = this.#waiters.count(name);
    if (serverId === undefined) return { holder: undefined, waiters };
    const own = [...this.#held].find(([, { bearer }]) => bearer.serverId === serverId);
    const owner = own === undefined ? `connection ${serverId}` : own[0];
    // As long as its connection lives, and nobody can tell how long that is.
    return { holder: { owner, fence: own?.[1].fence ?? 0, remainingMs: Infinity }, waiters };
  }
}

/** Nobody is there any more to whom it would make a difference. */
const given: Busy = { kind: 'busy', againInMs: 1 };

function tooLong(subject: ErrorSubject): RangeError {
  return argumentRangeError(
    `${subject.resource}: a lease may be at most ${LONGEST_TRUST_MS} ms: no server can be set to trust a silent connection for longer. Leave it out to hold for as long as it takes.`,
    subject,
  );
}
