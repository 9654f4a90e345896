import { describe, expect, test } from 'vitest';
import { plainReply } from '../../../src/engines/redis/drivers/reply.ts';

describe('a plain reply', () => {
  test('is handed on and not copied', () => {
    const reply = [1, 'two', null, [3, ['four']]];
    expect(plainReply(reply)).toBe(reply);
    expect(plainReply('text')).toBe('text');
    expect(plainReply(0)).toBe(0);
    expect(plainReply(null)).toBeNull();
  });

  test('is made of whatever a client makes of the wire', () => {
    expect(plainReply(Buffer.from('ключ'))).toBe('ключ');
    expect(
      plainReply(
        new Map<unknown, unknown>([
          ['a', 1n],
          [Buffer.from('b'), [true, false]],
        ]),
      ),
    ).toEqual(['a', 1, 'b', [1, 0]]);
    expect(plainReply(new Set(['a', 2]))).toEqual(['a', 2]);
    expect(plainReply(Object.assign(Object.create(null), { a: '1', b: { c: 2.5 } }))).toEqual([
      'a',
      '1',
      'b',
      ['c', 2.5],
    ]);
    expect(plainReply([undefined, [Buffer.from('x')]])).toEqual([null, ['x']]);
    expect(plainReply([new Error('ERR inside')])).toEqual(['ERR inside']);
  });
});
