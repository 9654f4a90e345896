import { expect, test } from 'vitest';
import { ending, passMicrotasks, play, sweep } from './stage.ts';

// The lock is held. An owner asks for it with a time-out, and once more with a signal; the second waits for the first.
// The first runs out of time, and so many microtasks later the signal is aborted.
test('an abort is heard at any instant after the acquisition of the same owner before it has failed', async () => {
  await sweep(20, async (stage, microtasks) => {
    const client = stage.near('a');
    const [lock, owner, stop] = [client.lock('x'), client.owner('o'), new AbortController()];
    await lock.acquire();
    const since = stage.clock.now();
    const reason = new Error('stop');
    const first = ending(lock.acquire({ owner, timeoutMs: 100 })).then(async () => {
      await passMicrotasks(microtasks);
      stop.abort(reason);
    });
    const second = Promise.allSettled([lock.acquire({ owner, signal: stop.signal })]);
    await first;
    expect(await second).toStrictEqual([{ status: 'rejected', reason }]);
    expect(stage.clock.now() - since).toBe(100);
  });
});

// The same, but so many microtasks later the client is closed.
test('closing is heard at any instant after the acquisition of the same owner before it has failed', async () => {
  await sweep(20, async (stage, microtasks) => {
    const client = stage.near('a');
    const [lock, owner] = [client.lock('x'), client.owner('o')];
    await lock.acquire();
    const first = ending(lock.acquire({ owner, timeoutMs: 100 })).then(async () => {
      await passMicrotasks(microtasks);
      await client.close();
    });
    expect(await ending(lock.acquire({ owner }))).toBe('CLOSED');
    await first;
  });
});

// Another client holds the lock. An owner asks for it twice, the client is closed, and only then is the lock given back.
test.each(['lock', 'fairLock'] as const)(
  'closing ends all acquisitions of one owner of a %s',
  async (kind) => {
    await play(async (stage) => {
      const [client, other] = [stage.near('a'), stage.near('b')];
      const [lock, owner] = [client[kind]('x'), client.owner('o')];
      const held = await other[kind]('x').acquire();
      const acquiring = [ending(lock.acquire({ owner })), ending(lock.acquire({ owner }))];
      await stage.clock.sleep(1);
      const closing = client.close();
      await held.release();
      expect(await Promise.all(acquiring)).toStrictEqual(['CLOSED', 'CLOSED']);
      await closing;
      await other.close();
      expect(stage.store.takeCensus()).toStrictEqual({ records: 0, watchers: 0, sessions: 0 });
    });
  },
);

// As before, but the holder is of the same client: the owner waits in the local line, and closing gives the lock back.
test('closing ends all acquisitions of one owner that wait in the local line', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const [lock, owner] = [client.lock('x'), client.owner('o')];
    await lock.acquire();
    const acquiring = [ending(lock.acquire({ owner })), ending(lock.acquire({ owner }))];
    await stage.clock.sleep(1);
    await client.close();
    expect(await Promise.all(acquiring)).toStrictEqual(['CLOSED', 'CLOSED']);
    expect(stage.store.takeCensus()).toStrictEqual({ records: 0, watchers: 0, sessions: 0 });
  });
});

// The hold of an owner expires, and the owner asks again without having given it back.
test('an owner hears of its loss until it releases the lost hold', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const [lock, owner] = [client.lock('x'), client.owner('o')];
    const hold = await lock.acquire({ owner, leaseMs: 100 });
    await stage.clock.sleep(1000);
    expect(await ending(lock.acquire({ owner, timeoutMs: 10 }))).toBe('LEASE_LOST');
    expect(await ending(lock.tryAcquire({ owner }))).toBe('LEASE_LOST');
    expect(await ending(hold.release())).toBe('LEASE_LOST');
    expect(await lock.tryAcquire({ owner })).toBeTruthy();
  });
});

// An owner asks twice for the same lock before the store has answered the first question.
test('an owner that asks again on its way to a lock re-enters when it is in', async () => {
  await play(async (stage) => {
    const client = stage.far('a', { latencyMs: 20 });
    const owner = client.owner('worker');
    const lock = client.lock('x');
    const holds = await Promise.all([lock.acquire({ owner }), lock.acquire({ owner })]);
    expect(lock.holdCount(owner)).toBe(2);
    for (const hold of holds) await hold.release();
    expect(await lock.isLocked()).toBe(false);
  });
});
