import type { Reply } from '../driver.ts';
import { isError } from '../../../spi/is-error.ts';

/**
 * Converts a client's reply to the engine's form: text for bytes, a flat list for a map, 1 and 0 for booleans. Returns a
 * plain value as it is, without a copy.
 */
export function plainReply(value: unknown): Reply {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? plainObject(value) : null;
}

/** The commands that run scripts. Their replies are plain already: a script returns no maps, sets, doubles or booleans. */
const scriptCommands = new Set(['EVALSHA', 'EVAL', 'FCALL']);

/** The reply to a command, plain. The replies of scripts are plain already, which saves a promise on the hot path. */
export function plainly(command: readonly string[], reply: Promise<unknown>): Promise<Reply> {
  return scriptCommands.has(command[0]!) ? (reply as Promise<Reply>) : reply.then(plainReply);
}

function plainObject(value: object): Reply {
  if (Array.isArray(value)) return value.every(isPlain) ? (value as Reply[]) : value.map(plainReply);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Map) return [...value].flat().map(plainReply);
  if (value instanceof Set) return [...value].map(plainReply);
  if (isError(value)) return value.message;
  return Object.entries(value).flat().map(plainReply);
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  return typeof value === 'string' || typeof value === 'number' || value === null;
}
