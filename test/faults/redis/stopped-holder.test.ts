import { expect, test, vi } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { startTcpProxy } from '../../fixtures/network/tcp-proxy.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FencedRegister } from './fenced-register.ts';
import { CLIENT_NAMES, openLocks } from './open-locks.ts';
import { startProgram } from './program.ts';

// A program is started in each: the limit only ends a case that hangs.
vi.setConfig({ testTimeout: 60_000 });

const renewalLeaseMs = 900;
const name = 'guarded';

describeRedis('a holder that is stopped for longer than its lease', () => {
  test.each(CLIENT_NAMES)('%s: learns of the loss when it goes on, before it can act', async (client) => {
    await using server = await startRedisServer();
    const { port } = server;
    await using writer = startProgram('guarded-writer', {
      client,
      place: { port },
      renewalLeaseMs,
      name,
      registerPort: port,
    });
    const held = await writer.fact('held');
    await writer.fact('writing');

    await writer.pause();
    await using locks = await openLocks(client, { port });
    const next = await locks.lock(name).acquire();
    expect(next.fence).toBeGreaterThan(BigInt(String(held['fence'])));
    using register = await FencedRegister.open(port);
    expect(await register.write(next.fence, -1)).toBe(true);
    writer.resume();

    await expect(writer.fact('awake')).resolves.toMatchObject({ refusedBy: 'LEASE_LOST' });
    await expect(writer.fact('end of first turn')).resolves.toMatchObject({ lost: true });
    next.throwIfLost();
    await writer.end();
    expect(await register.value()).toBe(-1);
  });

  test('cannot be told of a write that is already on the wire: the fence refuses it', async () => {
    await using server = await startRedisServer();
    const { port } = server;
    await using wire = await startTcpProxy(server);
    await using writer = startProgram('guarded-writer', {
      client: 'node-redis',
      place: { port },
      renewalLeaseMs,
      name,
      registerPort: wire.port,
    });
    await writer.fact('writing');

    wire.toServer.hold();
    const before = wire.toServer.bytes;
    await waitFor('a write is on the wire', () => wire.toServer.bytes > before);
    await writer.pause();
    await using locks = await openLocks('node-redis', { port });
    const next = await locks.lock(name).acquire();
    using register = await FencedRegister.open(port);
    expect(await register.read(next.fence)).toBeGreaterThan(0);
    wire.toServer.pass();
    writer.resume();

    // It was sent in good faith, and arrives all the same.
    await writer.fact('refused');
    expect(await register.write(next.fence, -1)).toBe(true);
    await writer.end();
    expect((await register.accepted()).at(-1)).toBe(next.fence);
    expect(await register.value()).toBe(-1);
  });
});
