import assert from 'node:assert/strict';
import { ignoreOutcome } from '../../harness/ignore-outcome.ts';
import { assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { counter } from './counter.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { waiter, untilAtConditions, signalledInLine } from './condition-waiters.ts';

/** Waiters of a condition that leave, die, abort or close. */
export const monitorDepartureCases: Cases<'monitor'> = {
  // Soundness 20
  'a signal is passed on when the signalled one leaves before it is in': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const controller = bench.controller();
    const leaving = rejectionOf(() =>
      counter(client, bench.name).run((m) => m.wait('go'), { signal: controller.signal }),
    );
    const start = await signalledInLine(bench, client, other, async () => {
      controller.abort('gone');
      assert.equal(await leaving, 'gone');
    });
    bench.assertWithin(start, 0);
  },

  'a signal is passed on when the signalled one dies before it is in': needing('crash', async (bench) => {
    const renewalLeaseMs = 3 * bench.unit;
    const [dying, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
    ignoreOutcome(waiter(counter(dying, bench.name), 'go'));
    const start = await signalledInLine(bench, dying, other, () => bench.crash(dying));
    bench.assertWithin(start, other.traits.crash === 'session' ? 0 : renewalLeaseMs);
  }),

  'a waiter that dies on a condition blocks no other': needing('crash', async (bench) => {
    const [dying, other] = [await bench.open({ renewalLeaseMs: 3 * bench.unit }), await bench.open()];
    const monitor = counter(other, bench.name);
    ignoreOutcome(waiter(counter(dying, bench.name), 'go'));
    await untilAtConditions(bench, 1, monitor, counter(dying, bench.name));
    await bench.crash(dying);
    const start = bench.time.now();
    await monitor.run((m) => m.set(1));
    bench.assertWithin(start, 0);
    assert.equal(await monitor.peek(), 1);
  }),

  'an abort ends a wait on a condition at once': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [monitor, elsewhere] = [counter(client, bench.name), counter(other, bench.name)];
    const controller = bench.controller();
    const reason = { stop: true };
    const stopped = rejectionOf(() =>
      monitor.run(
        async (m) => {
          m.set(1);
          await m.wait('go');
        },
        { signal: controller.signal },
      ),
    );
    await untilAtConditions(bench, 1, monitor);
    await bench.time.sleep(bench.unit);
    const start = bench.time.now();
    controller.abort(reason);
    assert.equal(await stopped, reason);
    bench.assertWithin(start, 0);
    await bench.untilWaiting(0, monitor);
    assert.equal(await elsewhere.peek(), 1, 'what it wrote before the wait stays');
    await elsewhere.run(() => undefined);
  },

  'an abort in the same turn as the wait is heard': async (bench) => {
    const monitor = counter(await bench.open(), bench.name);
    const controller = bench.controller();
    const start = bench.time.now();
    const stopped = await rejectionOf(() =>
      monitor.run(
        async (m) => {
          const waiting = bench.begin(m.wait('go', { timeoutMs: 5 * bench.unit }));
          controller.abort('at once');
          await waiting;
        },
        { signal: controller.signal },
      ),
    );
    assert.equal(stopped, 'at once');
    bench.assertWithin(start, 0);
  },

  'closing ends a wait on a condition': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const monitor = counter(client, bench.name);
    const closed = assertRejects(() => waiter(monitor, 'go'), 'CLOSED', client.label);
    await untilAtConditions(bench, 1, monitor);
    await client.close();
    await closed;
    await bench.untilWaiting(0, counter(other, bench.name));
    await counter(other, bench.name).run(() => undefined);
  },

  'who has lost the monitor waits for nothing': async (bench) => {
    const client = await bench.open();
    const monitor = counter(client, bench.name);
    await assertRejects(
      () =>
        monitor.run(
          async (m) => {
            m.set(-1);
            const { hold } = m;
            await bench.until(() => hold.lost.aborted);
            await m.wait('go');
          },
          { leaseMs: bench.unit },
        ),
      'LEASE_LOST',
      client.label,
    );
    await monitor.run((m) => assert.equal(m.state, 0));
  },
};
