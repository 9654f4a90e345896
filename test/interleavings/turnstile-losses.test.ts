import { expect, test } from 'vitest';
import type { Hold } from '../../src/index.ts';
import { ending, passMicrotasks, play, sweep, warmUp } from './stage.ts';

// The answer to an acquisition arrives; so many microtasks later the session is found to have ended. The hold is either
// had under the new session or lost; whichever it is, the next acquisition of this process is not kept waiting for it.
test('a session that ends at any instant of an acquisition leaves no false hold and no stuck waiter', async () => {
  await sweep(40, async (stage, microtasks) => {
    let hit = false;
    const client = stage.far('a', {
      arrived: ({ name }) => {
        if (name !== 'x' || hit) return;
        hit = true;
        void passMicrotasks(microtasks).then(() => client.session.endIdentity(client.core.ids.client));
      },
    });
    await warmUp(client);
    const lock = client.lock('x');
    const hold = await lock.acquire({ leaseMs: 100_000 });
    await stage.clock.sleep(10);
    await warmUp(client);
    const isHeld = hold.remainingMs > 0;
    const owner = isHeld ? (await lock.holder())?.owner : undefined;
    expect(owner?.startsWith(`${client.core.ids.client}:`) ?? false, 'held under the new session').toBe(
      isHeld,
    );
    await ending(hold.release());
    expect(await lock.acquire({ timeoutMs: 200_000 })).toBeTruthy();
  });
});

// Another client gives the lock back, and the waiter of ours is let in; so many microtasks later the lock is released
// by force. Wherever that finds the grant, the next acquisition of this process gets its turn.
test('a release by force at any instant of an acquisition leaves no stuck waiter', async () => {
  await sweep(30, async (stage, microtasks) => {
    const theirs = await stage.near('b').lock('x').acquire();
    const lock = stage.near('a').lock('x');
    const acquiring = lock.acquire();
    await stage.clock.sleep(1);
    void theirs.release();
    await passMicrotasks(microtasks);
    await lock.forceRelease();
    await ending((await acquiring).release());
    expect(await lock.acquire({ timeoutMs: 300_000 })).toBeTruthy();
  });
});

// A hold gives the lock to the next one in this process, and in the same turn the session ends: the next one has not taken it
// up yet. The loss is of the grant, and the hold that has left it was never lost.
test('a loss on the way from hand to hand is not told to the hold that has left', async () => {
  await play(async (stage) => {
    const client = stage.far('a');
    await warmUp(client);
    const lock = client.lock('x');
    const first = await lock.acquire();
    // Of two who wait the first brings fences for both.
    const [second, third] = [lock.acquire(), lock.acquire()];
    await first.release();
    const leaving = await second;
    const { lost } = leaving;
    const released = leaving.release();
    client.session.endIdentity(client.core.ids.client);
    await released;
    expect(lost.aborted).toBe(false);
    // The third one asks the store by itself, and has a hold of the new session.
    expect((await third).remainingMs).toBeGreaterThan(0);
  });
});

// A lock is handed from one hold of this process to the next, twice; what is in the store is still the first grant.
test('a hold that was handed over can be released by force by its own fence', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    const holding = [lock.acquire(), lock.acquire(), lock.acquire()];
    let last: Hold | undefined;
    for (const acquiring of holding) {
      await last?.release();
      last = await acquiring;
    }
    expect(await lock.forceRelease({ fence: last!.fence + 64n })).toBe(false);
    expect(await lock.forceRelease({ fence: last!.fence })).toBe(true);
    expect(last!.lost.aborted).toBe(true);
    expect(await lock.isLocked()).toBe(false);
  });
});

// Two wait in the local line, the first for 50 ms. The process stands still for longer and then gives the lock back: the first
// is called to the head, and its time is over. The second is called in its place.
test('a waiter whose turn comes when its time is over passes the turn on', async () => {
  await play(async (stage) => {
    const lock = stage.near('a').lock('x');
    const hold = await lock.acquire();
    const [late, next] = [ending(lock.acquire({ timeoutMs: 50 })), lock.acquire()];
    stage.clock.stall(100);
    await hold.release();
    expect(await late).toBe('ACQUIRE_TIMEOUT');
    await (await next).release();
  });
});

// A client gives up the local lines of locks that are not in use when it knows of many. One in which a client waits stays:
// closing would not find it.
test('a local line in which a waiter stands is kept, however many locks are used meanwhile', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    await client.lock('x').acquire();
    const waiting = ending(client.lock('x').acquire());
    for (let others = 0; others < 1000; others++) await client.lock(`other ${others}`).run(() => undefined);
    await client.close();
    expect(await waiting).toBe('CLOSED');
  });
});

// The same loss, 1 ms before the time of the next one is over. It asks anew, and that the store owes it the answer for a
// millisecond is no sign of an outage.
test('a loss on the way from hand to hand just before the end of a wait is contention', async () => {
  await play(async (stage) => {
    const client = stage.far('a');
    await warmUp(client);
    const lock = client.lock('x');
    const first = await lock.acquire();
    const second = lock.acquire();
    const since = stage.clock.now();
    const third = ending(lock.tryAcquire({ timeoutMs: 40 }));
    await first.release();
    const leaving = await second;
    await stage.clock.sleep(since + 39 - stage.clock.now());
    const released = leaving.release();
    client.session.endIdentity(client.core.ids.client);
    await released;
    expect([await third, stage.clock.now() - since]).toStrictEqual([null, 40]);
  });
});
