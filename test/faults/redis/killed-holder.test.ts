import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { CLIENT_NAMES } from './open-locks.ts';
import { startProgram } from './program.ts';

/** So long that a busy machine does not keep the holder from renewing: a hold that ends before the kill proves nothing. */
const renewalLeaseMs = 6000;
/** Only decides how long a failure takes: on a busy machine a process starts in several seconds. */
const DEADLINE_MS = 30_000;
const KINDS = ['lock', 'fairLock', 'writeLock', 'semaphore', 'permitSemaphore', 'election'];
/** Those whose key has the time that the holder has left. */
const TIMED = ['lock', 'fairLock', 'writeLock'];

describeRedis('a holder that is killed', { timeout: 4 * DEADLINE_MS }, () => {
  test.concurrent.each(CLIENT_NAMES)(
    '%s: a waiter in another process acquires when the lease is over, with a higher fence',
    async (client) => {
      await using server = await startRedisServer();
      const plan = { client, place: { port: server.port }, renewalLeaseMs };
      await using holder = startProgram('holder', plan);
      await holder.fact('ready', DEADLINE_MS);
      await using waiter = startProgram('waiter', plan);
      await waiter.fact('waiting', DEADLINE_MS);

      const killedAtMs = Date.now();
      await holder.kill();
      const leftMs = await Promise.all(TIMED.map((key) => server.command('PTTL', key)));

      for (const kind of KINDS) {
        const held = await holder.fact(kind);
        const next = await waiter.fact(kind, DEADLINE_MS);
        expect(BigInt(String(next['fence']))).toBeGreaterThan(BigInt(String(held['fence'])));
        // Only the lease ends the hold: a server cannot tell a dead connection from a slow one.
        const endedAtMs = killedAtMs + Number(leftMs[TIMED.indexOf(kind)] ?? renewalLeaseMs / 3);
        expect(next.atMs).toBeGreaterThan(endedAtMs - 20);
      }
      await waiter.end();
    },
  );
});
