import { inTime } from '../../../../core/async/in-time.ts';
import { argumentRangeError, type ErrorSubject } from '../../../../spi/errors.ts';
import { sessionInTime } from '../../session-in-time.ts';
import type { SqlSession } from '../../sql-client.ts';
import type { SessionParts } from '../native-parts.ts';
import type { LockConnection, LockStep, SessionLockKind } from './session-lock-kind.ts';

/** How long a release may take before the connection is closed instead. */
const RELEASE_MS = 5_000;
const INTERRUPT_MS = 1_000;
/** The longest silence of a connection for which a server can be configured. */
const LONGEST_TRUST_MS = 32_000_000;
/** How often to look whether the server has ended a connection. */
const LOOK_MS = 10;
/** MySQL waits for whole seconds. */
const LEAST_SLICE_MS = 1_000;

/**
 * The steps of one kind of lock, each with a limit of time. A server that has fallen silent answers nothing: neither the
 * caller nor the client that closes may wait for it.
 */
export class TimedLockSteps {
  readonly #parts: SessionParts;
  readonly #kind: SessionLockKind;

  constructor(parts: SessionParts, kind: SessionLockKind) {
    this.#parts = parts;
    this.#kind = kind;
  }

  /** Borrows a connection of the pool. */
  async borrow(): Promise<SqlSession> {
    const { client, commandTimeoutMs } = this.#parts;
    await this.#parts.open();
    return sessionInTime(client.clock, this.#parts.openSession(), commandTimeoutMs);
  }

  /** No step of an attempt waits for a lock: no answer in time means a server that does not answer, not a busy lock. */
  attempt(connection: LockConnection, isWanted: () => boolean): Promise<LockStep> {
    const attempt = async (): Promise<LockStep> => {
      await this.#kind.prepare(connection);
      return isWanted() ? this.#kind.attempt(connection) : { kind: 'busy' };
    };
    return this.#limit(attempt());
  }

  /** The server ends the wait with the slice; its answer takes the time of a command more. */
  wait(connection: LockConnection): Promise<LockStep> {
    const { client, commandTimeoutMs, waitSliceMs } = this.#parts;
    const limitMs = Math.max(waitSliceMs, LEAST_SLICE_MS) + commandTimeoutMs;
    return inTime(client.clock, this.#kind.wait(connection, waitSliceMs), limitMs);
  }

  isHeld(connection: LockConnection): Promise<boolean> {
    return this.#limit(this.#kind.isHeld(connection));
  }

  /** Gives the connection of an attempt back that did not get the lock. */
  async leave(connection: LockConnection): Promise<void> {
    await this.#limit(this.#kind.leave(connection));
    await connection.session.end('reuse');
  }

  /** False if the lock was no longer held. */
  release(connection: LockConnection): Promise<boolean> {
    return inTime(this.#parts.client.clock, this.#kind.release(connection), RELEASE_MS);
  }

  /** False if the lock is no longer held. Rejects if no answer comes within a third of the lease. */
  renew(connection: LockConnection, leaseMs: number): Promise<boolean> {
    const { client } = this.#parts;
    return inTime(client.clock, this.#isHeldFor(connection, leaseMs), leaseMs / 3, false);
  }

  /**
   * Closes the connection at both ends, the server's first, within `INTERRUPT_MS`: a server does not look at a
   * connection that waits for a lock. A pool of one connection has no other one to send this by; then the wait ends
   * with its slice.
   */
  async abandon(connection: LockConnection): Promise<void> {
    const { session, serverId } = connection;
    if (serverId !== undefined) {
      const interrupted = this.#kind.interrupt(connection);
      await inTime(this.#parts.client.clock, interrupted, INTERRUPT_MS).catch(() => undefined);
    }
    await session.end('discard');
  }

  /** Asks through the pool, which may have no free connection. */
  findHolder(name: string): Promise<string | undefined> {
    return this.#limit(this.#kind.findHolder(name));
  }

  /** Ends the connection that holds the lock, and waits until the server has done so. */
  async terminate(serverId: string, name: string): Promise<void> {
    const { client } = this.#parts;
    await this.#limit(this.#kind.terminate(serverId, name));
    const until = client.clock.now() + RELEASE_MS;
    while (!client.closed && client.clock.now() < until) {
      if ((await this.findHolder(name)) !== serverId) return;
      await client.sleep(LOOK_MS);
    }
  }

  /** Makes the server trust the connection for longer before the holder does. */
  async #isHeldFor(connection: LockConnection, leaseMs: number): Promise<boolean> {
    checkTrust(leaseMs, connection.subject);
    if (leaseMs > connection.trustMs) {
      await this.#kind.trust(connection, leaseMs);
      connection.trustMs = leaseMs;
    }
    return this.#kind.isHeld(connection);
  }

  #limit<T>(step: Promise<T>): Promise<T> {
    const { client, commandTimeoutMs } = this.#parts;
    return inTime(client.clock, step, commandTimeoutMs);
  }
}

/** Refuses a lease that no server can be configured for. */
export function checkTrust(trustMs: number, subject: ErrorSubject): void {
  if (trustMs <= LONGEST_TRUST_MS) return;
  throw argumentRangeError(
    `${subject.resource}: a lease may be at most ${LONGEST_TRUST_MS} ms: no server can be set to trust a silent connection for longer. Leave it out to hold for as long as it takes.`,
    subject,
  );
}
