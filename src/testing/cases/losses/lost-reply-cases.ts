import assert from 'node:assert/strict';
import type { Factories } from '../../../index.ts';
import { type ExclusiveAdapter, isFree } from '../../harness/exclusive.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** The store has decided, and its reply never arrives (soundness 2 and 3). */
export function lostReplyCases<K extends keyof Factories>({ open }: ExclusiveAdapter<K>): Cases<K> {
  return {
    'an acquisition whose answer was lost is one hold': needing('loseNextReply', async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      bench.loseNextReply(client);
      const hold = await open(client, bench.name).acquire();
      hold.throwIfLost();
      assert.equal(await open(other, bench.name).tryAcquire(), null);
      await hold.release();
      assert.ok(await isFree(open(other, bench.name)), 'one release was enough');
    }),

    'a release whose answer was lost is one release': needing('loseNextReply', async (bench) => {
      const [client, other] = [await bench.open(), await bench.open()];
      const hold = await open(client, bench.name).acquire();
      const waiting = bench.begin(open(other, bench.name).acquire());
      await bench.untilWaiting(1, open(other, bench.name));
      bench.loseNextReply(client);
      await hold.release();
      const next = await waiting;
      await hold.release();
      assert.equal(await open(client, bench.name).tryAcquire(), null, 'the next holder was let alone');
      await next.release();
    }),

    'a renewal whose answer was lost loses nothing': needing('loseNextReply', async (bench) => {
      const renewalLeaseMs = 3 * bench.unit;
      const client = await bench.open({ renewalLeaseMs });
      const hold = await open(client, bench.name).acquire();
      bench.loseNextReply(client);
      await bench.time.sleep(2 * renewalLeaseMs);
      hold.throwIfLost();
      await hold.release();
    }),
  };
}
