import assert from 'node:assert/strict';
import { hostname } from 'node:os';
import type { Factories } from '../../index.ts';
import { explainedTimeout } from '../harness/explained-timeout.ts';
import { type Cases, needing } from '../suites/suite.ts';
import type { LockAdapter } from './reentry/reentrant-cases.ts';

/** Who holds: what a time-out says, and what clients announce about themselves. */
export function holderCases<K extends keyof Factories>({ open, rival }: LockAdapter<K>): Cases<K> {
  return {
    'a time-out says by whom it is held': async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      for (const timeoutMs of [0, bench.unit]) {
        const error = await explainedTimeout(bench, rival(other, bench.name), other.label, timeoutMs);
        const seen = await open(other, bench.name).holder();
        assert.deepEqual([error.holder?.owner, error.holder?.fence], [seen?.owner, seen?.fence]);
        assert.equal(error.holder?.program, 'holdfast');
        assert.match(error.message, /not acquired within \d+ ms: held by ./);
      }
      await hold.release();
    },

    'a time-out behind an owner of the same process says so, and how to re-enter': async (bench) => {
      const client = await bench.open();
      const hold = await open(client, bench.name).acquire();
      const error = await explainedTimeout(bench, rival(client, bench.name), client.label, bench.unit);
      assert.equal(error.holder?.inThisProcess, true);
      assert.match(error.message, /held by this very process.* inside (?:lock|write)\.run\(\)/);
      await hold.release();
    },

    'a client says who it is, and how long it has held': needing('announces', async (bench) => {
      const [client, other] = [await bench.open({ name: 'billing' }), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      const elsewhere = open(other, bench.name);
      await bench.until(async () => (await elsewhere.holder())?.client !== undefined);
      const first = await elsewhere.holder();
      const { host, pid, name } = first!.client!;
      assert.deepEqual([host, pid, name], [hostname(), process.pid, 'billing']);
      assert.ok(first!.heldForMs! >= 0);
      await bench.time.sleep(bench.unit);
      assert.ok((await elsewhere.holder())!.heldForMs! > first!.heldForMs!);
      await hold.release();
    }),

    'the label of an owner is shown with its hold': needing('announces', async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire({ owner: client.owner('checkout') });
      const elsewhere = open(other, bench.name);
      await bench.until(async () => (await elsewhere.holder())?.label === 'checkout');
      await hold.release();
    }),

    'a client that announces nothing is an id': needing('announces', async (bench) => {
      const [silent, named, other] = [
        await bench.open({ announce: false }),
        await bench.open({ name: 'named' }),
        await bench.open(),
      ];
      const [hidden, shown] = [`${bench.name}-hidden`, `${bench.name}-shown`];
      const holds = [await open(silent, hidden).acquire(), await open(named, shown).acquire()];
      // By then the other one would have announced itself, too: it acquired first.
      await bench.until(async () => (await open(other, shown).holder())?.client !== undefined);
      const holder = await open(other, hidden).holder();
      assert.deepEqual([holder?.program, holder?.client], ['holdfast', undefined]);
      for (const hold of holds) await hold.release();
    }),
  };
}
