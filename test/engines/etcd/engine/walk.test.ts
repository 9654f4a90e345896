import { expect, test } from 'vitest';
import { etcd } from 'holdfast/etcd';
import type { EtcdClient } from '../../../../src/engines/etcd/client/session/etcd-client.ts';
import { walkKeys } from '../../../../src/engines/etcd/inspector/walk-keys.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { startEtcd } from '../../../fixtures/etcd/etcd-server.ts';
import { openEtcdClient } from '../client/open-client.ts';

/** More than the values that are asked for at a time. */
const ELECTIONS = 45;

describeEtcd('a walk over all keys', { timeout: 60_000 }, () => {
  test('tells locks from elections by their values, and reads no value of another program', async () => {
    await using server = await startEtcd();
    await using locks = etcd({ endpoints: server.address });
    await using raw = openEtcdClient(server.address, { leaseSeconds: 30 });
    await raw.client.ready();
    await raw.client.txn({
      success: [{ requestPut: { key: Buffer.from('/data/1'), value: Buffer.alloc(1_000_000) } }],
    });
    await locks.lock('/jobs/lock').acquire();
    await locks.fairLock('fair').acquire();
    const names = Array.from({ length: ELECTIONS }, (_, at) => `/votes/${at}`);
    for (const name of names) await locks.election(name).campaign({ value: name });
    let bytes = 0;
    const counting: Pick<EtcdClient, 'range' | 'txn'> = {
      range: async (ask) => {
        const answer = await raw.client.range(ask);
        bytes += answer.kvs.reduce((sum, { value }) => sum + value.length, 0);
        return answer;
      },
      txn: (ask) => raw.client.txn(ask),
    };
    const found: string[] = [];
    const walk = { client: counting, root: '', prefix: '' };
    for await (const { kind, name } of walkKeys(walk)) found.push(`${kind} ${name}`);
    expect(found).toEqual(expect.arrayContaining(['lock /jobs/lock', 'fairLock fair']));
    expect(found.filter((each) => each.startsWith('election'))).toEqual(
      names.map((name) => `election ${name}`).toSorted(),
    );
    expect(bytes).toBe(0);
  });
});
