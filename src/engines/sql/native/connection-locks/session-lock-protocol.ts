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

/** How long a release may take before the connection is closed instead. */
const RELEASE_MS = 5_000;
const INTERRUPT_MS = 1_000;
/** The longest silence of a connection for which a server can be configured. */
const LONGEST_TRUST_MS = 32_000_000;
/** Spread at random, so that clients in a deadlock start again at different times. */
const LEAST_PAUSE_MS = 10;
/** MySQL waits for whole seconds. */
const LEAST_SLICE_MS = 1_000;
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
    // The server queues the waiter inside `acquire`; there is nothing to watch.
    watch: (name) => this.#waiters.watch(name),
  };

  /** The connection of the hold with this fence; this process gives each fence once. */
  connectionOf(fence: bigint): LockConnection | undefined {
    for (const held of this.#held.values()) if (BigInt(held.fence) === fence) return held.connection;
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
    const asking = before ?? { connection: undefined, gaveUp: false };
    this.#asking.set(ask.owner, asking);
    try {
      const connection = before?.connection ?? (await this.#begin(name, subject, trustMs, asking));
      if (connection === undefined) return given;
      const first = before === undefined;
      const step = await (first ? this.#attempt(connection, asking) : this.#wait(connection));
      if (asking.gaveUp) return given;
      if (step.kind === 'busy') {
        if (!ask.wait) await this.#leave(ask.owner, connection);
        return { kind: 'busy', againInMs: 1 };
      }
      // The server granted the lock at some moment of the wait. The lease counts from this sign of life.
      const provenAt = first ? startedAt : client.clock.now();
      if (!first && !(await this.#answered(this.#kind.isHeld(connection))))
        throw new Error('it was lost as soon as it was granted');
      if (asking.gaveUp) return given;
      this.#asking.delete(ask.owner);
      this.#hold(ask.owner, connection, step.fence);
      const remainingMs = provenAt - startedAt + ask.leaseMs;
      return { kind: 'granted', fence: step.fence, fences: 1, remainingMs };
    } catch (error) {
      if (asking.gaveUp) return given;
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
    const { client, open: opened, commandTimeoutMs } = this.#parts;
    await opened();
    const session = await sessionInTime(client.clock, this.#parts.openSession(), commandTimeoutMs);
    if (asking.gaveUp) {
      await session.end('reuse');
      return undefined;
    }
    const connection = { session, name, subject, trustMs, serverId: undefined, before: [], done: false };
    asking.connection = connection;
    return connection;
  }

  /** No step of an attempt waits for a lock: no answer in time means a server that does not answer, not a busy lock. */
  #attempt(connection: LockConnection, asking: LockRequest): Promise<LockStep> {
    const attempt = async (): Promise<LockStep> => {
      await this.#kind.prepare(connection);
      return asking.gaveUp ? { kind: 'busy' } : this.#kind.attempt(connection);
    };
    return this.#answered(attempt());
  }

  /** Limits the wait for a silent server: the caller, and the client that closes, must not wait for it. */
  #answered<T>(step: Promise<T>): Promise<T> {
    const { client, commandTimeoutMs } = this.#parts;
    return inTime(client.clock, step, commandTimeoutMs);
  }

  /** The server ends the wait with the slice; its answer takes the time of a command more. */
  #wait(connection: LockConnection): Promise<LockStep> {
    const { client, commandTimeoutMs, waitSliceMs } = this.#parts;
    const limitMs = Math.max(waitSliceMs, LEAST_SLICE_MS) + commandTimeoutMs;
    return inTime(client.clock, this.#kind.wait(connection, waitSliceMs), limitMs);
  }

  async #leave(owner: OwnerId, connection: LockConnection): Promise<void> {
    this.#asking.delete(owner);
    await this.#answered(this.#kind.leave(connection));
    await connection.session.end('reuse');
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
      const was = await inTime(this.#parts.client.clock, this.#kind.release(held.connection), RELEASE_MS);
      await session.end(was ? 'reuse' : 'discard');
      return was ? { kind: 'released', others: 0 } : { kind: 'not-held' };
    } catch {
      // A closed connection holds nothing, whatever became of the statement.
      await this.#abandon(held.connection);
      return { kind: 'released', others: 0 };
    }
  }

  /** Ends the wait of an owner that has given up. The server would notice only when it grants the lock. */
  async #withdraw(owner: OwnerId): Promise<Released> {
    const asking = this.#asking.get(owner);
    if (asking === undefined) return { kind: 'not-held' };
    asking.gaveUp = true;
    this.#asking.delete(owner);
    if (asking.connection !== undefined) await this.#abandon(asking.connection);
    return { kind: 'not-held' };
  }

  /**
   * Closes the connection at both ends, the server's first, within `INTERRUPT_MS`: a server does not look at a
   * connection that waits for a lock. A pool of one connection has no other one to send this by; then the wait ends
   * with its slice.
   */
  async #abandon(connection: LockConnection): Promise<void> {
    const { session, serverId } = connection;
    if (serverId !== undefined) {
      const interrupted = this.#kind.interrupt(connection);
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
    const { connection } = held;
    const isHeld = await inTime(client.clock, this.#isHeldFor(connection, leaseMs), leaseMs / 3, false);
    return isHeld ? { kind: 'renewed', remainingMs: leaseMs } : { kind: 'gone' };
  }

  /** Makes the server trust the connection for longer before the holder does. */
  async #isHeldFor(connection: LockConnection, leaseMs: number): Promise<boolean> {
    if (leaseMs > LONGEST_TRUST_MS) throw tooLong(connection.subject);
    if (leaseMs > connection.trustMs) {
      await this.#kind.trust(connection, leaseMs);
      connection.trustMs = leaseMs;
    }
    return this.#kind.isHeld(connection);
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
      const serverId = await this.#holder(name);
      if (serverId === undefined) return { kind: 'not-forced' };
      await this.#answered(this.#kind.terminate(serverId, name));
      await this.#untilGone(name, serverId);
      return { kind: 'forced', holder };
    } catch (error) {
      throw nativeError(error, this.#parts.sql, subject);
    }
  }

  /** Waits until the server has ended the connection. */
  async #untilGone(name: string, serverId: string): Promise<void> {
    const { client } = this.#parts;
    const until = client.clock.now() + RELEASE_MS;
    while (!client.closed && client.clock.now() < until) {
      if ((await this.#holder(name)) !== serverId) return;
      await client.sleep(LEAST_PAUSE_MS);
    }
  }

  /** Asks through the pool, which may have no free connection. */
  #holder(name: string): Promise<string | undefined> {
    return this.#answered(this.#kind.findHolder(name));
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
    const own = [...this.#held].find(([, { connection }]) => connection.serverId === serverId);
    const owner = own === undefined ? `connection ${serverId}` : own[0];
    // Held as long as its connection lives, which has no known end.
    return { holder: { owner, fence: own?.[1].fence ?? 0, remainingMs: Infinity }, waiters };
  }
}

/** What an acquisition answers after its owner has given up: no caller reads it. */
const given: Busy = { kind: 'busy', againInMs: 1 };

function tooLong(subject: ErrorSubject): RangeError {
  return argumentRangeError(
    `${subject.resource}: a lease may be at most ${LONGEST_TRUST_MS} ms: no server can be set to trust a silent connection for longer. Leave it out to hold for as long as it takes.`,
    subject,
  );
}
