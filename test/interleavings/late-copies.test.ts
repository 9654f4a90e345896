import { expect, test } from 'vitest';
import { play, warmUp } from './stage.ts';

// A count-down is carried out and its reply gets lost; then the store ends the session. The copy that is sent for lack
// of a reply must be told what was done: "session ended, try again" would have it counted twice.
test('a copy of a call that was carried out gets its answer, also when the session has ended since', async () => {
  await play(async (stage) => {
    let losing = false;
    const client = stage.far('a', {
      back: () => {
        if (!losing) return undefined;
        losing = false;
        return 'lost';
      },
    });
    const latch = client.latch('l');
    await latch.trySetCount(5);
    losing = true;
    const counting = latch.countDown();
    await stage.clock.sleep(500);
    stage.store.end(client.core.ids.client);
    expect(await counting).toBe(4);
    expect(await latch.count()).toBe(4);
  });
});

// A single attempt is sent and hangs on the way; its copy arrives and learns that the lock is busy, so the caller goes
// away. The holder gives the lock back. Then the first copy arrives, still within its limit.
test('a late copy of a single attempt that was refused takes nothing', async () => {
  await play(async (stage) => {
    let first = true;
    const client = stage.far('a', {
      out: ({ name, verb }) => {
        if (name !== 'x' || verb !== 'acquire' || !first) return undefined;
        first = false;
        return 1900;
      },
    });
    const other = stage.far('b');
    const hold = await other.lock('x').acquire();
    await warmUp(client);
    expect(await client.lock('x').tryAcquire({ leaseMs: 3_600_000 })).toBe(null);
    await hold.release();
    await stage.clock.sleep(1500);
    expect(await other.lock('x').holder(), 'held by no owner').toBe(null);
  });
});
