import { expect, test } from 'vitest';
import type { CellCall } from '../../src/kernels/cells/wire.ts';
import { ending, play, warmUp } from './stage.ts';

// A section races its own wait against a timer, the timer wins, and the section ends. The wait that is left behind must
// neither take the signal that comes later nor come back in and hold the monitor for no client.
test('a section that ends beside its own wait is refused, and the wait is over', async () => {
  await play(async (stage) => {
    const monitor = stage.near('a').monitor('m', { initial: 0 });
    const racing = monitor.run(async (m) => {
      await Promise.race([m.wait('c'), stage.clock.sleep(100)]);
    });
    expect(await ending(racing)).toBe('NOT_HELD');
    await monitor.run((m) => m.signal('c'));
    await stage.clock.sleep(120_000);
    expect(await monitor.isLocked()).toBe(false);
    expect(await monitor.run(() => 'in', { timeoutMs: 600_000 })).toBe('in');
  });
});

// A section with a lease of half a second waits for a condition; the store does it at once, and the answer takes so long
// that the lease is over. The section learns of the loss. Then another client waits, and a third signals once.
test('a wait that was answered after the loss of its section leaves no ticket that takes a signal', async () => {
  await play(async (stage) => {
    const ours = stage.far('a', { back: ({ verb }) => (verb === 'wait' ? 900 : undefined) });
    const theirs = stage.far('b').monitor('m', { initial: 0 });
    const lost = ours.monitor('m', { initial: 0 }).run((m) => m.wait('c'), { leaseMs: 500 });
    expect(await ending(lost)).toBe('LEASE_LOST');
    const since = stage.clock.now();
    const waiting = theirs.run(async (m) => {
      await m.wait('c');
      return stage.clock.now() - since;
    });
    await stage.clock.sleep(100);
    expect(await theirs.waiters()).toBe(1);
    await theirs.run((m) => m.signal('c'));
    expect((await waiting) < 200).toBeTruthy();
  });
});

// A call of another section takes half a second. Behind it the wait has two calls in line under one id: that of the signal,
// and that of the time-out. Then the section is cancelled: its release must not arrive before either of them.
test('a section that is cancelled with two calls in line leaves the monitor free', async () => {
  await play(async (stage) => {
    let isSlow = false;
    const verbs: string[] = [];
    const out = ({ name, verb }: CellCall): number | undefined => {
      if (name !== 'm') return undefined;
      verbs.push(verb);
      if (!isSlow) return undefined;
      isSlow = false;
      return 500;
    };
    const [ours, theirs] = [stage.far('a', { out }), stage.far('b')];
    await warmUp(ours);
    await warmUp(theirs);
    const [near, far] = [ours.monitor('m', { initial: 0 }), theirs.monitor('m', { initial: 0 })];
    const cancelling = new AbortController();
    const cancelled = near
      .run((m) => m.wait('c', { timeoutMs: 200 }), { signal: cancelling.signal })
      .catch((reason: unknown) => reason);
    await stage.clock.sleep(90);
    isSlow = true;
    const other = ending(near.run(() => 'in', { timeoutMs: 300 }));
    await stage.clock.sleep(10);
    await far.run((m) => m.signal('c'));
    await stage.clock.sleep(160);
    cancelling.abort('cancelled');
    expect(await cancelled).toBe('cancelled');
    await other;
    await stage.clock.sleep(1500);
    expect(verbs).toContain('wait');
    expect(await far.isLocked()).toBe(false);
    expect(await ending(far.run(() => 'in', { timeoutMs: 5000 }))).toBe('in');
  });
});

// The store ends the session of a client while one of its sections waits for a condition: the ticket goes with the session. The
// section comes back as a new owner without a signal, and looks at the state again as Mesa demands.
test('a section whose session ended while it waited comes back as a new owner', async () => {
  await play(async (stage) => {
    const ours = stage.far('a');
    const theirs = stage.far('b').monitor('m', { initial: 0 });
    await warmUp(ours);
    const waiting = ours.monitor('m', { initial: 0 }).run(async (m) => {
      const before = m.hold.fence;
      const signalled = await m.wait('c');
      return { signalled, state: m.state, isHeldAgain: m.hold.fence > before && m.hold.remainingMs > 0 };
    });
    await stage.clock.sleep(1000);
    expect(await theirs.waiters()).toBe(1);
    await theirs.run((m) => m.set(7));
    stage.store.end(ours.core.ids.client);
    expect(await waiting).toStrictEqual({ signalled: false, state: 7, isHeldAgain: true });
    expect(await theirs.waiters()).toBe(0);
    expect(await theirs.isLocked()).toBe(false);
  });
});

// The same, and the time of the wait is over before the section is inside again: it goes on under the id that it waits with,
// and leaves no ticket of an owner that never comes.
test('a wait whose session and time ended comes back under one id', async () => {
  await play(async (stage) => {
    const ours = stage.far('a');
    const theirs = stage.far('b').monitor('m', { initial: 0 });
    await warmUp(ours);
    const waiting = ours.monitor('m', { initial: 0 }).run((m) => m.wait('c', { timeoutMs: 5000 }));
    await stage.clock.sleep(1000);
    const holding = theirs.run(() => stage.clock.sleep(10_000));
    await stage.clock.sleep(100);
    stage.store.end(ours.core.ids.client);
    await stage.clock.sleep(1000);
    expect(await theirs.waiters()).toBe(1);
    await holding;
    const since = stage.clock.now();
    expect(await waiting).toBe(false);
    expect(stage.clock.now() - since, 'behind a ticket of an owner that has gone').toBeLessThan(1000);
    expect(await theirs.waiters()).toBe(0);
    expect(await theirs.run(() => 'in', { timeoutMs: 1000 })).toBe('in');
  });
});
