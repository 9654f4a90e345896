import type { RedisSynchronizers } from '../../src/engines/redis/index.ts';
import type { RedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';

/**
 * Waits until the client has announced itself, and empties the server. The announcement comes a moment after the first grant and then
 * not for twenty minutes: a dump that is made after this shows what the synchronizers write, however slow the machine is.
 */
export async function emptyAfterAnnouncement(locks: RedisSynchronizers, server: RedisServer): Promise<void> {
  const hold = await locks.lock('to be announced').acquire();
  await waitFor('the client has announced itself', async () => {
    return ((await server.command('KEYS', 'holdfast_client*')) as readonly string[]).length > 0;
  });
  await hold.release();
  await server.command('FLUSHALL');
}
