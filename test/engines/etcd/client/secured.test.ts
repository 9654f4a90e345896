import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { enableUsers } from '../../../fixtures/etcd/enable-users.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { selfSigned } from '../../../fixtures/network/self-signed.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openEtcdClient } from './open-client.ts';

const key = Buffer.from('/locks/one');
/** Of the tokens that last a second, one is looked at after each of these times. */
const LOOK_MS = 200;
const LOOKS = 20;
const user = { user: 'ann', password: 'sécret' };

describeEtcd('a member that asks who is there', { timeout: 20_000 }, () => {
  test('is reached by TLS with a client certificate, and not without one', async () => {
    const files = selfSigned();
    onTestFinished(() => files[Symbol.dispose]());
    const argv = ['--cert-file', files.certificate, '--key-file', files.key];
    const mutual = ['--client-cert-auth', '--trusted-ca-file', files.certificate];
    await using server = await startEtcd({ scheme: 'https', argv: [...argv, ...mutual] });
    const ca = readFileSync(files.certificate);
    const tls = { ca, servername: 'localhost' };
    const cert = { cert: ca, key: readFileSync(files.key) };
    await using one = openEtcdClient(server.address, { tls: { ...tls, ...cert } });
    expect((await one.client.ready()).grantedMs).toBe(2000);

    const since = performance.now();
    await using without = openEtcdClient(server.address, { tls, connectMs: 1000 });
    await expect(without.client.ready()).rejects.toMatchObject({ code: 'NOT_SENT' });
    expect(performance.now() - since).toBeLessThan(3000);

    await using distrustful = openEtcdClient(server.address, {
      tls: { servername: 'localhost' },
      connectMs: 1000,
    });
    await expect(distrustful.client.ready()).rejects.toMatchObject({
      message: expect.stringMatching(/certificate/),
    });
  });

  test('knows a user by password, and lets it touch its own keys alone', async () => {
    await using server = await startEtcd({ argv: ['--bcrypt-cost', '4'] });
    await enableUsers(server, user, '/locks/');
    await using one = openEtcdClient(server.address, { user, leaseSeconds: 10 });
    const { id } = await one.client.ready();
    await one.client.txn({ success: [{ requestPut: { key, lease: id } }] });
    const elsewhere = { requestPut: { key: Buffer.from('elsewhere') } };
    await expect(one.client.txn({ success: [elsewhere] })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
    const refused: unknown[] = [];
    const watch = one.client.watch({
      key: Buffer.from('elsewhere'),
      onEvents: () => undefined,
      onGap: () => undefined,
      onOver: (error) => refused.push(error),
    });
    await expect(watch.ready).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(refused.length).toBe(1);
    // All goes on over a server that has forgotten its tokens.
    await server.restart();
    await one.client.range({ key });
  });

  test('hears again who there is when it has forgotten', async () => {
    await using server = await startEtcd({ argv: ['--auth-token-ttl', '1', '--bcrypt-cost', '4'] });
    await enableUsers(server, user, '/locks/');
    await using one = openEtcdClient(server.address, { user, leaseSeconds: 10 });
    await one.client.ready();
    const events: number[] = [];
    const watch = (name: string) =>
      one.client.watch({
        key: Buffer.from(name),
        onEvents: (heard) => events.push(...heard.map(({ type }) => type)),
        onGap: () => undefined,
      });
    await watch('/locks/one').ready;
    await untilTokensAreForgotten(server);
    // On the stream that stands, and by a call.
    await watch('/locks/two').ready;
    await untilTokensAreForgotten(server);
    await one.client.txn({ success: [{ requestPut: { key } }] });
    await waitFor('the first watch goes on', () => events.length > 0);
    expect(events).toEqual([0]);
  });

  test('refuses a wrong password, and refuses at once', async () => {
    await using server = await startEtcd();
    await enableUsers(server, user, '/locks/');
    await using impostor = openEtcdClient(server.address, { user: { ...user, password: 'guess' } });
    await expect(impostor.client.ready()).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
    await using unnamed = openEtcdClient(server.address);
    await expect(unnamed.client.range({ key })).rejects.toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('does not mind a user where there are none', async () => {
    await using server = await startEtcd();
    await using one = openEtcdClient(server.address, { user });
    expect((await one.client.ready()).grantedMs).toBe(2000);
  });
});

/** A look with a token makes it last longer, so that each look needs one of its own. All are younger than those of the clients. */
async function untilTokensAreForgotten(server: EtcdServer): Promise<void> {
  const { user: name, password } = user;
  const tokens: unknown[] = [];
  while (tokens.length < LOOKS)
    tokens.push((await server.ask('auth/authenticate', { name, password }))['token']);
  let lookedAt = performance.now();
  await waitFor('the tokens are forgotten', async () => {
    if (performance.now() - lookedAt < LOOK_MS) return false;
    lookedAt = performance.now();
    return server.ask('kv/range', { key: key.toString('base64') }, String(tokens.pop())).then(
      () => false,
      (error: unknown) => String(error).includes('invalid auth token'),
    );
  });
}
