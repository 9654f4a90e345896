/** Where everything is kept whose name is no key: beside the keys of other programs, and one place for each kind. */
export const OWN_PREFIX = '/holdfast/';

/** What the heartbeat of a client reads, and no client writes: a user who may join a line may read below {@link OWN_PREFIX}. */
export const HEARTBEAT_KEY = `${OWN_PREFIX}alive`;

/**
 * The key of a synchronizer. A name that begins with a slash is that key, as other programs give it to etcd. Any other name is one part
 * below {@link OWN_PREFIX} and its kind.
 *
 * The tempting alternative takes every name as it is. All keys below the name of a lock stand in its line, whichever program
 * made them: `lock('orders')` would wait for `lock('orders/42')`.
 */
export function keyOfName(kind: string, name: string): string {
  return name.startsWith('/') ? name : `${OWN_PREFIX}${kind}/${encodeKeyPart(name)}`;
}

/** What every ticket of a line begins with. */
export function linePrefix(kind: string, name: string): string {
  return `${keyOfName(kind, name)}/`;
}

/** One part of a key: without a slash, and so that every name can be read back. */
export function encodeKeyPart(name: string): string {
  return encodeURIComponent(name);
}

/** The first key behind all that begin with this one, for a range. */
export function endOfPrefix(prefix: Buffer): Buffer {
  const end = Buffer.from(prefix);
  for (let at = end.length - 1; at >= 0; at--) {
    const byte = end[at] ?? 0;
    if (byte === 0xff) continue;
    end[at] = byte + 1;
    return end.subarray(0, at + 1);
  }
  // Every key is behind a prefix of such bytes alone.
  return Buffer.from([0]);
}

/** The name that was encoded; undefined for a key that another program has made. */
export function decodeKeyPart(part: string): string | undefined {
  try {
    const name = decodeURIComponent(part);
    return encodeKeyPart(name) === part ? name : undefined;
  } catch {
    return undefined;
  }
}
