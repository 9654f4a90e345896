import assert from 'node:assert/strict';
import { BrokenBarrierError } from '../../../index.ts';
import { assertRejects, assertRejectsArgument, rejectionOf } from '../../harness/coded-error.ts';
import { ignoreOutcome } from '../../harness/ignore-outcome.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { BAD_WAIT_OPTIONS } from '../arguments/bad-arguments.ts';
import { ascending, openBarrier, untilArrived } from './parties.ts';

/** Asserts that an arrival rejects because the barrier is broken. */
async function assertBroken(arriving: Promise<unknown>, reason: string, engine: string): Promise<void> {
  const error = await assertRejects(() => arriving, 'BROKEN_BARRIER', engine);
  assert.ok(error instanceof BrokenBarrierError);
  assert.equal(error.reason, reason);
}

/** What breaks a barrier, and what does not. */
export const brokenBarrierCases: Cases<'barrier'> = {
  'a party that runs out of time breaks it for all, until it is reset': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [barrier, elsewhere] = [openBarrier(client, bench.name, 3), openBarrier(other, bench.name, 3)];
    const waiting = bench.begin(assertBroken(elsewhere.arrive(), 'timeout', other.label));
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
    const [barrier, elsewhere] = [openBarrier(client, bench.name, 3), openBarrier(other, bench.name, 3)];
    const waiting = bench.begin(assertBroken(elsewhere.arrive(), 'aborted', other.label));
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
    const barrier = openBarrier(await bench.open(), bench.name, 2);
    const reason = new Error('too late');
    assert.equal(await rejectionOf(() => barrier.arrive({ signal: AbortSignal.abort(reason) })), reason);
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 0]);
    await Promise.all([barrier.arrive(), barrier.arrive()]);
  },

  'a party that dies breaks it for all': needing('crash', async (bench) => {
    const renewalLeaseMs = 3 * bench.unit;
    const [dying, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
    ignoreOutcome(openBarrier(dying, bench.name, 3).arrive());
    const elsewhere = openBarrier(other, bench.name, 3);
    // The second to arrive: its answer says when the first could be found dead.
    await untilArrived(bench, elsewhere, 1);
    const waiting = bench.begin(assertBroken(elsewhere.arrive(), 'dead-party', other.label));
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
    const [barrier, elsewhere] = [openBarrier(client, bench.name, 3), openBarrier(other, bench.name, 3)];
    const waiting = [
      assertBroken(barrier.arrive(), 'reset', client.label),
      assertBroken(elsewhere.arrive(), 'reset', other.label),
    ];
    void bench.begin(waiting);
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
    const barrier = openBarrier(await bench.open(), bench.name, 2);
    await barrier.reset();
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 0]);
    await openBarrier(await bench.open(), bench.name, 1).arrive();
  },

  'closing sends the own party away, and breaks it for the others': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [barrier, elsewhere] = [openBarrier(client, bench.name, 3), openBarrier(other, bench.name, 3)];
    const waiting = bench.begin(assertRejects(() => elsewhere.arrive(), 'BROKEN_BARRIER', other.label));
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
    const barrier = openBarrier(client, bench.name, 2);
    const first = bench.begin(barrier.arrive());
    await untilArrived(bench, barrier, 1);
    const error = await assertRejects(
      () => openBarrier(other, bench.name, 3).arrive(),
      'FOREIGN_STATE',
      other.label,
    );
    assert.match(error.message, /2 parties.*3/);
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 1]);
    await barrier.arrive();
    await first;
  },

  'bad options are refused by rejecting, and no party has arrived': async (bench) => {
    const barrier = openBarrier(await bench.open(), bench.name, 2);
    for (const bad of BAD_WAIT_OPTIONS)
      await assertRejectsArgument(bad, () => barrier.arrive(bad.given as object));
    assert.deepEqual([await barrier.isBroken(), await barrier.waiting()], [false, 0]);
  },

  'an arrival whose answer was lost is one party': needing('loseNextReply', async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const barrier = openBarrier(client, bench.name, 3);
    bench.loseNextReply(client);
    const first = bench.begin(barrier.arrive());
    await untilArrived(bench, openBarrier(other, bench.name, 3), 1);
    const arrived = await Promise.all([first, barrier.arrive(), barrier.arrive()]);
    assert.deepEqual(arrived.map(({ index }) => index).toSorted(ascending), [0, 1, 2]);
  }),
};
