import { expect, test } from 'vitest';
import { bareSemaphoreProtocol } from '../../../src/engines/redis/locks/bare-semaphore-protocol.ts';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { asking, expectAround, type GoldenStage, goldenStage } from './golden-stage.ts';
import { A, B } from './owners.ts';

const semaphoreOf = ({ parts }: GoldenStage) => bareSemaphoreProtocol(parts);
const channelOf = (name: string) => `redisson_sc:{${name}}`;
const some = (owner: string, permits: number, total = 5) => asking(owner, 30_000, { permits, total });

describeRedis('a bare semaphore in the layout of RSemaphore', () => {
  const golden = goldenStage();

  test('semaphore-released-without-any', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await expect(semaphore.release(name, { owner: A })).resolves.toEqual({ kind: 'not-held' });
    await expect(stage.keysAbout(name)).resolves.toEqual([]);
    // Java has deleted the number while a permit was out.
    await semaphore.acquire(name, some(A, 1));
    await stage.command('DEL', name);
    await stage.heard();
    await expect(semaphore.release(name, { owner: A })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.command('GET', name)).resolves.toBe('1');
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '1']]);
  });

  test('semaphore-numbers', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await expect(semaphore.acquire(name, some(A, 3))).resolves.toMatchObject({ kind: 'granted' });
    await expect(stage.command('GET', name)).resolves.toBe('2');
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '5']]);
    await expect(semaphore.acquire(name, some(B, 3))).resolves.toMatchObject({ kind: 'busy' });
    await expect(stage.command('GET', name)).resolves.toBe('2');

    // Java takes ten away, which it tells; that none is free yet is not published.
    await stage.command('SET', name, -8);
    await expect(semaphore.release(name, { owner: A })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.command('GET', name)).resolves.toBe('-5');
    await expect(semaphore.look(name)).resolves.toMatchObject({ free: -5 });
    await expect(semaphore.acquire(name, some(B, 1))).resolves.toMatchObject({ kind: 'busy' });
    await expect(stage.heard()).resolves.toEqual([]);

    // Java adds twelve, and drains.
    await stage.command('SET', name, 7);
    await expect(semaphore.acquire(name, some(B, 3))).resolves.toMatchObject({ kind: 'granted' });
    await expect(stage.command('GET', name)).resolves.toBe('4');
    await stage.command('SET', name, 0);
    await expect(semaphore.release(name, { owner: B })).resolves.toMatchObject({ kind: 'released' });
    await expect(stage.command('GET', name)).resolves.toBe('3');
    await expect(stage.heard()).resolves.toEqual([[channelOf(name), '3']]);
  });

  test('semaphore-with-a-time', async () => {
    const { stage, name } = await golden();
    const semaphore = semaphoreOf(stage);
    await stage.command('SET', name, 5, 'PX', 60_000);
    await semaphore.acquire(name, some(A, 2));
    await expect(stage.command('GET', name)).resolves.toBe('3');
    expectAround(await stage.ttl(name), 60_000);
    await semaphore.release(name, { owner: A });
    await expect(stage.command('GET', name)).resolves.toBe('5');
    expectAround(await stage.ttl(name), 60_000);
  });
});
