import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect, isHoldfastError } from 'holdfast';
import { etcd } from 'holdfast/etcd';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { enableUsers } from '../../../fixtures/etcd/enable-users.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';

describeEtcd('connect', { timeout: 30_000 }, () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop());

  test('opens by an address, and etcd() by its endpoints: both hold the same locks', async () => {
    await using one = await connect(`etcd://${server.address}?sessionMs=5000`);
    await using two = etcd({ endpoints: server.address });
    await one.lock('/locks/report').run(async (hold) => {
      expect(hold.fence > 0n).toBe(true);
      expect(await two.lock('/locks/report').tryAcquire()).toBeNull();
    });
    await using next = await two.lock('/locks/report').tryAcquire();
    expect(next).not.toBeNull();
  });

  test('a prefix is in front of every key, and in no name', async () => {
    const address = `etcd://${server.address}?keyPrefix=%2Fbilling`;
    await using one = await connect(address as 'etcd://');
    await using other = etcd({ endpoints: server.address });
    await using hold = await one.lock('/locks/a').acquire();
    expect(hold.fence > 0n).toBe(true);
    expect(await other.lock('/billing/locks/a').tryAcquire()).toBeNull();
    const names: string[] = [];
    for await (const { name } of one.inspector.list()) names.push(name);
    expect(names).toEqual(['/locks/a']);
  });

  test('a server that grants another lease than asked for is a warning', async () => {
    const slow = await startEtcd({ argv: ['--election-timeout', '2000', '--heartbeat-interval', '100'] });
    const warned = new Promise<Error>((resolve) => {
      process.once('warning', resolve);
    });
    await using one = await connect(`etcd://${slow.address}`, { sessionMs: 1000 });
    expect((await warned).message).toContain('granted a lease of 3000 ms instead of 1000 ms');
    expect(await one.lock('a').tryAcquire()).not.toBeNull();
    await one.close();
    await slow.stop();
  });

  test('a user is let in by password, and refused by another one; no error quotes it', async () => {
    await using secured = await startEtcd({ argv: ['--bcrypt-cost', '4'] });
    await enableUsers(secured, { user: 'ann', password: 'p@ss' }, '/locks/', '/holdfast/');
    await using one = await connect(`etcd://ann:p%40ss@${secured.address}`);
    await one.lock('/locks/a').run(() => undefined);
    expect(await one.latch('count').count()).toBe(0);
    const outside = await one
      .lock('/elsewhere')
      .tryAcquire()
      .catch((error: unknown) => error);
    expect.assert(isHoldfastError(outside));
    expect(outside.message).toContain('Grant the role of this user');
    const refused = await connect(`etcd://ann:geheim@${secured.address}`).catch((error: unknown) => error);
    expect.assert(isHoldfastError(refused));
    expect(refused.message).toContain('authentication failed');
    expect(refused.message).not.toContain('geheim');
  });
});

describe('an address', () => {
  test.each([
    'etcd://',
    'etcd://host:0',
    'etcd://host/path',
    'etcd://:secret@host',
    'etcd://user@host',
    'etcd://host?ca=file',
    'etcd://host?prefix=a',
    'etcds://user:%zz@host',
  ])('%s is refused', async (address) => {
    const error = await connect(address as 'etcd://').catch((refusal: unknown) => refusal);
    expect.assert(isHoldfastError(error) && error instanceof TypeError);
    expect(error.message).not.toContain('secret');
  });
});
