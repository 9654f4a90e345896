import assert from 'node:assert/strict';
import type { Factories, Synchronizers } from '../../../index.ts';
import type { Bench } from '../../harness/bench.ts';
import { type Exclusive, type ExclusiveAdapter, untilFree } from '../../harness/exclusive.ts';
import type { LockAdapter } from '../reentry/reentrant-cases.ts';
import { type Cases, needing } from '../../suites/suite.ts';
import { assertSilence, type TimedWait } from './outage-cases.ts';

/** Both ways to try once. */
function attemptsAt(thing: Exclusive, options: object): readonly TimedWait[] {
  return [
    (timeoutMs) => thing.tryAcquire({ ...options, timeoutMs }),
    (timeoutMs) => thing.acquire({ ...options, timeoutMs }),
  ];
}

/** Asserts that single attempts behind a head whose time is `2 * bench.unit` hear of the outage that the head meets. */
export async function assertAttemptsHear<K extends keyof Factories>(
  bench: Bench<K>,
  client: Synchronizers<K>,
  thing: Exclusive,
  options: object = {},
): Promise<void> {
  const attempts = attemptsAt(thing, options);
  for (const head of attempts) {
    const heading = bench.begin(assertSilence(head, 2 * bench.unit, client.label, bench.name));
    // Null, or a time-out, would say that another owner is in.
    const behind = [...attempts, ...attempts].map((attempt) =>
      assertSilence(attempt, 0, client.label, bench.name),
    );
    await Promise.all([heading, ...behind]);
  }
}

/** A single attempt asks nothing behind another acquisition of its process, and says "busy" only if the store has said so. */
export function attemptOutageCases<K extends keyof Factories>(adapter: ExclusiveAdapter<K>): Cases<K> {
  return {
    'a single attempt behind another acquisition of its process hears of an outage too': needing(
      'silence',
      async (bench) => {
        const client = await bench.open();
        const thing = adapter.open(client, bench.name);
        await (await thing.acquire()).release();
        const speak = bench.silence(client);
        await assertAttemptsHear(bench, client, thing);
        speak();
      },
    ),

    'a single attempt behind a release of its process hears of an outage too': needing(
      'silence',
      async (bench) => {
        const client = await bench.open();
        const thing = adapter.open(client, bench.name);
        const hold = await thing.acquire();
        const speak = bench.silence(client);
        const releasing = hold.release().catch(() => undefined);
        await assertAttemptsHear(bench, client, thing);
        speak();
        await releasing;
        await untilFree(bench, thing);
      },
    ),

    'a single attempt behind another acquisition of its process is refused as soon as the store has answered':
      async (bench) => {
        const [client, other] = [await bench.open(), await bench.open()];
        const held = await adapter.open(other, bench.name).acquire();
        const thing = adapter.open(client, bench.name);
        const waiting = bench.begin(thing.acquire());
        assert.equal(await thing.tryAcquire(), null);
        await held.release();
        await (await waiting).release();
      },
  };
}

/** The same of an explicit owner, which stands behind its own acquisition. */
export function ownedAttemptOutageCases<K extends keyof Factories>({
  open,
  rival,
}: LockAdapter<K>): Cases<K> {
  return {
    'a single attempt behind another acquisition of its owner hears of an outage too': needing(
      'silence',
      async (bench) => {
        const client = await bench.open();
        const lock = open(client, bench.name);
        await lock.run(() => undefined);
        const speak = bench.silence(client);
        await assertAttemptsHear(bench, client, lock, { owner: client.owner('one') });
        speak();
      },
    ),

    'a single attempt behind another acquisition of its owner is refused as soon as the store has answered':
      async (bench) => {
        const [client, other] = [await bench.open(), await bench.open()];
        const held = await rival(other, bench.name).acquire();
        const lock = open(client, bench.name);
        const owner = client.owner('one');
        const waiting = bench.begin(lock.acquire({ owner }));
        assert.equal(await lock.tryAcquire({ owner }), null);
        await held.release();
        await (await waiting).release();
      },
  };
}
