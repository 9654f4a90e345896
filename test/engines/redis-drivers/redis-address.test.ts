import { describe, expect, test } from 'vitest';
import { parseRedisAddress } from '../../../src/engines/redis/drivers/opening/redis-address.ts';

const plain = {
  server: 'redis',
  tls: false,
  tlsOptions: {},
  family: undefined,
  username: undefined,
  password: undefined,
  database: 0,
  settings: {},
};

describe('the address of a Redis', () => {
  test.each([
    ['redis://localhost', { ...plain, topology: 'single', hosts: [{ host: 'localhost', port: 6379 }] }],
    ['redis://localhost/', { ...plain, topology: 'single', hosts: [{ host: 'localhost', port: 6379 }] }],
    [
      'redis://[::1]:7000/3',
      { ...plain, topology: 'single', hosts: [{ host: '::1', port: 7000 }], database: 3 },
    ],
    [
      'rediss://me:p%40ss%3A%2F@db.example:6380',
      {
        ...plain,
        topology: 'single',
        hosts: [{ host: 'db.example', port: 6380 }],
        tls: true,
        username: 'me',
        password: 'p@ss:/',
      },
    ],
    [
      'redis://:secret@h',
      { ...plain, topology: 'single', hosts: [{ host: 'h', port: 6379 }], password: 'secret' },
    ],
    [
      'redis-sentinel://a,b:1/my%20master/2',
      {
        ...plain,
        topology: 'sentinel',
        masterName: 'my master',
        hosts: [
          { host: 'a', port: 26_379 },
          { host: 'b', port: 1 },
        ],
        database: 2,
      },
    ],
    [
      'rediss-cluster://u:p@a:1,[fe80::1]:2',
      {
        ...plain,
        topology: 'cluster',
        tls: true,
        username: 'u',
        password: 'p',
        hosts: [
          { host: 'a', port: 1 },
          { host: 'fe80::1', port: 2 },
        ],
      },
    ],
    [
      'redis://h?keyPrefix=app%3A&db=4&family=6&name=web&announce=false&fenceRetentionMs=Infinity',
      {
        ...plain,
        topology: 'single',
        hosts: [{ host: 'h', port: 6379 }],
        database: 4,
        family: 6,
        settings: { keyPrefix: 'app:', name: 'web', announce: false, fenceRetentionMs: Infinity },
      },
    ],
    [
      'rediss-sentinel://a/m/2?servername=b.example&rejectUnauthorized=false&pubSub=plain',
      {
        ...plain,
        topology: 'sentinel',
        masterName: 'm',
        tls: true,
        tlsOptions: { servername: 'b.example', rejectUnauthorized: false },
        hosts: [{ host: 'a', port: 26_379 }],
        database: 2,
        settings: { pubSub: 'plain' },
      },
    ],
    [
      'valkeys://h',
      { ...plain, server: 'valkey', topology: 'single', tls: true, hosts: [{ host: 'h', port: 6379 }] },
    ],
    [
      'valkey-sentinel://h/m',
      {
        ...plain,
        server: 'valkey',
        topology: 'sentinel',
        masterName: 'm',
        hosts: [{ host: 'h', port: 26_379 }],
      },
    ],
  ])('%s is understood', (url, address) => {
    expect(parseRedisAddress(url)).toEqual(address);
  });

  test.each([
    'redis://',
    'redis://:secret@',
    'redis://a:secret@h,i',
    'redis://u:secret@h:port',
    'redis://u:secret@h/zero',
    'redis://u:secret@h/0/1',
    'redis://u:secret%zz@h',
    'redis-sentinel://u:secret@h',
    'redis-sentinel://u:secret@h/m/x',
    'redis-cluster://u:secret@h/1',
    'redis-ring://u:secret@h',
    'http://u:secret@h',
    'redis-cluster://u:secret@h?db=1',
    'redis://u:secret@h#fragment',
  ])('%s is refused, and not repeated', (url) => {
    expect(() => parseRedisAddress(url)).toThrow(TypeError);
    expect(() => parseRedisAddress(url)).toThrow(/has one of these forms/);
    expect(() => parseRedisAddress(url)).not.toThrow(/secret/);
  });

  test.each([
    [
      'redis://u:secret@h?timeout=1',
      /unknown parameter "timeout"; known are name, .*keyPrefix, .*db, family, ca/,
    ],
    ['redis://u:123?secret=4@h', /contains an @/],
    ['redis://u:secret@h/1?db=2', /gives the database twice/],
    ['redis://u:secret@h?ca=x&servername=y', /ca, servername in the address needs TLS: rediss/],
    [
      'rediss://u:secret@h?ca=/no/such/secret',
      /the file that the address names as ca cannot be read \(ENOENT\)/,
    ],
    ['redis://u:secret@h?family=5', /family must be one of 0, 4, 6/],
  ])('%s is refused, and says why', (url, says) => {
    expect(() => parseRedisAddress(url)).toThrow(TypeError);
    expect(() => parseRedisAddress(url)).toThrow(says);
    expect(() => parseRedisAddress(url)).not.toThrow(/secret/);
  });
});
