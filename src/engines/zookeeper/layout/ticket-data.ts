import type { Json } from '../../../spi/json.ts';

/** What a ticket says besides its name. */
export interface TicketData {
  readonly fences: number;
  readonly value: Json;
  /** Of how many permits a lease of a semaphore is. */
  readonly total?: number;
}

const FENCES = /^holdfast fences=(\d+)$/;
const TOTAL = /^holdfast permits=(\d+)$/;

/**
 * What is written into a node. No program reads the data of Curator's locks, so that of ours says how many fences its holder has
 * reserved. The data of a LeaderLatch is the id of the participant, a text that Java shows to its users.
 */
export function encodeTicketData(kind: string, { fences, value, total }: TicketData): Buffer {
  if (total !== undefined) return Buffer.from(`holdfast permits=${total}`);
  return Buffer.from(kind === 'election' ? encodeValue(value) : `holdfast fences=${fences}`);
}

export function decodeTicketData(kind: string, data: Buffer): TicketData {
  const text = data.toString('utf8');
  if (kind === 'election') return { fences: 1, value: decodeValue(text) };
  const total = TOTAL.exec(text)?.[1];
  if (total !== undefined) return { fences: 1, value: null, total: Number(total) };
  return { fences: Number(FENCES.exec(text)?.[1] ?? 1), value: null };
}

/** A text stands as it is, for Java to show; unless it would be read back as something else. */
function encodeValue(value: Json): string {
  if (value === null) return '';
  return typeof value === 'string' && decodeValue(value) === value ? value : JSON.stringify(value);
}

function decodeValue(text: string): Json {
  if (text === '') return null;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
