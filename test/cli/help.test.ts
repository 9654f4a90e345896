import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMAND_SPECS } from '../../src/cli/commands/spec.ts';
import { Workplace } from './workplace.ts';

let place: Workplace;

beforeAll(() => {
  place = new Workplace();
});

afterAll(() => place[Symbol.asyncDispose]());

test.each(Object.values(COMMAND_SPECS))(
  '$name --help tells how it is used, with examples',
  async ({ name, options }) => {
    const { code, stdout, stderr } = await place.run([name, '--help']);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(new RegExp(`^holdfast ${name}: .*\n\nUsage: holdfast ${name}`));
    for (const option of Object.keys(options)) expect(stdout).toContain(`--${option}`);
    expect(stdout).toMatch(/\nExamples:\n {2}\S.*\n {6}\S/);
    expect(stdout.split('\n').filter((line) => line.length > 110)).toEqual([]);
  },
);

test('without a verb: what there is; and the version is that of the package', async () => {
  const { code, stdout } = await place.run([]);
  expect(code).toBe(0);
  for (const { name, summary } of Object.values(COMMAND_SPECS))
    expect(stdout).toMatch(new RegExp(`^ {2}${name} +${summary}$`, 'm'));
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  expect((await place.run(['--version'])).stdout).toBe(`${manifest.version}\n`);
});

test('schema and bench', async () => {
  const { stdout } = await place.run(['schema', 'postgres', '--table-prefix', 'mine_', '--schema', 'locks']);
  expect(stdout).toContain('create table if not exists "locks"."mine_cells"');
  expect((await place.run(['schema'])).code).toBe(64);
  const bench = await place.run(['bench', '--time', '100ms', '--json']);
  const figures = bench.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { what: string; count: number });
  expect(figures.map(({ what }) => what)).toEqual(['uncontended', 'hand-over', '32 side by side']);
  for (const { count } of figures) expect(count).toBeGreaterThan(0);
  expect((await place.run(['list'])).stdout).toBe('');
});
