import { expect, test } from 'vitest';
import type { WireHooks } from '../fixtures/hooked-wire.ts';
import { connected } from './cable.ts';
import { passMicrotasks, play, sweep, warmUp } from './stage.ts';

/** More than lie between the answer of the store and the call of the function. */
const MICROTASKS = 60;

/** Calls once, so many microtasks after the store's answer to a campaign has arrived. */
function afterGrant(microtasks: number, call: () => void): WireHooks {
  let armed = true;
  return {
    arrived: ({ kind, verb }) => {
      if (kind !== 'election' || verb !== 'acquire' || !armed) return;
      armed = false;
      void passMicrotasks(microtasks).then(call);
    },
  };
}

test('a lead whose caller stops around the grant is never called afterwards, and resigns', async () => {
  const calls = new Set<number>();
  await sweep(MICROTASKS, async (stage, microtasks) => {
    const stop = new AbortController();
    const client = stage.far(
      'far',
      afterGrant(microtasks, () => stop.abort()),
    );
    await warmUp(client);
    const election = client.election('office');
    let called = 0;
    await election.lead(
      async (signal) => {
        expect(stop.signal.aborted, 'stopped before the call').toBe(false);
        called++;
        await new Promise<void>((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      },
      { signal: stop.signal },
    );
    calls.add(called);
    expect(await election.leader()).toBeNull();
    expect(await election.candidates()).toBe(0);
  });
  expect(calls, 'the sweep covers both sides of the call').toStrictEqual(new Set([0, 1]));
});

// The process stands still for longer than the lease between the grant and the call of the function.
test('a lead that loses the office before its function is called campaigns again first', async () => {
  await sweep(MICROTASKS, async (stage, microtasks) => {
    const stop = new AbortController();
    const client = stage.far(
      'far',
      afterGrant(microtasks, () => stage.clock.stall(100_000)),
    );
    await warmUp(client);
    const election = client.election('office');
    let leads = 0;
    await election.lead(
      async (signal, leadership) => {
        expect(leadership.lost.aborted, 'lost before the call').toBe(false);
        leads++;
        // A stall of the first turn ends it; the second one is undisturbed.
        await stage.clock.sleep(2000);
        if (!signal.aborted) stop.abort();
      },
      { signal: stop.signal },
    );
    expect(leads).toBeGreaterThan(0);
    expect(await election.leader()).toBeNull();
  });
});

test('a lead whose resignation is not answered reports it, and leads again when the store is back', () =>
  play(async (stage) => {
    const { client, cable } = await connected(stage);
    const troubles: unknown[] = [];
    client.on('trouble', ({ error }) => void troubles.push(error));
    const stop = new AbortController();
    let turns = 0;
    const leading = client.election('office').lead(
      async () => {
        if (++turns === 2) return stop.abort();
        cable.isCut = true;
        await stage.clock.sleep(100);
      },
      { signal: stop.signal },
    );
    await stage.clock.sleep(20_000);
    expect(turns).toBe(1);
    expect(troubles.length).toBeGreaterThan(1);
    cable.heal();
    await leading;
    expect(turns).toBe(2);
    expect(await client.election('office').leader()).toBeNull();
  }));

test('a lead that is stopped while the store is away ends at once', () =>
  play(async (stage) => {
    const { client, cable } = await connected(stage);
    const stop = new AbortController();
    cable.isCut = true;
    const leading = client.election('office').lead(() => expect.unreachable(), { signal: stop.signal });
    await stage.clock.sleep(30_000);
    const since = stage.clock.now();
    stop.abort();
    await leading;
    expect(stage.clock.now()).toBe(since);
    cable.heal();
  }));
