import { checkLeaseMs, checkOptions, shown, subjectOf } from '../core/arguments.ts';
import { Client } from '../core/client.ts';
import { ExplicitOwner } from '../core/reentry/owner.ts';
import { PushedSession } from '../core/pushed-session.ts';
import { type ClientSession, Session } from '../core/session.ts';
import { Turnstile } from '../core/queues/turnstile.ts';
import { createBarrier } from '../synchronizers/barrier.ts';
import { createElection } from '../synchronizers/election/election.ts';
import { createLatch } from '../synchronizers/latch.ts';
import { createMonitor } from '../synchronizers/monitor/monitor.ts';
import { createPermitSemaphore } from '../synchronizers/semaphores/permit-semaphore.ts';
import { createFairLock, createLock } from '../synchronizers/lock/plain-lock.ts';
import { createReadWriteLock } from '../synchronizers/lock/read-write-lock.ts';
import { createSemaphore } from '../synchronizers/semaphores/semaphore.ts';
import type { EngineOptions } from '../spi/api/engine-options.ts';
import type { SessionStore } from '../spi/engine/cells.ts';
import type { Liveness } from '../spi/engine/liveness.ts';
import type { Clock, Random } from '../spi/clock.ts';
import { argumentTypeError, type ErrorSubject } from '../spi/errors.ts';
import type { Factories, Lock, Synchronizers } from '../spi/synchronizers.ts';
import type { LockVerbs, UnraisedLockVerbs } from '../spi/verbs/lock.ts';
import type { Traits } from '../spi/engine/traits.ts';
import type { Protocols } from './cells/protocols.ts';

/** For what an engine offers beside {@link Factories}: objects over protocols of its own, and the usual checks. */
export { checkLeaseMs, checkName, checkOptions, shown, subjectOf } from '../core/arguments.ts';
export { createLockOfKind, createUnfencedLock } from '../synchronizers/lock/plain-lock.ts';
export { createSemaphoreOfKind } from '../synchronizers/semaphores/semaphore.ts';

/** How many of this process stand before the store's own line, where local waiters go through a turnstile. */
export function waitersHere(client: Client, kind: string, name: string): number {
  return Turnstile.waiting({ client, kind, name });
}

export type { EngineOptions };

export const ENGINE_OPTIONS: readonly (keyof EngineOptions)[] = ['label', 'renewalLeaseMs', 'maxHoldMs'];

const USUAL_LEASE_MS = 30_000;

/** What every engine brings. */
interface CommonParts<K extends keyof Factories, S extends ClientSession, V extends UnraisedLockVerbs> {
  readonly engine: string;
  readonly options: EngineOptions;
  readonly traits: Traits;
  readonly clock: Clock;
  readonly random: Random;
  readonly protocols: (client: Client, session: S) => Pick<Protocols<V>, K>;
  /** Refuses names that this engine cannot keep, after what holds for all engines. */
  readonly checkName?: (kind: K, name: string, subject: ErrorSubject) => void;
  /** Called when the engine object closes, after everything is given back. */
  readonly whenClosed?: () => Promise<void> | void;
}

/** What an engine brings whose sessions are records that the client renews. */
export interface EngineParts<K extends keyof Factories> extends CommonParts<K, Session, LockVerbs> {
  /** Where this client is known to be alive, and for how long without a beat. */
  readonly sessions: SessionStore;
  readonly sessionMs: number;
}

/** What an engine brings whose store ends sessions itself and pushes what happens to them. */
export interface PushingEngineParts<K extends keyof Factories> extends CommonParts<
  K,
  PushedSession,
  UnraisedLockVerbs
> {
  readonly liveness: Liveness;
}

type Making = {
  readonly [K in keyof Factories]: (client: Client, protocols: Pick<Protocols, K>) => Factories[K];
};

const making: Making = {
  lock:
    (client, { lock }) =>
    (name) =>
      createLock(client, lock, name),
  fairLock:
    (client, { fairLock }) =>
    (name) =>
      createFairLock(client, fairLock, name),
  readWriteLock:
    (client, { readWriteLock }) =>
    (name) =>
      createReadWriteLock(client, readWriteLock, name),
  semaphore:
    (client, { semaphore }) =>
    (name, options) =>
      createSemaphore(client, semaphore, name, options),
  permitSemaphore:
    (client, { permitSemaphore }) =>
    (name, options) =>
      createPermitSemaphore(client, permitSemaphore, name, options),
  latch:
    (client, { latch }) =>
    (name) =>
      createLatch(client, latch, name),
  barrier:
    (client, { barrier }) =>
    (name, options) =>
      createBarrier(client, barrier, name, options),
  election:
    (client, { election }) =>
    (name) =>
      createElection(client, election, name),
  monitor:
    (client, { monitor }) =>
    (name, options) =>
      createMonitor(client, monitor, name, options),
};

/** Turns the protocols of an engine into what users hold in their hands: one factory for each, and nothing it lacks. */
export function assemble<K extends keyof Factories>(parts: EngineParts<K>): Synchronizers<K> {
  return assembleWith(parts, (client) => new Session(client, parts.sessions, parts.sessionMs));
}

/** The same for an engine that pushes. The store numbers its holds, so no lock of it can raise a fence. */
export function assemblePushing<K extends keyof Factories>(
  parts: PushingEngineParts<K>,
): Synchronizers<K, Lock> {
  return assembleWith(parts, (client) => new PushedSession(client, parts.liveness));
}

function assembleWith<K extends keyof Factories, S extends ClientSession, V extends UnraisedLockVerbs>(
  parts: CommonParts<K, S, V>,
  sessionOf: (client: Client) => S,
): Synchronizers<K> {
  const { options, clock, random, traits } = parts;
  const subject = { resource: `${parts.engine}()`, engine: parts.engine };
  const label = options.label ?? parts.engine;
  if (typeof label !== 'string' || label === '') {
    throw argumentTypeError(`${subject.resource}: label must be a string that is not empty.`, subject);
  }
  const renewalLeaseMs = checkLeaseMs(options.renewalLeaseMs ?? USUAL_LEASE_MS, 'renewalLeaseMs', subject);
  const maxHoldMs =
    options.maxHoldMs === undefined ? Infinity : checkLeaseMs(options.maxHoldMs, 'maxHoldMs', subject);
  const client = new Client({ label, clock, random, renewalLeaseMs, maxHoldMs });
  const session = sessionOf(client);
  // What a lock is made of tells at run time whether it can raise; its type tells by which of the two functions above it is made.
  const protocols = parts.protocols(client, session) as unknown as Pick<Protocols, K>;
  let closing: Promise<void> | undefined;
  /**
   * Keeps its promise before it begins: a listener or a driver that is called while the client closes may close it again.
   * `closing ??= closeAll()` begins a second end there, and the first one overwrites the promise that the second waits for.
   */
  const close = (): Promise<void> => {
    if (closing !== undefined) return closing;
    let settle!: (closed: Promise<void>) => void;
    closing = new Promise<void>((resolve) => {
      settle = resolve;
    });
    settle(closeAll());
    return closing;
  };
  async function closeAll(): Promise<void> {
    await client.close();
    await session.end();
    await parts.whenClosed?.();
  }
  const factories = Object.fromEntries(
    Object.keys(protocols).map((kind) => [kind, factoryOf(kind as K)]),
  ) as unknown as Pick<Factories, K>;
  function factoryOf(kind: K) {
    const make = making[kind](client, protocols) as (name: string, ...rest: readonly unknown[]) => unknown;
    const { checkName } = parts;
    if (checkName === undefined) return make;
    return (name: string, ...rest: readonly unknown[]) => {
      const made = make(name, ...rest);
      checkName(kind, name, subjectOf(kind, name, label));
      return made;
    };
  }
  return {
    ...factories,
    label,
    traits,
    owner: (name = 'owner') => {
      if (typeof name === 'string') return new ExplicitOwner(name, client);
      throw argumentTypeError(
        `${subject.resource}: the label of an owner must be a string, not ${shown(name)}.`,
        subject,
      );
    },
    on: (event, listener) => {
      const topic = client.events.topic(event);
      if (topic !== undefined && typeof listener === 'function') return topic.on(listener);
      const known = Object.keys(client.events).join(', ');
      throw argumentTypeError(`${subject.resource}: on needs an event (${known}) and a function.`, subject);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** Refuses misspelt options of an engine, and options that are no object. */
export function checkEngineOptions(options: unknown, own: readonly string[], engine: string): void {
  checkOptions(options, [...ENGINE_OPTIONS, ...own], { resource: `${engine}()`, engine });
}
