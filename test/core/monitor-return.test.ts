import { describe, expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import type { Synchronizers } from '../../src/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { storeEngine } from './store-engine.ts';

const LEASE_MS = 3000;
const INITIAL = { initial: 0 };

/** Two engine objects on one store. */
function inTwo(body: (one: Synchronizers, other: Synchronizers, clock: VirtualClock) => Promise<void>) {
  return async (): Promise<void> => {
    const clock = new VirtualClock();
    const store = new MemoryStore(clock);
    const open = () => storeEngine(clock, store, { renewalLeaseMs: LEASE_MS }, () => ({}));
    await clock.run(async () => {
      await using one = open();
      await using other = open();
      await body(one, other, clock);
    });
  };
}

describe('a section on its way back from a condition', () => {
  test(
    'keeps its place in line, also if it was to enter at once or not at all',
    inTwo(async (one, other, clock) => {
      const monitor = one.monitor('a', INITIAL);
      const waiting = monitor.run((m) => m.wait('never', { timeoutMs: 100 }), { timeoutMs: 0 });
      await other.monitor('a', INITIAL).run(async () => {
        await clock.sleep(3 * LEASE_MS);
        expect(await monitor.waiters()).toBe(1);
      });
      expect(await waiting).toBe(false);
    }),
  );

  test(
    'that has ended meanwhile is not renewed, and so not lost either',
    inTwo(async (one, other, clock) => {
      const monitor = one.monitor('a', INITIAL);
      const events: string[] = [];
      one.on('lost', ({ error }) => void events.push(String(error)));
      one.on('renew', ({ name }) => void events.push(`renewed ${name}`));
      // The section ends so many microtasks after another comes to signal: in some of them the grant is on its way from the store.
      for (let later = 0; later < 40; later++) {
        let leave!: () => void;
        const told = new Promise<void>((resolve) => {
          leave = resolve;
        });
        let left: Promise<unknown> = Promise.resolve();
        const section = monitor.run(async (m) => {
          left = m.wait('go').catch(() => undefined);
          await told;
        });
        await clock.sleep(1);
        const signalling = other.monitor('a', INITIAL).run((m) => m.signal('go'));
        for (let turn = 0; turn < later; turn++) await Promise.resolve();
        leave();
        await section.catch(() => undefined);
        await left;
        await signalling;
        await clock.sleep(2 * LEASE_MS);
        expect(events, `${later} microtasks later`).toEqual([]);
        expect(await monitor.isLocked()).toBe(false);
      }
    }),
  );
});
