import assert from 'node:assert/strict';
import { AcquireTimeoutError, type HoldOptions } from '../../index.ts';
import { type BadArgument, assertRejects, assertRejectsArgument } from '../harness/coded-error.ts';
import { assertIncreasing } from '../cases/acquiring/contention-cases.ts';
import type { Exclusive } from '../harness/exclusive.ts';
import { exclusiveCases } from '../cases/acquiring/exclusive-cases.ts';
import { lossOf } from '../cases/losses/lease-cases.ts';
import { nameCases } from '../cases/arguments/name-cases.ts';
import { type Cases, prefixed, suiteOf } from './suite.ts';
import { leadEndingCases } from '../cases/election/lead-ending-cases.ts';
import { leadingCases } from '../cases/election/leading-cases.ts';
import { type ElectionClient, observingCases, openElection } from '../cases/election/observing-cases.ts';

/** An election as a lock: the leader holds the office, candidates wait. */
function asLock(client: ElectionClient, name: string): Exclusive {
  const election = openElection(client, name);
  return {
    acquire: (options) => election.campaign(options),
    tryAcquire: async (options) => {
      try {
        return await election.campaign(onceUnlessTimed(options) as HoldOptions);
      } catch (error) {
        if (error instanceof AcquireTimeoutError) return null;
        throw error;
      }
    },
    waiters: () => election.candidates(),
  };
}

/** One attempt by default; a value that is not an object of options is passed on, to be refused. */
function onceUnlessTimed(options: unknown): unknown {
  if (options === undefined) return { timeoutMs: 0 };
  if (typeof options !== 'object' || options === null || Array.isArray(options)) return options;
  return 'timeoutMs' in options && options.timeoutMs !== undefined ? options : { ...options, timeoutMs: 0 };
}

const officeCases: Cases<'election'> = {
  'candidates come to office in the order of their campaigns': async (bench) => {
    const clients = [await bench.open(), await bench.open(), await bench.open()];
    const elections = clients.map((client) => openElection(client, bench.name));
    const order: string[] = [];
    const fences: bigint[] = [];
    const first = await elections[0]!.campaign({ value: 'first' });
    const campaigns: Promise<void>[] = [];
    for (let at = 0; at < 9; at++) {
      campaigns.push(
        elections[(at * 2) % 3]!.campaign({ value: `candidate ${at}` }).then(async (office) => {
          order.push(office.value ?? 'nothing');
          fences.push(office.fence);
          assert.equal((await elections[0]!.leader())?.value, office.value);
          await office.resign();
        }),
      );
      void bench.begin(campaigns);
      await bench.untilWaiting(
        at + 1,
        ...elections.map((election) => ({ waiters: () => election.candidates() })),
      );
    }
    await first.resign();
    await Promise.all(campaigns);
    assert.deepEqual(
      order,
      Array.from({ length: 9 }, (_, at) => `candidate ${at}`),
    );
    assertIncreasing([first.fence, ...fences]);
  },

  'every client knows the leader': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const [election, elsewhere] = [openElection(client, bench.name), openElection(other, bench.name)];
    assert.equal(election.name, bench.name);
    assert.deepEqual([await elsewhere.leader(), await elsewhere.candidates()], [null, 0]);
    const office = await election.campaign({ value: 'pod-1' });
    const leader = await elsewhere.leader();
    assert.deepEqual([leader?.value, leader?.fence], ['pod-1', office.fence]);
    assert.ok(leader!.owner !== '');
    const campaign = bench.begin(elsewhere.campaign({ value: 'pod-2' }));
    await bench.until(async () => (await elsewhere.candidates()) === 1);
    await office.resign();
    const next = await campaign;
    assert.equal((await election.leader())?.value, 'pod-2');
    assert.ok(next.fence > office.fence);
    await next.resign();
    assert.equal(await election.leader(), null);
  },

  'a campaign without a value leads with null': async (bench) => {
    const election = (await bench.open()).election<string | null>(bench.name);
    const office = await election.campaign();
    assert.equal(office.value, null);
    assert.equal((await election.leader())?.value, null);
    await office.release();
  },

  'a leader proclaims something new': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const office = await openElection(client, bench.name).campaign({ value: 'starting' });
    await office.proclaim('ready');
    assert.equal(office.value, 'ready');
    const leader = await openElection(other, bench.name).leader();
    assert.deepEqual([leader?.value, leader?.fence], ['ready', office.fence]);
    await office.resign();
    await assertRejects(() => office.proclaim('still here'), 'NOT_HELD', client.label);
  },

  'who has lost the office proclaims nothing': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const office = await openElection(client, bench.name).campaign({ value: 'old', leaseMs: bench.unit });
    const next = await openElection(other, bench.name).campaign({ value: 'new' });
    await lossOf(office);
    await assertRejects(() => office.proclaim('still me'), 'LEASE_LOST', client.label);
    assert.equal((await openElection(client, bench.name).leader())?.value, 'new');
    await next.resign();
  },

  'values are any JSON, and are the own copy of each': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    interface LeaderAddress {
      host: string;
      ports: number[];
    }
    const value: LeaderAddress = { host: 'a', ports: [1, 2] };
    const office = await client.election<LeaderAddress>(bench.name).campaign({ value });
    value.ports.push(3);
    office.value?.ports.push(4);
    const election = other.election<LeaderAddress>(bench.name);
    const leader = await election.leader();
    assert.deepEqual(leader?.value, { host: 'a', ports: [1, 2] });
    leader.value?.ports.push(5);
    assert.deepEqual((await election.leader())?.value, { host: 'a', ports: [1, 2] });
    await office.resign();
  },

  'a value that is no JSON is refused, and no candidate is entered': async (bench) => {
    const election = (await bench.open()).election<unknown>(bench.name);
    const circle: unknown[] = [];
    circle.push(circle);
    const bad: BadArgument[] = [
      { given: NaN, error: TypeError, names: /value must be plain JSON.*NaN/ },
      { given: { where: new URL('http://a') }, error: TypeError, names: /where is a URL/ },
      { given: () => 'me', error: TypeError, names: /of type function/ },
      { given: 5n, error: TypeError, names: /of type bigint/ },
      { given: { a: { b: undefined } }, error: TypeError, names: /a\.b is of type undefined/ },
      { given: circle, error: TypeError, names: /contains itself/ },
      { given: new Map(), error: TypeError, names: /is a Map/ },
    ];
    for (const one of bad) await assertRejectsArgument(one, () => election.campaign({ value: one.given }));
    assert.deepEqual([await election.leader(), await election.candidates()], [null, 0]);
    const office = await election.campaign({ value: 'good' });
    for (const one of bad) await assertRejectsArgument(one, () => office.proclaim(one.given));
    assert.equal((await election.leader())?.value, 'good');
    await office.resign();
  },
};

/** The election. It is a lock too: the office. */
export const electionSuite = suiteOf<'election'>(
  'election',
  prefixed('the office', exclusiveCases({ open: asLock, withoutRun: true })),
  officeCases,
  observingCases,
  leadingCases,
  leadEndingCases,
  nameCases({
    make: openElection,
    use: async (election) => (await election.campaign()).resign(),
  }),
);
