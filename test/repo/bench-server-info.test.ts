import { expect, test } from 'vitest';
import { costColumns, costOf } from '../../bench/redis/cost.ts';
import { bytesIn, bytesOut, callsBetween, callsIn, totalOf } from '../../bench/redis/server-info.ts';

const lines = (...texts: string[]): string => texts.map((text) => `${text}\r\n`).join('');
const stats = (input: number, output: number): string =>
  lines('# Stats', `total_net_input_bytes:${input}`, `total_net_output_bytes:${output}`);

test('calls are those between two answers, without our own questions', () => {
  const before = callsIn(
    lines('# Commandstats', 'cmdstat_evalsha:calls=10,usec=1', 'cmdstat_info:calls=1,usec=1'),
  );
  const after = callsIn(
    lines('cmdstat_evalsha:calls=16,usec=9', 'cmdstat_info:calls=3,usec=1', 'cmdstat_client|setinfo:calls=2'),
  );

  const calls = callsBetween(before, after);

  expect([...calls]).toEqual([
    ['evalsha', 6],
    ['client|setinfo', 2],
  ]);
  expect(totalOf(calls)).toBe(8);
});

test('bytes are those between two answers, without the second question and the first answer', () => {
  const question = '*2\r\n$4\r\ninfo\r\n$5\r\nstats\r\n'.length;
  const before = stats(1000, 5000);
  const answer = `$${before.length}\r\n${before}\r\n`.length;

  expect(bytesIn(before, stats(1000 + 300 + question, 0))).toBe(300);
  expect(bytesOut(before, stats(0, 5000 + answer + 70))).toBe(70);
});

test('a server that does not count is not taken for one that did nothing', () => {
  expect(() => bytesIn(lines('# Stats'), stats(1, 1))).toThrow(RangeError);
});

test('every column of the cost has its figure', () => {
  const spent = { calls: new Map([['evalsha', 20]]), bytesIn: 500, bytesOut: 50 };

  const figures = costOf(spent, 10, 'section');

  expect(costColumns('section').map(({ figure }) => figures[figure])).toEqual([2, 2, 50, 5]);
});
