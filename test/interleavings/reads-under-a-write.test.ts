import { expect, test } from 'vitest';
import { play } from './stage.ts';

// Under one write the read side is taken twice. The first read is given back, then the write. The second read is left.
test('of two reads under one write, one given back does not take the other away', async () => {
  await play(async (stage) => {
    const ours = stage.near('a').readWriteLock('x');
    const theirs = stage.near('b').readWriteLock('x');
    const reading = await ours.write.run(async () => {
      const first = await ours.read.acquire();
      const second = await ours.read.acquire();
      await first.release();
      return second;
    });
    expect(reading.remainingMs).toBeGreaterThan(0);
    expect(await theirs.write.tryAcquire(), 'a writer beside a reader').toBe(null);
    await reading.release();
    expect(await theirs.write.tryAcquire(), 'the last read given back lets writers in').toBeTruthy();
  });
});

// The second read is taken while the first is held, and another one after both were given back.
test('of two reads under one write the second asks the store for nothing, and has the fence of the first', async () => {
  await play(async (stage) => {
    let acquired = 0;
    const client = stage.far('far', { out: ({ verb }) => void (verb === 'acquire' && acquired++) });
    const { read, write } = client.readWriteLock('x');
    await write.run(async () => {
      const before = acquired;
      const holds = [await read.acquire(), await read.acquire()];
      expect(acquired - before).toBe(1);
      expect(holds[0]!.fence).toBe(holds[1]!.fence);
      for (const hold of holds) await hold.release();
      await (await read.acquire()).release();
      expect(acquired - before).toBe(2);
    });
  });
});

// Two sections of the read side run side by side under one write. The shorter ends while the longer is still reading.
test('reading sections side by side under one write all come to a good end', async () => {
  await play(async (stage) => {
    const { read, write } = stage.near('a').readWriteLock('x');
    const readFor = (ms: number) => read.run(() => stage.clock.sleep(ms).then(() => ms));
    expect(await write.run(() => Promise.all([readFor(10), readFor(20)]))).toStrictEqual([10, 20]);
    expect(await read.isLocked()).toBe(false);
  });
});
