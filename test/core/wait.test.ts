import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { type Attempt, type Turn, waitFor } from '../../src/core/acquire/wait.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { newClient } from './new-client.ts';

const SUBJECT = { resource: 'lock "a"', engine: 'test' };
const OUT: Attempt<string> = { kind: 'out', againInMs: 10_000 };
const IN: Attempt<string> = { kind: 'in', value: 'in' };
const PATIENT = { until: Infinity, timeoutMs: Infinity, signal: undefined };

/** A turn whose attempts go as told; it writes down what is asked of it. */
function scripted(attempts: (() => Attempt<string> | Promise<Attempt<string>>)[]) {
  const log: string[] = [];
  let heard = (): void => undefined;
  const turn: Turn<string> = {
    subject: SUBJECT,
    attempt: () => {
      log.push('attempt');
      return (attempts.shift() ?? (() => IN))();
    },
    watch: (hear) => {
      log.push('watch');
      heard = hear;
      return () => void log.push('unwatch');
    },
    withdraw: () => void log.push('withdraw'),
  };
  return { turn, log, wake: () => heard() };
}

describe('the wait loop', () => {
  test('watches before it tries, so that no release falls between the two (soundness 16)', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { turn, log } = scripted([() => IN]);
      assert.equal(await waitFor(newClient(clock), turn, PATIENT), 'in');
      assert.deepEqual(log, ['watch', 'attempt', 'unwatch']);
    });
  });

  test('tries again at once after a wake-up that came while a try was under way (soundness 16)', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const start = clock.now();
      const script = scripted([
        async () => {
          await clock.sleep(5);
          // Decided as "busy" before the release, answered after it.
          script.wake();
          await clock.sleep(5);
          return OUT;
        },
      ]);
      assert.equal(await waitFor(newClient(clock), script.turn, PATIENT), 'in');
      assert.equal(clock.now() - start, 10);
    });
  });

  test('sleeps no longer than the answer could stay the same by itself (soundness 18)', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const start = clock.now();
      const { turn } = scripted([
        () => ({ kind: 'out', againInMs: 70 }),
        () => ({ kind: 'out', againInMs: 30 }),
      ]);
      await waitFor(newClient(clock), turn, PATIENT);
      assert.equal(clock.now() - start, 100);
    });
  });

  test('gives up on the millisecond, and withdraws', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const start = clock.now();
      const { turn, log } = scripted([() => OUT, () => OUT]);
      const waitLimit = { until: start + 250, timeoutMs: 250, signal: undefined };
      await assert.rejects(waitFor(newClient(clock), turn, waitLimit), { code: 'ACQUIRE_TIMEOUT' });
      assert.equal(clock.now() - start, 250);
      assert.deepEqual(log, ['watch', 'attempt', 'withdraw', 'unwatch']);
    });
  });

  test('does not wait for an answer that is under way when it gives up', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const controller = new AbortController();
      const { turn, log } = scripted([() => new Promise<never>(() => undefined)]);
      const waiting = waitFor(newClient(clock), turn, { ...PATIENT, signal: controller.signal });
      const rejected = assert.rejects(waiting, (reason) => reason === 'enough');
      await clock.sleep(20);
      controller.abort('enough');
      await rejected;
      assert.ok(log.includes('withdraw'), 'what the answer may bring is given back');
    });
  });

  test('yields to others, but not for longer than it must', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const client = newClient(clock);
      const start = clock.now();
      const alone = { ms: 20, used: false };
      await waitFor(client, scripted([]).turn, PATIENT, alone);
      assert.equal(clock.now() - start, 20);
      assert.equal(alone.used, false);
      const script = scripted([]);
      const others = { ms: 20, used: false };
      const waiting = waitFor(client, script.turn, PATIENT, others);
      await clock.sleep(5);
      script.wake();
      await waiting;
      assert.equal(clock.now() - start, 25);
      assert.equal(others.used, true);
      const inside = { ms: 20, used: false };
      await waitFor(client, scripted([() => OUT]).turn, PATIENT, inside);
      assert.equal(inside.used, true, 'who was in when it was over has made use of it');
    });
  });

  test('leaves no task and no listener behind', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const client = newClient(clock);
      const { turn } = scripted([() => OUT]);
      await assert.rejects(
        waitFor(client, turn, { until: clock.now() + 5, timeoutMs: 5, signal: undefined }),
      );
      assert.equal(client.timers.size, 0);
    });
  });
});
