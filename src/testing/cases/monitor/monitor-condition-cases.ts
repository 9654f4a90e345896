import assert from 'node:assert/strict';
import type { Monitor } from '../../../index.ts';
import { assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { counter, type MonitorClient } from './counter.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { waiter, untilAtConditions } from './condition-waiters.ts';

const CAPACITY = 3;

interface Buffer {
  readonly items: readonly number[];
}

const buffer = (client: MonitorClient, name: string): Monitor<Buffer> =>
  client.monitor<Buffer>(name, { initial: { items: [] } });

async function put(monitor: Monitor<Buffer>, item: number): Promise<void> {
  await monitor.run(async (m) => {
    await m.waitUntil('notFull', ({ items }) => items.length < CAPACITY);
    m.set({ items: [...m.state.items, item] });
    m.signal('notEmpty');
  });
}

async function take(monitor: Monitor<Buffer>): Promise<number> {
  return monitor.run(async (m) => {
    await m.waitUntil('notEmpty', ({ items }) => items.length > 0);
    const [item, ...items] = m.state.items;
    m.set({ items });
    m.signal('notFull');
    return item!;
  });
}

/** Waiting for conditions, and signals. */
export const monitorConditionCases: Cases<'monitor'> = {
  'a bounded buffer between clients loses nothing and doubles nothing': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open(), await bench.open()];
    const taken: number[] = [];
    const producers = clients.map(async (client, at) => {
      for (let item = 0; item < 15; item++) {
        await put(buffer(client, bench.name), at * 100 + item);
        if (item % 4 === at) await bench.time.sleep(1);
      }
    });
    const consumers = clients.map(async (client, at) => {
      for (let item = 0; item < 15; item++) {
        taken.push(await take(buffer(client, bench.name)));
        if (item % 3 === at) await bench.time.sleep(1);
      }
    });
    await Promise.all([...producers, ...consumers]);
    const put60 = clients.flatMap((_, at) => Array.from({ length: 15 }, (_none, item) => at * 100 + item));
    assert.deepEqual(
      taken.toSorted((one, other) => one - other),
      put60,
    );
    for (const at of [0, 1, 2, 3]) {
      const own = taken.filter((item) => Math.floor(item / 100) === at);
      assert.deepEqual(
        own,
        own.toSorted((one, other) => one - other),
        'in the order of each producer',
      );
    }
    assert.deepEqual(await buffer(clients[0]!, bench.name).peek(), { items: [] });
  },

  'a signal brings one waiter back, the first': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [monitor, elsewhere] = [counter(client, bench.name), counter(other, bench.name)];
    const order: number[] = [];
    const waiting: Promise<unknown>[] = [];
    for (let at = 0; at < 3; at++) {
      const one = waiter(at % 2 === 0 ? monitor : elsewhere, 'go');
      waiting.push(bench.begin(one.then((signalled) => order.push(signalled ? at : -1))));
      await untilAtConditions(bench, at + 1, monitor, elsewhere);
    }
    for (let count = 1; count <= 3; count++) {
      const start = bench.time.now();
      await elsewhere.run((m) => m.signal('go'));
      await waiting[count - 1];
      bench.assertWithin(start, 0);
      assert.equal(order.length, count);
    }
    assert.deepEqual(order, [0, 1, 2]);
  },

  'signalAll brings all back, one after the other': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const monitors = clients.map((client) => counter(client, bench.name));
    let inside = 0;
    const waiting = Array.from({ length: 12 }, (_, at) =>
      monitors[at % 3]!.run(async (m) => {
        assert.equal(await m.wait('go'), true);
        assert.equal(++inside, 1);
        m.set(m.state + 1);
        await bench.time.sleep(1);
        inside--;
      }),
    );
    void bench.begin(waiting);
    await untilAtConditions(bench, 12, ...monitors);
    await monitors[0]!.run((m) => m.signalAll('go'));
    await Promise.all(waiting);
    assert.equal(await monitors[0]!.peek(), 12);
  },

  'a signal wakes waiters of its own condition only': async (bench) => {
    const client = await bench.open();
    const monitor = counter(client, bench.name);
    const events: string[] = [];
    const names = ['a', 'b', '__proto__', 'constructor', 'toString', ' '];
    const waiting = bench.begin(names.map((name) => waiter(monitor, name).then(() => events.push(name))));
    await untilAtConditions(bench, names.length, monitor);
    for (const [at, name] of [...names.entries()].toReversed()) {
      await monitor.run((m) => m.signal(name));
      await waiting[at];
    }
    assert.deepEqual(events, names.toReversed());
  },

  'a signal without a waiter is not kept': async (bench) => {
    const monitor = counter(await bench.open(), bench.name);
    await monitor.run((m) => {
      m.signal('go');
      m.signalAll('go');
    });
    const start = bench.time.now();
    assert.equal(await waiter(monitor, 'go', { timeoutMs: bench.unit }), false);
    bench.assertElapsed(start, bench.unit);
  },

  'waiting writes first, and sees what others wrote meanwhile': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [monitor, elsewhere] = [counter(client, bench.name), counter(other, bench.name)];
    const waiting = monitor.run(async (m) => {
      const { fence } = m.hold;
      m.set(1);
      assert.equal(await m.wait('go'), true);
      assert.equal(m.state, 2);
      assert.ok(m.hold.fence > fence, 'another section held it in between');
      m.set(3);
    });
    void bench.begin(waiting);
    await bench.until(async () => (await elsewhere.peek()) === 1);
    await elsewhere.run((m) => {
      m.set(2);
      m.signal('go');
    });
    await waiting;
    assert.equal(await elsewhere.peek(), 3);
  },

  'a section that throws after a wait loses only what it wrote since': async (bench) => {
    const monitor = counter(await bench.open(), bench.name);
    const error = new Error('after the wait');
    const failing = rejectionOf(() =>
      monitor.run(async (m) => {
        m.set(1);
        await m.wait('go');
        m.set(-1);
        throw error;
      }),
    );
    await untilAtConditions(bench, 1, monitor);
    await monitor.run((m) => m.signal('go'));
    assert.equal(await failing, error);
    assert.equal(await monitor.peek(), 1);
    assert.equal(await monitor.isLocked(), false);
  },

  'a wait that is out of time comes back, with the monitor': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [monitor, elsewhere] = [counter(client, bench.name), counter(other, bench.name)];
    const start = bench.time.now();
    await monitor.run(async (m) => {
      assert.equal(await m.wait('never', { timeoutMs: bench.unit }), false);
      bench.assertElapsed(start, bench.unit);
      m.hold.throwIfLost();
      await assertRejects(() => elsewhere.run(() => undefined, { timeoutMs: 0 }), 'ACQUIRE_TIMEOUT');
      assert.equal(await m.wait('never', { timeoutMs: 0 }), false);
      m.set(1);
    });
    assert.equal(await elsewhere.peek(), 1);
  },

  'a wait that is out of time comes back when the monitor is free': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [monitor, elsewhere] = [counter(client, bench.name), counter(other, bench.name)];
    const start = bench.time.now();
    const waiting = monitor.run(async (m) => {
      assert.equal(await m.wait('never', { timeoutMs: bench.unit }), false);
      bench.assertElapsed(start, 2 * bench.unit);
      assert.equal(m.state, 1);
    });
    void bench.begin(waiting);
    await untilAtConditions(bench, 1, monitor);
    await elsewhere.run(async (m) => {
      await bench.time.sleep(start + 2 * bench.unit - bench.time.now());
      m.set(1);
    });
    await waiting;
  },

  'waiting outlasts many leases': needing('exact time', async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const waiting = bench.begin(waiter(counter(client, bench.name), 'go'));
    await bench.time.sleep(60 * 60 * 1000);
    const start = bench.time.now();
    await counter(other, bench.name).run((m) => m.signal('go'));
    assert.equal(await waiting, true);
    bench.assertWithin(start, 0);
  }),
};
