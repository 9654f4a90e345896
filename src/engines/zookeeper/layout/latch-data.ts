import { decodeDocument, encodeDocument } from './document-data.ts';

const COUNT_BYTES = 4;
const HIGHEST_COUNT = 2 ** 31 - 1;

interface LatchDocument {
  readonly state: { readonly count: number } | null;
  readonly clients: readonly unknown[];
}

/** The data of the two nodes of a latch. */
export interface LatchData {
  /** The node that is a SharedCount for Java. */
  readonly count: Buffer;
  /** The whole document, in a node of its own. */
  readonly memory: Buffer;
}

/**
 * The count is four bytes and nothing else, as Curator's SharedCount writes it; a count that does not fit shows as the highest one.
 *
 * The tempting alternative appends the document to the four bytes, which are all that a SharedCount reads. Its `trySetCount` compares
 * all bytes with the four of the count that it has read, and would never succeed again.
 */
export function encodeLatch(state: unknown): LatchData {
  const count = Buffer.alloc(COUNT_BYTES);
  count.writeInt32BE(shownCount(state as LatchDocument));
  return { count, memory: encodeDocument(state) };
}

/**
 * Undefined for what is no count. A count that differs from that of the document was written by Java: it counts, and the requests that
 * the document remembers stay remembered.
 */
export function decodeLatch(
  count: Buffer,
  memory: Buffer | undefined,
): { readonly state: unknown } | undefined {
  if (count.length !== COUNT_BYTES || count.readInt32BE() < 0) return undefined;
  const remembered = memory && (decodeDocument(memory)?.state as LatchDocument | undefined);
  const shown = count.readInt32BE();
  if (remembered !== undefined && shownCount(remembered) === shown) return { state: remembered };
  return { state: { state: { count: shown }, clients: remembered?.clients ?? [] } satisfies LatchDocument };
}

function shownCount({ state }: LatchDocument): number {
  return Math.min(state?.count ?? 0, HIGHEST_COUNT);
}
