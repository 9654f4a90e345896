import assert from 'node:assert/strict';
import type { Cases } from '../../suites/suite.ts';
import { untilAtConditions } from './condition-waiters.ts';
import { counter } from './counter.ts';

/** Waiting until a state is reached. */
export const waitUntilCases: Cases<'monitor'> = {
  'waitUntil looks again after each signal': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    let looks = 0;
    const waiting = counter(client, bench.name).run((m) =>
      m.waitUntil('changed', (state) => {
        looks++;
        return state >= 3;
      }),
    );
    void bench.begin(waiting);
    for (let step = 1; step <= 3; step++) {
      await untilAtConditions(bench, 1, counter(client, bench.name));
      await counter(other, bench.name).run((m) => {
        m.set(m.state + 1);
        m.signal('changed');
      });
    }
    assert.equal(await waiting, true);
    assert.equal(looks, 4);
  },

  'waitUntil ends when the time is over, however often it was signalled': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    const waiting = counter(client, bench.name).run(async (m) => {
      const holds = await m.waitUntil('changed', () => false, { timeoutMs: 3 * bench.unit });
      bench.assertElapsed(start, 3 * bench.unit);
      m.hold.throwIfLost();
      return holds;
    });
    void bench.begin(waiting);
    for (let step = 0; step < 2; step++) {
      await bench.time.sleep(bench.unit);
      await counter(other, bench.name).run((m) => m.signal('changed'));
    }
    assert.equal(await waiting, false);
  },
};
