import { afterAll, beforeAll, expect, test } from 'vitest';
import { permission } from '../../../../src/engines/zookeeper/client/protocol/access-rule.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openClient } from './open-client.ts';

const text = (value: string): Buffer => Buffer.from(value);

describeZooKeeper('operations on a real server', () => {
  let server: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  });
  afterAll(() => server?.stop());

  test('a node is created, read, written, listed and deleted', async () => {
    const client = openClient(server.address);
    const { path, stat } = await client.create('/plain', text('one'));
    expect(path).toBe('/plain');
    expect(stat).toMatchObject({ version: 0, ephemeralOwner: 0n, dataLength: 3 });

    expect((await client.getData('/plain')).data).toEqual(text('one'));
    expect((await client.setData('/plain', text('two'), 0)).version).toBe(1);
    await expect(client.setData('/plain', text('three'), 0)).rejects.toMatchObject({ code: 'BAD_VERSION' });
    expect((await client.exists('/plain'))?.mzxid).toBeGreaterThan(stat.czxid);

    await client.create('/plain/child');
    expect((await client.getChildren('/plain')).names).toEqual(['child']);
    await expect(client.delete('/plain')).rejects.toMatchObject({ code: 'NOT_EMPTY' });
    await client.delete('/plain/child');
    await client.delete('/plain', 1);
    expect(await client.exists('/plain')).toBeUndefined();
    await expect(client.getData('/plain')).rejects.toMatchObject({
      code: 'NO_NODE',
      message: expect.stringContaining('getData /plain'),
    });
    await client.sync('/');
  });

  test('ephemeral and sequential nodes belong to the session and are numbered', async () => {
    const client = openClient(server.address);
    await client.create('/line');
    const first = await client.create('/line/t-', text(''), 'ephemeral-sequential');
    const second = await client.create('/line/t-', text(''), 'ephemeral-sequential');
    expect([first.path, second.path]).toEqual(['/line/t-0000000000', '/line/t-0000000001']);
    expect(second.stat.czxid).toBeGreaterThan(first.stat.czxid);
    expect(first.stat.ephemeralOwner).toBe(client.session?.id);
    expect([...(await client.getEphemerals('/line'))].toSorted()).toEqual([first.path, second.path]);

    const other = openClient(server.address);
    const gone = new Promise((resolve) => {
      void other.exists(first.path, resolve);
    });
    await other.sync('/');
    await client.close();
    expect(await gone).toEqual({ type: 'deleted', path: first.path });
    await other.delete('/line');
  });

  test('a container goes when its last child has gone, a TTL node when it was not touched', async () => {
    const client = openClient(server.address);
    await client.create('/box', text(''), 'container');
    await client.create('/box/child');
    await client.delete('/box/child');
    await client.create('/short', text(''), { ttlMs: 10 });
    await waitFor('both are gone', async () => {
      return !(await client.exists('/box')) && !(await client.exists('/short'));
    });
    // A new container numbers its children from the start again.
    await client.create('/box', text(''), 'container');
    expect((await client.create('/box/n-', text(''), 'ephemeral-sequential')).path).toBe('/box/n-0000000000');
  });

  test('multi does all or nothing, and names the step that failed', async () => {
    const client = openClient(server.address);
    const results = await client.multi([
      { type: 'create', path: '/m', data: text('x') },
      { type: 'create', path: '/m/box', mode: 'container' },
      { type: 'set', path: '/m', data: text('y'), version: 0 },
      { type: 'check', path: '/m', version: 1 },
      { type: 'delete', path: '/m/box' },
    ]);
    expect(results.map(({ kind }) => kind)).toEqual(['created', 'created', 'written', 'checked', 'deleted']);
    expect(results[0]).toMatchObject({ path: '/m' });

    const failing = client.multi([
      { type: 'create', path: '/n' },
      { type: 'check', path: '/m', version: 0 },
      { type: 'delete', path: '/m' },
    ]);
    await expect(failing).rejects.toMatchObject({
      code: 'BAD_VERSION',
      message: expect.stringContaining('step 2 of multi, check /m'),
    });
    expect(await client.exists('/n')).toBeUndefined();
    await client.delete('/m');
  });

  test('a chroot is put before every path and taken from every answer', async () => {
    const plain = openClient(server.address);
    await plain.create('/base');
    const client = openClient(`${server.address}/base/`);
    expect((await client.create('/a-', text(''), 'persistent-sequential')).path).toBe('/a-0000000000');
    expect((await plain.getChildren('/base')).names).toEqual(['a-0000000000']);
    expect((await client.getChildren('/')).names).toEqual(['a-0000000000']);
    const event = new Promise((resolve) => {
      void client.getData('/a-0000000000', resolve);
    });
    await client.sync('/');
    await plain.delete('/base/a-0000000000');
    expect(await event).toEqual({ type: 'deleted', path: '/a-0000000000' });
    await client.create('/e', text(''), 'ephemeral');
    expect(await client.getEphemerals()).toEqual(['/e']);
    expect(await client.multi([{ type: 'create', path: '/e/..bad' }]).catch(({ code }) => code)).toBe(
      'NO_CHILDREN_FOR_EPHEMERALS',
    );
    await client.close();
    await plain.delete('/base');
  });

  test('access rules hold for those who prove who they are', async () => {
    const owner = openClient(server.address, { auth: [{ scheme: 'digest', secret: 'ann:secret' }] });
    await owner.create('/mine', text('x'), 'persistent', [
      { permissions: permission.all, scheme: 'auth', id: '' },
    ]);
    const { rules } = await owner.getAccess('/mine');
    expect(rules).toMatchObject([{ permissions: permission.all, scheme: 'digest' }]);
    expect(await owner.whoAmI()).toContainEqual({ scheme: 'digest', id: 'ann' });

    const stranger = openClient(server.address);
    await expect(stranger.getData('/mine')).rejects.toMatchObject({ code: 'NO_AUTH' });
    await owner.setAccess('/mine', [{ permissions: permission.read, scheme: 'world', id: 'anyone' }]);
    expect((await stranger.getData('/mine')).data).toEqual(text('x'));
    await owner.delete('/mine');
  });

  test('a request that a server would answer by closing the connection is refused here', async () => {
    const client = openClient(server.address);
    await expect(client.create('/big', Buffer.alloc(0xfffff))).rejects.toMatchObject({
      code: 'BAD_ARGUMENTS',
    });
    await client.create('/big', Buffer.alloc(0xfffff - 200, 7));
    expect((await client.getData('/big')).data.every((byte) => byte === 7)).toBe(true);
    await client.delete('/big');
    for (const path of ['', 'a', '/a/', '//a', '/a//b', '/a\0'])
      await expect(client.exists(path)).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
    expect(client.status.state).toBe('connected');
  });

  test('a server grants less and more than was asked for, and both are shown', async () => {
    const short = openClient(server.address, { sessionMs: 100, connectMs: 10_000 });
    expect(await short.ready()).toMatchObject({ requestedMs: 100, grantedMs: 400 });
    const long = openClient(server.address, { sessionMs: 100_000 });
    expect(await long.ready()).toMatchObject({ requestedMs: 100_000, grantedMs: 60_000 });
  });

  test('10 000 requests in flight are answered in their order', async () => {
    const client = openClient(server.address);
    await client.create('/many');
    const answered: number[] = [];
    const all = Array.from({ length: 10_000 }, async (_, index) => {
      const { path } = await client.create('/many/n-', text(String(index)), 'ephemeral-sequential');
      answered.push(Number(path.slice(-10)));
    });
    await Promise.all(all);
    expect(answered).toEqual(Array.from({ length: 10_000 }, (_, index) => index));
    expect((await client.getChildren('/many')).names).toHaveLength(10_000);
  }, 60_000);
});
