import { afterAll, beforeAll, expect, test } from 'vitest';
import { sqlite } from 'holdfast/sqlite';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

const eventsOf = (output: string) =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test('held until stdin ends: a script that dies takes its hold with it', async () => {
  // The shell is the only writer of the pipe.
  const script = place.shell(
    'mkfifo "$PLACE/pipe"; $HF hold deploy <"$PLACE/pipe" & exec sleep 60 >"$PLACE/pipe"',
  );
  expect(await script.printed(/held deploy, fence \d+\n/)).toBeTruthy();
  expect((await place.run(['run', 'deploy', '-n', '--', 'true'])).code).toBe(75);
  script.kill('SIGKILL');
  expect((await place.run(['run', 'deploy', '-w', '20s', '--', 'true'])).code).toBe(0);
  await script.ended;
});

test('a signal releases it, and the exit code is 0; with --json there is a line for each event', async () => {
  const [first, second] = ['SIGTERM', 'SIGINT'].map((signal) => ({
    signal: signal as NodeJS.Signals,
    holder: place.start(['hold', `by-${signal}`, 'other', '--json', '--shared']),
  }));
  for (const { signal, holder } of [first!, second!]) {
    await holder.printed('"acquired"');
    holder.kill(signal);
    const { code, stdout, stderr } = await holder.ended;
    expect([code, stderr]).toEqual([0, '']);
    expect(eventsOf(stdout)).toEqual([
      expect.objectContaining({ event: 'acquired', names: [`by-${signal}`, 'other'], engine: 'sqlite' }),
      { event: 'released', heldMs: expect.any(Number) },
    ]);
  }
});

test('without a writer of stdin only a signal ends it, as in a container', async () => {
  const holder = place.shell('exec $HF hold service </dev/null');
  await holder.printed('held service');
  expect((await place.run(['hold', 'service', '-n'])).code).toBe(75);
  holder.kill('SIGTERM');
  expect((await holder.ended).code).toBe(0);
});

test('not acquired is 75, or the number that was asked for; a signal ends the wait; no name is 64', async () => {
  const holder = place.start(['hold', 'busy', '-q']);
  await expect.poll(async () => (await place.run(['list'])).stdout, { timeout: 20_000 }).toContain('busy');
  const waiting = place.start(['hold', 'busy', '-v']);
  const [late, other, noName] = await Promise.all([
    place.run(['hold', 'busy', '-w', '100ms', '-v']),
    place.run(['hold', 'busy', '-n', '-E', '9']),
    place.run(['hold']),
  ]);
  expect([late.code, other.code, noName.code]).toEqual([75, 9, 64]);
  expect(late.stderr).toMatch(/not acquired after \S+; .+ has held busy for /);
  await waiting.said('waiting for');
  waiting.kill('SIGTERM');
  expect((await waiting.ended).code).toBe(143);
  holder.kill('SIGHUP');
  expect(await holder.ended).toMatchObject({ code: 0, stdout: '', stderr: '' });
});

test('a lost hold says so, and exits with 76', async () => {
  const holder = place.start(['hold', 'taken', '--lease', '3s']);
  await holder.printed('held taken');
  const locks = sqlite({ file: place.file('locks.db') });
  try {
    const { owner } = (await locks.lock('taken').holder())!;
    await locks.inspector.forceRelease('lock', 'taken', { owner });
    const { code, stderr } = await holder.ended;
    expect([code, stderr]).toEqual([76, 'holdfast: lost (gone): another owner may hold the lock\n']);
  } finally {
    await locks.close();
  }
});
