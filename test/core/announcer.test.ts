import { hostname } from 'node:os';
import { describe, expect, test } from 'vitest';
import { Grant } from '../../src/core/grants/grant.ts';
import { Client } from '../../src/core/client.ts';
import type { Announcements } from '../../src/spi/engine/announcements.ts';
import { UncaughtErrors } from '../fixtures/uncaught-errors.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';

const HOUR_MS = 3_600_000;
const CARD = { host: hostname(), pid: process.pid, command: 'server.js', name: 'web' };

type Fate = 'written' | 'refused' | 'silent';

/** A client with a store whose answers to announcements the test sets. */
function clientWith(
  clock: VirtualClock,
  { fates = [] as Fate[], lastMs = HOUR_MS, isReady = (): boolean => true } = {},
) {
  let ids = 0;
  const random = { id: () => String(++ids).padStart(32, '0'), fraction: () => 0.5 };
  const client = new Client({ label: 'test', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
  const announced: { readonly at: number; readonly client: string; readonly said: string }[] = [];
  const retracted: string[] = [];
  const start = clock.now();
  const store: Announcements = {
    lastMs,
    fencesAreTimes: true,
    get isReady() {
      return isReady();
    },
    announce: async (id, said) => {
      announced.push({ at: clock.now() - start, client: id, said });
      const fate = fates.shift() ?? 'written';
      if (fate === 'silent') await new Promise<never>(() => undefined);
      if (fate === 'refused') throw new Error('NOPERM');
    },
    retract: async (id) => void retracted.push(id),
    find: () => ({ now: clock.epochNow(), said: new Map() }),
    programOf: () => 'holdfast',
  };
  client.names.open(store, CARD);
  const holdable = fakeLock(client, {
    renewMany: (all) => all.map(() => ({ kind: 'renewed', remainingMs: 30_000 })),
  });
  const hold = (): Grant => {
    const answer = { kind: 'granted', fence: 1, fences: 1, remainingMs: 30_000 } as const;
    const grant = new Grant(holdable, client.ids.next(), answer, clock.now(), 30_000, true);
    client.keeper.keep(grant);
    return grant;
  };
  return { client, announced, retracted, hold };
}

function play(body: (clock: VirtualClock) => Promise<void>): Promise<void> {
  const clock = new VirtualClock();
  return clock.run(() => body(clock));
}

describe('a client announces itself', () => {
  test('100 ms after its first grant, once, and takes it back when it closes', () =>
    play(async (clock) => {
      const { client, announced, retracted, hold } = clientWith(clock);
      await clock.sleep(1000);
      expect(announced, 'a client that holds nothing says nothing').toEqual([]);
      for (let round = 0; round < 5; round++) {
        const grant = hold();
        await clock.sleep(90);
        await grant.release();
      }
      expect(announced.map(({ at }) => at)).toEqual([1100]);
      expect(JSON.parse(announced[0]!.said)).toMatchObject(CARD);
      await client.close();
      expect(retracted).toEqual([announced[0]!.client]);
      expect(clock.pending).toBe(0);
    }));

  test('when it closes, if what it holds stays in the store after it', () =>
    play(async (clock) => {
      const { client, announced, retracted, hold } = clientWith(clock);
      const grant = hold();
      client.names.announcer!.noteOutliving();
      await grant.release();
      await client.close();
      expect([announced.length, retracted]).toEqual([1, []]);
    }));

  test('not at all if it closes before', () =>
    play(async (clock) => {
      const { client, announced, retracted, hold } = clientWith(clock);
      hold();
      await clock.sleep(99);
      await client.close();
      await clock.sleep(1000);
      expect([announced, retracted]).toEqual([[], []]);
    }));

  test('again at a third of its time while it holds, and no more when it is idle; then with the next grant', () =>
    play(async (clock) => {
      const { client, announced, hold } = clientWith(clock);
      const grant = hold();
      await clock.sleep(HOUR_MS - 1000);
      const times = announced.map(({ at }) => at);
      expect(times).toEqual([100, 100 + HOUR_MS / 3, 100 + (2 * HOUR_MS) / 3]);
      await grant.release();
      await clock.sleep(3 * HOUR_MS);
      expect(announced.length).toBe(3);
      hold();
      await clock.sleep(200);
      expect(announced.length).toBe(4);
      await client.close();
    }));

  test('once for all where it ends with the session, and again under a new identity', () =>
    play(async (clock) => {
      const { client, announced, hold } = clientWith(clock, { lastMs: Infinity });
      hold();
      await clock.sleep(2 * HOUR_MS);
      expect(announced.length).toBe(1);
      client.ids.renewClient();
      client.keeper.loseAll();
      hold();
      await clock.sleep(200);
      expect(new Set(announced.map((one) => one.client)).size).toBe(2);
      // Also soon after: the keeper's own timer stands for a third of a lease.
      client.ids.renewClient();
      client.keeper.loseAll();
      hold();
      await clock.sleep(200);
      expect(new Set(announced.map((one) => one.client)).size).toBe(3);
      await client.close();
    }));

  test('once its store is ready, and asks nothing of it before', () =>
    play(async (clock) => {
      let isReady = false;
      const { client, announced, hold } = clientWith(clock, { isReady: () => isReady });
      const grant = hold();
      await clock.sleep(HOUR_MS + 1000);
      expect(announced).toEqual([]);
      isReady = true;
      await clock.sleep(5000);
      expect(announced.length, 'while it holds').toBe(1);
      await grant.release();
      await client.close();
    }));

  test('with the labels of owners that have held for a moment', () =>
    play(async (clock) => {
      const { client, announced, hold } = clientWith(clock);
      const { announcer } = client.names;
      const [one, other] = [hold(), hold()];
      await clock.sleep(200);
      announcer!.addLabel(one.owner, 'short');
      announcer!.dropLabel(one.owner);
      announcer!.addLabel(other.owner, 'checkout');
      await clock.sleep(200);
      const { owners } = JSON.parse(announced.at(-1)!.said) as { readonly owners: object };
      expect(owners).toEqual({ [other.owner]: 'checkout' });
      expect(announced.length).toBe(2);
      await client.close();
    }));

  test('with labels that come and go every 5 s at most, and not at all if none has changed', () =>
    play(async (clock) => {
      const { client, announced, hold } = clientWith(clock);
      const { announcer } = client.names;
      const grant = hold();
      await clock.sleep(200);
      for (let round = 0; round < 100; round++) {
        announcer!.addLabel(grant.owner, `short ${round}`);
        announcer!.dropLabel(grant.owner);
        await clock.sleep(110);
      }
      expect(announced.length, 'of owners that have gone').toBe(1);
      const since = clock.now();
      for (let round = 0; round < 300; round++) {
        announcer!.addLabel(grant.owner, `longer ${round}`);
        await clock.sleep(110);
      }
      expect(announced.length - 1).toBeLessThanOrEqual(1 + (clock.now() - since) / 5000);
      expect(announced.length - 1).toBeGreaterThanOrEqual(6);
      const latest = JSON.parse(announced.at(-1)!.said) as { readonly owners: object };
      expect(Object.keys(latest.owners)).toEqual([grant.owner]);
      const writes = announced.length;
      await clock.sleep(HOUR_MS / 3 + 10_000);
      expect(announced.length - writes, 'the last change, and the usual repetition').toBeLessThanOrEqual(2);
      expect(announced.length).toBeGreaterThan(writes);
      await client.close();
    }));

  test('without the labels of holds that were lost', () =>
    play(async (clock) => {
      const { client, announced, hold } = clientWith(clock);
      const announcer = client.names.announcer!;
      for (let round = 0; round < 50; round++) {
        const grant = hold();
        announcer.addLabel(grant.owner, 'lost');
        grant.lose('gone');
      }
      const grant = hold();
      announcer.addLabel(grant.owner, 'checkout');
      await clock.sleep(200);
      expect([...announcer.labels.values()]).toEqual(['checkout']);
      expect(announced.at(-1)!.said).not.toContain('lost');
      // Also when nothing is held any more.
      grant.lose('gone');
      await clock.sleep(HOUR_MS);
      expect(announcer.labels.size).toBe(0);
      await client.close();
    }));

  test('once also if owners with labels come and go, and it is idle in between', () =>
    play(async (clock) => {
      const { client, announced, hold } = clientWith(clock);
      for (let round = 0; round < 300; round++) {
        const grant = hold();
        client.names.announcer!.addLabel(grant.owner, `request ${round}`);
        await clock.sleep(90);
        client.names.announcer!.dropLabel(grant.owner);
        await grant.release();
        await clock.sleep(110);
      }
      expect(announced.length).toBe(1);
      await client.close();
    }));

  test('and labels do not make it try a store that refuses more often', () =>
    play(async (clock) => {
      const { client, announced, hold } = clientWith(clock, { fates: Array<Fate>(20).fill('refused') });
      const grant = hold();
      for (let round = 0; round < 600; round++) {
        client.names.announcer!.addLabel(grant.owner, `request ${round}`);
        await clock.sleep(1000);
      }
      const minutes = announced.map(({ at }) => Math.round(at / 60_000));
      expect(minutes).toEqual([0, 1, 3, 7]);
      await client.close();
    }));

  test('and a refusal is no error: it is tried again, less and less often', () =>
    play(async (clock) => {
      using errors = new UncaughtErrors();
      const { client, announced, hold } = clientWith(clock, {
        fates: ['refused', 'refused', 'refused', 'refused', 'refused', 'refused', 'refused'],
      });
      const troubles: unknown[] = [];
      client.events.trouble.on((event) => troubles.push(event));
      const grant = hold();
      await clock.sleep(HOUR_MS);
      const minutes = announced.map(({ at }) => Math.round(at / 60_000));
      expect(minutes).toEqual([0, 1, 3, 7, 15, 31, 51]);
      expect([troubles, grant.open]).toEqual([[], true]);
      await client.close();
      expect(await errors.soFar()).toEqual([]);
    }));

  test('and a store that never answers delays the end by half a second, and leaves no timer', () =>
    play(async (clock) => {
      const { client, retracted, hold } = clientWith(clock, { fates: ['silent'] });
      await hold().release();
      hold();
      await clock.sleep(200);
      const since = clock.now();
      await client.close();
      expect(clock.now() - since).toBe(500);
      expect([retracted, clock.pending]).toEqual([[], 0]);
    }));
});
