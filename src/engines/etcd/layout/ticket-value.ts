import type { Json } from '../../../spi/json.ts';
import type { OwnerId } from '../../../spi/rule.ts';

const SAID = /^holdfast fences=(\d+) at=(\d+)(?: lease=(\d+))?(?: owner=(\S+))?$/;

/** What a ticket says besides its key. */
export interface TicketValue {
  readonly fences: number;
  readonly value: Json;
  /** When the client joined, by the clock of its machine: etcd keeps no times. */
  readonly joinedAt?: number;
  /** Of a permit: the lease of its own. */
  readonly leaseMs?: number;
  /** Whose ticket it is, where its key does not say so. */
  readonly owner?: OwnerId;
}

/**
 * What is written into a key. No program reads the value of a mutex, so that of ours says how many fences its holder has reserved, and since
 * when it stands. The value of an election is what its leader proclaims: a text that other programs show to their users.
 */
export function encodeTicketValue(
  kind: string,
  { fences, value, joinedAt = 0, leaseMs, owner }: TicketValue,
): Buffer {
  if (kind === 'election') return Buffer.from(encodeProposal(value));
  const lease = leaseMs === undefined ? '' : ` lease=${Math.ceil(leaseMs)}`;
  const whose = owner === undefined ? '' : ` owner=${owner}`;
  return Buffer.from(`holdfast fences=${fences} at=${Math.round(joinedAt)}${lease}${whose}`);
}

export function decodeTicketValue(kind: string, bytes: Uint8Array): TicketValue {
  const text = Buffer.from(bytes).toString('utf8');
  if (kind === 'election') return { fences: 1, value: decodeProposal(text) };
  const [, fences, at, lease, owner] = SAID.exec(text) ?? [];
  if (at === undefined) return { fences: 1, value: null };
  return {
    fences: Number(fences),
    value: null,
    joinedAt: Number(at),
    ...(lease !== undefined && { leaseMs: Number(lease) }),
    ...(owner !== undefined && { owner }),
  };
}

/** A text stands as it is, for `etcdctl elect` to print; unless it would be read back as something else. */
function encodeProposal(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' && decodeProposal(value) === value ? value : JSON.stringify(value);
}

function decodeProposal(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
