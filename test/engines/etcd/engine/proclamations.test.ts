import { afterAll, beforeAll, expect, test } from 'vitest';
import { etcd } from 'holdfast/etcd';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { type EtcdServer, startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { GrpcProxy } from '../../../fixtures/etcd/grpc-proxy.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';

/** A server carries out calls of one connection side by side, and the youngest first as often as not. */
const ROUNDS = 20;

describeEtcd('what a leader proclaims', { timeout: 60_000 }, () => {
  let server: EtcdServer;
  beforeAll(async () => {
    server = await startEtcd();
  }, 60_000);
  afterAll(() => server?.stop());

  test('last stands in the end', async () => {
    await using locks = etcd({ endpoints: server.address });
    const election = locks.election('order');
    await using leader = await election.campaign({ value: 'before' });
    for (let round = 0; round < ROUNDS; round++) {
      const values = ['a', 'b', 'c', 'd'].map((each) => `${each} ${round}`);
      await Promise.all(values.map((value) => leader.proclaim(value)));
      expect((await election.leader())?.value).toBe(`d ${round}`);
    }
  });

  test('stands though a member carries out late what was proclaimed before', async () => {
    const proxy = await GrpcProxy.start(server);
    const locks = etcd({ endpoints: proxy.address, sessionMs: 8000 });
    await using other = etcd({ endpoints: server.address });
    const leader = await locks.election('/late').campaign({ value: 'before' });
    const stuck = proxy.holdConnection();
    await expect(leader.proclaim('first')).rejects.toMatchObject({ retryable: true });
    expect(stuck.isHeld()).toBe(true);
    // Over the next connection: the client has not left the first one yet, or has.
    await waitFor('it proclaims again', () =>
      leader.proclaim('second').then(
        () => true,
        () => false,
      ),
    );
    stuck.pass();
    await waitFor('the member has answered all', () => stuck.isAnswered());
    expect((await other.election('/late').leader())?.value).toBe('second');
    await leader.proclaim('third');
    expect((await other.election('/late').leader())?.value).toBe('third');
    await locks.close();
    proxy.stop();
  });
});
