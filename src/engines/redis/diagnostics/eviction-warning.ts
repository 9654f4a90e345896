import type { Client } from '../../../core/client.ts';
import { EngineError } from '../../../spi/errors.ts';
import type { RedisDriver, RedisNode } from '../driver.ts';

const HARMLESS = 'noeviction';
const CODE = 'HOLDFAST_EVICTION';

/**
 * Warns, once for each engine object, of a server that evicts keys when its memory is full. Every lock is a key: the holder
 * of an evicted lock learns of it at its next renewal, and another client may hold it by then.
 *
 * A warning and no refusal: the engine cannot know whether the memory will ever be full. No call waits for the check, and
 * where the ACL forbids INFO there is no warning.
 */
export async function warnOfEviction(client: Client, driver: RedisDriver): Promise<void> {
  try {
    for (const server of await driver.findMasters()) {
      const policy = await readPolicy(server);
      if (policy !== undefined && policy !== HARMLESS) return warn(client, server, policy);
    }
  } catch {
    // Forbidden or unreachable: the first request for a lock reports the reason.
  }
}

async function readPolicy(server: RedisNode): Promise<string | undefined> {
  const info = await server.send(['INFO', 'memory']);
  return /^maxmemory_policy:(\S+)/m.exec(String(info))?.[1];
}

function warn({ closed, events, label }: Client, { id }: RedisNode, policy: string): void {
  if (closed) return;
  const text = `Redis at ${id} has the maxmemory-policy ${policy}: when its memory is full it evicts keys, and an evicted lock is free while its holder still works. Set maxmemory-policy ${HARMLESS}, or keep locks on a server of their own.`;
  process.emitWarning(text, { type: 'HoldfastWarning', code: CODE });
  if (!events.trouble.wanted) return;
  const error = new EngineError(text, { resource: `server ${id}`, engine: label }, { retryable: false });
  events.trouble.emit({ kind: 'server', name: id, engine: label, error });
}
