import { connect } from 'holdfast';
import { expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startExample } from './start-example.ts';

describeRedis('a handler with 409 and 503', () => {
  test('200 when the lock is free, 409 while it is held, 503 while the store is silent or down, 200 again', async () => {
    await using server = await startRedisServer();
    const example = startExample('http-409-and-503', [], { HOLDFAST_URL: server.url, PORT: '0' });
    const address = await example.printed(/http:\S+/);
    const pay = async (customer: string) =>
      (await fetch(`${address}/pay/${customer}`, { method: 'POST' })).status;

    expect(await pay('ada')).toBe(200);

    const locks = await connect(server.url);
    const hold = await locks.lock('customer:ada').acquire();
    expect(await pay('ada')).toBe(409);
    expect(await pay('ben')).toBe(200);
    await hold.release();
    await locks.close();
    expect(await pay('ada')).toBe(200);

    await server.pause();
    expect(await pay('ada')).toBe(503);
    server.resume();
    await waitFor('an answer of the store', async () => (await pay('ada')) === 200);

    await server.kill();
    expect(await pay('ada')).toBe(503);
    await server.restart();
    await waitFor('the store is back', async () => (await pay('ada')) === 200);

    example.kill('SIGTERM');
    expect(await example.ended).toMatchObject({ code: 0, signal: null });
  });
});
