import { checkName } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { FairGate } from '../../core/queues/fair-gate.ts';
import { type Gate, OpenGate } from '../../core/queues/gate.ts';
import type { Resource } from '../../core/acquire/resource.ts';
import { Turnstile } from '../../core/queues/turnstile.ts';
import type { FencedLock, Lock } from '../../spi/synchronizers.ts';
import { FencedLockObject, type FencedLockParts } from './fenced-lock.ts';
import { LockObject, type LockParts } from './lock.ts';
import { type LockProtocol, LockResource } from './lock-resource.ts';

function partsOf<K extends Lock['kind']>(
  kind: K,
  resource: Resource,
  protocol: LockProtocol,
  gate: () => Gate,
  localWaiters: () => number,
): LockParts & { readonly kind: K } {
  const { client, name } = resource;
  const place = { client, family: resource.kind, name, side: 'whole' };
  return {
    kind,
    resource,
    gate,
    place,
    rivals: [place],
    look: async () => {
      const { holder, waiters } = await protocol.look(name);
      // Some may have given up of whom the store knew before it let the others in.
      return { holder, waiters: Math.max(0, waiters + localWaiters()) };
    },
    force: (fence) => protocol.force(name, fence === undefined ? {} : { fence }),
  };
}

function fenced(parts: FencedLockParts, protocol: LockProtocol): FencedLock {
  const { name } = parts.resource;
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
export function createLock(client: Client, protocol: LockProtocol, name: string): FencedLock {
  checkName(name, 'lock', client.label);
  return createLockOfKind(client, protocol, name, { kind: 'lock', renewalLeaseMs: client.renewalLeaseMs });
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
  const resource = new LockResource(client, family, name, protocol, kind);
  let turnstile = Turnstile.of(resource);
  const current = () => (turnstile.current ? turnstile : (turnstile = Turnstile.again(resource)));
  const gate =
    renewalLeaseMs === client.renewalLeaseMs ? current : () => withLease(current(), renewalLeaseMs);
  return partsOf(kind, resource, protocol, gate, () => Turnstile.waiting(resource));
}

/** The same gate, through which renewed holds come with a lease of their own. */
function withLease(gate: Gate, leaseMs: number): Gate {
  return {
    enter: (terms) => gate.enter(terms.renewed ? { ...terms, leaseMs } : terms),
    leave: (grant) => gate.leave(grant),
  };
}

/** The lock of `locks.fairLock(name)`: one line for the whole fleet, which the store keeps. */
export function createFairLock(client: Client, protocol: LockProtocol, name: string): FencedLock {
  checkName(name, 'fairLock', client.label);
  const resource = new LockResource(client, 'fairLock', name, protocol);
  const { gate, localWaiters } = protocol.traits.batchesWaiters ? sharing(resource) : alone(resource);
  return fenced(partsOf('fairLock', resource, protocol, gate, localWaiters), protocol);
}

/** How to go in, and how many wait of whom the store does not know. */
interface Way {
  readonly gate: () => Gate;
  readonly localWaiters: () => number;
}

function alone(resource: Resource): Way {
  const gate = new OpenGate(resource);
  return { gate: () => gate, localWaiters: () => 0 };
}

function sharing(resource: Resource): Way {
  let gate = FairGate.of(resource);
  const current = () => (gate.current ? gate : (gate = FairGate.again(resource)));
  return { gate: current, localWaiters: () => current().uncounted };
}
