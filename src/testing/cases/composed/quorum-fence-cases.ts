import assert from 'node:assert/strict';
import { QuorumError, quorumLock, type QuorumOptions } from '../../../index.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { assertIncreasing } from '../acquiring/contention-cases.ts';
import { assertAllFree, type ComposedKinds } from './composed-cases.ts';
import { members } from './quorum-members.ts';

/** The fence of a quorum lock, and the members that may vouch for it. */
export const quorumFenceCases: Cases<ComposedKinds> = {
  'a quorum of one has a fence': async (bench) => {
    await quorumLock(await members(bench, 1)).run((hold) => assert.ok(hold.fence > 0n));
  },

  // Soundness 11
  'fences increase over majorities that share only one member': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    const fences: bigint[] = [];
    for (let round = 0; round < 9; round++) {
      // One member runs ahead of the others, each time another one.
      for (let use = 0; use < 20; use++) await (await theirs[round % 3]!.acquire()).release();
      const away = await theirs[(round + 1) % 3]!.acquire();
      const hold = await quorumLock(round % 2 === 0 ? mine : theirs.map((lock) => lock)).tryAcquire();
      assert.ok(hold);
      fences.push(hold.fence);
      await hold.release();
      await away.release();
    }
    assertIncreasing(fences);
  },

  'the fence is higher than that of every member before': async (bench) => {
    const [mine, theirs] = [await members(bench), await members(bench)];
    let highest = 0n;
    for (const lock of theirs) {
      for (let use = 0; use < 10; use++)
        await lock.run(({ fence }) => void (fence > highest && (highest = fence)));
    }
    await quorumLock(mine).run(({ fence }) => assert.ok(fence > highest));
  },

  'a member that has just started does not count': needing('openYoung', async (bench) => {
    const options: QuorumOptions = { longestLeaseMs: 4 * bench.unit };
    const [old] = await members(bench, 1);
    const young = [await bench.openYoung({ label: 'young' }), await bench.openYoung({ label: 'younger' })];
    const locks = [old!, ...young.map((client) => client.lock(bench.name))];
    const error = await assertRejects(() => quorumLock(locks, options).tryAcquire(), 'QUORUM');
    assert.ok(error instanceof QuorumError);
    assert.deepEqual(
      error.answers.map(({ answer }) => answer),
      ['granted', 'too-young', 'too-young'],
    );
    await assertAllFree({ locks });
    await bench.time.sleep(4 * bench.unit);
    await quorumLock(locks, options).run((hold) => hold.throwIfLost());
  }),
};
