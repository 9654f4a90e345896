import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { connect } from 'holdfast';
import { freePort } from '../../../fixtures/processes/free-port.ts';
import { selfSigned } from '../../../fixtures/network/self-signed.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { openClient } from '../client/open-client.ts';

describeZooKeeper('connect', { timeout: 60_000 }, () => {
  let server!: ZooKeeperServer;
  beforeAll(async () => {
    server = await startZooKeeper();
  }, 60_000);
  afterAll(() => server?.stop(), 60_000);

  test('opens a session by an address, below a chroot and in a namespace', async () => {
    const raw = openClient(server.address);
    await raw.create('/base');
    await using locks = await connect(`zookeeper://${server.address}/base?sessionMs=10000&namespace=app`);
    await using hold = await locks.lock('/job').acquire();
    expect((await raw.getChildren('/base/app/job')).names).toHaveLength(1);
    expect(hold.fence).toBeGreaterThan(0n);
    expect(locks).not.toHaveProperty('permitSemaphore');
    expect(locks.lock('/job')).not.toHaveProperty('raiseFence');
  });

  test('a chroot that is not there is said', async () => {
    await using locks = await connect(`zookeeper://${server.address}/nowhere?sessionMs=10000`);
    await expect(locks.lock('/job').acquire()).rejects.toMatchObject({
      code: 'ENGINE',
      retryable: false,
      message: expect.stringContaining('chroot'),
    });
  });

  test('the user of the address is who creates nodes, and others are kept out of them', async () => {
    const url = `zookeeper://ann:s%40cret@${server.address}?sessionMs=10000&access=creator`;
    await using locks = await connect(url as `zookeeper${string}`);
    await using hold = await locks.lock('/guarded/job').acquire();
    const ann = openClient(server.address, { auth: [{ scheme: 'digest', secret: 'ann:s@cret' }] });
    const [node] = (await ann.getChildren('/guarded/job')).names;
    const digest = createHash('sha1').update('ann:s@cret').digest('base64');
    const { rules } = await ann.getAccess(`/guarded/job/${node}`);
    expect(rules).toEqual([{ permissions: 31, scheme: 'digest', id: `ann:${digest}` }]);
    await using stranger = await connect(`zookeeper://${server.address}?sessionMs=10000`);
    await expect(stranger.lock('/guarded/job').tryAcquire()).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('NO_AUTH'),
    });
    expect(hold.lost.aborted).toBe(false);
  });

  test('settings of the program win over the address', async () => {
    const url = `zookeeper://${server.address}?sessionMs=90000&namespace=one` as const;
    await using locks = await connect(url, { sessionMs: 10_000, namespace: 'two', label: 'mine' });
    await using hold = await locks.lock('/job').acquire();
    const raw = openClient(server.address);
    expect((await raw.getChildren('/two/job')).names).toHaveLength(1);
    expect([locks.label, hold.lost.aborted]).toEqual(['mine', false]);
    await expect(connect(url, { server: 'x' } as never)).rejects.toThrow(/no option "server"/);
  });

  test('a session longer than the server grants is warned of, with what was granted', async () => {
    const warned = new Promise<Error>((resolve) => {
      process.once('warning', resolve);
    });
    await using locks = await connect(`zookeeper://${server.address}?sessionMs=90000`);
    expect(await warned).toMatchObject({
      code: 'HOLDFAST_SESSION_TIME',
      message: `${locks.label}: the server granted a session of 60000 ms instead of 90000 ms (its minSessionTimeout and maxSessionTimeout). Set sessionMs to what it grants, or change the server.`,
    });
  });

  test('servers that are not there are an error that names them and no password', async () => {
    const address = `127.0.0.1:${await freePort()}`;
    const url = `zookeeper://ann:my-own-secret@${address}?connectMs=300` as const;
    const error: unknown = await connect(url).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({
      code: 'ENGINE',
      retryable: true,
      message: expect.stringContaining(address),
    });
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('my-own-secret');
  });

  test('knows a user by SASL, and says that a password is refused without showing it', async () => {
    const folder = server.dir;
    const jaas = join(folder, 'jaas.conf');
    const login = 'org.apache.zookeeper.server.auth.DigestLoginModule required';
    writeFileSync(jaas, `Server { ${login} user_ann="my-own-secret"; };\n`);
    const guarded = await startZooKeeper({
      settings: { 'authProvider.1': 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider' },
      java: [`-Djava.security.auth.login.config=${jaas}`],
    });
    onTestFinished(() => guarded.stop());
    const url = (password: string) =>
      `zookeeper://ann:${password}@${guarded.address}?scheme=sasl&access=creator&sessionMs=10000` as const;
    await using locks = await connect(url('my-own-secret'));
    await using hold = await locks.lock('/job').acquire();
    const ann = openClient(guarded.address, { sasl: { user: 'ann', password: 'my-own-secret' } });
    expect((await ann.getAccess('/job')).rules).toEqual([{ permissions: 31, scheme: 'sasl', id: 'ann' }]);
    const refused: unknown = await connect(url('wrong-and-secret')).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(refused).toMatchObject({
      code: 'ENGINE',
      retryable: false,
      message: expect.stringMatching(/AUTH_FAILED/),
    });
    expect(inspect(refused, { depth: 9, showHidden: true })).not.toContain('wrong-and-secret');
    expect(hold.lost.aborted).toBe(false);
  });

  test('zookeepers: is TLS, with a certificate that the address names', async () => {
    const files = selfSigned();
    onTestFinished(() => files[Symbol.dispose]());
    const store = join(files.key, '..', 'store.pem');
    writeFileSync(store, readFileSync(files.key, 'utf8') + readFileSync(files.certificate, 'utf8'));
    const port = await freePort();
    const secured = await startZooKeeper({
      settings: {
        secureClientPort: String(port),
        serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
        'ssl.keyStore.location': store,
        'ssl.trustStore.location': files.certificate,
        'ssl.clientAuth': 'none',
      },
    });
    onTestFinished(() => secured.stop());
    const url = `zookeepers://localhost:${port}` as const;
    const ca = encodeURIComponent(files.certificate);
    await using locks = await connect(`${url}?sessionMs=10000&ca=${ca}`);
    await using hold = await locks.lock('/job').acquire();
    expect(hold.lost.aborted).toBe(false);
    await expect(connect(`${url}?connectMs=6000`)).rejects.toMatchObject({
      message: expect.stringMatching(/certificate/),
    });
  });
});
