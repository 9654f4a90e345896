import assert from 'node:assert/strict';
import { quorumLock, QuorumError, type QuorumOptions } from '../../index.ts';
import { type BadArgument, assertRejects, assertThrowsArgument } from '../harness/coded-error.ts';
import type { Bench } from '../harness/bench.ts';
import { assertAllFree, composedCases, type ComposedKinds } from '../cases/composed/composed-cases.ts';
import { assertIncreasing } from '../cases/acquiring/contention-cases.ts';
import { memberCases } from '../cases/composed/member-cases.ts';
import { type Cases, needing, suiteOf } from './suite.ts';
import {
  LONGEST_LEASE_UNITS,
  openOne,
  openThree,
  members,
  broken,
} from '../cases/composed/quorum-members.ts';
import { quorumRenewalCases } from '../cases/composed/quorum-renewal-cases.ts';
export { LONGEST_LEASE_UNITS } from '../cases/composed/quorum-members.ts';

const majorityCases: Cases<ComposedKinds> = {
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
    const waiting = quorumLock(mine).acquire();
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

const lateCases: Cases<ComposedKinds> = {
  'a member whose answer does not come is not waited for, and its grant is given back': needing(
    'loseNextReply',
    async (bench) => {
      const clients = await openThree(bench);
      const locks = clients.map((client, at) => client.lock(`${bench.name}-${at}`));
      const lock = quorumLock(locks, { memberTimeoutMs: bench.unit / 2 });
      // With the usual time limit: a first answer may take longer than half a unit.
      await quorumLock(locks).run(() => undefined);
      bench.loseNextReply(clients[2]!);
      const hold = await lock.acquire({ timeoutMs: 20 * bench.unit });
      hold.throwIfLost();
      await bench.until(async () => !(await locks[2]!.isLocked()));
      hold.throwIfLost();
      await hold.release();
      await assertAllFree({ locks });
    },
  ),

  'two members whose answers do not come are an error': needing('loseNextReply', async (bench) => {
    const clients = await openThree(bench);
    const locks = clients.map((client, at) => client.lock(`${bench.name}-${at}`));
    const patient = quorumLock(locks);
    await patient.run(() => undefined);
    for (const client of clients.slice(1)) bench.loseNextReply(client);
    const impatient = quorumLock(locks, { memberTimeoutMs: bench.unit / 2 });
    const error = await assertRejects(() => impatient.tryAcquire(), 'QUORUM');
    assert.ok(error instanceof QuorumError);
    const [first, ...others] = error.answers.map(({ answer }) => answer);
    assert.deepEqual(others, ['too-late', 'too-late']);
    // In real time a store may be late by itself.
    if (bench.time.exact || first !== 'too-late') assert.equal(first, 'granted');
    for (const one of locks) await bench.until(async () => !(await one.isLocked()));
    await patient.run((hold) => hold.throwIfLost());
  }),
};

/** A majority whose stores fall silent, and every way in which it is waited for. */
async function silenceThree(bench: Bench<ComposedKinds>) {
  const clients = await openThree(bench);
  const lock = quorumLock(clients.map((client, at) => client.lock(`${bench.name}-${at}`)));
  await lock.run(() => undefined);
  const speak = clients.map((client) => bench.silence(client));
  const waits = [
    (timeoutMs: number) => lock.acquire({ timeoutMs }),
    (timeoutMs: number) => lock.tryAcquire({ timeoutMs }),
    (timeoutMs: number) => lock.run(() => undefined, { timeoutMs }),
  ];
  return { lock, waits, speak: () => speak.forEach((each) => each()) };
}

/** That it ends as an outage does: what each member said, with its cause, and that it may work later. */
async function assertNoQuorum(ask: () => Promise<unknown>): Promise<void> {
  const error = await assertRejects(ask, 'QUORUM');
  assert.ok(error instanceof QuorumError);
  for (const { answer } of error.answers) assert.match(answer, /^(too-late|failed)$/);
  assert.equal(error.retryable, true);
  assert.ok(error.cause instanceof Error, 'has a cause');
}

const outageOfMajority: Cases<ComposedKinds> = {
  'members that do not answer are no contention, however often they are asked': needing(
    'silence',
    async (bench) => {
      const { lock, waits, speak } = await silenceThree(bench);
      const timeoutMs = bench.unit;
      for (const wait of waits) {
        const start = bench.time.now();
        await assertNoQuorum(() => wait(timeoutMs));
        bench.assertElapsed(start, timeoutMs);
      }
      // What was asked before is still not answered: that is no answer to this attempt either.
      await assertNoQuorum(() => lock.tryAcquire());
      speak();
    },
  ),

  'calls at the same time report an outage, each in its own time': needing('silence', async (bench) => {
    const { lock, waits, speak } = await silenceThree(bench);
    const timeoutMs = bench.unit;
    const start = bench.time.now();
    await Promise.all([...waits, ...waits].map((wait) => assertNoQuorum(() => wait(timeoutMs))));
    bench.assertElapsed(start, timeoutMs);
    await Promise.all([lock, lock].map((each) => assertNoQuorum(() => each.tryAcquire())));
    speak();
  }),
};

const fenceCases: Cases<ComposedKinds> = {
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

const BAD_OPTIONS: readonly BadArgument[] = [
  { given: 3, error: TypeError, names: /options must be an object, not 3/ },
  {
    given: { quorum: 2 },
    error: TypeError,
    names: /no option "quorum"; known are memberTimeoutMs, longestLeaseMs/,
  },
  { given: { memberTimeoutMs: 0 }, error: RangeError, names: /memberTimeoutMs must be from/ },
  { given: { memberTimeoutMs: '5' }, error: TypeError, names: /memberTimeoutMs must be a number/ },
  { given: { longestLeaseMs: -1 }, error: RangeError, names: /longestLeaseMs must be from/ },
  { given: { longestLeaseMs: NaN }, error: RangeError, names: /longestLeaseMs must be from/ },
];

const argumentCases: Cases<ComposedKinds> = {
  'bad options of the quorum are refused by throwing': async (bench) => {
    const locks = await members(bench);
    for (const bad of BAD_OPTIONS)
      assertThrowsArgument(bad, () => quorumLock(locks, bad.given as QuorumOptions));
  },
};

/** A lock on a majority. */
export const quorumLockSuite = suiteOf<ComposedKinds>(
  'quorumLock',
  composedCases(async (bench) =>
    quorumLock(await members(bench), { longestLeaseMs: LONGEST_LEASE_UNITS * bench.unit }),
  ),
  memberCases('quorumLock', quorumLock),
  majorityCases,
  lateCases,
  outageOfMajority,
  fenceCases,
  quorumRenewalCases,
  argumentCases,
);
