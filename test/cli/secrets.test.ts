import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { type RedisServer, startRedisServer } from '../fixtures/redis/redis-server.ts';
import { freePort } from '../fixtures/processes/free-port.ts';
import { Workplace } from './workplace.ts';

const PASSWORD = 'tell-nobody';

describeRedis('a password in an address', () => {
  let server: RedisServer;
  let place: Workplace;

  beforeAll(async () => {
    server = await startRedisServer({ args: { requirepass: PASSWORD } });
    place = new Workplace(server.url);
  });

  afterAll(async () => {
    await place[Symbol.asyncDispose]();
    await server.stop();
  });

  test('on the command line is taken, warned of, and gone from the list of processes', async () => {
    const running = place.start(['run', 'job', '--url', server.url, '-c', 'echo in; read line']);
    await running.printed('in');
    expect(readFileSync(`/proc/${running.pid}/cmdline`, 'latin1')).not.toContain(PASSWORD);
    running.write('\n');
    const { code, stderr } = await running.ended;
    expect([code, stderr]).toEqual([0, expect.stringContaining('HOLDFAST_URL')]);
    expect(stderr).not.toContain(PASSWORD);
  });

  test('in the environment is nothing to warn of', async () => {
    expect(await place.run(['run', 'job', '--', 'true'])).toMatchObject({ code: 0, stderr: '' });
  });

  test.each([
    ['which is wrong', () => server.url.replace(PASSWORD, 'wrong-and-secret')],
    ['of a server that is not there', async () => `redis://:wrong-and-secret@127.0.0.1:${await freePort()}`],
    ['of an engine that is not there', () => 'pigeon://:wrong-and-secret@127.0.0.1'],
    ['of an address that cannot be read', () => 'redis://:wrong-and-secret@127.0.0.1:port'],
    [
      'of a database that is not there',
      async () => `postgres://me:wrong-and-secret@127.0.0.1:${await freePort()}/x`,
    ],
  ])('%s is in no error', async (_what, url) => {
    const { code, stdout, stderr } = await place.run(['list'], { env: { HOLDFAST_URL: await url() } });
    expect({ code, stdout, stderr }).toMatchObject({ code: expect.toBeOneOf([64, 69]) });
    expect(stdout + stderr).not.toContain('wrong-and-secret');
    expect(stderr).not.toBe('');
  });
});
