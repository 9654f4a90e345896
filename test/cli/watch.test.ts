import { sqlite, type SqliteSynchronizers } from 'holdfast/sqlite';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../fixtures/wait-for.ts';
import { Workplace } from './workplace.ts';

let place: Workplace;
let locks: SqliteSynchronizers;

beforeAll(() => {
  place = new Workplace();
  locks = sqlite({ file: place.file('locks.db') });
});

afterAll(async () => {
  await locks.close();
  await place[Symbol.asyncDispose]();
});

test('into a pipe: a table whenever something has changed, and none because time goes by', async () => {
  const watching = place.start(['watch', '--every', '50ms']);
  await watching.printed('nothing is held');
  const hold = await locks.lock('job').acquire();
  await watching.printed(/lock {2}job/);
  await hold.release();
  await waitFor('it is gone again', () => watching.stdout.match(/nothing is held/g)?.length === 2);
  watching.kill('SIGINT');
  const { code, stdout } = await watching.ended;
  expect(code).toBe(0);
  expect(stdout).not.toContain('\u001b');
  expect(stdout.trim().split('\n\n')).toHaveLength(3);
});

test('--once: one table, and the end', async () => {
  await using hold = await locks.fairLock('till').acquire();
  const { code, stdout } = await place.run(['watch', '--once', 't']);
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^holdfast watch "t…" \(sqlite\): 1 held, 0 waited for\nKIND .*\nfair-lock {2}till .*█+░* \d+s/,
  );
  expect(hold.fence > 0n).toBe(true);
});

/** What a terminal shows after all that was written to it: enough of one to know where lines end up. */
function shown(output: string, width: number): readonly string[] {
  const last = output.split('\u001b[?2026h').at(-1)!.split('\u001b[?2026l')[0]!;
  const lines = last.replace('\u001b[H', '').replace('\u001b[J', '').split(/\r*\n/);
  for (const line of lines)
    expect(Array.from(line.replace('\u001b[K', '')).length).toBeLessThanOrEqual(width);
  return lines.map((line) => line.replace('\u001b[K', ''));
}

test('at a terminal of 80 columns: drawn over in place, without clearing, and left as it was', async () => {
  await using one = await locks
    .lock('a-name-that-is-much-longer-than-any-terminal-is-wide-'.repeat(3))
    .acquire();
  await using two = await locks.readWriteLock('config').read.acquire();
  const watching = place.shell('exec script -qefc "stty cols 80 rows 10; $HF watch --every 100ms" /dev/null');
  const frames = (): number => watching.stdout.split('\u001b[?2026h').length - 1;
  await waitFor('a few pictures', () => frames() >= 4);
  watching.write('q');
  const { code, stdout } = await watching.ended;
  expect(code).toBe(0);
  const lines = shown(stdout, 80);
  expect(lines[0]).toMatch(/^holdfast watch \(sqlite\): 2 held/);
  expect(lines.some((line) => /^read-write-lock {2}config +read \S+/.test(line))).toBe(true);
  expect(lines.some((line) => /^lock +a-name-that.*… +\S+/.test(line))).toBe(true);
  // The screen is cleared once, before the first picture; the cursor comes back.
  expect(stdout.split('\u001b[2J')).toHaveLength(2);
  expect(stdout).toContain('\u001b[?25h');
  expect([one.fence > 0n, two.fence > 0n]).toEqual([true, true]);
});
