import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcd, type EtcdSynchronizers } from '../../../src/engines/etcd/index.ts';
import { describeEtcd } from '../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { etcdctl, EtcdctlProcess } from './etcdctl.ts';

describeEtcd('beside etcdctl', () => {
  let server!: EtcdServer;
  let locks!: EtcdSynchronizers;
  let names = 0;
  beforeAll(async () => {
    server = await startEtcd();
    locks = etcd({ endpoints: server.address, sessionMs: 20_000 });
  });
  afterAll(async () => {
    await locks?.close();
    await server?.stop();
  });

  const newName = (): string => `/ctl/name-${(names += 1)}`;
  const keys = async (name: string): Promise<readonly string[]> => {
    const printed = await etcdctl(server.address, 'get', '--prefix', '--keys-only', `${name}/`);
    return printed.split('\n').filter(Boolean);
  };

  test('`etcdctl lock` waits for a hold of Node, and Node for it', async () => {
    const name = newName();
    const hold = await locks.lock(name).acquire();
    await using waiting = new EtcdctlProcess(server.address, 'lock', name);
    await waitFor('etcdctl waits', async () => (await keys(name)).length === 2);
    expect(waiting.lines).toEqual([]);
    await hold.release();
    const key = await waiting.line(/^\/ctl\//);
    expect(await keys(name)).toEqual([key]);
    expect(await locks.lock(name).tryAcquire()).toBeNull();
    const next = locks.lock(name).acquire();
    await waitFor('Node waits', async () => (await keys(name)).length === 2);
    await waiting.terminate();
    await (await next).release();
    expect(await keys(name)).toEqual([]);
  });

  test('`etcdctl lock` with a command gives it the revision that is the number of our fence', async () => {
    const name = newName();
    const before = await locks.lock(name).acquire();
    const fence = before.fence / 64n;
    await before.release();
    const printed = await etcdctl(
      server.address,
      'lock',
      name,
      '--',
      'sh',
      '-c',
      'echo $ETCD_LOCK_KEY $ETCD_LOCK_REV',
    );
    const [key = '', revision = '0'] = printed.split(' ');
    expect(key).toMatch(/^\/ctl\/name-\d+\/[0-9a-f]+$/);
    expect(BigInt(revision)).toBeGreaterThan(fence);
    await using after = await locks.lock(name).acquire();
    expect(after.fence / 64n).toBeGreaterThan(BigInt(revision));
  });

  test('`etcdctl lock` with a command that works keeps Node out until it has ended', async () => {
    const name = newName();
    await using working = new EtcdctlProcess(
      server.address,
      'lock',
      name,
      '--',
      'sh',
      '-c',
      'echo in; sleep 2; echo out',
    );
    await working.line(/^in$/);
    const hold = await locks.lock(name).acquire();
    expect(working.lines).toEqual(['in', 'out']);
    await hold.release();
    await working.ended();
  });

  test('`etcdctl lock` that is killed lets Node in when its lease has ended', async () => {
    const name = newName();
    const holder = new EtcdctlProcess(server.address, 'lock', '--ttl=2', name);
    await holder.line(/^\/ctl\//);
    const next = locks.lock(name).acquire();
    await holder.kill();
    await (await next).release();
    expect(await keys(name)).toEqual([]);
  });

  test('`etcdctl lease revoke` of a session of Node: hold.lost fires, and the next one is in', async () => {
    const name = newName();
    await using own = etcd({ endpoints: server.address });
    const hold = await own.lock(name).acquire();
    const lost = new Promise((resolve) => hold.lost.addEventListener('abort', resolve));
    const next = locks.lock(name).acquire();
    await waitFor('Node waits', async () => (await keys(name)).length === 2);
    const [, lease = ''] = /\/([0-9a-f]+)-[^/]*$/.exec(own.check(hold).key) ?? [];
    await etcdctl(server.address, 'lease', 'revoke', lease);
    await lost;
    expect(hold.lost.reason).toMatchObject({ code: 'LEASE_LOST' });
    await (await next).release();
  });

  test('`etcdctl elect` follows a leader of Node, and is followed', async () => {
    const name = newName();
    const election = locks.election(name);
    const leadership = await election.campaign({ value: 'node' });
    await using listener = new EtcdctlProcess(server.address, 'elect', '--listen', name);
    await listener.line(/^node$/);
    await using candidate = new EtcdctlProcess(server.address, 'elect', name, 'ctl');
    await waitFor('etcdctl waits', async () => (await keys(name)).length === 2);
    await leadership.proclaim('node again');
    await listener.line(/^node again$/);
    await leadership.release();
    await candidate.line(/^ctl$/);
    expect(await election.leader()).toMatchObject({ value: 'ctl' });
    const next = election.campaign({ value: 'node at last' });
    await waitFor('Node waits', async () => (await keys(name)).length === 2);
    await candidate.terminate();
    await (await next).release();
  });
});
