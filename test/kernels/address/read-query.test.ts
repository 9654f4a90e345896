import { describe, expect, test } from 'vitest';
import { readQuery } from '../../../src/kernels/address/read-query.ts';

const forms = { prefix: 'text', waitMs: 'number', quiet: 'switch', mode: ['fast', 'safe'] } as const;
const read = (query: string) => readQuery(query, forms, 'nosuch');

describe('the query of an address', () => {
  test('gives each parameter its type', () => {
    expect(read('prefix=a%3Ab%26&waitMs=500&quiet=false&mode=safe')).toEqual({
      prefix: 'a:b&',
      waitMs: 500,
      quiet: false,
      mode: 'safe',
    });
    expect(read('waitMs=Infinity&quiet=true&prefix=')).toEqual({ waitMs: Infinity, quiet: true, prefix: '' });
    expect(read('')).toEqual({});
  });

  test.each([
    ['Prefix=secret', 'unknown parameter "Prefix"; known are prefix, waitMs, quiet, mode.'],
    ['toString=secret', 'unknown parameter "toString"; known are'],
    ['secret@host', 'contains an @'],
    ['prefix=secret@host', 'contains an @'],
    ['waitMs=5secret', 'waitMs must be a whole number; the address gives something else.'],
    ['waitMs=', 'waitMs must be a whole number'],
    ['quiet=secret', 'quiet must be true or false'],
    ['mode=secret', 'mode must be one of fast, safe'],
    ['prefix=secret&prefix=secret', 'the address gives prefix twice.'],
  ])('%s is refused, and no value repeated', (query, says) => {
    expect(() => read(query)).toThrow(TypeError);
    expect(() => read(query)).toThrow(says);
    expect(() => read(query)).not.toThrow(/secret/);
  });
});
