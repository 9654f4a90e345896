import assert from 'node:assert/strict';
import { ignoreOutcome } from '../harness/ignore-outcome.ts';
import { type Arrival, type Barrier, BrokenBarrierError, type Synchronizers } from '../../index.ts';
import { BAD_WAIT_OPTIONS, badCounts } from '../cases/arguments/bad-arguments.ts';
import type { Bench } from '../harness/bench.ts';
import {
  type BadArgument,
  assertRejects,
  assertRejectsArgument,
  rejectionOf,
} from '../harness/coded-error.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { outageCases } from '../cases/losses/outage-cases.ts';
import { type Cases, needing, suiteOf } from './suite.ts';

type BarrierClient = Synchronizers<'barrier'>;

const open = (client: BarrierClient, name: string, parties: number) => client.barrier(name, { parties });

const BAD_PARTIES: readonly BadArgument[] = [
  { given: undefined, error: TypeError, names: /parties must be a number, not undefined/ },
  { given: {}, error: TypeError, names: /parties must be a number, not undefined/ },
  { given: 2, error: TypeError, names: /options must be an object, not 2/ },
  { given: { parties: 2, count: 2 }, error: TypeError, names: /no option "count"; known are parties/ },
  { given: { parties: 0 }, error: RangeError, names: /parties must be from 1/ },
  ...badCounts('parties').map((bad) => ({ ...bad, given: { parties: bad.given } })),
];

function ascending(one: number, other: number): number {
  return one - other;
}

/** Asserts that an arrival rejects because the barrier is broken. */
async function assertBroken(arriving: Promise<unknown>, reason: string, engine: string): Promise<void> {
  const error = await assertRejects(() => arriving, 'BROKEN_BARRIER', engine);
  assert.ok(error instanceof BrokenBarrierError);
  assert.equal(error.reason, reason);
}

async function untilArrived(bench: Bench<'barrier'>, barrier: Barrier, count: number): Promise<void> {
  await bench.until(async () => (await barrier.waiting()) === count);
}

const cyclicCases: Cases<'barrier'> = {
  'no party goes on before all have arrived': async (bench) => {
    const clients = [await bench.open(), await bench.open()];
    const barriers = clients.map((client) => open(client, bench.name, 3));
    assert.deepEqual([barriers[0]!.name, barriers[0]!.parties], [bench.name, 3]);
    let through = 0;
    const arrivals: Promise<Arrival>[] = [];
    for (let at = 0; at < 2; at++) {
      const arriving = barriers[at]!.arrive();
      arrivals.push(arriving);
      void arriving.then(() => through++);
      await untilArrived(bench, barriers[0]!, at + 1);
    }
    await bench.time.sleep(bench.unit);
    assert.equal(through, 0);
    const start = bench.time.now();
    arrivals.push(barriers[0]!.arrive());
    const arrived = await Promise.all(arrivals);
    bench.assertWithin(start, 0);
    assert.deepEqual(
      arrived.map(({ index }) => index),
      [2, 1, 0],
      'the last to arrive has 0',
    );
    assert.equal(new Set(arrived.map(({ generation }) => generation)).size, 1);
    assert.equal(await barriers[0]!.waiting(), 0);
  },

  'it is used again and again, generation after generation': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const generations = new Map<number, number[]>();
    const steps = [0, 0, 0];
    await Promise.all(
      clients.map(async (client, at) => {
        const barrier = open(client, bench.name, 3);
        for (let round = 0; round < 40; round++) {
          const { generation, index } = await barrier.arrive();
          generations.set(generation, [...(generations.get(generation) ?? []), index]);
          steps[at]!++;
          assert.ok(Math.max(...steps) - Math.min(...steps) <= 1, 'in step');
          if (round % 7 === at) await bench.time.sleep(1);
        }
      }),
    );
    assert.equal(generations.size, 40);
    for (const indices of generations.values()) assert.deepEqual(indices.toSorted(ascending), [0, 1, 2]);
    const numbers = [...generations.keys()];
    assert.deepEqual(numbers, numbers.toSorted(ascending));
  },

  'one party alone need not wait': async (bench) => {
    const barrier = open(await bench.open(), bench.name, 1);
    const start = bench.time.now();
    const [first, second] = [await barrier.arrive(), await barrier.arrive({ timeoutMs: 0 })];
    bench.assertWithin(start, 0);
    assert.deepEqual([first.index, second.index], [0, 0]);
    assert.ok(second.generation > first.generation);
  },

  'the last may come with no time to wait': async (bench) => {
    const barrier = open(await bench.open(), bench.name, 2);
    const first = barrier.arrive();
    await untilArrived(bench, barrier, 1);
    assert.equal((await barrier.arrive({ timeoutMs: 0 })).index, 0);
    assert.equal((await first).index, 1);
  },

  'parties wait for hours': needing('exact time', async (bench) => {
    const clients = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    const first = open(clients[0]!, bench.name, 2).arrive();
    await bench.time.sleep(60 * 60 * 1000);
    await open(clients[1]!, bench.name, 2).arrive();
    await first;
    bench.assertElapsed(start, 60 * 60 * 1000);
  }),
};

const brokenCases: Cases<'barrier'> = {
  'a party that runs out of time breaks it for all, until it is reset': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [barrier, elsewhere] = [open(client, bench.name, 3), open(other, bench.name, 3)];
    const waiting = assertBroken(elsewhere.arrive(), 'timeout', other.label);
    await untilArrived(bench, barrier, 1);
    const start = bench.time.now();
    await assertRejects(() => barrier.arrive({ timeoutMs: bench.unit }), 'ACQUIRE_TIMEOUT', client.label);
    await waiting;
    bench.assertElapsed(start, bench.unit);
    assert.equal(await elsewhere.isBroken(), true);
    assert.equal(await elsewhere.waiting(), 0);
    await assertBroken(barrier.arrive(), 'timeout', client.label);
    await elsewhere.reset();
    assert.equal(await barrier.isBroken(), false);
    await Promise.all([barrier.arrive(), elsewhere.arrive(), barrier.arrive()]);
  },

  'a party whose signal aborts breaks it for all': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [barrier, elsewhere] = [open(client, bench.name, 3), open(other, bench.name, 3)];
    const waiting = assertBroken(elsewhere.arrive(), 'aborted', other.label);
    const controller = bench.controller();
    const reason = { stop: true };
    const stopped = rejectionOf(() => barrier.arrive({ signal: controller.signal }));
    await untilArrived(bench, barrier, 2);
    const start = bench.time.now();
    controller.abort(reason);
    assert.equal(await stopped, reason);
    await waiting;
    bench.assertWithin(start, 0);
    assert.equal(await barrier.isBroken(), true);
    await barrier.reset();
  },

  'a signal that has aborted already breaks nothing': async (bench) => {
    const barrier = open(await bench.open(), bench.name, 2);
    const reason = new Error('too late');
    assert.equal(await rejectionOf(() => barrier.arrive({ signal: AbortSignal.abort(reason) })), reason);
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 0]);
    await Promise.all([barrier.arrive(), barrier.arrive()]);
  },

  'a party that dies breaks it for all': needing('crash', async (bench) => {
    const renewalLeaseMs = 3 * bench.unit;
    const [dying, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
    ignoreOutcome(open(dying, bench.name, 3).arrive());
    const elsewhere = open(other, bench.name, 3);
    // The second to arrive: its answer says when the first could be found dead.
    await untilArrived(bench, elsewhere, 1);
    const waiting = assertBroken(elsewhere.arrive(), 'dead-party', other.label);
    await untilArrived(bench, elsewhere, 2);
    await bench.crash(dying);
    const start = bench.time.now();
    await waiting;
    bench.assertWithin(start, other.traits.crash === 'session' ? 0 : renewalLeaseMs);
    await assertBroken(elsewhere.arrive(), 'dead-party', other.label);
    await elsewhere.reset();
  }),

  'a reset sends those away who wait, and starts anew': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [barrier, elsewhere] = [open(client, bench.name, 3), open(other, bench.name, 3)];
    const waiting = [
      assertBroken(barrier.arrive(), 'reset', client.label),
      assertBroken(elsewhere.arrive(), 'reset', other.label),
    ];
    await untilArrived(bench, barrier, 2);
    const start = bench.time.now();
    await barrier.reset();
    await Promise.all(waiting);
    bench.assertWithin(start, 0);
    assert.equal(await barrier.isBroken(), false);
    const arrived = await Promise.all([barrier.arrive(), elsewhere.arrive(), barrier.arrive()]);
    assert.deepEqual(arrived.map(({ index }) => index).toSorted(ascending), [0, 1, 2]);
  },

  'a reset of an unused barrier does nothing': async (bench) => {
    const barrier = open(await bench.open(), bench.name, 2);
    await barrier.reset();
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 0]);
    await open(await bench.open(), bench.name, 1).arrive();
  },

  'closing sends the own party away, and breaks it for the others': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [barrier, elsewhere] = [open(client, bench.name, 3), open(other, bench.name, 3)];
    const waiting = assertRejects(() => elsewhere.arrive(), 'BROKEN_BARRIER', other.label);
    const closed = assertRejects(() => barrier.arrive(), 'CLOSED', client.label);
    await untilArrived(bench, barrier, 2);
    await client.close();
    await Promise.all([waiting, closed]);
    for (const call of [
      () => barrier.arrive(),
      () => barrier.waiting(),
      () => barrier.isBroken(),
      () => barrier.reset(),
    ]) {
      await assertRejects(call, 'CLOSED', client.label);
    }
    await elsewhere.reset();
  },

  'another number of parties than the others use is refused, and breaks nothing': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const barrier = open(client, bench.name, 2);
    const first = barrier.arrive();
    await untilArrived(bench, barrier, 1);
    const error = await assertRejects(
      () => open(other, bench.name, 3).arrive(),
      'FOREIGN_STATE',
      other.label,
    );
    assert.match(error.message, /2 parties.*3/);
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 1]);
    await barrier.arrive();
    await first;
  },

  'bad options are refused by rejecting, and no party has arrived': async (bench) => {
    const barrier = open(await bench.open(), bench.name, 2);
    for (const bad of BAD_WAIT_OPTIONS)
      await assertRejectsArgument(bad, () => barrier.arrive(bad.given as object));
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 0]);
  },

  'an arrival whose answer was lost is one party': needing('loseNextReply', async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const barrier = open(client, bench.name, 3);
    bench.loseNextReply(client);
    const first = barrier.arrive();
    await untilArrived(bench, open(other, bench.name, 3), 1);
    const arrived = await Promise.all([first, barrier.arrive(), barrier.arrive()]);
    assert.deepEqual(arrived.map(({ index }) => index).toSorted(ascending), [0, 1, 2]);
  }),
};

/** The cyclic barrier. */
export const barrierSuite = suiteOf<'barrier'>(
  'barrier',
  cyclicCases,
  brokenCases,
  outageCases(async (client: BarrierClient, name) => {
    const barrier = open(client, name, 10);
    await open(client, `${name}-alone`, 1).arrive();
    return [(timeoutMs) => barrier.arrive({ timeoutMs })];
  }),
  nameCases({
    make: (client: BarrierClient, name) => open(client, name, 1),
    use: async (barrier) => {
      await barrier.arrive();
    },
    badOptions: BAD_PARTIES,
    makeWith: (client, name, options) => client.barrier(name, options as { parties: number }),
  }),
);
