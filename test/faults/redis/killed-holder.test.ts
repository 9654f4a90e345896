import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { CLIENT_NAMES } from './open-locks.ts';
import { startProgram } from './program.ts';

const renewalLeaseMs = 1200;
const KINDS = ['lock', 'fairLock', 'writeLock', 'semaphore', 'permitSemaphore', 'election'];
/** Those whose key has the time that the holder has left. */
const TIMED = ['lock', 'fairLock', 'writeLock'];

describeRedis('a holder that is killed', () => {
  test.each(CLIENT_NAMES)(
    '%s: whoever waits in another process gets in when the lease is over, with a higher fence',
    async (client) => {
      await using server = await startRedisServer();
      const plan = { client, place: { port: server.port }, renewalLeaseMs };
      await using holder = startProgram('holder', plan);
      await holder.fact('ready');
      await using waiter = startProgram('waiter', plan);
      await waiter.fact('waiting');

      await holder.kill();
      const killedAtMs = Date.now();
      const leftMs = await Promise.all(TIMED.map((key) => server.command('PTTL', key)));

      for (const kind of KINDS) {
        const held = await holder.fact(kind);
        const next = await waiter.fact(kind);
        expect(BigInt(String(next['fence']))).toBeGreaterThan(BigInt(String(held['fence'])));
        // By the lease and by nothing else: a server could not tell a dead connection from a slow one.
        const endedAtMs = killedAtMs + Number(leftMs[TIMED.indexOf(kind)] ?? renewalLeaseMs / 3);
        expect(next.atMs).toBeGreaterThan(endedAtMs - 20);
      }
      await waiter.end();
    },
  );
});
