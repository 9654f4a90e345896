import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isHoldfastError } from 'holdfast';
import { creatorAccess, openAccess, zookeeper } from 'holdfast/zookeeper';
import { parseZooKeeperAddress } from '../../../../src/engines/zookeeper/zookeeper-address.ts';

describe('the address of a ZooKeeper', () => {
  test.each([
    ['zookeeper://one', { servers: 'one' }],
    ['zookeeper://one:2182,[::1]:2183/app/locks', { servers: 'one:2182,[::1]:2183/app/locks' }],
    ['zookeeper://one/', { servers: 'one/' }],
    [
      'zookeeper://ann:s%40cr%3Aet@one?sessionMs=20000&connectMs=500&namespace=app%2Fx',
      {
        servers: 'one',
        sessionMs: 20_000,
        connectMs: 500,
        namespace: 'app/x',
        auth: [{ scheme: 'digest', secret: 'ann:s@cr:et' }],
      },
    ],
    [
      'zookeeper://ann:secret@one?scheme=sasl&access=creator',
      { servers: 'one', sasl: { user: 'ann', password: 'secret' }, access: creatorAccess },
    ],
    ['zookeepers://one?access=open', { servers: 'one', access: openAccess, tls: {} }],
  ])('%s', (url, options) => {
    expect(parseZooKeeperAddress(url)).toEqual(options);
  });

  test('names the files of TLS, which are read', () => {
    const folder = mkdtempSync(join(tmpdir(), 'holdfast-address-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'ca.pem');
    writeFileSync(file, 'trust me');
    expect(parseZooKeeperAddress(`zookeepers://one?ca=${encodeURIComponent(file)}`).tls).toEqual({
      ca: Buffer.from('trust me'),
    });
    expect(() => parseZooKeeperAddress(`zookeepers://one?key=${folder}/none`)).toThrow(/as key .*ENOENT/);
  });

  test.each([
    'zookeeper:secret',
    'zookeeper://',
    'zookeeper://:secret@one',
    'zookeeper://secret@one',
    'zookeeper://a%3Ab:secret@one',
    'zookeeper://ann:%secret@one',
    'zookeeper://ann:secret@one:port',
    'zookeeper://ann:secret@one:99999',
    'zookeeper://ann:secret@one,,two',
    'zookeeper://ann:secret@one//two',
    'zookeeper://ann:secret@one?ca=/secret',
    'zookeeper://one?scheme=sasl#secret',
    'zookeeper://ann:sec/ret@one',
  ])('%s is refused, and not repeated', (url) => {
    expect(() => parseZooKeeperAddress(url)).toThrow(
      expect.toSatisfy((error: unknown) => {
        expect.assert(isHoldfastError(error) && error instanceof TypeError);
        expect(error.message).toContain('zookeeper://[user:password@]host');
        expect(error.message).not.toContain('secret');
        return true;
      }),
    );
  });
});

describe('the query of such an address', () => {
  test('gives the settings of every engine, too', () => {
    expect(parseZooKeeperAddress('zookeeper://one?name=web&announce=false')).toEqual({
      servers: 'one',
      name: 'web',
      announce: false,
    });
  });

  test.each([
    ['sessionMs=30s', /sessionMs must be a whole number/],
    ['session=30000', /unknown parameter "session"; known are name, .*sessionMs, connectMs, namespace/],
    ['scheme=kerberos', /scheme must be one of digest, sasl/],
    ['access=all', /access must be one of open, creator/],
  ])('%s is refused, and says why', (query, says) => {
    const parse = () => parseZooKeeperAddress(`zookeeper://ann:secret@one?${query}`);
    expect(parse).toThrow(says);
    expect(parse).not.toThrow(/secret/);
  });
});

describe('the options of zookeeper()', () => {
  test.each([
    [{}, /servers must be a string/],
    [undefined, /servers is missing. Write zookeeper\(\{ servers \}\)/],
    ['one:2181', /must be an object, not a string. Write zookeeper\(\{ servers \}\)/],
    [{ servers: 'one:port' }, /"one:port" is not the address of a server/],
    [{ servers: 'one', sessionMs: 5 }, /sessionMs must be from 100 to 3600000, not 5/],
    [{ servers: 'one', connectMs: '5' }, /connectMs must be a number/],
    [{ servers: 'one', namespace: '/app' }, /namespace must be a path without a slash/],
    [{ servers: 'one', server: 'two' }, /no option "server"/],
  ])('%o', (options, message) => {
    expect(() => zookeeper(options as never)).toThrow(message);
  });

  test('a whole address in the place of the servers is not repeated', () => {
    expect(() => zookeeper({ servers: 'ann:secret@one:2181' })).toThrow(
      expect.toSatisfy((error: Error) => !error.message.includes('secret')),
    );
  });
});
