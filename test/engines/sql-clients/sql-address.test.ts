import { describe, expect, test } from 'vitest';
import { parseSqlAddress } from '../../../src/engines/sql/sql-address.ts';

const parse = (query: string) => parseSqlAddress('postgres', `postgres://u:p%3Fw@h:5432/d${query}`);

describe('the address of a database', () => {
  test('leaves to the client what is not ours', () => {
    const plain = { url: 'postgres://u:p%3Fw@h:5432/d', settings: {} };
    expect(parse('')).toEqual(plain);
    const ofClient = '?sslmode=require&options=-c%20geqo%3Doff&application_name=shop';
    expect(parse(ofClient)).toEqual({ url: `${plain.url}${ofClient}`, settings: {} });
    expect(parse('?tablePrefix=app_&sslmode=require&schema=locks&pollMs=20&poolSize=3&name=web')).toEqual({
      url: `${plain.url}?sslmode=require`,
      settings: { tablePrefix: 'app_', schema: 'locks', pollMs: 20, poolSize: 3, name: 'web' },
    });
  });

  test.each([
    ['?table_prefix=app_', 'has a parameter table_prefix; write tablePrefix.'],
    ['?TABLEPREFIX=app_', 'write tablePrefix.'],
    ['?pool-size=4', 'write poolSize.'],
    ['?pollMs=often', 'pollMs must be a whole number'],
    ['?schema=a&schema=b', 'gives schema twice'],
  ])('%s is refused', (query, says) => {
    expect(() => parse(query)).toThrow(TypeError);
    expect(() => parse(query)).toThrow(says);
  });
});
