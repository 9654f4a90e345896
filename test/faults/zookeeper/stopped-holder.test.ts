import { expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { FencedRegister } from './fenced-register.ts';
import { openProxied } from './proxied-locks.ts';
import { RegisterServer } from './register-server.ts';
import { startZooKeeperProgram } from './zookeeper-program.ts';

const name = '/guarded';
const SESSION_MS = 2000;

describeZooKeeper('a holder that is stopped for longer than its session', { timeout: 60_000 }, () => {
  test('learns of the loss when it goes on, before it can act; the fence refuses one that does not ask', async () => {
    await using server = await startZooKeeper();
    const register = new FencedRegister();
    using registerServer = await RegisterServer.start(register);
    await using writer = startZooKeeperProgram('guarded-writer', {
      servers: server.address,
      sessionMs: SESSION_MS,
      name,
      registerPort: registerServer.port,
    });
    const held = await writer.fact('held');
    await writer.fact('writing');

    await writer.pause();
    await using other = await openProxied([server]);
    const next = await other.locks.lock(name).acquire({ timeoutMs: 30_000 });
    expect(next.fence).toBeGreaterThan(BigInt(String(held['fence'])));
    expect(register.write(next.fence, -1)).toBe(true);
    writer.resume();

    await expect(writer.fact('awake')).resolves.toMatchObject({ refusedBy: 'LEASE_LOST' });
    await expect(writer.fact('end of first turn')).resolves.toMatchObject({ lost: true });
    await expect(writer.fact('unguarded')).resolves.toMatchObject({ isAccepted: false });
    expect(register.value).toBe(-1);
    next.throwIfLost();
    await next.release();
    await writer.end();
  });

  test('is killed: its ticket goes with its session, and the waiter is in', async () => {
    await using server = await startZooKeeper();
    using registerServer = await RegisterServer.start(new FencedRegister());
    await using writer = startZooKeeperProgram('guarded-writer', {
      servers: server.address,
      sessionMs: SESSION_MS,
      name,
      registerPort: registerServer.port,
    });
    await writer.fact('held');
    await using other = await openProxied([server]);
    const waiting = other.locks.lock(name).acquire();
    await waitFor('the waiter waits', async () => (await other.locks.lock(name).waiters()) === 1);
    await writer.kill();
    await (await waiting).release();
    expect(writer.isAlive).toBe(false);
  });
});
