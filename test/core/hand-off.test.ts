import { describe, expect, test } from 'vitest';
import { acquireGrant } from '../../src/core/acquire/acquire-grant.ts';
import { safetyMarginMs } from '../../src/core/time/safety-margin.ts';
import type { Asking, HoldableProtocol } from '../../src/core/acquire/holdable.ts';
import type { AcquireTerms } from '../../src/core/acquire/acquire-terms.ts';
import type { MaybeAsync } from '../../src/spi/maybe-async.ts';
import type { Busy, Granted } from '../../src/spi/verbs/holding.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';
import { newClient } from './new-client.ts';

const LEASE_MS = 30_000;
const BUSY: Busy = { kind: 'busy', againInMs: 10_000 };
const PATIENT: AcquireTerms = {
  leaseMs: LEASE_MS,
  renewed: true,
  once: false,
  until: Infinity,
  timeoutMs: Infinity,
  signal: undefined,
};

/** A lock that another client has, whose requests are answered as told: "busy" if nothing else is. */
function taken(clock: VirtualClock, answers: (() => MaybeAsync<Granted | Busy>)[] = [], watchMs = 0) {
  const asked: Asking[] = [];
  const released: string[] = [];
  const renewedAt: number[] = [];
  let listening = (_fence: number): void => undefined;
  const protocol: Partial<HoldableProtocol> = {
    acquire: (_name, ask) => {
      asked.push(ask);
      return (answers.shift() ?? (() => BUSY))();
    },
    release: (_name, { owner }) => {
      released.push(owner);
      return { kind: 'released', others: 0 };
    },
    watch: (_name, _owner, _heard, handOff) => {
      listening = handOff!;
      const unwatch = (): void => undefined;
      return watchMs === 0 ? unwatch : clock.sleep(watchMs).then(() => unwatch);
    },
    renewMany: (renewals) => {
      renewedAt.push(clock.now());
      return renewals.map(() => ({ kind: 'renewed', remainingMs: LEASE_MS }));
    },
  };
  const holdable = fakeLock(newClient(clock), protocol, 'fairLock');
  return { holdable, asked, released, renewedAt, handOff: (fence: number) => listening(fence) };
}

describe('a waiter that a release hands the lock off to', () => {
  test('has the fence that it was sent, and asks for nothing more', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { holdable, asked, handOff } = taken(clock);
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(100);
      handOff(42);
      const grant = (await entering)!;
      expect([grant.fenceAt(grant.takeFence()), grant.owner]).toStrictEqual([42, asked[0]!.owner]);
      expect(asked.length).toBe(2);
    });
  });

  test('offers it only while it listens', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { holdable, asked, handOff } = taken(clock);
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(100);
      handOff(1);
      await entering;
      expect(asked.map((ask) => ask.handOff === true)).toStrictEqual([false, true]);
    });
  });

  test('does not offer it before its watch stands, however often it tries meanwhile', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { holdable, asked, handOff } = taken(clock, [], 500);
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(600);
      handOff(1);
      await entering;
      // At once, after 100 and 300 ms, and when the watch stands.
      expect(asked.map((ask) => ask.handOff === true)).toStrictEqual([false, false, false, true]);
    });
  });

  test('does not offer it for a lease that is not renewed', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const granted: Granted = { kind: 'granted', fence: 1, fences: 1, remainingMs: LEASE_MS };
      const { holdable, asked } = taken(clock, [() => BUSY, () => BUSY, () => granted]);
      await acquireGrant(holdable, { ...PATIENT, renewed: false }, 1);
      expect(asked.map((ask) => ask.handOff)).toStrictEqual([undefined, undefined, undefined]);
    });
  });

  test('counts its lease from when it first offered it, not from the message (soundness 2)', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { holdable, handOff } = taken(clock);
      const askedAt = clock.now();
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(7_000);
      handOff(1);
      const grant = (await entering)!;
      expect(grant.deadline).toBe(askedAt + LEASE_MS - safetyMarginMs(LEASE_MS));
    });
  });

  test('nor from a request that was refused since: the message may be older, and its lease over', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const left: Granted = { kind: 'granted', fence: 7, fences: 1, remainingMs: 20_000 };
      const { holdable, asked, handOff } = taken(clock, [() => BUSY, () => BUSY, () => BUSY, () => left]);
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(10_100);
      expect(asked.length).toBe(3);
      const toldAt = clock.now();
      handOff(7);
      const grant = (await entering)!;
      // It has asked what is left.
      expect(asked.length).toBe(4);
      expect(grant.deadline).toBe(toldAt + 20_000 - safetyMarginMs(LEASE_MS));
    });
  });

  test('has held it since the message came, and not since it asked', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { holdable, handOff } = taken(clock);
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(7_000);
      const toldAt = clock.now();
      handOff(1);
      const grant = (await entering)!;
      expect(grant.heldAt).toBe(toldAt);
    });
  });

  test('is renewed in time, though younger ones came and went before', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const granted: Granted = { kind: 'granted', fence: 1, fences: 1, remainingMs: LEASE_MS };
      const { holdable, renewedAt, handOff } = taken(clock, [() => BUSY, () => BUSY, () => granted]);
      const askedAt = clock.now();
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(9_000);
      const younger = (await acquireGrant(holdable, PATIENT, 1))!;
      await younger.release();
      handOff(2);
      await entering;
      await clock.sleep(2_000);
      expect(renewedAt).toStrictEqual([askedAt + LEASE_MS / 3]);
    });
  });

  test('releases it if it comes when no owner waits for it any more', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const { holdable, asked, released, handOff } = taken(clock);
      const giveUp = new AbortController();
      const entering = acquireGrant(holdable, { ...PATIENT, signal: giveUp.signal }, 1);
      await clock.sleep(100);
      giveUp.abort(new Error('enough'));
      handOff(1);
      await expect(Promise.resolve(entering)).rejects.toThrow(/enough/);
      expect(released).toStrictEqual([asked[0]!.owner]);
    });
  });

  test('takes no grant whose lease may be over by the time it can be taken', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const slow = async (): Promise<Busy> => {
        await clock.sleep(LEASE_MS);
        return BUSY;
      };
      const { holdable, asked, released, handOff } = taken(clock, [() => BUSY, slow]);
      const entering = acquireGrant(holdable, PATIENT, 1);
      await clock.sleep(100);
      handOff(1);
      await clock.sleep(LEASE_MS);
      handOff(2);
      const grant = (await entering)!;
      expect(grant.owner).not.toBe(asked[0]!.owner);
      expect(released).toStrictEqual([asked[0]!.owner]);
    });
  });
});
