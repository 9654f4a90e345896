import assert from 'node:assert/strict';
import { ignoreOutcome } from '../../harness/ignore-outcome.ts';
import {
  type Hold,
  isHoldfastError,
  LeaseLostError,
  type Monitor,
  NestedMonitorError,
  type Synchronizers,
} from '../../../index.ts';
import { assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { assertIncreasing } from '../acquiring/contention-cases.ts';
import { Deferred } from '../../harness/deferred.ts';
import { askWhetherLost, lossOf, safetyMarginMs } from '../losses/lease-cases.ts';
import { type Cases, needing } from '../../suites/suite.ts';

export type MonitorClient = Synchronizers<'monitor'>;

export const counter = (client: MonitorClient, name: string): Monitor<number> =>
  client.monitor(name, { initial: 0 });

/** One section at a time, and what it writes. */
export const monitorSectionCases: Cases<'monitor'> = {
  'a hundred sections of four clients lose no write': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open(), await bench.open()];
    let inside = 0;
    const fences: bigint[] = [];
    await Promise.all(
      Array.from({ length: 100 }, (_, at) =>
        counter(clients[at % 4]!, bench.name).run(async (m) => {
          assert.equal(++inside, 1);
          fences.push(m.hold.fence);
          const seen = m.state;
          await bench.time.sleep(at % 3);
          m.set(seen + 1);
          inside--;
        }),
      ),
    );
    assert.equal(await counter(clients[0]!, bench.name).peek(), 100);
    assertIncreasing(fences);
  },

  'the first to use it sets the state, later initial states do not count': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const first = client.monitor(bench.name, { initial: { from: 'first' } });
    const second = other.monitor(bench.name, { initial: { from: 'second' } });
    assert.deepEqual(await first.peek(), { from: 'first' }, 'no section has run yet');
    assert.deepEqual(await second.peek(), { from: 'second' }, 'no section has run yet');
    assert.equal(await first.run((m) => m.state.from), 'first');
    assert.equal(await second.run((m) => m.state.from), 'first');
    assert.deepEqual(await second.peek(), { from: 'first' });
  },

  'a section sees what it set, and the others when it ends': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const monitor = counter(client, bench.name);
    const answer = await monitor.run(async (m) => {
      m.set(5);
      assert.equal(m.state, 5);
      assert.equal(await counter(other, bench.name).peek(), 0);
      m.set(m.state + 1);
      return 'done';
    });
    assert.equal(answer, 'done');
    assert.equal(await counter(other, bench.name).peek(), 6);
  },

  'a section that throws writes nothing, and leaves': async (bench) => {
    const client = await bench.open();
    const monitor = counter(client, bench.name);
    await monitor.run((m) => m.set(1));
    const error = { thrown: true };
    const thrown = await rejectionOf(() =>
      monitor.run((m) => {
        m.set(2);
        m.signalAll('changed');
        throw error as unknown as Error;
      }),
    );
    assert.equal(thrown, error);
    assert.equal(await monitor.peek(), 1);
    assert.equal(await monitor.isLocked(), false);
  },

  'changing the state that was read or given changes nothing': async (bench) => {
    const client = await bench.open();
    const initial = { items: ['a'] };
    const monitor = client.monitor(bench.name, { initial });
    initial.items.push('b');
    await monitor.run((m) => {
      assert.deepEqual(m.state.items, ['a']);
      m.state.items.push('c');
    });
    assert.deepEqual(await monitor.peek(), { items: ['a'] }, 'nothing was set');
    const given = { items: ['x'] };
    await monitor.run((m) => {
      m.set(given);
      given.items.push('y');
    });
    (await monitor.peek()).items.push('z');
    assert.deepEqual(await monitor.peek(), { items: ['x'] });
    await monitor.run((m) => assert.deepEqual(m.state, { items: ['x'] }));
  },

  'an abandoned section writes nothing when its lease has ended': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const start = bench.time.now();
    const leaseMs = 2 * bench.unit;
    const events: string[] = [];
    const abandoned = new Deferred<Pick<Hold, 'lost'>>();
    const late = assertRejects(
      () =>
        counter(client, bench.name).run(
          async (m) => {
            m.set(-1);
            const { hold } = m;
            abandoned.resolve(hold);
            hold.lost.addEventListener('abort', () => {
              bench.assertElapsed(start, leaseMs - safetyMarginMs(leaseMs));
              events.push('lost');
            });
            await lossOf(hold);
            assert.throws(() => hold.throwIfLost(), LeaseLostError);
            await bench.time.sleep(bench.unit);
          },
          { leaseMs },
        ),
      'LEASE_LOST',
      client.label,
    );
    const hold = await abandoned.promise;
    await counter(other, bench.name).run((m) => {
      bench.assertElapsed(start, leaseMs);
      askWhetherLost(bench, hold);
      events.push('next');
      m.set(m.state + 1);
    });
    await late;
    assert.equal(await counter(other, bench.name).peek(), 1);
    assert.deepEqual(events, ['lost', 'next']);
  },

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

  'entering waits no longer than it was told to': async (bench) => {
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
      const waiting = elsewhere.run(() => undefined);
      await bench.untilWaiting(1, elsewhere);
      void waiting;
    });
    await bench.untilWaiting(0, elsewhere);
    await bench.until(async () => !(await elsewhere.isLocked()));
  },

  'a section whose client dies lets the next one in': needing('crash', async (bench) => {
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

  'an exit whose answer was lost writes once': needing('loseNextReply', async (bench) => {
    const client = await bench.open();
    const monitor = counter(client, bench.name);
    await monitor.run((m) => {
      m.set(m.state + 1);
      bench.loseNextReply(client);
    });
    assert.equal(await monitor.peek(), 1);
    assert.equal(await monitor.isLocked(), false);
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
