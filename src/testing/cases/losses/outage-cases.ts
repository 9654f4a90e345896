import assert from 'node:assert/strict';
import { EngineError, type Factories, type Synchronizers } from '../../../index.ts';
import type { Bench } from '../../harness/bench.ts';
import { assertRejects } from '../../harness/coded-error.ts';
import { type Cases, needing } from '../../suites/suite.ts';

/** One way to wait for a synchronizer, with a time-out. */
export type TimedWait = (timeoutMs: number) => Promise<unknown>;

/** All the ways in which a synchronizer is waited for, by a client that has reached the store before. */
export type WaitsOf<K extends keyof Factories> = (
  client: Synchronizers<K>,
  name: string,
) => readonly TimedWait[] | Promise<readonly TimedWait[]>;

/** Asserts that a wait ends as an outage does: with a retryable failure that names the synchronizer and has a cause. */
export async function assertSilence(
  wait: TimedWait,
  timeoutMs: number,
  engine: string,
  name: string,
): Promise<void> {
  const error = await assertRejects(() => wait(timeoutMs), 'ENGINE', engine);
  assert.ok(error instanceof EngineError);
  assert.equal(error.retryable, true);
  assert.ok(error.resource.includes(name), `names ${error.resource}`);
  assert.ok(error.message.includes(name), error.message);
  assert.match(error.message, /did not answer/);
  assert.ok(error.cause instanceof Error, 'has a cause');
}

async function silenced<K extends keyof Factories>(bench: Bench<K>, waitsOf: WaitsOf<K>) {
  const client = await bench.open();
  const waits = await waitsOf(client, bench.name);
  return { engine: client.label, waits, speak: bench.silence(client) };
}

/**
 * A store that does not answer says nothing about who holds what. A waiter that hears "another owner holds it" skips
 * its work, or answers its own caller with a conflict, while the lock is free.
 */
export function outageCases<K extends keyof Factories>(waitsOf: WaitsOf<K>): Cases<K> {
  return {
    'a store that does not answer is no contention': needing('silence', async (bench) => {
      const { engine, waits, speak } = await silenced(bench, waitsOf);
      const timeoutMs = bench.unit;
      for (const wait of waits) {
        const start = bench.time.now();
        await assertSilence(wait, timeoutMs, engine, bench.name);
        bench.assertElapsed(start, timeoutMs);
      }
      speak();
    }),

    'waiters behind another waiter of their process hear of an outage too': needing(
      'silence',
      async (bench) => {
        const { engine, waits, speak } = await silenced(bench, waitsOf);
        const start = bench.time.now();
        const line = [...waits, ...waits, ...waits];
        // The waiters give up one after the other, so that each one behind comes to the head.
        const waitLimit = line.map((_wait, place) => (1 + place / line.length) * bench.unit);
        await Promise.all(
          line.map((wait, place) => assertSilence(wait, waitLimit[place]!, engine, bench.name)),
        );
        bench.assertElapsed(start, waitLimit.at(-1)!);
        speak();
      },
    ),
  };
}
