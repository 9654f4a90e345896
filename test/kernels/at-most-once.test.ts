import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { once, type DedupState, type Request } from '../../src/kernels/cells/at-most-once.ts';
import { latchRule } from '../../src/rules/latch.ts';
import { lockRule, type LockState } from '../../src/rules/lock.ts';
import type { Facts } from '../../src/spi/rule.ts';

const lock = once(lockRule({ fair: false }));
const latch = once(latchRule);

function factsAt(now: number, dead: readonly string[] = []): Facts {
  return {
    now,
    fenceFloor: 0,
    upMs: 1e9,
    dead: { has: (owner) => dead.includes(owner.slice(0, owner.lastIndexOf(':'))), endsInMs: () => 1e9 },
  };
}

function request(client: string, seq: number, notAfter: number): Request {
  return { client, seq, notAfter };
}

const ACQUIRE = { owner: 'a:1', leaseMs: 10_000, fences: 1, wait: true, interestMs: 10_000 };

describe('once', () => {
  test('a repeated request gets the first answer and changes nothing', () => {
    const set = latch.verbs.trySetCount(
      undefined,
      { request: request('a', 1, 5000), ask: { count: 3 } },
      factsAt(0),
    );
    const down = { request: request('a', 2, 5000), ask: { by: 1 } };
    const first = latch.verbs.countDown(set.state, down, factsAt(10));
    const copy = latch.verbs.countDown(first.state, down, factsAt(20));
    expect(copy.answer).toStrictEqual({ kind: 'done', answer: { count: 2 } });
    expect(copy.state).toBe(first.state);
    expect(copy.answer).toStrictEqual(first.answer);
  });

  test('a late copy of an acquisition finds the withdrawal of its owner and is refused (soundness 3)', () => {
    const withdrawn = lock.verbs.release(
      undefined,
      { request: request('a', 2, 5000), ask: { owner: 'a:1' } },
      factsAt(0),
    );
    const late = lock.verbs.acquire(
      withdrawn.state,
      { request: request('a', 1, 5000), ask: ACQUIRE },
      factsAt(10),
    );
    expect(late.answer).toStrictEqual({ kind: 'superseded' });
    expect(late.state).toBe(withdrawn.state);
  });

  test('nothing happens after notAfter, whatever is remembered (soundness 3)', () => {
    const late = lock.verbs.acquire(
      undefined,
      { request: request('a', 1, 5000), ask: ACQUIRE },
      factsAt(5001),
    );
    expect(late.answer).toStrictEqual({ kind: 'late' });
    expect(late.state).toBe(undefined);
  });

  test('a repeated acquisition gets what is left of its grant, never a fresh lease (soundness 2)', () => {
    const ask = { request: request('a', 1, 60_000), ask: ACQUIRE };
    const first = lock.verbs.acquire(undefined, ask, factsAt(1000));
    const copy = lock.verbs.acquire(first.state, ask, factsAt(8000));
    expect(first.answer).toStrictEqual({
      kind: 'done',
      answer: { kind: 'granted', fence: 1_000_000, fences: 1, remainingMs: 10_000, passedOver: 0 },
    });
    expect(copy.answer).toStrictEqual({
      kind: 'done',
      answer: { kind: 'granted', fence: 1_000_000, fences: 1, remainingMs: 3000 },
    });
  });

  test('a grant that no longer stands is decided afresh (soundness 2)', () => {
    const ask = { request: request('a', 1, 60_000), ask: ACQUIRE };
    const first = lock.verbs.acquire(undefined, ask, factsAt(1000));
    const copy = lock.verbs.acquire(first.state, ask, factsAt(12_000));
    expect.assert(copy.answer.kind === 'done' && copy.answer.answer.kind === 'granted');
    expect(copy.answer.answer.remainingMs).toBe(10_000);
    expect(copy.answer.answer.fence).toBe(12_000_000);
  });

  /** What a copy of an acquisition learns that was refused, when the lock has become free since. */
  function copyOfRefused(wait: boolean): string {
    const holder = { request: request('b', 1, 5000), ask: { ...ACQUIRE, owner: 'b:1' } };
    const held = lock.verbs.acquire(undefined, holder, factsAt(0));
    const ask = { request: request('a', 1, 5000), ask: { ...ACQUIRE, wait } };
    const busy = lock.verbs.acquire(held.state, ask, factsAt(10));
    expect.assert(busy.answer.kind === 'done' && busy.answer.answer.kind === 'busy');
    const release = { request: request('b', 2, 5000), ask: { owner: 'b:1' } };
    const freed = lock.verbs.release(busy.state, release, factsAt(20));
    const copy = lock.verbs.acquire(freed.state, ask, factsAt(30)).answer;
    return copy.kind === 'done' ? copy.answer.kind : copy.kind;
  }

  test('busy is never remembered for a waiter (soundness 2)', () => {
    expect(copyOfRefused(true)).toBe('granted');
  });

  test('a single attempt that was refused is over: a late copy of it is never granted (soundness 3)', () => {
    expect(copyOfRefused(false)).toBe('busy');
  });

  test('a client whose session has ended is refused', () => {
    const step = lock.verbs.acquire(
      undefined,
      { request: request('a', 1, 5000), ask: ACQUIRE },
      factsAt(10, ['a']),
    );
    expect(step.answer).toStrictEqual({ kind: 'session-ended' });
  });

  test('answers are kept as long as a retry can come, and then dropped', () => {
    const down = { request: request('a', 1, 5000), ask: { by: 1 } };
    const first = latch.verbs.countDown({ state: { count: 1 }, clients: [] }, down, factsAt(0));
    expect(latch.spent(first.state!, factsAt(5000)), 'a retry can still come').toBe(undefined);
    expect(latch.spent(first.state!, factsAt(6000)), 'kept a second longer').toBe(undefined);
    expect(latch.spent(first.state!, factsAt(6001)), 'the record may go').toBe(0);
    const other = latch.verbs.countDown(
      first.state,
      { request: request('b', 1, 9000), ask: { by: 1 } },
      factsAt(6001),
    );
    expect(other.state?.clients.map(({ client }) => client)).toStrictEqual(['b']);
  });

  test('the memory survives JSON', () => {
    const first = lock.verbs.acquire(
      undefined,
      { request: request('__proto__', 1, 5000), ask: ACQUIRE },
      factsAt(0),
    );
    expect(JSON.parse(JSON.stringify(first.state))).toStrictEqual(first.state);
  });

  test('however copies are lost, doubled, delayed and reordered, every request counts at most once', () => {
    const delivery = fc.record({
      client: fc.integer({ min: 0, max: 2 }),
      copy: fc.nat(),
      now: fc.integer({ min: 0, max: 3 }),
    });
    fc.assert(
      fc.property(fc.array(delivery, { maxLength: 60 }), (deliveries) => {
        const total = 1_000_000;
        let state: DedupState<{ readonly count: number }> | undefined = {
          state: { count: total },
          clients: [],
        };
        let now = 0;
        const sent = [0, 0, 0];
        const done = new Map<string, unknown>();
        for (const { client, copy, now: passed } of deliveries) {
          now += passed * 400;
          // A copy of any request so far, or the next one: what a network may deliver.
          const seq = 1 + (copy % (sent[client]! + 1));
          sent[client] = Math.max(sent[client]!, seq);
          const ask = { request: request(`c${client}`, seq, seq * 1000), ask: { by: 1 } };
          const step = latch.verbs.countDown(state, ask, factsAt(now));
          state = step.state;
          const key = `${client}:${seq}`;
          if (step.answer.kind !== 'done') continue;
          // The first answer stands: a copy gets it again.
          if (!done.has(key)) done.set(key, step.answer.answer);
          expect(step.answer.answer).toStrictEqual(done.get(key));
        }
        expect(total - (state?.state?.count ?? 0)).toBe(done.size);
      }),
      { numRuns: 500 },
    );
  });

  test('an unsettled acquisition that was withdrawn never comes back, in any order of arrival', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['acquire', 'acquire', 'release', 'acquire'], { minLength: 4 }),
        (order) => {
          let state: DedupState<LockState> | undefined;
          let released = false;
          for (const verb of order) {
            if (verb === 'release') {
              state = lock.verbs.release(
                state,
                { request: request('a', 2, 5000), ask: { owner: 'a:1' } },
                factsAt(1),
              ).state;
              released = true;
            } else {
              state = lock.verbs.acquire(
                state,
                { request: request('a', 1, 5000), ask: ACQUIRE },
                factsAt(1),
              ).state;
            }
            expect.assert(!released || lock.look(state, factsAt(1)).holder === undefined);
          }
        },
      ),
    );
  });
});
