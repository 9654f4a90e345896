const COUNT_BYTES = 4;
const HIGHEST_COUNT = 2 ** 31 - 1;

interface LatchDocument {
  readonly state: { readonly count: number } | null;
  readonly clients: readonly unknown[];
}

/**
 * A document as JSON. That of a latch begins with the count as four bytes, which is all that Curator's SharedCount reads; a count
 * that does not fit shows as the highest one there.
 */
export function encodeDocument(kind: string, state: unknown): Buffer {
  const json = Buffer.from(JSON.stringify(state));
  if (kind !== 'latch') return json;
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeInt32BE(Math.min((state as LatchDocument).state?.count ?? 0, HIGHEST_COUNT));
  return Buffer.concat([count, json]);
}

/** Undefined for what is no document of ours. A SharedCount that Java has written is a latch that no client has changed yet. */
export function decodeDocument(kind: string, data: Buffer): { readonly state: unknown } | undefined {
  try {
    if (kind !== 'latch') return { state: JSON.parse(data.toString('utf8')) as unknown };
    if (data.length > COUNT_BYTES)
      return { state: JSON.parse(data.toString('utf8', COUNT_BYTES)) as unknown };
    const count = data.readInt32BE();
    return count < 0 ? undefined : { state: { state: { count }, clients: [] } satisfies LatchDocument };
  } catch {
    return undefined;
  }
}
