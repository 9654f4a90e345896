import { decodeKeyPart, OWN_PREFIX } from './etcd-keys.ts';

/** A synchronizer by its kind and name. */
export interface KeyedLine {
  readonly kind: string;
  readonly name: string;
}

const OWN_TICKET = /^(.+?)\/(?:(read|write)\/)?[0-9a-f]+-[0-9a-f]{32}[:.][0-9a-z]+(-\d+of\d+(-id)?)?$/s;
/** Of etcd's concurrency package: a lease is a number of 64 bits whose highest ones are never zero. */
const LEASE_TICKET = /^(.+)\/[0-9a-f]{12,16}$/s;
/** Of the recipes: the time in nanoseconds. */
const SIDED_TICKET = /^(.+)\/(?:read|write)\/\d{18,20}$/s;

/**
 * The synchronizer that a key belongs to, below what is in front of every key. Undefined for the key of another program that is no ticket,
 * and for a document at a name that begins with a slash: such a key does not say its kind.
 *
 * A lock and an election at a name that begins with a slash are one line; `value` tells them apart as far as can be: a mutex writes
 * nothing, or how many fences it has reserved.
 */
export function lineOfKey(key: string, value: Uint8Array | undefined): KeyedLine | undefined {
  if (key.startsWith(OWN_PREFIX)) return ownNameIn(key.slice(OWN_PREFIX.length));
  const [, own, side, permits, byId] = OWN_TICKET.exec(key) ?? [];
  if (own !== undefined) {
    if (side !== undefined) return { kind: 'readWriteLock', name: own };
    if (permits === undefined) return lockOrElection(own, value);
    return { kind: byId === undefined ? 'semaphore' : 'permitSemaphore', name: own };
  }
  const sided = SIDED_TICKET.exec(key)?.[1];
  if (sided !== undefined) return { kind: 'readWriteLock', name: sided };
  const leased = LEASE_TICKET.exec(key)?.[1];
  return leased === undefined ? undefined : lockOrElection(leased, value);
}

function lockOrElection(name: string, value: Uint8Array | undefined): KeyedLine {
  const text = Buffer.from(value ?? []).toString();
  const isMutex = text === '' || text.startsWith('holdfast fences=');
  return { kind: isMutex ? 'lock' : 'election', name };
}

function ownNameIn(rest: string): KeyedLine | undefined {
  const [kind, part] = rest.split('/');
  const name = part === undefined ? undefined : decodeKeyPart(part);
  return kind === undefined || name === undefined ? undefined : { kind, name };
}
