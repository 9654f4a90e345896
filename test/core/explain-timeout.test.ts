import { describe, expect, test } from 'vitest';
import { Grant } from '../../src/core/grants/grant.ts';
import { explainTimeout } from '../../src/core/failures/explain-timeout.ts';
import { owedTimeoutError, timeoutError } from '../../src/core/failures/timeout-error.ts';
import { EngineError } from '../../src/spi/errors.ts';
import type { MaybeAsync } from '../../src/spi/maybe-async.ts';
import type { HolderView } from '../../src/spi/verbs/holding.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';
import { newClient } from './new-client.ts';

const HOLDER: HolderView = { owner: `${'d'.repeat(32)}:1`, fence: 7, remainingMs: 1000 };
const subject = { resource: 'lock "a"', engine: 'test' };

/** Explains a time-out of so long, over a store that answers who holds as told. Tells the error and how long it took. */
async function explained(
  timeoutMs: number,
  error: unknown,
  blockers: (clock: VirtualClock) => MaybeAsync<readonly HolderView[]>,
  kind = 'lock',
) {
  const clock = new VirtualClock();
  return clock.run(async () => {
    const since = clock.now();
    const thing = {
      client: newClient(clock),
      kind,
      name: 'a',
      protocol: {},
      subject,
      blockers: () => blockers(clock),
    };
    const thrown = await explainTimeout(thing, timeoutMs, error, undefined).catch((one: unknown) => one);
    return { thrown, tookMs: clock.now() - since };
  });
}

describe('a time-out', () => {
  test('says by whom, and carries the holder', async () => {
    const { thrown } = await explained(500, timeoutError(subject, 500), () => [HOLDER]);
    expect(thrown).toMatchObject({
      code: 'ACQUIRE_TIMEOUT',
      message: `lock "a" was not acquired within 500 ms: held by dddddddd…:1. Nothing was acquired; try again, or wait longer.`,
      holder: { owner: HOLDER.owner, fence: 7n, program: 'holdfast' },
    });
  });

  for (const kind of ['semaphore', 'permitSemaphore']) {
    test(`of a ${kind} does not tell the id of a permit, which could release it`, async () => {
      const permit = { ...HOLDER, owner: 'd'.repeat(32) };
      const { thrown } = await explained(500, timeoutError(subject, 500), () => [permit], kind);
      expect(thrown).toMatchObject({ holder: { fence: 7n } });
      expect((thrown as { holder: object }).holder).not.toHaveProperty('owner');
      expect((thrown as Error).message).not.toContain(permit.owner);
    });
  }

  for (const [timeoutMs, limitMs] of [
    [0, 50],
    [1000, 100],
    [60_000, 250],
  ] as const) {
    test(`of ${timeoutMs} ms is prolonged by ${limitMs} ms at most, and is then the plain one`, async () => {
      const plain = timeoutError(subject, timeoutMs);
      const { thrown, tookMs } = await explained(timeoutMs, plain, () => new Promise(() => undefined));
      expect(thrown).toBe(plain);
      expect(tookMs).toBe(limitMs);
    });
  }

  test('stays as it is if the look fails, or finds it free', async () => {
    const plain = timeoutError(subject, 500);
    const failing = (): Promise<never> => Promise.reject(new Error('connection reset'));
    for (const look of [failing, () => []]) expect((await explained(500, plain, look)).thrown).toBe(plain);
  });

  test('asks nothing after an outage, nor while the store owes an answer', async () => {
    const outage = new EngineError('no answer', subject, { retryable: true });
    for (const error of [outage, owedTimeoutError(subject, 500)]) {
      let looks = 0;
      const { thrown } = await explained(500, error, () => (looks++, []));
      expect([thrown, looks]).toEqual([error, 0]);
    }
  });

  test('of many waiters of one name is one look', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      let looks = 0;
      const client = newClient(clock);
      const blockers = async () => {
        looks++;
        await clock.sleep(5);
        return [HOLDER];
      };
      const thing = { client, kind: 'lock', name: 'a', protocol: {}, subject, blockers };
      const plain = timeoutError(subject, 500);
      const errors = await Promise.all(
        Array.from({ length: 100 }, () =>
          explainTimeout(thing, 500, plain, undefined).catch((one: unknown) => one),
        ),
      );
      expect(errors.every((one) => (one as { holder?: unknown }).holder !== undefined)).toBe(true);
      expect(looks).toBe(1);
    });
  });

  test('of two locks of one kind and name in different tables names the holder of each', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const client = newClient(clock);
      const plain = timeoutError(subject, 500);
      const thrown = await Promise.all(
        [7, 8].map((fence) => {
          const blockers = async () => {
            await clock.sleep(5);
            return [{ ...HOLDER, fence }];
          };
          const thing = { client, kind: 'tableLock', name: 'a', protocol: {}, subject, blockers };
          return explainTimeout(thing, 500, plain, undefined).catch((one: unknown) => one);
        }),
      );
      expect(thrown).toMatchObject([{ holder: { fence: 7n } }, { holder: { fence: 8n } }]);
    });
  });

  test('behind a hold of this very client asks the store nothing', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const client = newClient(clock);
      const holdable = fakeLock(client, {});
      const answer = { kind: 'granted', fence: 7, fences: 1, remainingMs: 30_000 } as const;
      const grant = new Grant(holdable, client.ids.next(), answer, clock.now(), 30_000, false);
      client.keeper.keep(grant);
      await clock.sleep(2000);
      let looks = 0;
      const { kind, name, protocol } = holdable;
      const thing = { client, kind, name, protocol, subject, blockers: () => (looks++, []) };
      const thrown: unknown = await explainTimeout(thing, 0, timeoutError(subject, 0), undefined).catch(
        (one: unknown) => one,
      );
      const holder = { owner: grant.owner, fence: 7n, inThisProcess: true, heldForMs: 2000 };
      expect(thrown).toMatchObject({ holder });
      expect(looks).toBe(0);
      // Another lock of the same name is not this one.
      const other = { ...thing, protocol: {} };
      await explainTimeout(other, 0, timeoutError(subject, 0), undefined).catch(() => undefined);
      expect(looks).toBe(1);
      client.keeper.drop(grant);
    });
  });

  test('ends with the abort of its caller while it looks', async () => {
    const clock = new VirtualClock();
    await clock.run(async () => {
      const abort = new AbortController();
      const blockers = () => new Promise<never>(() => undefined);
      const thing = { client: newClient(clock), kind: 'lock', name: 'a', protocol: {}, subject, blockers };
      const since = clock.now();
      const thrown = explainTimeout(thing, 60_000, timeoutError(subject, 60_000), abort.signal).catch(
        (one: unknown) => one,
      );
      await clock.sleep(10);
      const reason = new Error('the request has gone');
      abort.abort(reason);
      expect([await thrown, clock.now() - since]).toEqual([reason, 10]);
      expect(clock.pending).toBe(0);
    });
  });
});
