import assert from 'node:assert/strict';
import { type Hold, LeaseLostError } from '../../../index.ts';
import { assertRejects, rejectionOf } from '../../harness/coded-error.ts';
import { Deferred } from '../../harness/deferred.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { assertIncreasing } from '../acquiring/contention-cases.ts';
import { askWhetherLost, lossOf } from '../losses/lease-cases.ts';
import { counter } from './counter.ts';

/** The guarded state: what a section reads and writes. */
export const monitorStateCases: Cases<'monitor'> = {
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
            const acquiredAt = bench.time.now();
            hold.lost.addEventListener('abort', () => {
              bench.assertLeaseLasted(start, acquiredAt, leaseMs);
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
    void bench.begin(late);
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
};
