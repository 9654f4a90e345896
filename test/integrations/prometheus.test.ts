import { Registry } from 'prom-client';
import { measure } from 'holdfast/prometheus';
import { memory } from 'holdfast/memory';
import { expect, test } from 'vitest';
import { MemoryStore } from '../../src/engines/memory/index.ts';
import { storeEngine } from '../core/store-engine.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { act, family } from './stage.ts';

/** The lines of this registry, without comments, buckets, sums, and counters of what has not happened. */
async function linesOf(register: Registry): Promise<readonly string[]> {
  return (await register.metrics())
    .split('\n')
    .filter((line) => line !== '' && !/^#|_bucket|_sum|_total\{.*\} 0$/.test(line));
}

test('measures waits, holds and how they end, with names as nameOf gives them', async () => {
  const register = new Registry();
  const metrics = measure({ register, nameOf: family });
  const clock = new VirtualClock();
  let during: readonly string[] = [];
  try {
    await clock.run(() =>
      act(clock, async () => {
        during = await linesOf(register);
      }),
    );
    metrics.countRefusal({ kind: 'lock', name: 'orders:7', engine: 'stage' });
    const orders = 'holdfast_kind="lock",holdfast_engine="stage",holdfast_name="orders:*"';
    const brief = 'holdfast_kind="semaphore",holdfast_engine="stage",holdfast_name="brief"';
    expect(during).toContain(`holdfast_holds{${orders}} 1`);
    expect(during).toContain(`holdfast_waiters{${orders}} 2`);
    expect(await register.metrics()).toContain(`holdfast_hold_time_seconds_sum{${orders}} 15.06\n`);
    expect(await linesOf(register)).toEqual([
      `holdfast_wait_time_seconds_count{${orders}} 3`,
      `holdfast_wait_time_seconds_count{${orders},error_type="ACQUIRE_TIMEOUT"} 2`,
      `holdfast_wait_time_seconds_count{${brief}} 1`,
      `holdfast_hold_time_seconds_count{${orders}} 3`,
      `holdfast_hold_time_seconds_count{${brief}} 1`,
      `holdfast_acquired_total{${orders}} 3`,
      `holdfast_acquired_total{${brief}} 1`,
      `holdfast_timeouts_total{${orders}} 2`,
      `holdfast_lost_total{${brief},holdfast_reason="expired"} 1`,
      `holdfast_refusals_total{${orders}} 1`,
      `holdfast_renewal_failures_total{${orders}} 1`,
      `holdfast_holds{${orders}} 0`,
      `holdfast_waiters{${orders}} 0`,
    ]);
  } finally {
    metrics.stop();
  }
});

// Prometheus knows an increase only from one sample to the next.
test('has the counters that alerts look at before anything has happened', async () => {
  const register = new Registry();
  const metrics = measure({ register });
  await using locks = memory();
  await locks.lock('a').run(() => undefined);
  const labels = 'holdfast_kind="lock",holdfast_engine="memory"';
  const lines = (await register.metrics()).split('\n').filter((line) => /_total\{.*\} 0$/.test(line));
  metrics.stop();
  expect(lines).toEqual([
    `holdfast_timeouts_total{${labels}} 0`,
    ...['expired', 'gone', 'session-ended', 'closed'].map(
      (reason) => `holdfast_lost_total{${labels},holdfast_reason="${reason}"} 0`,
    ),
    `holdfast_refusals_total{${labels}} 0`,
    `holdfast_renewal_failures_total{${labels}} 0`,
  ]);
});

test('has no name without nameOf, and nothing after stop', async () => {
  const register = new Registry();
  const metrics = measure({ register });
  await using locks = memory();
  await locks.lock('a secret').run(() => locks.lock('a secret').run(() => undefined));
  const text = await register.metrics();
  expect(text).toContain('holdfast_acquired_total{holdfast_kind="lock",holdfast_engine="memory"} 1\n');
  expect(text).not.toContain('secret');
  metrics.stop();
  expect((await register.metrics()).trim()).toBe('');
  measure({ register }).stop();
});

test('counts a hold that an operator has ended as lost, and not as a failed renewal', async () => {
  const register = new Registry();
  const metrics = measure({ register });
  const clock = new VirtualClock();
  const store = new MemoryStore(clock);
  const options = { label: 'stage', renewalLeaseMs: 3_000 };
  try {
    await clock.run(async () => {
      await using locks = storeEngine(clock, store, options, () => ({}));
      await using operator = storeEngine(clock, store, options, () => ({}));
      const hold = await locks.lock('a').acquire();
      await operator.lock('a').forceRelease();
      await clock.sleep(2_000);
      expect(hold.lost.aborted).toBe(true);
    });
    const labels = 'holdfast_kind="lock",holdfast_engine="stage"';
    const lines = await linesOf(register);
    expect(lines).toContain(`holdfast_lost_total{${labels},holdfast_reason="gone"} 1`);
    expect(lines.filter((line) => line.startsWith('holdfast_renewal_failures_total'))).toEqual([]);
  } finally {
    metrics.stop();
  }
});
