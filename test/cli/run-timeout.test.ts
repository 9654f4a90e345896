import { afterAll, beforeAll, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

test('a command whose time is over gets TERM, and what it started is ended, too; the code is 124', async () => {
  const line = 'trap "echo bye; exit 3" TERM; (setsid sleep 60 &) ; echo in; while :; do sleep 0.02; done';
  const { code, stdout, stderr } = await place.run(['run', 'slow', '--timeout', '1500ms', '-c', line]);
  expect([code, stdout]).toEqual([124, 'in\nbye\n']);
  expect(stderr).toContain('the command has run for 1.5s: it gets TERM now, and KILL after 5s\n');
  expect((await place.run(['run', 'slow', '-n', '--', 'true'])).code).toBe(0);
});

test('one that ignores TERM gets KILL after the grace', async () => {
  const line = 'trap "" TERM; echo in; while :; do sleep 0.02; done';
  const stubborn = ['run', 'stubborn', '--timeout', '1s', '--kill-after', '200ms', '--json', '-c', line];
  const { code, stderr } = await place.run(stubborn);
  const events = stderr
    .trim()
    .split('\n')
    .map((one) => JSON.parse(one) as Record<string, unknown>);
  expect(code).toBe(124);
  expect(events.map(({ event }) => event)).toEqual([
    'acquired',
    'started',
    'timed-out',
    'killed',
    'ended',
    'released',
  ]);
  expect(events[2]).toEqual({ event: 'timed-out', timeoutMs: 1000, killAfterMs: 200 });
  expect(events[4]).toMatchObject({ signal: 'SIGKILL' });
});

test('one that ends in time keeps its code, and the time does not count while it waits', async () => {
  const holder = place.start(['run', 'queue', '-c', 'echo in; read line']);
  await holder.printed('in');
  const next = place.start(['run', 'queue', '--timeout', '30s', '--json', '-c', 'exit 5']);
  await next.said('"waiting"');
  holder.write('\n');
  expect((await next.ended).code).toBe(5);
  expect((await place.run(['run', 'queue', '--timeout', '0s', '--', 'true'])).code).toBe(64);
});

test('times in JSON are whole milliseconds', async () => {
  const { stderr } = await place.run(['run', 'whole', '--json', '--', 'true']);
  const numbers = [...stderr.matchAll(/"\w+Ms":([^,}]+)/g)].map(([, text]) => Number(text));
  expect(numbers.length).toBeGreaterThanOrEqual(2);
  expect(numbers.filter((one) => !Number.isInteger(one))).toEqual([]);
  const holder = place.start(['run', 'seen', '-c', 'echo in; read line']);
  await holder.printed('in');
  const { stdout } = await place.run(['inspect', 'seen', '--json']);
  const [held] = (JSON.parse(stdout) as { holders: { remainingMs: number; heldForMs: number }[] }).holders;
  expect([held!.remainingMs, held!.heldForMs].every(Number.isInteger)).toBe(true);
  holder.write('\n');
  await holder.ended;
});

test('-s and -x are the two sides of a read-write lock, as in flock(1)', async () => {
  const reader = place.start(['run', 'sides', '-s', '-c', 'echo in; read line']);
  await reader.printed('in');
  const [second, writer] = await Promise.all([
    place.run(['run', 'sides', '-s', '-n', '--', 'true']),
    place.run(['run', 'sides', '-x', '-n', '--', 'true']),
  ]);
  expect([second.code, writer.code]).toEqual([0, 75]);
  reader.write('\n');
  await reader.ended;
});
