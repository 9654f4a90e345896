import { chmodSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../fixtures/processes/free-port.ts';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

/** The exit code of `holdfast run` with these words. */
async function codeOf(...args: readonly string[]): Promise<number | null> {
  return (await place.run(['run', ...args])).code;
}

describe("the command's own code", () => {
  test.each([0, 1, 7, 75, 255])('%i', async (code) => {
    expect(await codeOf('job', '--', 'sh', '-c', `exit ${code}`)).toBe(code);
  });

  test('of a shell line', async () => {
    const { code, stdout } = await place.run(['run', 'job', '-c', 'echo $((40 + 2)); exit 3']);
    expect([code, stdout]).toEqual([3, '42\n']);
  });

  test.each([
    ['TERM', 143],
    ['KILL', 137],
    ['HUP', 129],
    ['ABRT', 134],
  ])('128+n when it died by %s', async (signal, code) => {
    expect(await codeOf('job', '--', 'sh', '-c', `ulimit -c 0; kill -${signal} $$`)).toBe(code);
  });
});

describe('not acquired', () => {
  test('75, or what was asked for; at once, or after the time that was given', async () => {
    const holder = place.start(['run', 'taken', '--', 'sh', '-c', 'echo in; read line'], {});
    await holder.printed('in');
    expect(await codeOf('taken', '--no-wait', '--', 'false')).toBe(75);
    expect(await codeOf('taken', '-n', '-E', '0', '--', 'false')).toBe(0);
    expect(await codeOf('taken', '-n', '--conflict-exit-code=4', '--', 'false')).toBe(4);
    expect(await codeOf('taken', '-w', '0s', '--', 'false')).toBe(75);
    const startedAt = performance.now();
    expect(await codeOf('taken', '--wait', '300ms', '--', 'false')).toBe(75);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(300);
    expect(await codeOf('free', 'taken', '-n', '--', 'false')).toBe(75);
    holder.write('enough\n');
    expect((await holder.ended).code).toBe(0);
    expect(await codeOf('taken', '--no-wait', '--', 'true')).toBe(0);
  });
});

describe('126 and 127', () => {
  test('a command that is not there', async () => {
    const { code, stderr } = await place.run(['run', 'job', '--', 'no-such-command-here']);
    expect([code, stderr]).toEqual([127, 'holdfast: no-such-command-here: not found\n']);
    expect(await codeOf('job', '--', './neither/here')).toBe(127);
  });

  test('a command that cannot be run', async () => {
    const file = place.file('not-executable');
    writeFileSync(file, 'echo no\n');
    chmodSync(file, 0o644);
    expect(await codeOf('job', '--', file)).toBe(126);
    expect(await codeOf('job', '--', place.folder)).toBe(126);
  });

  test('gives the lock back all the same', async () => {
    await codeOf('given-back', '--', 'no-such-command-here');
    expect(await codeOf('given-back', '-n', '--', 'true')).toBe(0);
  });
});

describe('69, and nothing is run', () => {
  test('no server listens at the address', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    const { code, stdout, stderr } = await place.run(['run', 'job', '--url', url, '--', 'echo', 'ran']);
    expect([code, stdout]).toEqual([69, '']);
    expect(stderr).toMatch(/^holdfast: .*127\.0\.0\.1/);
  });

  test('the folder of the file is not there', async () => {
    const { code, stdout } = await place.run([
      'run',
      'job',
      '--url',
      'sqlite:/no/such/folder/x.db',
      '--',
      'echo',
      'ran',
    ]);
    expect([code, stdout]).toEqual([69, '']);
  });
});

describe('64, with the reason, and nothing is run', () => {
  test.each([
    ['no name', ['--', 'touch', 'ran'], 'needs a name'],
    ['no command', ['job'], 'needs a command after "--"'],
    ['nothing after --', ['job', '--'], 'needs a command after "--"'],
    // hashicorp/consul#1063: a flag of the command taken for one of ours.
    ['a command without --', ['job', 'ls', '-l'], '-l'],
    ['an option that is not there', ['job', '--no-such', '--', 'true'], '--no-such'],
    ['a number without a unit', ['job', '--wait', '10', '--', 'true'], '500ms, 10s'],
    ['both ways to wait', ['job', '-n', '-w', '1s', '--', 'true'], 'do not go together'],
    ['two kinds at once', ['job', '--fair', '--shared', '--', 'true'], 'do not go together'],
    ['both sides', ['job', '--exclusive', '--shared', '--', 'true'], 'do not go together'],
    ['more permits than there are', ['job', '--permits', '4/3', '--', 'true'], 'K/N'],
    ['permits of several names', ['a', 'b', '--permits', '1/3', '--', 'true'], 'one name only'],
    ['the same name twice', ['a', 'a', '--', 'true'], 'twice'],
    ['a line and a command', ['job', '-c', 'true', '--', 'true'], 'in place of|takes the place'],
    ['what to do when lost', ['job', '--on-lost', 'pray', '--', 'true'], 'kill, warn'],
    ['an exit code', ['job', '-E', '256', '--', 'true'], '0 to 255'],
    ['a retry too often', ['job', '--retry', '1ms', '--', 'true'], '5ms and 10m'],
    ['a lease too short', ['job', '--lease', '10ms', '--', 'true'], '50ms'],
    ['--kill-after behind the margin', ['job', '--kill-after', '10.1s', '--', 'true'], 'third of the lease'],
    ['the same with a lease', ['job', '--lease', '3s', '--kill-after', '1.1s', '--', 'true'], '1s of 3s'],
    ['an engine that is not there', ['job', '--url', 'carrier-pigeon:', '--', 'true'], 'carrier-pigeon:'],
    ['a name too long', ['x'.repeat(513), '--', 'true'], '512'],
  ])('%s', async (_what, args, reason) => {
    const { code, stdout, stderr } = await place.run(['run', ...args]);
    expect([code, stdout]).toEqual([64, '']);
    expect(stderr).toMatch(new RegExp(reason));
  });

  test('a verb that is not there, and no address where one is demanded', async () => {
    expect((await place.run(['walk'])).code).toBe(64);
    const env = { HOLDFAST_URL: '', HOLDFAST_REQUIRE_URL: '1' };
    const { code, stderr } = await place.run(['run', 'job', '--', 'true'], { env });
    expect([code, stderr.includes('HOLDFAST_REQUIRE_URL')]).toEqual([64, true]);
  });
});

test('nothing behind -- is looked at', async () => {
  const { code, stdout } = await place.run(['run', 'job', '--', 'echo', '--wait', '--', '-n', '--help']);
  expect([code, stdout]).toEqual([0, '--wait -- -n --help\n']);
});

test('the command finds what it needs to know in its environment, and stdout is its own', async () => {
  const line =
    'printf "%s|" "$HOLDFAST_NAME" "$HOLDFAST_OWNER" "$HOLDFAST_FENCE" "$HOLDFAST_ENGINE" "$HOLDFAST_DEADLINE"';
  const before = Date.now();
  const first = await place.run(['run', 'told', '-v', '-c', line]);
  const [name, owner, fence, engine, deadline] = first.stdout.split('|');
  expect([name, engine]).toEqual(['told', 'sqlite']);
  expect(owner).toMatch(/^[0-9a-f]{32}:\w+$/);
  expect(Number(deadline) - before).toBeGreaterThan(25_000);
  expect(Number(deadline) - Date.now()).toBeLessThanOrEqual(30_000);
  expect(first.stderr).toMatch(/^holdfast: acquired after .*\nholdfast: released after .*\n$/);
  const second = await place.run(['run', 'told', '-c', line]);
  expect(BigInt(second.stdout.split('|')[2]!)).toBeGreaterThan(BigInt(fence!));
  expect(second.stderr).toBe('');
});

test('several names have a fence each, one to a line', async () => {
  const { stdout } = await place.run([
    'run',
    'a',
    'b b',
    '-c',
    'echo "$HOLDFAST_NAME"; echo "$HOLDFAST_FENCE"',
  ]);
  expect(stdout).toMatch(/^a\nb b\n\d+\n\d+\n$/);
});

test('an input is passed on', async () => {
  expect((await place.run(['run', 'job', '--', 'cat'], { input: 'a\nb\n' })).stdout).toBe('a\nb\n');
});
