import assert from 'node:assert/strict';
import type { LeaseLostError } from '../../../index.ts';
import {
  type BadArgument,
  assertRejects,
  assertRejectsArgument,
  rejectionOf,
} from '../../harness/coded-error.ts';
import { Deferred } from '../../harness/deferred.ts';
import type { Cases } from '../../suites/suite.ts';
import { abortOf } from './leading-cases.ts';
import { openElection } from './observing-cases.ts';

/** How a `lead` ends other than by its signal, or does not begin. */
export const leadEndingCases: Cases<'election'> = {
  'what the function throws ends the lead, after it has resigned': async (bench) => {
    const election = openElection(await bench.open(), bench.name);
    const stop = bench.controller();
    const { signal } = stop;
    const error = new Error('broken');
    const fails: readonly (() => unknown)[] = [
      () => {
        throw error;
      },
      () => Promise.reject(error),
      () => {
        stop.abort();
        throw error;
      },
    ];
    for (const fail of fails) {
      assert.equal(await rejectionOf(() => election.lead(fail, { signal })), error);
      assert.equal(await election.leader(), null);
    }
  },

  'a function may stop by throwing what its signal says': async (bench) => {
    const election = openElection(await bench.open(), bench.name);
    const aborted = new DOMException('of an operation that was aborted', 'AbortError');
    const throwing: readonly ((signal: AbortSignal) => void)[] = [
      (signal) => signal.throwIfAborted(),
      () => {
        throw aborted;
      },
    ];
    for (const one of throwing) {
      const stop = bench.controller();
      const work = (signal: AbortSignal): void => {
        stop.abort(new Error('stopped'));
        one(signal);
      };
      await election.lead(work, { signal: stop.signal });
    }
    // Without an abort it is an error like any other.
    assert.equal(await rejectionOf(() => election.lead(() => Promise.reject(aborted))), aborted);
    assert.equal(await election.leader(), null);
  },

  'closing ends a lead that waits and one that leads': async (bench) => {
    const [client, other] = [await bench.open(), await bench.open()];
    const stopped = new Deferred<unknown>();
    const begun = new Deferred();
    const leading = rejectionOf(() =>
      openElection(client, bench.name).lead(async (signal) => {
        begun.resolve();
        await abortOf(signal);
        stopped.resolve(signal.reason);
      }),
    );
    await begun.promise;
    const elsewhere = openElection(other, bench.name);
    const waiting = rejectionOf(() => elsewhere.lead(() => assert.fail('leads')));
    await bench.until(async () => (await elsewhere.candidates()) === 1);
    await other.close();
    await client.close();
    assert.equal(((await stopped.promise) as LeaseLostError).reason, 'closed');
    for (const one of [leading, waiting]) {
      const error = await one;
      await assertRejects(() => Promise.reject(error), 'CLOSED');
    }
    await assertRejects(() => elsewhere.lead(() => undefined), 'CLOSED', other.label);
  },

  'bad arguments of lead are refused, and no candidate is entered': async (bench) => {
    const election = openElection(await bench.open(), bench.name);
    const work = () => assert.fail('leads');
    const bad: BadArgument[] = [
      { given: [undefined], error: TypeError, names: /lead needs a function, not undefined/ },
      { given: [{ value: 'a' }], error: TypeError, names: /lead needs a function, not a value of type obj/ },
      { given: [work, 'now'], error: TypeError, names: /options must be an object, not "now"/ },
      {
        given: [work, { timeoutMs: 5 }],
        error: TypeError,
        names: /no option "timeoutMs"; known are signal, v/,
      },
      { given: [work, { signal: 'stop' }], error: TypeError, names: /signal must be an AbortSignal/ },
      { given: [work, { value: 5n }], error: TypeError, names: /value must be plain JSON.*bigint/ },
    ];
    for (const one of bad)
      await assertRejectsArgument(one, () =>
        election.lead(...(one.given as Parameters<typeof election.lead>)),
      );
    assert.deepEqual([await election.leader(), await election.candidates()], [null, 0]);
  },
};
