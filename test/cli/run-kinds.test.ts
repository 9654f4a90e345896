import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

const STAY = 'echo in; read line';

test('--shared: many at a time, and none beside --exclusive', async () => {
  const readers = [1, 2].map(() => place.start(['run', 'config', '--shared', '-c', STAY]));
  await Promise.all(readers.map((reader) => reader.printed('in')));
  expect((await place.run(['run', 'config', '--exclusive', '-n', '--', 'true'])).code).toBe(75);
  const writer = place.start(['run', 'config', '--exclusive', '--json', '-c', STAY]);
  await writer.said('"waiting"');
  for (const reader of readers) reader.write('\n');
  await writer.printed('in');
  expect((await place.run(['run', 'config', '--shared', '-n', '--', 'true'])).code).toBe(75);
  writer.write('\n');
  expect((await writer.ended).code).toBe(0);
});

test('--permits: as many as there are, and those of one that crashed come back', async () => {
  const two = place.start(['run', 'seats', '--permits', '2/3', '--lease', '4s', '-c', STAY]);
  await two.printed('in');
  expect((await place.run(['run', 'seats', '--permits', '2/3', '-n', '--', 'true'])).code).toBe(75);
  expect((await place.run(['run', 'seats', '--permits', '1/3', '-n', '--', 'true'])).code).toBe(0);
  const other = await place.run(['run', 'seats', '--permits', '1/4', '-n', '--', 'true']);
  expect([other.code, other.stderr]).toEqual([64, expect.stringContaining('3')]);
  two.kill('SIGKILL');
  expect((await place.run(['run', 'seats', '--permits', '3/3', '-w', '30s', '--', 'true'])).code).toBe(0);
});

test('--fair: in the order of coming', async () => {
  const first = place.start(['run', 'till', '--fair', '-c', STAY]);
  await first.printed('in');
  const others = [];
  for (const name of ['a', 'b', 'c']) {
    const one = place.start(['run', 'till', '--fair', '--json', '-c', `echo ${name} >> "$PLACE/served"`]);
    await one.said('"waiting"');
    others.push(one);
  }
  first.write('\n');
  expect(await Promise.all(others.map(async ({ ended }) => (await ended).code))).toEqual([0, 0, 0]);
  expect(readFileSync(place.file('served'), 'utf8')).toBe('a\nb\nc\n');
});

test('several names: all or none', async () => {
  const both = place.start(['run', 'left', 'right', '-c', STAY]);
  await both.printed('in');
  expect((await place.run(['run', 'right', '-n', '--', 'true'])).code).toBe(75);
  expect((await place.run(['run', 'middle', 'left', '-n', '--', 'true'])).code).toBe(75);
  expect((await place.run(['run', 'middle', '-n', '--', 'true'])).code).toBe(0);
  both.write('\n');
  await both.ended;
  expect((await place.run(['run', 'right', 'left', '-n', '--', 'true'])).code).toBe(0);
});

describe('--min-hold', () => {
  test('keeps it when the command is over, and a signal ends that', async () => {
    const quick = place.start(['run', 'quick', '--min-hold', '60s', '--json', '-c', 'exit 4']);
    await quick.said('"keeping"');
    expect((await place.run(['run', 'quick', '-n', '--', 'true'])).code).toBe(75);
    quick.kill('SIGTERM');
    expect((await quick.ended).code).toBe(4);
    expect((await place.run(['run', 'quick', '-n', '--', 'true'])).code).toBe(0);
  });

  test('like cron on three machines: all start it in the same second, exactly one runs it', async () => {
    for (let night = 1; night <= 3; night++) {
      const line = `echo ran ${night} >> "$PLACE/nights"`;
      const machines = [0, 1, 2].map(() =>
        place.start(['run', 'nightly', '--no-wait', '--min-hold', '1500ms', '-c', line]),
      );
      const codes = await Promise.all(machines.map(async ({ ended }) => (await ended).code));
      expect(codes.toSorted((one, other) => Number(one) - Number(other))).toEqual([0, 75, 75]);
    }
    expect(readFileSync(place.file('nights'), 'utf8')).toBe('ran 1\nran 2\nran 3\n');
  }, 30_000);
});

describe('what it tells', () => {
  test('--verbose: how long it waited and for whom, and how long it held', async () => {
    const holder = place.start(['run', 'busy', '-c', 'echo "$HOLDFAST_OWNER"; read line']);
    await holder.printed(/\S+\n/);
    const next = place.start(['run', 'busy', '-v', '--', 'true']);
    await next.said('waiting');
    holder.write('\n');
    const { stderr } = await next.ended;
    const [waiting, acquired, released] = stderr.split('\n');
    expect(waiting).toMatch(/waiting for .+, which has held busy for \S+ \(/);
    expect(acquired).toMatch(/^holdfast: acquired after \d/);
    expect(released).toMatch(/^holdfast: released after \d/);
  });

  test('--json: an object for each event, on stderr', async () => {
    const { stdout, stderr } = await place.run(['run', 'events', '--json', '-c', 'echo out; exit 3']);
    const events = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(events.map(({ event }) => event)).toEqual(['acquired', 'started', 'ended', 'released']);
    expect(events[0]).toMatchObject({ names: ['events'], engine: 'sqlite', fences: [expect.any(String)] });
    expect([events[2]?.['code'], stdout]).toEqual([3, 'out\n']);
  });
});
