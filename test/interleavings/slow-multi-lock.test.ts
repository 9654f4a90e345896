import { expect, test } from 'vitest';
import { multiLock } from '../../src/index.ts';
import { play } from './stage.ts';

// The store is 60 ms away, so that one question takes longer than a multi-lock waits for another client's lock.
test('free locks are had together however far away the store is', async () => {
  await play(async (stage) => {
    const client = stage.far('a', { latencyMs: 60 });
    const since = stage.clock.now();
    const hold = await multiLock([client.lock('x'), client.lock('y')]).acquire();
    expect(stage.clock.now() - since < 2000).toBeTruthy();
    await hold.release();
  });
});

// The second of two members takes 700 ms of the first one's second. Each is held for a whole second from then on.
test('the lease of a multi-lock counts from its last member', async () => {
  await play(async (stage) => {
    const client = stage.far('a', {
      back: ({ name, verb }) => (name === 'y' && verb === 'acquire' ? 700 : undefined),
    });
    const hold = await multiLock([client.lock('x'), client.lock('y')]).acquire({ leaseMs: 1000 });
    expect(hold.remainingMs > 900, `${hold.remainingMs} ms of 1000 are left`).toBeTruthy();
    await stage.clock.sleep(900);
    hold.throwIfLost();
    await hold.release();
  });
});
