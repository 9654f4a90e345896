import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { JavaLikeWaiter } from './java-like-waiter.ts';
import { CLIENT_NAMES } from './open-locks.ts';
import { startProgram } from './program.ts';

const TASKS = 20;
const TURNS = 20;
const BETWEEN_MS = 50;
const name = 'busy';

describeRedis('a Java program that waits beside a busy process of ours', () => {
  test.each(CLIENT_NAMES)('%s: is served each time', async (client) => {
    await using server = await startRedisServer();
    const plan = { client, place: { port: server.port }, name, tasks: TASKS };
    await using hammer = startProgram('hammer', plan);
    await hammer.fact('hammering');
    using java = await JavaLikeWaiter.open(server, name);
    const waitedMs: number[] = [];
    let tries = 0;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const askedAt = performance.now();
      tries += await java.lock();
      waitedMs.push(performance.now() - askedAt);
      await java.unlock();
      // Off to something else, while ours take it again and again.
      await new Promise((resolve) => setTimeout(resolve, BETWEEN_MS));
    }
    const { sections } = await hammer.end();

    expect(waitedMs).toHaveLength(TURNS);
    const [median, longest] = [0.5, 1].map((part) => quantile(waitedMs, part).toFixed(1));
    process.stdout.write(
      `beside ${TASKS} tasks (${client}, ${String(sections)} sections): median ${median} ms, longest ${longest} ms, ${tries} tries in ${TURNS} turns\n`,
    );
  });
});

function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
