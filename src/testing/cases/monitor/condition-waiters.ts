import assert from 'node:assert/strict';
import type { Monitor } from '../../../index.ts';
import type { Bench } from '../../harness/bench.ts';
import { Deferred } from '../../harness/deferred.ts';
import { counter, type MonitorClient } from './counter.ts';

/** Waits on a condition once, and reports when it waits and how the wait ended. */
export function waiter(
  monitor: Monitor<number>,
  condition: string,
  options?: { readonly timeoutMs: number },
): Promise<boolean> {
  return monitor.run((m) => m.wait(condition, options));
}

export async function untilAtConditions(
  bench: Bench<'monitor'>,
  count: number,
  ...monitors: readonly Monitor<number>[]
): Promise<void> {
  await bench.untilWaiting(count, ...monitors);
  await bench.until(async () => !(await monitors[0]!.isLocked()));
}

/**
 * Signals the first waiter, of `first`, while another section is queued before it, and makes it leave while that
 * section is in. The second waiter must get the signal. Resolves when the first one has left.
 */
export async function signalledInLine(
  bench: Bench<'monitor'>,
  first: MonitorClient,
  other: MonitorClient,
  go: () => Promise<void>,
): Promise<number> {
  const both = [counter(other, bench.name), counter(first, bench.name)];
  const monitor = both[0]!;
  await untilAtConditions(bench, 1, ...both);
  const staying = bench.begin(waiter(monitor, 'go'));
  await untilAtConditions(bench, 2, ...both);
  const [signalling, lined, inside, leave] = [new Deferred(), new Deferred(), new Deferred(), new Deferred()];
  const signaller = monitor.run(async (m) => {
    signalling.resolve();
    await lined.promise;
    m.signal('go');
  });
  void bench.begin(signaller);
  await signalling.promise;
  const between = monitor.run(async () => {
    inside.resolve();
    await leave.promise;
  });
  void bench.begin(between);
  await bench.untilWaiting(3, ...both);
  lined.resolve();
  await Promise.all([signaller, inside.promise]);
  const start = bench.time.now();
  await go();
  leave.resolve();
  await between;
  assert.equal(await staying, true);
  return start;
}
