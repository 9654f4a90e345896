import { expect, test } from 'vitest';
import { read } from './documents.ts';

/** The rows of the README's figures, by the scenario of docs/benchmarks.md that they are from. */
const ROWS: Readonly<Record<string, string>> = {
  'a waiter in another process enters after a release, µs': 'redis-hand-over-between-processes',
  '8 waiters in one process, sections/s': 'redis-8-waiters-in-one-process',
  '200 waiters on a held lock, commands/s': 'redis-200-waiters-on-a-held-lock',
  'lock and release without waiters, pairs/s': 'redis-uncontended-pair',
};
const LIBRARIES = ['**holdfast (ioredis 5)**', 'redis-semaphore', 'redlock', 'verrou'];

function cells(line: string): readonly string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** The first figure of each library in the table of a scenario. */
function measured(scenario: string): ReadonlyMap<string, string> {
  const [, section = ''] = read('docs/benchmarks.md').split(`<a id="${scenario}"></a>`);
  const [own = ''] = section.split('<a id=');
  const rows = own.split('\n').filter((line) => line.startsWith('|'));
  return new Map(rows.map(cells).map(([name = '', figure = '']) => [name, figure] as const));
}

test.each(Object.entries(ROWS))('"%s" in the README is what was measured', (label, scenario) => {
  const row = read('README.md')
    .split('\n')
    .find((line) => line.startsWith(`| ${label} `));
  const found = measured(scenario);
  expect(cells(row ?? '').slice(1)).toEqual(LIBRARIES.map((name) => found.get(name)));
});

test('the README counts the scenarios and those in which a peer wins', () => {
  const [, ahead = '', all = ''] =
    /Ahead of the fastest peer in (\d+) of (\d+) scenarios/.exec(read('docs/benchmarks.md')) ?? [];
  const words = ['none', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];
  expect(read('README.md')).toContain(`${all} scenarios beside other libraries`);
  expect(read('README.md')).toContain(
    `in ${words[Number(all) - Number(ahead)]} of which another library wins`,
  );
});
