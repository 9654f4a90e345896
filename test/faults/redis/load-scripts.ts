import { readdirSync, readFileSync } from 'node:fs';
import { sentText } from '../../../scripts/lua/sent-text.mjs';
import type { RedisServer } from '../../fixtures/redis/redis-server.ts';

const folder = new URL('../../../src/engines/redis/scripts/', import.meta.url);

/** What the scripts are called by on the wire. The server knows all of them from now on, so that each call is one request. */
export async function loadScripts(server: RedisServer): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const file of readdirSync(folder)) {
    const sent = sentText(readFileSync(new URL(file, folder), 'utf8'));
    const digest = await server.command('SCRIPT', 'LOAD', sent);
    digests.set(file.replace('.lua', ''), String(digest));
  }
  return digests;
}
