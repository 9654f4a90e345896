import { expect, test } from 'vitest';
import { RequestTimeouts } from '../../src/kernels/requests/request-timeouts.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

const never = () => new Promise<never>(() => undefined);

test('steps that are not answered are given up in their order, each when its own time is over', async () => {
  const clock = new VirtualClock();
  const deadlines = new RequestTimeouts(clock, 1000);
  const start = clock.now();
  const givenUp: [number, number][] = [];
  await clock.run(async () => {
    const steps = [0, 300, 600].map(async (ms, at) => {
      await clock.sleep(ms);
      await deadlines.limit(never()).catch(() => givenUp.push([at, clock.now() - start]));
    });
    await Promise.all(steps);
  });
  expect(givenUp).toStrictEqual([
    [0, 1000],
    [1, 1300],
    [2, 1600],
  ]);
  expect(clock.pending).toBe(0);
});

test('an answer that came while the process stood still is read before its step is given up', async () => {
  const clock = new VirtualClock();
  const deadlines = new RequestTimeouts(clock, 1000);
  await clock.run(async () => {
    const outcomes = [
      // Timers are called in their order: the answer is read after the deadline was looked at.
      deadlines.limit(clock.sleep(1001).then(() => 'answer')),
      deadlines.limit(never()),
    ].map((step) =>
      step.chain<string>(
        (value) => value,
        () => 'given up',
      ),
    );
    clock.stall(5000);
    expect(await Promise.all(outcomes)).toStrictEqual(['answer', 'given up']);
  });
});

test('an answer that comes after its step was given up changes nothing', async () => {
  const clock = new VirtualClock();
  const deadlines = new RequestTimeouts(clock, 1000);
  const read: string[] = [];
  await clock.run(async () => {
    const answer = clock.sleep(1500).then(() => 'late');
    const settled = deadlines.limit(answer).chain<number | string>(
      (value) => read.push(value),
      () => 'given up',
    );
    expect(await settled).toBe('given up');
    await answer;
  });
  expect(read).toStrictEqual([]);
});

test('answers in any order end their own steps and no others', async () => {
  const clock = new VirtualClock();
  const deadlines = new RequestTimeouts(clock, 1000);
  await clock.run(async () => {
    const outcomes = [900, 100, 500, 2000, 300].map((ms) =>
      deadlines.limit(clock.sleep(ms).then(() => ms)).chain<number | string>(
        (value) => value,
        () => 'given up',
      ),
    );
    expect(await Promise.all(outcomes)).toStrictEqual([900, 100, 500, 'given up', 300]);
  });
});

test('closing tells all who wait, and those who come later, that no answer will come', async () => {
  const clock = new VirtualClock();
  const deadlines = new RequestTimeouts(clock, 1000);
  const before = [deadlines.limit(never()), deadlines.limit(never())];
  deadlines.close();
  const outcomes = await Promise.allSettled([...before, deadlines.limit(never())]);
  expect(outcomes.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected', 'rejected']);
  expect(clock.pending).toBe(0);
});
