import { checkName } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { FairGate } from '../../core/queues/fair-gate.ts';
import { type Gate, OpenGate } from '../../core/queues/gate.ts';
import { Holdable } from '../../core/acquire/holdable.ts';
import { Turnstile } from '../../core/queues/turnstile.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import type { FencedLock, Lock, TimedLock } from '../../spi/synchronizers.ts';
import type { LockLook, LockVerbs } from '../../spi/verbs/lock.ts';
import { FencedLockObject, type FencedLockParts } from './fenced-lock.ts';
import { LockObject } from './lock.ts';
import type { LockParts } from './lock-parts.ts';

export type LockProtocol = HoldingProtocol<LockVerbs, LockLook>;

function plainHoldable(
  client: Client,
  family: string,
  name: string,
  protocol: LockProtocol,
  shownKind = family,
): Holdable {
  return new Holdable(client, family, name, protocol, {
    ...(shownKind !== family && { shownKind }),
    blockers: async () => {
      const { holder } = await protocol.look(name);
      return holder === undefined ? [] : [holder];
    },
  });
}

function partsOf<K extends Lock['kind']>(
  kind: K,
  holdable: Holdable,
  protocol: LockProtocol,
  gate: () => Gate,
  localWaiters: () => number,
): LockParts & { readonly kind: K } {
  const { client, name } = holdable;
  const place = { client, family: holdable.kind, name, side: 'whole' };
  return {
    kind,
    holdable,
    gate,
    place,
    rivals: [place],
    look: async () => {
      const { holder, waiters } = await protocol.look(name);
      // Owners that the store counted as waiters may have given up before it handed off to the others.
      return { holder, waiters: Math.max(0, waiters + localWaiters()) };
    },
    force: (fence) => protocol.force(name, fence === undefined ? {} : { fence }),
  };
}

function fenced(parts: FencedLockParts, protocol: LockProtocol): FencedLock {
  const { name } = parts.holdable;
  // The type of such an engine's factories says `Lock`; see `Factories`.
  if (!('raise' in protocol)) return new LockObject(parts) as unknown as FencedLock;
  return new FencedLockObject(parts, (owner, fence) => protocol.raise(name, { owner, fence }));
}

/** What a lock of an engine's own has that differs from `locks.lock(name)`. */
export interface LockVariety<K extends Lock['kind'] = FencedLock['kind']> {
  readonly kind: K;
  /** The lease of its renewed holds, instead of the client's. */
  readonly renewalLeaseMs: number;
  /** Tells apart those of one kind that may have the same name and are not the same lock. */
  readonly family?: string;
}

/** The lock of `locks.lock(name)`: local waiters go through a turnstile. */
export function createLock(client: Client, protocol: LockProtocol, name: string): TimedLock {
  checkName(name, 'lock', client.label);
  const variety = { kind: 'lock', renewalLeaseMs: client.renewalLeaseMs } as const;
  return createLockOfKind(client, protocol, name, variety) as TimedLock;
}

/** The same of another kind. The caller has checked the name. */
export function createLockOfKind(
  client: Client,
  protocol: LockProtocol,
  name: string,
  variety: LockVariety,
): FencedLock {
  return fenced(partsOfKind(client, protocol, name, variety), protocol);
}

/** The same of a kind whose store keeps no fence: no client can raise it, so it is no member of a quorum. */
export function createUnfencedLock(
  client: Client,
  protocol: LockProtocol,
  name: string,
  variety: LockVariety<Lock['kind']>,
): Lock {
  return new LockObject(partsOfKind(client, protocol, name, variety));
}

function partsOfKind<K extends Lock['kind']>(
  client: Client,
  protocol: LockProtocol,
  name: string,
  { kind, renewalLeaseMs, family = kind }: LockVariety<K>,
): LockParts & { readonly kind: K } {
  const holdable = plainHoldable(client, family, name, protocol, kind);
  let turnstile = Turnstile.of(holdable);
  const current = () => (turnstile.current ? turnstile : (turnstile = Turnstile.again(holdable)));
  const gate =
    renewalLeaseMs === client.renewalLeaseMs ? current : () => withLease(current(), renewalLeaseMs);
  return partsOf(kind, holdable, protocol, gate, () => Turnstile.waiting(holdable));
}

/** The same gate, through which renewed holds come with a lease of their own. */
function withLease(gate: Gate, leaseMs: number): Gate {
  return {
    enter: (terms) => gate.enter(terms.renewed ? { ...terms, leaseMs } : terms),
    leave: (grant) => gate.leave(grant),
  };
}

/** The lock of `locks.fairLock(name)`: one line for the whole fleet, which the store keeps. */
export function createFairLock(client: Client, protocol: LockProtocol, name: string): TimedLock {
  checkName(name, 'fairLock', client.label);
  const holdable = plainHoldable(client, 'fairLock', name, protocol);
  const { gate, localWaiters } = protocol.traits.batchesWaiters ? sharing(holdable) : alone(holdable);
  return fenced(partsOf('fairLock', holdable, protocol, gate, localWaiters), protocol) as TimedLock;
}

/** How to go in, and how many wait of whom the store does not know. */
interface Way {
  readonly gate: () => Gate;
  readonly localWaiters: () => number;
}

function alone(holdable: Holdable): Way {
  const gate = new OpenGate(holdable);
  return { gate: () => gate, localWaiters: () => 0 };
}

function sharing(holdable: Holdable): Way {
  let gate = FairGate.of(holdable);
  const current = () => (gate.current ? gate : (gate = FairGate.again(holdable)));
  return { gate: current, localWaiters: () => current().uncounted };
}
