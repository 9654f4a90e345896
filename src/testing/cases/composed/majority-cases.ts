import assert from 'node:assert/strict';
import { QuorumError, quorumLock } from '../../../index.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import type { Cases } from '../../suites/suite.ts';
import { assertAllFree, type ComposedKinds } from './composed-cases.ts';
import { broken, members, openOne } from './quorum-members.ts';

/** How many members must grant a quorum lock. */
export const majorityCases: Cases<ComposedKinds> = {
  // RedissonRedLockTest: success when one of three is held, failure when two of three are
  'a majority is enough, and less is nothing': async (bench) => {
    const [mine, theirs] = [await members(bench, 5), await members(bench, 5)];
    const lock = quorumLock(mine);
    const taken = [await theirs[0]!.acquire(), await theirs[3]!.acquire()];
    const hold = await lock.tryAcquire();
    assert.ok(hold, 'three of five');
    await hold.release();
    taken.push(await theirs[4]!.acquire());
    assert.equal(await lock.tryAcquire(), null, 'two of five');
    assert.deepEqual(
      await Promise.all(mine.map((one) => one.isLocked())),
      [true, false, false, true, true],
      'what was had was given back',
    );
    for (const one of taken) await one.release();
  },

  'of an even number it takes more than half': async (bench) => {
    const [mine, theirs] = [await members(bench, 4), await members(bench, 4)];
    const taken = [await theirs[0]!.acquire()];
    const hold = await quorumLock(mine).tryAcquire();
    await hold?.release();
    taken.push(await theirs[1]!.acquire());
    assert.deepEqual([hold !== null, await quorumLock(mine).tryAcquire()], [true, null]);
    for (const one of taken) await one.release();
  },

  'one lock is a quorum of one': async (bench) => {
    const [only] = await members(bench, 1);
    await quorumLock([only!]).run((hold) => hold.throwIfLost());
    await assertAllFree({ locks: [only!] });
  },

  'a member that fails is outvoted': async (bench) => {
    const locks = [...(await members(bench, 2)), ...(await broken(bench, 'broken'))];
    for (let round = 0; round < 3; round++) await quorumLock(locks).run((hold) => hold.throwIfLost());
    await assertAllFree({ locks: locks.slice(0, 2) });
  },

  'a majority that fails is an error that names each answer': async (bench) => {
    const [good] = await members(bench, 1);
    const locks = [good!, ...(await broken(bench, 'broken', 'also-broken'))];
    for (const ask of [() => quorumLock(locks).acquire(), () => quorumLock(locks).tryAcquire()]) {
      const error = await assertRejects(ask, 'QUORUM');
      assert.ok(error instanceof QuorumError);
      assert.deepEqual(
        error.answers.map(({ answer, engine }) => [engine, answer]),
        [
          ['one', 'granted'],
          ['broken', 'failed'],
          ['also-broken', 'failed'],
        ],
      );
      for (const { resource } of error.answers) assert.match(resource, /^lock "/);
      assert.ok(error.answers[1]!.error instanceof Error, 'with its cause');
      assert.match(error.message, /on broken: failed/);
      await assertAllFree({ locks: [good!] });
    }
  },

  'while a majority could still be had it waits, although one fails': async (bench) => {
    const mine = [...(await members(bench, 2)), ...(await broken(bench, 'broken'))];
    const [theirs] = await members(bench, 1);
    const hold = await theirs!.acquire();
    assert.equal(await quorumLock(mine).tryAcquire(), null, 'busy is no failure');
    const waiting = bench.begin(quorumLock(mine).acquire());
    await bench.time.sleep(bench.unit);
    await hold.release();
    await (await waiting).release();
  },

  'members that cannot be raised give a hold without a fence': async (bench) => {
    const client = await openOne(bench, 'one');
    const sides = [1, 2, 3].map((at) => client.readWriteLock(`${bench.name}-${at}`).write);
    await quorumLock(sides).run((hold) => {
      assert.equal('fence' in hold, false);
      hold.throwIfLost();
    });
  },
};
