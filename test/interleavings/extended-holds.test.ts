import { expect, test } from 'vitest';
import { ending, play } from './stage.ts';

// A hold of 10 s is extended by an hour; the store does it, and no reply comes back. The hold ends here after its 10 s.
// In the store it would stand for an hour.
test('a hold that ends after an extension of unknown outcome is given back in the store', async () => {
  await play(async (stage) => {
    let losing = false;
    const client = stage.far('a', { back: ({ verb }) => (losing && verb === 'renew' ? 'lost' : undefined) });
    const hold = await client.lock('x').acquire({ leaseMs: 10_000 });
    losing = true;
    expect(await ending(hold.extend(3_600_000))).toBe('ENGINE');
    await stage.clock.sleep(20_000);
    losing = false;
    expect(await ending(hold.release())).toBe('LEASE_LOST');
    await stage.clock.sleep(60_000);
    expect(await stage.far('b').lock('x').isLocked()).toBe(false);
  });
});

// A hold of 10 s is extended by 12 s and by an hour at the same time. The store does both, in this order; the reply to the
// first comes back, the other one does not. Here the hold ends after 12 s.
test('an answered extension does not settle a longer one that is still under way', async () => {
  await play(async (stage) => {
    const client = stage.far('a', {
      back: ({ verb, ask }) =>
        verb === 'renew' && (ask as { leaseMs: number }).leaseMs > 60_000 ? 'lost' : undefined,
    });
    const hold = await client.lock('x').acquire({ leaseMs: 10_000 });
    const extensions = [ending(hold.extend(12_000)), ending(hold.extend(3_600_000))];
    expect(await Promise.all(extensions)).toStrictEqual([undefined, 'ENGINE']);
    await stage.clock.sleep(20_000);
    expect(await ending(hold.release())).toBe('LEASE_LOST');
    await stage.clock.sleep(60_000);
    expect(await stage.far('b').lock('x').isLocked()).toBe(false);
  });
});

// A hold of half a second is extended by an hour. The store does it at once, and the answer takes longer than the hold has.
test('an extension that is answered after the loss rejects with the loss, and is given back in the store', async () => {
  await play(async (stage) => {
    const client = stage.far('a', { back: ({ verb }) => (verb === 'renew' ? 800 : undefined) });
    const hold = await client.lock('x').acquire({ leaseMs: 500 });
    const { lost } = hold;
    const extending = ending(hold.extend(3_600_000));
    await stage.clock.sleep(600);
    expect(lost.aborted).toBeTruthy();
    expect(await extending).toBe('LEASE_LOST');
    await stage.clock.sleep(60_000);
    expect(await stage.far('b').lock('x').isLocked()).toBe(false);
  });
});

// A renewed hold is extended by an hour, then the store is away for 40 s, longer than the usual lease. The release fails.
test('the release of an extended hold is tried for as long as the extension, not only for the usual lease', async () => {
  await play(async (stage) => {
    let away = false;
    const client = stage.far('a', { out: () => (away ? 'broken' : undefined) });
    const hold = await client.lock('x').acquire();
    await hold.extend(3_600_000);
    away = true;
    const releasing = ending(hold.release());
    await stage.clock.sleep(40_000);
    away = false;
    expect(await releasing).toBe('ENGINE');
    await stage.clock.sleep(60_000);
    expect(await stage.far('b').lock('x').isLocked()).toBe(false);
  });
});

// The same on the way out of a monitor's section, whose release is part of its write.
test('the exit of an extended section is undone for as long as the extension', async () => {
  await play(async (stage) => {
    let away = false;
    const client = stage.far('a', { out: () => (away ? 'broken' : undefined) });
    const section = ending(
      client.monitor('x', { initial: 0 }).run(async (m) => {
        await m.hold.extend(3_600_000);
        away = true;
      }),
    );
    await stage.clock.sleep(40_000);
    away = false;
    expect(await section).toBe('ENGINE');
    await stage.clock.sleep(60_000);
    expect(await stage.far('b').monitor('x', { initial: 0 }).isLocked()).toBe(false);
  });
});

// An owner takes a lock for ten minutes and again for an hour, which lengthens the hold. While the store does not answer
// the lengthening the outer hold is released; then the lengthening fails, and the inner hold was the last.
test('a re-entry that cannot be lengthened releases what it alone still holds', async () => {
  await play(async (stage) => {
    let away = false;
    const client = stage.far('a', { out: ({ verb }) => (away && verb === 'renew' ? 'broken' : undefined) });
    const [lock, owner] = [client.lock('x'), client.owner('o')];
    const outer = await lock.acquire({ owner, leaseMs: 600_000 });
    away = true;
    const entering = ending(lock.acquire({ owner, leaseMs: 3_600_000 }));
    await stage.clock.sleep(100);
    await outer.release();
    expect(await entering).toBe('ENGINE');
    away = false;
    await stage.clock.sleep(10_000);
    expect(lock.holdCount(owner)).toBe(0);
    expect(await stage.far('b').lock('x').isLocked()).toBe(false);
  });
});

// A permit is given back by its id, through another object for the same semaphore. Its renewal would be due later.
test('a permit that was given back by its id is not lost', async () => {
  await play(async (stage) => {
    const client = stage.near('a');
    const seats = () => client.permitSemaphore('p', { permits: 1 });
    const permit = await seats().acquire();
    const { lost } = permit;
    let losses = 0;
    client.on('lost', () => losses++);
    expect(await seats().release(permit.id)).toBe(true);
    await stage.clock.sleep(15_000);
    expect(lost.aborted).toBe(false);
    expect(losses).toBe(0);
    await permit.release();
  });
});
