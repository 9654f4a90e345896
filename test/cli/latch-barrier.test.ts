import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { readArguments } from '../../src/cli/arguments.ts';
import { barrier } from '../../src/cli/commands/barrier/barrier.ts';
import { latch } from '../../src/cli/commands/latch/latch.ts';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';
import { UsageError } from '../../src/cli/usage-error.ts';
import { Workplace } from './workplace.ts';

describe('on a file', () => {
  let place: Workplace;

  beforeAll(() => {
    place = new Workplace();
  });

  afterAll(() => place[Symbol.asyncDispose]());

  test('latch: set, count down, and all who await it go on', async () => {
    expect((await place.run(['latch', 'await', 'build'])).code).toBe(0);
    expect(await place.run(['latch', 'set', 'build', '3'])).toMatchObject({ code: 0, stdout: '3\n' });
    const waiting = place.start(['latch', 'await', 'build', '--wait', '60s']);
    const [again, late, count, down] = await Promise.all([
      place.run(['latch', 'set', 'build', '2']),
      place.run(['latch', 'await', 'build', '-w', '100ms']),
      place.run(['latch', 'count', 'build', '--json']),
      place.run(['latch', 'count-down', 'other', '5']),
    ]);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--force')]);
    expect([late.code, late.stderr]).toEqual([
      75,
      expect.stringContaining('latch build is not open after 100ms: 3 left to count'),
    ]);
    expect([count.stdout, down.stdout]).toEqual(['{"count":3}\n', '0\n']);
    expect((await place.run(['latch', 'count-down', 'build', '2'])).stdout).toBe('1\n');
    expect((await place.run(['latch', 'set', 'build', '1', '--force'])).stdout).toBe('1\n');
    expect((await place.run(['latch', 'count-down', 'build'])).stdout).toBe('0\n');
    expect((await waiting.ended).code).toBe(0);
  });

  test.each([
    [['latch']],
    [['latch', 'open', 'x']],
    [['latch', 'set', 'x']],
    [['latch', 'set', 'x', '0']],
    [['barrier', 'arrive', 'x']],
    [['barrier', 'x', '--parties', '2']],
  ])('%j is 64', async (line) => {
    const command = line[0] === 'latch' ? latch : barrier;
    const given = readArguments(COMMAND_SPECS[line[0] as 'latch' | 'barrier'], line.slice(1));
    const read = async () => command(given as never, { kind: 'here', settings: {} });
    await expect(read()).rejects.toThrow(UsageError);
  });
});

describeRedis('on Redis', () => {
  let server: RedisServer;
  let place: Workplace;

  beforeAll(async () => {
    server = await startRedisServer();
    place = new Workplace(server.url);
  });

  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    await server.stop();
  });

  test('barrier: all go on when the last arrives, each with its index', async () => {
    const line = ['barrier', 'arrive', 'start', '--parties', '3', '--wait', '60s'];
    const ended = await Promise.all([place.run(line), place.run([...line, '--json']), place.run(line)]);
    expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
    const indexes = ended.map(({ stdout }) =>
      /^(?:round 0, index (\d)|\{"generation":0,"index":(\d)\})\n$/.exec(stdout)!,
    );
    expect(new Set(indexes.map(([, text, json]) => Number(text ?? json)))).toEqual(new Set([0, 1, 2]));
  });

  test('a party that gives up breaks it: 75 for itself, 1 for the others until reset', async () => {
    const line = ['barrier', 'arrive', 'broken', '-p', '3'];
    const other = place.start(line);
    const late = await place.run([...line, '-w', '1500ms']);
    expect([late.code, (await other.ended).code]).toEqual([75, 1]);
    expect((await place.run(line)).stderr).toMatch(/barrier "broken".*reset/);
    expect((await place.run(['barrier', 'reset', 'broken', '-p', '3'])).code).toBe(0);
  });

  test('latch: a signal ends a wait, and the others go on', async () => {
    await place.run(['latch', 'set', 'jobs', '2']);
    const [stopped, waiting] = [1, 2].map(() => place.start(['latch', 'await', 'jobs']));
    await expect
      .poll(async () => (await place.run(['inspect', 'jobs', '--as', 'latch'])).stdout, { timeout: 20_000 })
      .toContain('2 clients');
    stopped!.kill('SIGTERM');
    expect((await stopped!.ended).code).toBe(143);
    await place.run(['latch', 'count-down', 'jobs', '2']);
    expect((await waiting!.ended).code).toBe(0);
  });
});
