import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { zookeeper } from 'holdfast/zookeeper';
import { openClient } from '../engines/zookeeper/client/open-client.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { describeZooKeeper } from '../fixtures/zookeeper/zookeeper-jars.ts';
import { startZooKeeper } from '../fixtures/zookeeper/zookeeper-server.ts';

const page = readFileSync(new URL('../../docs/wire/curator.md', import.meta.url), 'utf8');
const documented = /<!-- golden -->\s+```text\n([^]*?)```/.exec(page)![1]!;

describeZooKeeper('the nodes of docs/wire/curator.md', () => {
  test('lie in ZooKeeper as the page shows them', { timeout: 60_000 }, async () => {
    const server = await startZooKeeper();
    onTestFinished(() => server.stop());
    const open = () => {
      const locks = zookeeper({ servers: server.address, sessionMs: 10_000 });
      onTestFinished(() => locks.close());
      return locks;
    };
    const [locks, other] = [open(), open()];
    const owner = locks.owner();
    await locks.lock('/orders/42').acquire();
    await locks.readWriteLock('/config').write.acquire({ owner });
    await locks.readWriteLock('/config').read.acquire({ owner });
    await locks.fairLock('a b/c').acquire();
    await locks.semaphore('/uploads', { permits: 2 }).acquire({ permits: 2 });
    await locks.election('/leader').campaign({ value: 'pod-1' });
    const waiting = [
      other.lock('/orders/42').acquire(),
      other.election<{ readonly pod: number }>('/leader').campaign({ value: { pod: 2 } }),
    ];
    for (const one of waiting) one.catch(() => undefined);

    const raw = openClient(server.address);
    const dump = async (path: string): Promise<readonly string[]> => {
      const { data, stat } = await raw.getData(path === '' ? '/' : path);
      const { names } = await raw.getChildren(path === '' ? '/' : path);
      const inside = await Promise.all(
        names.filter((name) => name !== 'zookeeper').map((name) => dump(`${path}/${name}`)),
      );
      const line = stat.ephemeralOwner === 0n ? path : `${path}  ephemeral  ${data.toString()}`;
      return [line, ...inside.flat()];
    };
    const lines = async (): Promise<string> => {
      const all = (await dump('')).slice(1).map((line) => line.replace(/_c_[0-9a-f-]{36}/, '_c_«uuid»'));
      return `${all.toSorted().join('\n')}\n`;
    };
    const isWhole = async () => (await lines()).split('\n').length === documented.split('\n').length;
    await waitFor('as many nodes as the page shows', isWhole).catch(() => undefined);
    expect(await lines()).toBe(documented);
  });
});
