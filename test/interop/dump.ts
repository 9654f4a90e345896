import type { RedisServer } from '../fixtures/redis/redis-server.ts';
import type { RespConnection } from '../fixtures/redis/resp-connection.ts';

/** Everything that lies in a server, as docs/wire shows it. */
export async function dumpOf(server: RedisServer): Promise<string> {
  using connection = await server.connect({ bulkAs: 'bytes' });
  const keys = (await texts(connection, 'KEYS', '*')).toSorted(byKind);
  const shown = await Promise.all(keys.map((key) => entryOf(connection, key)));
  return shown.join('\n');
}

async function entryOf(connection: RespConnection, key: string): Promise<string> {
  const type = String(await connection.command('TYPE', key));
  const ttlMs = Number(await connection.command('PTTL', key));
  const head = `${type.padEnd(6)} ${key}  ${ttlMs < 0 ? 'no end' : `${ttlMs} ms`}`;
  const lines = await contentOf(connection, type, key);
  return [head, ...lines.map((line) => `       ${line}`)].join('\n');
}

async function contentOf(connection: RespConnection, type: string, key: string): Promise<readonly string[]> {
  switch (type) {
    case 'hash': {
      const pairs = pairsOf(await texts(connection, 'HGETALL', key));
      return pairs.map(([field, value]) => `${field} = ${value}`).toSorted(byKind);
    }
    case 'list':
      return texts(connection, 'LRANGE', key, 0, -1);
    case 'zset': {
      const pairs = pairsOf(await texts(connection, 'ZRANGE', key, 0, -1, 'WITHSCORES'));
      return pairs.map(([member, score]) => `${member} = ${score}`);
    }
    default:
      return texts(connection, 'GET', key);
  }
}

function pairsOf(words: readonly string[]): readonly (readonly [string, string])[] {
  return words.flatMap((word, at) => (at % 2 === 0 ? [[word, words[at + 1] ?? ''] as const] : []));
}

async function texts(connection: RespConnection, ...words: (string | number)[]): Promise<string[]> {
  const reply = await connection.command(...words);
  return (Array.isArray(reply) ? reply : [reply]).map((one) => textOf(one));
}

/** Text as it is; the 16 bytes of a permit as their digits, with a sign that they are bytes. */
function textOf(reply: unknown): string {
  if (!Buffer.isBuffer(reply)) return String(reply);
  const text = reply.toString('utf8');
  const isText = Buffer.from(text).equals(reply) && !/\p{Cc}/u.test(text);
  return isText ? text : `bytes ${reply.toString('hex')}`;
}

/** An order in which whose id happens to be lower plays no part. */
function byKind(one: string, other: string): number {
  return normalised(one) < normalised(other) ? -1 : 1;
}

/** The same dump at another time: ids, fences, times and the numbers of threads are others. */
export function normalised(dump: string): string {
  return dump
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}:\d+/g, '«Java thread»')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '«uuid»')
    .replaceAll(/bytes [0-9a-f]{32}/g, '«permit»')
    .replaceAll(/[0-9a-f]{32}:[0-9a-z]+/g, '«Node owner»')
    .replaceAll(/[0-9a-f]{32}/g, '«Node client»')
    .replaceAll(/\b\d+\.\d+\.\d+\.\d+\b/g, '«address»')
    .replaceAll(/\b\d{13}\b/g, '«time»')
    .replaceAll(/\b\d{15,16}\b/g, (digits) => (digits === '922337203685477' ? digits : '«fence»'))
    .replaceAll(/ \d+ ms$/gm, (text) => ` about ${magnitude(Number.parseInt(text, 10))}`)
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Told apart are a lease, a patience and a retention. */
function magnitude(ms: number): string {
  if (ms > 6 * 24 * 3_600_000) return 'a week';
  if (ms > 600_000) return 'an hour';
  if (ms > 100_000) return 'minutes';
  return ms > 1000 ? 'half a minute' : 'a moment';
}
