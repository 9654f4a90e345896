import type { Client } from '../../../core/client.ts';
import { EngineError } from '../../../spi/errors.ts';
import type { RedisDriver, RedisNode } from '../driver.ts';

const HARMLESS = 'noeviction';
const CODE = 'HOLDFAST_EVICTION';

/**
 * Warns, once for each engine object, of a server that throws keys away when its memory is full. Every lock is a key:
 * the holder of one that was thrown away learns of it at its next renewal, and somebody else is in by then.
 *
 * A warning and no refusal: whether the memory ever gets full is not for us to know. Nothing waits for it, and a user
 * who may not ask is not told.
 */
export async function warnOfEviction(client: Client, driver: RedisDriver): Promise<void> {
  try {
    for (const server of await driver.findMasters()) {
      const policy = await readPolicy(server);
      if (policy !== undefined && policy !== HARMLESS) return warn(client, server, policy);
    }
  } catch {
    // Not permitted, or not reached: the first lock that is asked for tells what is the matter.
  }
}

async function readPolicy(server: RedisNode): Promise<string | undefined> {
  const info = await server.send(['INFO', 'memory']);
  return /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1];
}

function warn({ closed, events, label }: Client, { id }: RedisNode, policy: string): void {
  if (closed) return;
  const text = `Redis at ${id} has the maxmemory-policy ${policy}: when its memory is full it throws keys away, and a lock that is thrown away is free while its holder still works. Set maxmemory-policy ${HARMLESS}, or keep locks on a server of their own.`;
  process.emitWarning(text, { type: 'HoldfastWarning', code: CODE });
  if (!events.trouble.wanted) return;
  const error = new EngineError(text, { resource: `server ${id}`, engine: label }, { retryable: false });
  events.trouble.emit({ kind: 'server', name: id, engine: label, error });
}
