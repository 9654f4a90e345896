import assert from 'node:assert/strict';
import type { LeaseLostError } from '../../../index.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { Deferred } from '../../harness/deferred.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { openElection } from './observing-cases.ts';

/** As the documentation of `lead` promises it. */
const SHORTEST_TURN_MS = 1000;

/** Resolves when the signal has aborted. */
export function abortOf(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

/** `lead`: leaders that come again. */
export const leadingCases: Cases<'election'> = {
  'lead calls its function as the leader, and resigns after it when the caller stops': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const elsewhere = openElection(other, bench.name);
    const stop = bench.controller();
    const events: string[] = [];
    const leading = openElection(client, bench.name).lead(
      async (signal, leadership) => {
        const leader = await elsewhere.leader();
        assert.deepEqual([leader?.value, leader?.fence], ['pod-1', leadership.fence]);
        events.push('leads');
        await abortOf(signal);
        assert.equal(signal.reason, stop.signal.reason);
        leadership.throwIfLost();
        // Its work still runs: no other may lead beside it.
        assert.equal((await elsewhere.leader())?.value, 'pod-1');
        events.push('stops');
      },
      { signal: stop.signal, value: 'pod-1' },
    );
    void bench.begin(leading);
    await bench.until(() => events.length === 1);
    const next = bench.begin(elsewhere.campaign());
    await bench.until(async () => (await elsewhere.candidates()) === 1);
    stop.abort(new Error('shutdown'));
    assert.equal(await leading, undefined);
    assert.deepEqual(events, ['leads', 'stops']);
    await (await next).resign();
    assert.equal(await elsewhere.leader(), null);
  },

  'lead that is stopped while it waits leaves no candidate behind, and calls nothing': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const office = await openElection(other, bench.name).campaign();
    const election = openElection(client, bench.name);
    const stop = bench.controller();
    const leading = bench.begin(election.lead(() => assert.fail('leads'), { signal: stop.signal }));
    await bench.until(async () => (await election.candidates()) === 1);
    stop.abort();
    await leading;
    await bench.until(async () => (await election.candidates()) === 0);
    await office.resign();
    await election.lead(() => assert.fail('leads'), { signal: stop.signal });
    assert.equal(await election.leader(), null);
  },

  'a function that returns ends its turn: others lead before it leads again, a second later': async (
    bench,
  ) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [election, elsewhere] = [openElection(client, bench.name), openElection(other, bench.name)];
    const stop = bench.controller();
    const events: string[] = [];
    const first = new Deferred();
    const start = bench.time.now();
    const leading = election.lead(
      async (_signal, leadership) => {
        events.push(`leads ${events.length + 1}`);
        assert.equal(leadership.value, 'again');
        if (events.length === 1) await first.promise;
        else stop.abort();
      },
      { signal: stop.signal, value: 'again' },
    );
    void bench.begin(leading);
    await bench.until(() => events.length === 1);
    const next = bench.begin(elsewhere.campaign());
    await bench.until(async () => (await elsewhere.candidates()) === 1);
    first.resolve();
    const between = await next;
    events.push('the other');
    await between.resign();
    await leading;
    bench.assertAtLeast(Math.floor(bench.time.now() - start), SHORTEST_TURN_MS);
    assert.deepEqual(events, ['leads 1', 'the other', 'leads 3']);
    assert.equal(await election.leader(), null);
  },

  'a leader that loses the office hears of it, and leads again once its function has stopped': async (
    bench,
  ) => {
    const [renewalLeaseMs, maxHoldMs] = [2 * bench.unit, bench.unit];
    const client = await bench.open({ renewalLeaseMs, maxHoldMs });
    const election = openElection(client, bench.name);
    const elsewhere = openElection(await bench.open(), bench.name);
    const stop = bench.controller();
    const fences: bigint[] = [];
    let inside = 0;
    const leading = election.lead(
      async (signal, { fence, lost }) => {
        assert.equal(++inside, 1, 'the function never runs twice at a time');
        fences.push(fence);
        if (fences.length === 3) stop.abort();
        await abortOf(signal);
        inside--;
        if (fences.length === 3) return;
        assert.equal(signal.reason, lost.reason);
        assert.equal((signal.reason as LeaseLostError).code, 'LEASE_LOST');
        // Another leads while the function still stops.
        await (await elsewhere.campaign()).resign();
        if (fences.length === 2) signal.throwIfAborted();
      },
      { signal: stop.signal },
    );
    await leading;
    assert.ok(fences[0]! < fences[1]! && fences[1]! < fences[2]!, fences.join(', '));
    assert.equal(await election.leader(), null);
  },

  'lead goes on campaigning while the store is away, and tells of it': needing('silence', async (bench) => {
    const client = await bench.open();
    const election = openElection(client, bench.name);
    await (await election.campaign()).resign();
    const stop = bench.controller();
    const troubles: unknown[] = [];
    const off = client.on('trouble', ({ kind, name, error }) => {
      if (kind === 'election' && name === bench.name) troubles.push(error);
    });
    const speak = bench.silence(client);
    let turns = 0;
    const leading = election.lead(
      () => {
        turns++;
        stop.abort();
      },
      { signal: stop.signal },
    );
    void bench.begin(leading);
    await bench.until(() => troubles.length > 0);
    assert.equal(turns, 0);
    speak();
    await leading;
    off();
    assert.equal(turns, 1);
    await assertRejects(() => Promise.reject(troubles[0]), 'ENGINE', client.label);
  }),

  'every turn publishes the value that lead was called with': async (bench) => {
    const election = (await bench.open()).election<{ turns: number }>(bench.name);
    const stop = bench.controller();
    const value = { turns: 0 };
    const seen: unknown[] = [];
    await election.lead(
      async () => {
        seen.push((await election.leader())?.value);
        value.turns++;
        if (value.turns === 2) stop.abort();
      },
      { signal: stop.signal, value },
    );
    assert.deepEqual(seen, [{ turns: 0 }, { turns: 0 }]);
  },
};
