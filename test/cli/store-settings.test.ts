import { expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';
import type { CommandSpec } from '../../src/cli/commands/command-spec.ts';
import { readStoreSettings } from '../../src/cli/store-settings.ts';
import { Workplace } from './workplace.ts';

const STAY = 'echo in; read line';

test('every verb that opens a store takes the settings of the store', () => {
  const opening = Object.values<CommandSpec>(COMMAND_SPECS).filter(({ options }) => 'url' in options);
  expect(opening.length).toBeGreaterThan(8);
  for (const { name, options } of opening)
    expect([name, ...Object.keys(options)]).toEqual(
      expect.arrayContaining(['key-prefix', 'table-prefix', 'schema', 'namespace', 'name']),
    );
});

test.each([
  ['key-prefix', 'postgres://h/d'],
  ['table-prefix', 'redis://h'],
  ['schema', 'sqlite:locks.db'],
  ['namespace', 'redis-cluster://h'],
])('--%s is refused at %s', (name, url) => {
  const options = { has: () => false, get: (one: string) => (one === name ? 'x' : undefined) };
  expect(() => readStoreSettings(options, url)).toThrow(`--${name} is a setting of `);
});

test('--table-prefix: other tables are other locks; --name: what others see', async () => {
  await using place = new Workplace();
  const holder = place.start(['run', 'job', '--table-prefix', 'mine_', '--name', 'nightly', '-c', STAY]);
  await holder.printed('in');
  const [other, same, list, foreign, doctor] = await Promise.all([
    place.run(['run', 'job', '-n', '--', 'true']),
    place.run(['run', 'job', '-n', '--table-prefix', 'mine_', '--', 'true']),
    place.run(['list', '--table-prefix', 'mine_']),
    place.run(['list', '--key-prefix', 'mine:']),
    place.run(['doctor', '--table-prefix', 'mine_', '--json']),
  ]);
  expect([other.code, same.code, doctor.code]).toEqual([0, 75, 0]);
  expect(list.stdout).toMatch(/^lock +job +nightly /m);
  expect([foreign.code, foreign.stderr]).toEqual([
    64,
    expect.stringContaining('--key-prefix is a setting of Redis'),
  ]);
  // It prints tables and opens no store: whatever the address is, its options are its own.
  const schema = await place.run(['schema', 'postgres', '--schema', 'locks']);
  expect([schema.code, schema.stdout]).toEqual([0, expect.stringContaining('"locks"."holdfast_')]);
  holder.write('\n');
  await holder.ended;
});

describeRedis('on Redis', () => {
  test('--key-prefix goes before every key', async () => {
    await using server = await startRedisServer();
    await using place = new Workplace(server.url);
    const holder = place.start(['run', 'job', '--key-prefix', 'app:', '-c', STAY]);
    await holder.printed('in');
    expect(await server.command('EXISTS', 'app:job')).toBe(1);
    const [seen, other] = await Promise.all([
      place.run(['inspect', 'job', '--key-prefix', 'app:']),
      place.run(['inspect', 'job']),
    ]);
    expect([seen.code, seen.stdout]).toEqual([0, expect.stringMatching(/^lock job\n/)]);
    expect(other.code).toBe(1);
    holder.write('\n');
    await holder.ended;
  });
});
