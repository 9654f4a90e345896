import { EventEmitter } from 'node:events';
import { memory, MemoryStore } from 'holdfast/memory';
import { mysql } from 'holdfast/mysql';
import { postgres } from 'holdfast/postgres';
import { redis } from 'holdfast/redis';
import { sqlite } from 'holdfast/sqlite';
import { etcd } from 'holdfast/etcd';
import { zookeeper } from 'holdfast/zookeeper';
import { Redis } from 'ioredis';
import { createPool } from 'mysql2/promise';
import { createClient } from 'redis';
import { isHoldfastError } from 'holdfast';
import { describe, expect, test } from 'vitest';

const SECRET = 'a-secret-word';

/** Stands for a client or a pool: an object with a class of its own. */
class Client extends EventEmitter {}

const factories = { redis, postgres, mysql, sqlite, zookeeper, etcd, memory };

/** The message of what a factory throws at its argument. */
function said(name: keyof typeof factories, given: unknown): string {
  const error = thrownBy(() => (factories[name] as (argument: unknown) => unknown)(given));
  expect.assert(isHoldfastError(error) && error instanceof TypeError, `${name}: ${String(error)}`);
  expect(error.code).toBe('BAD_ARGUMENT');
  return error.message;
}

function thrownBy(call: () => unknown): unknown {
  try {
    call();
    return undefined;
  } catch (error) {
    return error;
  }
}

describe('a factory that is called in another way says what to write', () => {
  test.each([
    ['redis', "await connect('redis://host:6379')", 'redis({ client })'],
    ['postgres', "await connect('postgres://user@host/database')", 'postgres({ pool })'],
    ['mysql', "await connect('mysql://user@host/database')", 'mysql({ pool })'],
  ] as const)('%s', (name, byAddress, right) => {
    for (const given of [
      undefined,
      null,
      `${name}://:${SECRET}@host`,
      new URL(`${name}://:${SECRET}@host`),
    ]) {
      const message = said(name, given);
      expect(message).toContain(`Write ${right} with `);
      expect(message).toContain(`or ${byAddress} to open a connection by an address`);
      expect(message).not.toContain(SECRET);
    }
    expect(said(name, new Client())).toContain(`Write ${right} with `);
    expect(said(name, { url: `${name}://:${SECRET}@host` })).toMatch(
      /there is no option url. Write .* or await connect/,
    );
    expect(said(name, { cleint: new Client() })).toMatch(/there is no option "cleint"; known are /);
    expect(said(name, { url: SECRET })).not.toContain(SECRET);
  });

  test.each([
    ['redis', 'pool', 'redis({ client })'],
    ['postgres', 'client', 'postgres({ pool })'],
    ['mysql', 'connection', 'mysql({ pool })'],
    ['sqlite', 'filename', 'sqlite({ file })'],
    ['zookeeper', 'url', 'zookeeper({ servers })'],
  ] as const)('%s({ %s }), as another engine or library calls it', (name, option, right) => {
    const message = said(name, { [option]: SECRET, label: 'x' });
    expect(message).toMatch(new RegExp(`^${name}\\(\\): there is no option ${option}\\. Write `));
    expect(message).toContain(`Write ${right} with `);
    expect(message).not.toContain(SECRET);
  });

  test('redis(client) of ioredis, which has a method of that name, and of node-redis', () => {
    const client = new Redis({ lazyConnect: true });
    expect(said('redis', client)).toContain('Write redis({ client }) with ');
    client.disconnect();
    expect(said('redis', createClient())).toContain('Write redis({ client }) with ');
  });

  test('mysql(pool) of mysql2, which has a member of that name', async () => {
    const pool = createPool({ host: '127.0.0.1' });
    expect(said('mysql', pool)).toContain('Write mysql({ pool }) with ');
    await pool.end();
  });

  test('postgres(sql) of postgres.js, which is a function', () => {
    expect(said('postgres', () => Promise.resolve([]))).toContain('Write postgres({ pool }) with ');
  });

  test.each([
    ['sqlite', 'locks.db', 'Write sqlite({ file }) with the path of a file.'],
    ['etcd', 'host:2379', 'Write etcd({ endpoints }) with a string such as "host:2379,host2:2379".'],
    ['zookeeper', 'host:2181', 'Write zookeeper({ servers }) with a string such as "host:2181,host2:2181".'],
  ] as const)('%s', (name, bare, right) => {
    expect(said(name, undefined)).toContain(`is missing. ${right}`);
    expect(said(name, bare)).toContain(`must be an object, not a string. ${right}`);
  });

  test('memory(store) is no memory of its own', () => {
    expect(said('memory', new MemoryStore())).toContain('Write memory({ store })');
    expect(said('memory', 'x')).toContain('Write memory({ store })');
  });

  test('options of another realm are a literal all the same', () => {
    const options = Object.create(Object.create(null) as object) as object;
    expect(said('redis', options)).not.toContain('must be an object with the option');
  });
});
