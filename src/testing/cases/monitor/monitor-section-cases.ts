import assert from 'node:assert/strict';
import { ignoreOutcome } from '../../harness/ignore-outcome.ts';
import { type Hold, isHoldfastError, type Monitor, NestedMonitorError } from '../../../index.ts';
import { assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { Deferred } from '../../harness/deferred.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { counter } from './counter.ts';

/** A section of a monitor, from entering to leaving: one at a time. */
export const monitorSectionCases: Cases<'monitor'> = {
  'a section is renewed for as long as it runs': async (bench) => {
    const renewalLeaseMs = 2 * bench.unit;
    const [client, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
    await counter(client, bench.name).run(async (m) => {
      await bench.time.sleep(2 * renewalLeaseMs);
      m.hold.throwIfLost();
      await assertRejects(
        () => counter(other, bench.name).run(() => undefined, { timeoutMs: 0 }),
        'ACQUIRE_TIMEOUT',
        other.label,
      );
      m.set(7);
    });
    assert.equal(await counter(other, bench.name).peek(), 7);
  },

  'entering waits no longer than its limit': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const controller = bench.controller();
    const never = () => assert.fail('entered');
    await counter(client, bench.name).run(async () => {
      const start = bench.time.now();
      const monitor = counter(other, bench.name);
      await assertRejects(
        () => monitor.run(never, { timeoutMs: bench.unit }),
        'ACQUIRE_TIMEOUT',
        other.label,
      );
      bench.assertElapsed(start, bench.unit);
      const stopped = rejectionOf(() => monitor.run(never, { signal: controller.signal }));
      await bench.untilWaiting(1, monitor);
      const aborted = bench.time.now();
      controller.abort('stop');
      assert.equal(await stopped, 'stop');
      bench.assertWithin(aborted, 0);
      await bench.untilWaiting(0, monitor);
    });
  },

  'a section cannot enter its own monitor again': async (bench) => {
    const client = await bench.open();
    const monitor = counter(client, bench.name);
    await monitor.run(async (m) => {
      const error = await assertRejects(() => monitor.run(() => undefined), 'NESTED_MONITOR', client.label);
      assert.ok(error instanceof NestedMonitorError);
      await assertRejects(() => counter(client, bench.name).run(() => undefined), 'NESTED_MONITOR');
      await counter(client, `${bench.name}-other`).run(() => undefined);
      m.set(1);
    });
    assert.equal(await monitor.peek(), 1);
    await monitor.run(() => undefined);
  },

  'nothing works outside the section': async (bench) => {
    const client = await bench.open();
    let kept: Parameters<Parameters<Monitor<number>['run']>[0]>[0] | undefined;
    let hold: Hold | undefined;
    await counter(client, bench.name).run((m) => {
      kept = m;
      hold = m.hold;
    });
    const m = kept!;
    for (const use of [
      () => m.state,
      () => m.hold,
      () => m.set(1),
      () => m.signal('a'),
      () => m.signalAll('a'),
    ]) {
      assert.throws(use, { code: 'NOT_HELD', engine: client.label });
    }
    await assertRejects(() => m.wait('a'), 'NOT_HELD', client.label);
    assert.ok(hold);
    assert.equal(hold.remainingMs, 0);
    assert.equal(hold.lost.aborted, false);
    assert.throws(() => hold?.throwIfLost(), { code: 'NOT_HELD', engine: client.label });
    await assertRejects(() => hold!.extend(bench.unit), 'NOT_HELD', client.label);
    await hold.release();
    assert.equal(await counter(client, bench.name).peek(), 0);
  },

  'queries show the section that is in and the number of waiters': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [monitor, elsewhere] = [counter(client, bench.name), counter(other, bench.name)];
    assert.equal(monitor.name, bench.name);
    assert.deepEqual([await monitor.isLocked(), await monitor.waiters()], [false, 0]);
    await monitor.run(async () => {
      assert.equal(await elsewhere.isLocked(), true);
      const waiting = bench.begin(elsewhere.run(() => undefined));
      await bench.untilWaiting(1, elsewhere);
      void waiting;
    });
    await bench.untilWaiting(0, elsewhere);
    await bench.until(async () => !(await elsewhere.isLocked()));
  },

  'after the client of a section dies the next waiter enters': needing('crash', async (bench) => {
    const renewalLeaseMs = 3 * bench.unit;
    const [dying, other] = [await bench.open({ renewalLeaseMs }), await bench.open()];
    ignoreOutcome(
      counter(dying, bench.name).run(async (m) => {
        m.set(-1);
        await bench.time.sleep(1e9);
      }),
    );
    await bench.until(() => counter(other, bench.name).isLocked());
    const start = bench.time.now();
    await bench.crash(dying);
    await counter(other, bench.name).run((m) => m.set(m.state + 1));
    bench.assertWithin(start, other.traits.crash === 'session' ? 0 : renewalLeaseMs);
    assert.equal(await counter(other, bench.name).peek(), 1);
  }),

  'closing ends the section and rejects the waiters': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const monitor = counter(client, bench.name);
    const [entered, closed] = [new Deferred(), new Deferred()];
    const section = rejectionOf(() =>
      monitor.run(async (m) => {
        m.set(-1);
        entered.resolve();
        await closed.promise;
      }),
    );
    await entered.promise;
    const waiting = assertRejects(() => monitor.run(() => undefined), 'CLOSED', client.label);
    await bench.untilWaiting(1, monitor);
    await client.close();
    await waiting;
    closed.resolve();
    const error = await section;
    assert.ok(isHoldfastError(error));
    assert.ok(['CLOSED', 'LEASE_LOST'].includes(error.code), `${error.code}: ${error.message}`);
    assert.equal(await counter(other, bench.name).isLocked(), false);
    assert.equal(await counter(other, bench.name).peek(), 0, 'what was not yet written is dropped');
    for (const call of [
      () => monitor.run(() => undefined),
      () => monitor.peek(),
      () => monitor.isLocked(),
      () => monitor.waiters(),
    ]) {
      await assertRejects(call, 'CLOSED', client.label);
    }
  },
};
