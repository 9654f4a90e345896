import { connect } from 'holdfast';
import { expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { waitFor } from '../fixtures/wait-for.ts';
import { startExample } from './start-example.ts';

const ITEMS = Array.from({ length: 12 }, (_, at) => `item-${at}`);
const ROOM = 3;

interface Queue {
  readonly items: readonly string[];
}

describeRedis('a bounded queue', () => {
  test('a producer waits at three items, and two consumers take each item once', async () => {
    await using server = await startRedisServer();
    await using locks = await connect(server.url);
    const queue = locks.monitor<Queue>('fruit', { initial: { items: [] } });
    const env = { HOLDFAST_URL: server.url };

    const producer = startExample('bounded-queue', ['produce', ...ITEMS], env);
    await waitFor('the producer waits for room', async () => (await queue.waiters()) === 1);
    expect((await queue.peek()).items).toEqual(ITEMS.slice(0, ROOM));

    const consumers = [1, 2].map(() => startExample('bounded-queue', ['consume'], env));
    expect(await producer.ended).toMatchObject({ code: 0, stderr: '' });
    const taken = () => consumers.flatMap(({ stdout }) => stdout.match(/item-\d+/g) ?? []);
    await waitFor('all are taken', () => taken().length >= ITEMS.length);
    expect(taken().toSorted()).toEqual(ITEMS.toSorted());

    // Both wait for more, and stop in good order.
    await waitFor('the consumers wait for more', async () => (await queue.waiters()) === 2);
    for (const consumer of consumers) consumer.kill('SIGTERM');
    for (const consumer of consumers)
      expect(await consumer.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });
});
