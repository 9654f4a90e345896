import { subjectOf } from '../../../../core/arguments.ts';
import type { Protocols } from '../../../../spi/engine/protocols.ts';
import type { ErrorSubject } from '../../../../spi/errors.ts';
import type { Renewal, RenewalOutcome } from '../../../../spi/engine/protocol.ts';
import { protocolTraits } from '../../../../spi/engine/protocol-traits.ts';
import type { OwnerId } from '../../../../spi/rule.ts';
import type { Busy, Granted, Released, RenewAsk } from '../../../../spi/verbs/holding.ts';
import type { Forced, LockAsk, LockLook } from '../../../../spi/verbs/lock.ts';
import { WaiterCounts } from '../../../../kernels/waiter-counts.ts';
import { nativeError, refusal } from '../native-error.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, SessionLockKind } from './session-lock-kind.ts';
import { checkTrust, TimedLockSteps } from './timed-lock-steps.ts';

/** Spread at random, so that clients in a deadlock start again at different times. */
const LEAST_PAUSE_MS = 10;
/** When to look again for a hold whose connection broke before its grant reached the owner. */
const LOOK_AGAIN_MS = [0, 20, 200] as const;

interface LockRequest {
  connection: LockConnection | undefined;
  gaveUp: boolean;
}

interface ConnectionHold {
  readonly connection: LockConnection;
  readonly fence: number;
  readonly unlisten: () => void;
}

/**
 * Locks that live as long as a connection. Each hold and each waiter has a connection of its own: a waiter on the
 * connection of a hold would keep that hold from being released.
 *
 * The lease of such a lock is only how long its owner trusts the connection without an answer. The server is set to
 * trust it for longer: it ends a silent connection after the owner has stopped trusting it, or not at all.
 */
export class SessionLockProtocol {
  readonly #parts: SessionParts;
  readonly #kind: SessionLockKind['kind'];
  readonly #steps: TimedLockSteps;
  readonly #held = new Map<OwnerId, ConnectionHold>();
  readonly #asking = new Map<OwnerId, LockRequest>();
  readonly #waiters = new WaiterCounts();

  constructor(parts: SessionParts, kind: SessionLockKind) {
    this.#parts = parts;
    this.#kind = kind.kind;
    this.#steps = new TimedLockSteps(parts, kind);
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
    // The server queues the waiter inside `acquire`; there is nothing to watch.
    watch: (name) => this.#waiters.watch(name),
  };

  /** The connection of the hold with this fence; this process gives each fence once. */
  connectionOf(fence: bigint): LockConnection | undefined {
    for (const held of this.#held.values()) if (BigInt(held.fence) === fence) return held.connection;
    return undefined;
  }

  #subject(name: string): ErrorSubject {
    return subjectOf(this.#kind, name, this.#parts.client.label);
  }

  async #acquire(name: string, ask: LockAsk): Promise<Granted | Busy> {
    const { client } = this.#parts;
    const subject = this.#subject(name);
    const trustMs = Math.max(client.renewalLeaseMs, ask.leaseMs);
    checkTrust(trustMs, subject);
    const startedAt = client.clock.now();
    const before = this.#asking.get(ask.owner);
    const asking = before ?? { connection: undefined, gaveUp: false };
    this.#asking.set(ask.owner, asking);
    try {
      const connection = before?.connection ?? (await this.#begin(name, subject, trustMs, asking));
      if (connection === undefined) return GIVEN_UP;
      const first = before === undefined;
      const step = await (first
        ? this.#steps.attempt(connection, () => !asking.gaveUp)
        : this.#steps.wait(connection));
      if (asking.gaveUp) return GIVEN_UP;
      if (step.kind === 'busy') {
        if (!ask.wait) {
          this.#asking.delete(ask.owner);
          await this.#steps.leave(connection);
        }
        return { kind: 'busy', againInMs: 1 };
      }
      // The server granted the lock at some moment of the wait. The lease counts from this sign of life.
      const provenAt = first ? startedAt : client.clock.now();
      if (!first && !(await this.#steps.isHeld(connection)))
        throw new Error('it was lost as soon as it was granted');
      if (asking.gaveUp) return GIVEN_UP;
      this.#asking.delete(ask.owner);
      this.#hold(ask.owner, connection, step.fence);
      const remainingMs = provenAt - startedAt + ask.leaseMs;
      return { kind: 'granted', fence: step.fence, fences: 1, remainingMs };
    } catch (error) {
      if (asking.gaveUp) return GIVEN_UP;
      this.#asking.delete(ask.owner);
      await asking.connection?.session.end('discard');
      // For example after a deadlock: the database has undone the step, and the user has done nothing under the lock
      // yet.
      if (ask.wait && this.#parts.sql.failure(error) === 'again')
        return { kind: 'busy', againInMs: this.#pauseMs };
      throw nativeError(error, this.#parts.sql, subject);
    }
  }

  get #pauseMs(): number {
    return LEAST_PAUSE_MS * (1 + this.#parts.client.random.fraction());
  }

  /** Borrows a connection, if one is free in time; undefined if the owner has given up by then. */
  async #begin(
    name: string,
    subject: ErrorSubject,
    trustMs: number,
    asking: LockRequest,
  ): Promise<LockConnection | undefined> {
    const session = await this.#steps.borrow();
    if (asking.gaveUp) {
      await session.end('reuse');
      return undefined;
    }
    const connection = { session, name, subject, trustMs, serverId: undefined, before: [], done: false };
    asking.connection = connection;
    return connection;
  }

  #hold(owner: OwnerId, connection: LockConnection, fence: number): void {
    const unlisten = connection.session.onBroken(() => {
      this.#held.delete(owner);
      void connection.session.end('discard');
      this.#tellLost(owner);
    });
    this.#held.set(owner, { connection, fence, unlisten });
  }

  /** The connection may break before the core has registered the grant, so the hold is looked for several times. */
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
    const { session } = held.connection;
    try {
      const was = await this.#steps.release(held.connection);
      await session.end(was ? 'reuse' : 'discard');
      return was ? { kind: 'released', others: 0 } : { kind: 'not-held' };
    } catch {
      // A closed connection holds nothing, whatever became of the statement.
      await this.#steps.abandon(held.connection);
      return { kind: 'released', others: 0 };
    }
  }

  /** Ends the wait of an owner that has given up. The server would notice only when it grants the lock. */
  async #withdraw(owner: OwnerId): Promise<Released> {
    const asking = this.#asking.get(owner);
    if (asking === undefined) return { kind: 'not-held' };
    asking.gaveUp = true;
    this.#asking.delete(owner);
    if (asking.connection === undefined) return { kind: 'not-held' };
    // Counts as a waiter until its connection has ended: a release before that moment passes the lock on to this
    // connection, and the lock is then busy although no caller holds it.
    const leave = this.#waiters.watch(asking.connection.name);
    try {
      await this.#steps.abandon(asking.connection);
    } finally {
      leave();
    }
    return { kind: 'not-held' };
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
    const held = this.#held.get(owner);
    if (held === undefined) return { kind: 'gone' };
    const isHeld = await this.#steps.renew(held.connection, leaseMs);
    return isHeld ? { kind: 'renewed', remainingMs: leaseMs } : { kind: 'gone' };
  }

  /**
   * Ends the connection of the holder. With a fence only if this process holds it: the fences of other processes are
   * unknown here.
   */
  async #force(name: string, fence: number | undefined): Promise<Forced> {
    const subject = this.#subject(name);
    try {
      const { holder } = await this.#look(name);
      if (holder === undefined || (fence !== undefined && holder.fence !== fence))
        return { kind: 'not-forced' };
      const serverId = await this.#steps.findHolder(name);
      if (serverId === undefined) return { kind: 'not-forced' };
      await this.#steps.terminate(serverId, name);
      return { kind: 'forced', holder };
    } catch (error) {
      throw nativeError(error, this.#parts.sql, subject);
    }
  }

  async #look(name: string): Promise<LockLook> {
    let serverId: string | undefined;
    try {
      serverId = await this.#steps.findHolder(name);
    } catch (error) {
      throw nativeError(error, this.#parts.sql, this.#subject(name));
    }
    const waiters = this.#waiters.count(name);
    if (serverId === undefined) return { holder: undefined, waiters };
    const own = [...this.#held].find(([, { connection }]) => connection.serverId === serverId);
    const owner = own === undefined ? `connection ${serverId}` : own[0];
    // Held as long as its connection lives, which has no known end.
    return { holder: { owner, fence: own?.[1].fence ?? 0, remainingMs: Infinity }, waiters };
  }
}

/** What an acquisition answers after its owner has given up: no caller reads it. */
const GIVEN_UP: Busy = { kind: 'busy', againInMs: 1 };
