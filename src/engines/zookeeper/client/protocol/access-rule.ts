import { createHash } from 'node:crypto';
import type { JuteReader } from '../jute/jute-reader.ts';
import type { JuteWriter } from '../jute/jute-writer.ts';

/** The permissions of a rule, as bits to combine. */
export const permission = { read: 1, write: 2, create: 4, delete: 8, admin: 16, all: 31 } as const;

/** One entry of a node's access list (ACL): who may do what. */
export interface AccessRule {
  /** Bits of `permission`, added up. */
  readonly permissions: number;
  /** `world`, `auth`, `digest`, `sasl`, `x509`, `ip`. */
  readonly scheme: string;
  /** The user or address, in the form of the scheme: `anyone` of `world`, `digestId(user, password)` of `digest`. */
  readonly id: string;
}

/** All permissions for every user: ZooKeeper's own default. */
export const openAccess: readonly AccessRule[] = [
  { permissions: permission.all, scheme: 'world', id: 'anyone' },
];

/** All permissions for the identities of the connection that creates the node, and none for others: a client needs credentials. */
export const creatorAccess: readonly AccessRule[] = [{ permissions: permission.all, scheme: 'auth', id: '' }];

/**
 * The id of a user in a rule of the scheme `digest`: the name, and a hash of name and password. Every member of a fleet can so
 * name the users of the others, of which it knows no password: their hash is enough.
 */
export function digestId(user: string, password: string): string {
  return `${user}:${createHash('sha1').update(`${user}:${password}`).digest('base64')}`;
}

const LEAST_BYTES = 12;

export function writeAccess(writer: JuteWriter, rules: readonly AccessRule[]): void {
  writer.vector(rules, ({ permissions, scheme, id }) => {
    writer.int(permissions);
    writer.string(scheme);
    writer.string(id);
  });
}

export function readAccess(reader: JuteReader): AccessRule[] {
  return reader.vector(LEAST_BYTES, () => ({
    permissions: reader.int(),
    scheme: reader.string(),
    id: reader.string(),
  }));
}
