import assert from 'node:assert/strict';
import type { Election, Leader, Synchronizers } from '../../../index.ts';
import type { Bench } from '../../harness/bench.ts';
import {
  type BadArgument,
  assertRejects,
  assertThrowsArgument,
  rejectionOf,
} from '../../harness/coded-error.ts';
import { assertIncreasing } from '../acquiring/contention-cases.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** A client with elections. */
export type ElectionClient = Synchronizers<'election'>;

/** An election whose leaders publish texts. */
export const openElection = (client: ElectionClient, name: string): Election<string> => client.election(name);

/** What an observer has seen so far, as values; a hyphen while there is no leader. */
class Observer {
  readonly seen: string[] = [];
  readonly fences: bigint[] = [];
  readonly ended: Promise<unknown>;

  constructor(observed: AsyncIterable<Leader<string> | null>) {
    this.ended = this.#follow(observed);
  }

  async until(bench: Bench<'election'>, ...expected: readonly string[]): Promise<void> {
    await bench.until(() => this.seen.length >= expected.length);
    assert.deepEqual(this.seen, expected);
  }

  async #follow(observed: AsyncIterable<Leader<string> | null>): Promise<unknown> {
    try {
      for await (const leader of observed) {
        this.seen.push(leader?.value ?? '-');
        if (leader !== null) this.fences.push(leader.fence);
      }
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

/** What observers of an election see. */
export const observingCases: Cases<'election'> = {
  'an observer sees the leader now and every change': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const [one, two, three] = clients.map((client) => openElection(client, bench.name));
    const controller = bench.controller();
    const observer = new Observer(three!.observe({ signal: controller.signal }));
    await observer.until(bench, '-');
    const start = bench.time.now();
    const office = await one!.campaign({ value: 'one' });
    await observer.until(bench, '-', 'one');
    await office.proclaim('one again');
    await observer.until(bench, '-', 'one', 'one again');
    const campaign = bench.begin(two!.campaign({ value: 'two' }));
    await bench.until(async () => (await two!.candidates()) === 1);
    await office.resign();
    const next = await campaign;
    await bench.until(() => observer.seen.at(-1) === 'two');
    await next.resign();
    await bench.until(() => observer.seen.at(-1) === '-');
    bench.assertWithin(start, 20);
    const late = new Observer(three!.observe({ signal: controller.signal }));
    await late.until(bench, '-');
    const reason = new Error('seen enough');
    controller.abort(reason);
    assert.equal(await observer.ended, reason);
    assert.equal(await late.ended, reason);
    assertIncreasing([...new Set(observer.fences)]);
  },

  'an observer sees that the lease of a leader has ended': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const controller = bench.controller();
    const start = bench.time.now();
    await openElection(client, bench.name).campaign({ value: 'brief', leaseMs: 2 * bench.unit });
    const observer = new Observer(openElection(other, bench.name).observe({ signal: controller.signal }));
    await bench.until(() => observer.seen.length === 2);
    assert.deepEqual(observer.seen, ['brief', '-']);
    assert.ok(bench.time.now() - start >= 2 * bench.unit - 2);
    // Checked once in a millisecond.
    bench.assertWithin(start, 2 * bench.unit + 1);
    controller.abort();
    await observer.ended;
  },

  'an observer sees that a leader has died': needing('crash', async (bench) => {
    const renewalLeaseMs = 3 * bench.unit;
    const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open({ renewalLeaseMs })];
    await openElection(client, bench.name).campaign({ value: 'mortal' });
    const controller = bench.controller();
    const observer = new Observer(openElection(other, bench.name).observe({ signal: controller.signal }));
    await observer.until(bench, 'mortal');
    await bench.crash(client);
    const start = bench.time.now();
    await observer.until(bench, 'mortal', '-');
    bench.assertWithin(start, renewalLeaseMs + 1);
    controller.abort();
    await observer.ended;
  }),

  'an observer that stops leaves nothing behind': async (bench) => {
    const client = await bench.open();
    const election = openElection(client, bench.name);
    for (let round = 0; round < 5; round++) {
      for await (const leader of election.observe()) {
        assert.equal(leader, null);
        break;
      }
    }
    const observed = election.observe();
    await observed.next();
    await observed.return?.(undefined);
    assert.deepEqual(await observed.next(), { done: true, value: undefined });
    // An observer that is never started watches nothing.
    election.observe();
  },

  'closing ends the observers': async (bench) => {
    const client = await bench.open();
    const observer = new Observer(openElection(client, bench.name).observe());
    await observer.until(bench, '-');
    await client.close();
    const error = await observer.ended;
    await assertRejects(() => Promise.reject(error), 'CLOSED', client.label);
    await assertRejects(() => openElection(client, bench.name).observe().next(), 'CLOSED', client.label);
    await assertRejects(() => openElection(client, bench.name).leader(), 'CLOSED', client.label);
    await assertRejects(() => openElection(client, bench.name).candidates(), 'CLOSED', client.label);
  },

  'bad options of an observer are refused': async (bench) => {
    const election = openElection(await bench.open(), bench.name);
    const bad: BadArgument[] = [
      { given: { signal: 'stop' }, error: TypeError, names: /signal must be an AbortSignal, not "stop"/ },
      { given: { since: 5 }, error: TypeError, names: /no option "since"; known are signal/ },
      { given: 'now', error: TypeError, names: /options must be an object/ },
    ];
    for (const one of bad) assertThrowsArgument(one, () => election.observe(one.given as object));
    const reason = new Error('too late');
    assert.equal(
      await rejectionOf(() => election.observe({ signal: AbortSignal.abort(reason) }).next()),
      reason,
    );
  },
};
