import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { TimerQueue, TimerTask } from '../../src/core/time/timer-queue.ts';
import type { Clock, Timer } from '../../src/spi/clock.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

class Errand extends TimerTask {
  readonly done: { readonly name: number; readonly at: number }[];
  readonly name: number;
  override readonly keepsAlive: boolean;

  constructor(name: number, done: Errand['done'], keepsAlive = false) {
    super();
    this.name = name;
    this.done = done;
    this.keepsAlive = keepsAlive;
  }

  override due(now: number): void {
    this.done.push({ name: this.name, at: now });
  }
}

/** A clock that notes what its timers are asked to do. */
function watchedClock() {
  const inner = new VirtualClock();
  const timers: { readonly delayMs: number; alive: boolean; live: boolean }[] = [];
  const clock: Clock = {
    now: () => inner.now(),
    epochNow: () => inner.epochNow(),
    timer: (delayMs, call): Timer => {
      const noted = { delayMs, alive: false, live: true };
      timers.push(noted);
      const timer = inner.timer(delayMs, () => {
        noted.live = false;
        call();
      });
      return {
        cancel: () => {
          noted.live = false;
          timer.cancel();
        },
        keepsAlive: (yes) => void (noted.alive = yes),
      };
    },
  };
  return { inner, clock, live: () => timers.filter((timer) => timer.live), timers };
}

const STEPS = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('set' as const),
      who: fc.nat(11),
      inMs: fc.integer({ min: -50, max: 5000 }),
    }),
    fc.record({ kind: fc.constant('drop' as const), who: fc.nat(11) }),
    fc.record({ kind: fc.constant('sleep' as const), ms: fc.nat(1500) }),
  ),
  { minLength: 1, maxLength: 80, size: 'max' },
);

describe('queue', () => {
  test('does everything at its time and in its order, whatever is moved or cancelled meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(STEPS, async (steps) => {
        const clock = new VirtualClock();
        const queue = new TimerQueue(clock);
        const done: Errand['done'] = [];
        const errands = Array.from({ length: 12 }, (_, name) => new Errand(name, done));
        const planned = new Map<number, number>();
        const expected: Errand['done'] = [];
        await clock.run(async () => {
          for (const step of steps) {
            if (step.kind === 'sleep') {
              await pass(step.ms);
            } else if (step.kind === 'drop') {
              queue.drop(errands[step.who]!);
              planned.delete(step.who);
            } else {
              queue.set(errands[step.who]!, clock.now() + step.inMs);
              planned.set(step.who, clock.now() + step.inMs);
            }
            expect(queue.size).toBe(planned.size);
            expect([...queue].map((one) => (one as Errand).name).toSorted(byNumber)).toStrictEqual(
              [...planned.keys()].toSorted(byNumber),
            );
          }
          await pass(10_000);
        });
        expect(grouped(done)).toStrictEqual(grouped(expected));
        expect(queue.size).toBe(0);

        /** The model: a plain list, looked through after each step. */
        async function pass(ms: number): Promise<void> {
          const until = clock.now() + ms;
          const started = clock.now();
          await clock.sleep(ms);
          // Timers of one instant fire in the order of their making, and the queue's may be younger than this sleep.
          await clock.sleep(0);
          const due = [...planned].filter(([, at]) => at <= until).toSorted((a, b) => a[1] - b[1]);
          for (const [name, at] of due) {
            expected.push({ name, at: Math.max(at, started) });
            planned.delete(name);
          }
        }
      }),
      { numRuns: 150 },
    );
  });

  test('sleeps no longer than a second, so that a suspend is found out soon', async () => {
    const { inner, clock, timers } = watchedClock();
    const queue = new TimerQueue(clock);
    const done: Errand['done'] = [];
    await inner.run(async () => {
      queue.set(new Errand(1, done), inner.now() + 5500);
      await inner.sleep(6000);
    });
    expect(timers.map(({ delayMs }) => delayMs)).toStrictEqual([1000, 1000, 1000, 1000, 1000, 500]);
    expect(done.length).toBe(1);
  });

  test('has one timer, however much there is to do', () => {
    const { inner, clock, live } = watchedClock();
    const queue = new TimerQueue(clock);
    for (let name = 0; name < 100; name++) queue.set(new Errand(name, []), inner.now() + 500 - name);
    expect(live().length).toBe(1);
    queue.clear();
    expect(live().length).toBe(0);
    expect(queue.size).toBe(0);
  });

  test('keeps the process alive only while an owner waits', () => {
    const { inner, clock, live } = watchedClock();
    const queue = new TimerQueue(clock);
    const [kept, waiting, alsoWaiting] = [
      new Errand(1, []),
      new Errand(2, [], true),
      new Errand(3, [], true),
    ];
    const alive = () => live().some((timer) => timer.alive);
    queue.set(kept, inner.now() + 100);
    expect(alive()).toBe(false);
    queue.set(waiting, inner.now() + 200);
    queue.set(waiting, inner.now() + 50);
    queue.set(alsoWaiting, inner.now() + 300);
    expect(alive()).toBe(true);
    queue.drop(waiting);
    queue.drop(waiting);
    expect(alive()).toBe(true);
    queue.drop(alsoWaiting);
    expect(alive()).toBe(false);
  });

  test('what is set while others are due waits for its own time', async () => {
    const clock = new VirtualClock();
    const queue = new TimerQueue(clock);
    const done: Errand['done'] = [];
    const later = new Errand(2, done);
    class Setting extends Errand {
      override due(now: number): void {
        super.due(now);
        queue.set(later, now + 10);
        queue.drop(dropped);
      }
    }
    const dropped = new Errand(3, done);
    const start = clock.now();
    await clock.run(async () => {
      queue.set(new Setting(1, done), start + 5);
      queue.set(dropped, start + 5.5);
      await clock.sleep(100);
    });
    expect(done).toStrictEqual([
      { name: 1, at: start + 5 },
      { name: 2, at: start + 15 },
    ]);
  });
});

function byNumber(one: number, other: number): number {
  return one - other;
}

/** Those of the same instant come in any order. */
function grouped(done: Errand['done']): readonly string[] {
  return done.map(({ name, at }) => `${at} ${String(name).padStart(2)}`).toSorted();
}
