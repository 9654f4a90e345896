import assert from 'node:assert/strict';
import type { Arrival } from '../../../index.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { ascending, openBarrier, untilArrived } from './parties.ts';

/** A barrier whose parties all arrive, generation after generation. */
export const cyclicCases: Cases<'barrier'> = {
  'no party goes on before all have arrived': async (bench) => {
    const clients = [await bench.open(), await bench.open()];
    const barriers = clients.map((client) => openBarrier(client, bench.name, 3));
    assert.deepEqual([barriers[0]!.name, barriers[0]!.parties], [bench.name, 3]);
    let through = 0;
    const arrivals: Promise<Arrival>[] = [];
    for (let at = 0; at < 2; at++) {
      const arriving = barriers[at]!.arrive();
      arrivals.push(arriving);
      void bench.begin(arriving.then(() => through++));
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
        const barrier = openBarrier(client, bench.name, 3);
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
    const barrier = openBarrier(await bench.open(), bench.name, 1);
    const start = bench.time.now();
    const [first, second] = [await barrier.arrive(), await barrier.arrive({ timeoutMs: 0 })];
    bench.assertWithin(start, 0);
    assert.deepEqual([first.index, second.index], [0, 0]);
    assert.ok(second.generation > first.generation);
  },

  'the last may come with no time to wait': async (bench) => {
    const barrier = openBarrier(await bench.open(), bench.name, 2);
    const first = bench.begin(barrier.arrive());
    await untilArrived(bench, barrier, 1);
    assert.equal((await barrier.arrive({ timeoutMs: 0 })).index, 0);
    assert.equal((await first).index, 1);
  },

  'parties wait for hours': needing('exact time', async (bench) => {
    const clients = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    const first = bench.begin(openBarrier(clients[0]!, bench.name, 2).arrive());
    await bench.time.sleep(60 * 60 * 1000);
    await openBarrier(clients[1]!, bench.name, 2).arrive();
    await first;
    bench.assertElapsed(start, 60 * 60 * 1000);
  }),
};
