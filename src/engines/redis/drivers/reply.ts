import type { Reply } from '../driver.ts';

/**
 * A reply as the engine knows it, whatever the client made of it: text for bytes, the pairs of a map one after the other,
 * 1 and 0 for truth. What is plain already is handed on as it is, not copied.
 */
export function plainReply(value: unknown): Reply {
  if (typeof value === 'string' || typeof value === 'number') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return Number(value);
  return typeof value === 'object' && value !== null ? plainObject(value) : null;
}

/** Only these run scripts, whose replies are plain by themselves: a script has no maps, sets, doubles or truth to give. */
const scriptCommands = new Set(['EVALSHA', 'EVAL', 'FCALL']);

/** The reply to a command, plain. The most frequent commands are plain already, and spared one more promise. */
export function plainly(command: readonly string[], reply: Promise<unknown>): Promise<Reply> {
  return scriptCommands.has(command[0]!) ? (reply as Promise<Reply>) : reply.then(plainReply);
}

function plainObject(value: object): Reply {
  if (Array.isArray(value)) return value.every(isPlain) ? (value as Reply[]) : value.map(plainReply);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Map) return [...value].flat().map(plainReply);
  if (value instanceof Set) return [...value].map(plainReply);
  if (value instanceof Error) return value.message;
  return Object.entries(value).flat().map(plainReply);
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isPlain);
  return typeof value === 'string' || typeof value === 'number' || value === null;
}
