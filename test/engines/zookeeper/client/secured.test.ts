import { readFileSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../fixtures/processes/free-port.ts';
import { selfSigned } from '../../../fixtures/network/self-signed.ts';
import { describeZooKeeper } from '../../../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper } from '../../../fixtures/zookeeper/zookeeper-server.ts';
import { startTcpProxy } from '../../../fixtures/network/tcp-proxy.ts';
import { openClient } from './open-client.ts';

describeZooKeeper('a server that asks who is there', { timeout: 60_000 }, () => {
  test('is reached by TLS, and one with another certificate is not trusted', async () => {
    const files = selfSigned();
    onTestFinished(() => files[Symbol.dispose]());
    const store = join(files.key, '..', 'store.pem');
    writeFileSync(store, readFileSync(files.key, 'utf8') + readFileSync(files.certificate, 'utf8'));
    const securePort = await freePort();
    const server = await startZooKeeper({
      settings: {
        secureClientPort: String(securePort),
        serverCnxnFactory: 'org.apache.zookeeper.server.NettyServerCnxnFactory',
        'ssl.keyStore.location': store,
        'ssl.trustStore.location': files.certificate,
        'ssl.clientAuth': 'none',
      },
    });
    onTestFinished(() => server.stop());
    const ca = readFileSync(files.certificate);
    const address = `127.0.0.1:${securePort}`;
    const client = openClient(address, { tls: { ca, servername: 'localhost' } });
    expect((await client.ready()).grantedMs).toBe(10_000);
    await client.create('/secret', Buffer.alloc(100_000, 5), 'ephemeral');
    expect((await client.getData('/secret')).data).toHaveLength(100_000);

    const distrustful = openClient(address, { tls: { servername: 'localhost' }, connectMs: 2_000 });
    await expect(distrustful.ready()).rejects.toMatchObject({
      code: 'CONNECTION_LOSS',
      message: expect.stringMatching(/certificate/),
    });
  });

  test('knows a user by SASL DIGEST-MD5, again after a reconnect, and refuses a wrong password', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'holdfast-jaas-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const jaas = join(dir, 'jaas.conf');
    const login = 'org.apache.zookeeper.server.auth.DigestLoginModule required';
    writeFileSync(jaas, `Server { ${login} user_ann="s3\\"cret"; };\n`);
    const server = await startZooKeeper({
      settings: { 'authProvider.1': 'org.apache.zookeeper.server.auth.SASLAuthenticationProvider' },
      java: [`-Djava.security.auth.login.config=${jaas}`],
    });
    onTestFinished(() => server.stop());
    const network = await startTcpProxy(server);
    onTestFinished(() => network.stop());
    const client = openClient(`127.0.0.1:${network.port}`, { sasl: { user: 'ann', password: 's3"cret' } });
    expect(await client.whoAmI()).toContainEqual({ scheme: 'sasl', id: 'ann' });
    network.reset();
    await client.whoAmI().catch(() => undefined);
    expect(await client.whoAmI()).toContainEqual({ scheme: 'sasl', id: 'ann' });

    const impostor = openClient(server.address, { sasl: { user: 'ann', password: 'guess' } });
    await expect(impostor.ready()).rejects.toMatchObject({ code: 'AUTH_FAILED' });
  });
});
