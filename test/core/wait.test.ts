import { describe, expect, test } from 'vitest';
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
      expect(await waitFor(newClient(clock), turn, PATIENT)).toBe('in');
      expect(log).toStrictEqual(['watch', 'attempt', 'unwatch']);
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
      expect(await waitFor(newClient(clock), script.turn, PATIENT)).toBe('in');
      expect(clock.now() - start).toBe(10);
    });
  });

  test('tries while its watch is late, and again when the watch stands (soundness 16)', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { turn, log } = scripted([() => OUT, () => OUT, () => IN]);
      const watch = turn.watch.bind(turn);
      const late = async (heard: () => void) => {
        await clock.sleep(350);
        log.push('stands');
        return watch(heard);
      };
      expect(await waitFor(newClient(clock), { ...turn, watch: late }, PATIENT)).toBe('in');
      expect(log).toStrictEqual(['attempt', 'attempt', 'stands', 'watch', 'attempt', 'unwatch']);
    });
  });

  test('ends with the failure of its watch, and with that of an attempt before the watch stands', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const start = clock.now();
      const { turn } = scripted([() => OUT, () => Promise.reject(new Error('refused'))]);
      const failing = async () => {
        await clock.sleep(250);
        throw new Error('no channel');
      };
      const waiting = waitFor(newClient(clock), { ...turn, watch: failing }, PATIENT);
      await expect(waiting).rejects.toThrow('no channel');
      expect(clock.now() - start).toBe(250);
      const never = () => new Promise<never>(() => undefined);
      const asking = waitFor(newClient(clock), { ...turn, watch: never }, PATIENT);
      await expect(asking).rejects.toThrow('refused');
    });
  });

  test('makes its pause for others before it tries without a watch', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const start = clock.now();
      const { turn } = scripted([() => IN]);
      const never = () => new Promise<never>(() => undefined);
      const pause = { ms: 150, used: false };
      expect(await waitFor(newClient(clock), { ...turn, watch: never }, PATIENT, pause)).toBe('in');
      expect(clock.now() - start).toBe(250);
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
      expect(clock.now() - start).toBe(100);
    });
  });

  test('gives up on the millisecond, and withdraws', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const start = clock.now();
      const { turn, log } = scripted([() => OUT, () => OUT]);
      const waitLimit = { until: start + 250, timeoutMs: 250, signal: undefined };
      await expect(waitFor(newClient(clock), turn, waitLimit)).rejects.toMatchObject({
        code: 'ACQUIRE_TIMEOUT',
      });
      expect(clock.now() - start).toBe(250);
      expect(log).toStrictEqual(['watch', 'attempt', 'withdraw', 'unwatch']);
    });
  });

  test('does not wait for an answer that is under way when it gives up', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const controller = new AbortController();
      const { turn, log } = scripted([() => new Promise<never>(() => undefined)]);
      const waiting = Promise.allSettled([
        waitFor(newClient(clock), turn, { ...PATIENT, signal: controller.signal }),
      ]);
      await clock.sleep(20);
      controller.abort('enough');
      expect(await waiting).toStrictEqual([{ status: 'rejected', reason: 'enough' }]);
      expect(log, 'what the answer may bring is given back').toContain('withdraw');
    });
  });

  test('yields to others, but not for longer than it must', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const client = newClient(clock);
      const start = clock.now();
      const alone = { ms: 20, used: false };
      await waitFor(client, scripted([]).turn, PATIENT, alone);
      expect(clock.now() - start).toBe(20);
      expect(alone.used).toBe(false);
      const script = scripted([]);
      const others = { ms: 20, used: false };
      const waiting = waitFor(client, script.turn, PATIENT, others);
      await clock.sleep(5);
      script.wake();
      await waiting;
      expect(clock.now() - start).toBe(25);
      expect(others.used).toBe(true);
      const inside = { ms: 20, used: false };
      await waitFor(client, scripted([() => OUT]).turn, PATIENT, inside);
      expect(inside.used, 'who was in when it was over has made use of it').toBe(true);
    });
  });

  test('leaves no task and no listener behind', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const client = newClient(clock);
      const { turn } = scripted([() => OUT]);
      await expect(
        waitFor(client, turn, { until: clock.now() + 5, timeoutMs: 5, signal: undefined }),
      ).rejects.toMatchObject({ code: 'ACQUIRE_TIMEOUT' });
      expect(client.timers.size).toBe(0);
    });
  });
});
