import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { SessionStatus } from '../../../../src/engines/zookeeper/client/session/session-status.ts';
import type { ZooKeeperClient } from '../../../../src/engines/zookeeper/client/zookeeper-client.ts';
import { freePort } from '../../../fixtures/processes/free-port.ts';
import { startTcpProxy, type TcpProxy } from '../../../fixtures/network/tcp-proxy.ts';
import { UncaughtErrors } from '../../../fixtures/uncaught-errors.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from './open-client.ts';

const nothing = Buffer.alloc(0);

describeZooKeeper('a network with faults before one server', () => {
  let server: ZooKeeperServer;
  const rejections = new UncaughtErrors();
  beforeAll(async () => {
    server = await startZooKeeper();
  });
  afterAll(async () => {
    await server?.stop();
    rejections[Symbol.dispose]();
  });

  async function proxy(): Promise<TcpProxy> {
    const started = await startTcpProxy(server);
    onTestFinished(() => started.stop());
    return started;
  }

  test('a cut connection is resumed with its session, its nodes and its watches', async () => {
    const network = await proxy();
    const client = openClient(`127.0.0.1:${network.port}`);
    const other = openClient(server.address);
    const { id } = await client.ready();
    await client.create('/kept', nothing, 'ephemeral');
    await other.create('/seen');
    const events: unknown[] = [];
    await client.getData('/seen', (event) => events.push(event));
    await client.exists('/to-come', (event) => events.push(event));
    await client.getChildren('/', (event) => events.push(event));
    await client.addWatch('/seen', 'persistent', (event) => events.push({ ...event, persistent: true }));
    const states = statesOf(client);

    network.refuse();
    network.reset();
    await waitFor('the client is suspended', () => client.status.state === 'suspended');
    // Both happen while the client cannot hear of them.
    await other.setData('/seen', Buffer.from('x'));
    await other.create('/to-come');
    const queued = client.exists('/kept');
    await network.accept();
    expect((await queued)?.ephemeralOwner).toBe(id);
    expect(client.session?.id).toBe(id);
    const expected = [
      { type: 'changed', path: '/seen' },
      { type: 'created', path: '/to-come' },
      { type: 'children', path: '/' },
    ];
    for (const each of expected)
      await waitFor(`${each.type} is reported`, () => events.some((event) => isDeepStrictEqual(event, each)));
    // The one that stays was set again as well.
    await other.delete('/seen');
    const fired = { type: 'deleted', path: '/seen', persistent: true };
    await waitFor('it fires', () => events.some((event) => isDeepStrictEqual(event, fired)));
    expect(states()).toEqual(['suspended', 'connected']);
    await other.delete('/to-come');
  });

  test('a reply that was lost is an unknown outcome: the node is there, and the session too', async () => {
    const network = await proxy();
    const client = openClient(`127.0.0.1:${network.port}`);
    const { id } = await client.ready();
    network.toClient.drop();
    const created = client.create('/orphan', nothing, 'ephemeral');
    created.catch(() => undefined);
    const other = openClient(server.address);
    await waitFor('the server has the node', () => other.exists('/orphan'));
    await network.heal();
    network.reset();
    await expect(created).rejects.toMatchObject({ code: 'CONNECTION_LOSS' });
    expect((await client.exists('/orphan'))?.ephemeralOwner).toBe(id);
  });

  test('a server that is silent is given up within a third of the session, and none of it is lost', async () => {
    const network = await proxy();
    const client = openClient(`127.0.0.1:${network.port}`, { sessionMs: 6_000 });
    const { id } = await client.ready();
    await client.create('/silent', nothing, 'ephemeral');
    const states = statesOf(client);
    network.silence();
    const asked = client.exists('/silent');
    await expect(asked).rejects.toMatchObject({
      code: 'CONNECTION_LOSS',
      cause: expect.objectContaining({ message: expect.stringContaining('silent') }),
    });
    expect((await client.exists('/silent'))?.ephemeralOwner).toBe(id);
    expect(states()).toEqual(['suspended', 'connected']);
  });

  test('credentials are presented again on every connection, before the requests that need them', async () => {
    const network = await proxy();
    const client = openClient(`127.0.0.1:${network.port}`, {
      auth: [{ scheme: 'digest', secret: 'bob:secret' }],
    });
    await client.create('/bobs', Buffer.from('x'), 'ephemeral', [
      { permissions: 31, scheme: 'auth', id: '' },
    ]);
    network.refuse();
    network.reset();
    await waitFor('the client is suspended', () => client.status.state === 'suspended');
    const queued = client.getData('/bobs');
    await network.accept();
    expect((await queued).data).toEqual(Buffer.from('x'));
  });

  test('at the deadline the session is over: every call, watch and listener hears of it, before the server ends it', async () => {
    const network = await proxy();
    const client = openClient(`127.0.0.1:${network.port}`, { sessionMs: 2_000 });
    const other = openClient(server.address);
    await client.ready();
    await client.create('/mine', nothing, 'ephemeral');
    let goneAt = Infinity;
    await other.exists('/mine', () => {
      goneAt = performance.now();
    });
    const watched = new Promise((resolve) => {
      void client.exists('/never', resolve);
    });
    await client.sync('/');
    let lostAt = Infinity;
    client.onStatus(({ state }) => {
      if (state === 'lost') lostAt = performance.now();
    });
    network.refuse();
    network.silence();
    const inFlight = client.getData('/mine');
    const outcomes = [inFlight.catch(({ code }) => code)];
    await waitFor('the client is suspended', () => client.status.state === 'suspended');
    for (let count = 0; count < 3; count += 1) outcomes.push(client.sync('/').catch(({ code }) => code));
    expect(await Promise.all(outcomes)).toEqual(['CONNECTION_LOSS', ...Array(3).fill('SESSION_EXPIRED')]);
    expect(await watched).toEqual({ type: 'lost', path: '/never' });
    expect(client.status).toMatchObject({ state: 'lost', cause: { code: 'SESSION_EXPIRED' } });
    await expect(client.sync('/')).rejects.toMatchObject({ code: 'SESSION_EXPIRED' });
    await waitFor('the server has ended the session', () => goneAt < Infinity);
    expect(lostAt).toBeLessThan(goneAt);
  });

  test('a refused first connection rejects with its cause', async () => {
    const port = await freePort();
    const client = openClient(`127.0.0.1:${port}`, { connectMs: 300 });
    await expect(client.ready()).rejects.toMatchObject({
      code: 'CONNECTION_LOSS',
      message: expect.stringContaining('ECONNREFUSED'),
    });
    await expect(client.sync('/')).rejects.toMatchObject({ code: 'CONNECTION_LOSS' });
  });

  test('a server that accepts and says nothing is passed over for one that answers', async () => {
    const network = await proxy();
    network.blackHole();
    for (let tries = 0; tries < 4; tries += 1) {
      const client = openClient(`127.0.0.1:${network.port},${server.address}`, { sessionMs: 2_000 });
      expect((await client.ready()).grantedMs).toBe(2_000);
      await client.close();
    }
  });

  test('a client behind a narrow network keeps its session while a large reply trickles in', async () => {
    const network = await proxy();
    const client = openClient(`127.0.0.1:${network.port}`, { sessionMs: 6_000 });
    await client.create('/large', Buffer.alloc(400_000, 1), 'ephemeral');
    const states = statesOf(client);
    network.toClient.narrow = { bytes: 20_000, everyMs: 150 };
    expect((await client.getData('/large')).data).toHaveLength(400_000);
    network.toClient.narrow = undefined;
    expect(states()).toEqual([]);
  });

  test.for([0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 25, 40])(
    'closing %s turns after the start answers every call and leaves no connection',
    async (turns) => {
      const network = await proxy();
      const client = openClient(`127.0.0.1:${network.port}`, {
        auth: [{ scheme: 'digest', secret: 'c:c' }],
      });
      const calls = [client.ready(), client.exists('/'), client.getChildren('/'), client.sync('/')];
      const outcomes = calls.map((call) =>
        call.then(
          () => 'done',
          ({ code }: { code: string }) => code,
        ),
      );
      for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      await Promise.all([client.close(), client.close()]);
      for (const outcome of await Promise.all(outcomes))
        expect(['done', 'CLOSED', 'CONNECTION_LOSS']).toContain(outcome);
      await expect(client.sync('/')).rejects.toMatchObject({ code: 'CLOSED' });
      await waitFor('no connection is left', () => network.open === 0);
    },
  );

  test('no promise was rejected with no handler', async () => {
    expect(await rejections.soFar()).toEqual([]);
  });
});

/** The changes of state since the call, without the moves of the deadline. */
function statesOf(client: ZooKeeperClient): () => readonly string[] {
  const states: string[] = [];
  let last: SessionStatus['state'] = client.status.state;
  client.onStatus(({ state }) => {
    if (state !== last) states.push(state);
    last = state;
  });
  return () => states;
}
