import { MemoryStore } from '../../src/engines/memory/index.ts';
import { EngineError } from '../../src/index.ts';
import type { VirtualClock } from '../fixtures/virtual-clock.ts';
import { storeEngine } from '../core/store-engine.ts';

const LEASE_MS = 30_000;

/**
 * Everything that is measured, once: a lock that is granted at once and another that waits for it, a time-out, a single attempt
 * that is refused, a loss, and a renewal that fails.
 */
export async function act(clock: VirtualClock, whileTwoWait: () => Promise<void>): Promise<void> {
  let failure: Error | undefined;
  const options = { label: 'stage', renewalLeaseMs: LEASE_MS };
  await using locks = storeEngine(clock, new MemoryStore(clock), options, ({ lock }) => ({
    lock: {
      ...lock,
      renewMany: (renewals) => {
        const error = failure;
        failure = undefined;
        return error === undefined
          ? lock.renewMany(renewals)
          : renewals.map(() => ({ kind: 'failed' as const, error }));
      },
    },
  }));
  const orders = locks.lock('orders:7');
  const first = await orders.acquire();
  await orders.acquire({ timeoutMs: 50 }).catch(() => undefined);
  await orders.tryAcquire();
  const waiting = [orders.run(() => clock.sleep(10)), orders.run(() => undefined)];
  await whileTwoWait();
  failure = new EngineError('broken', { resource: 'lock "orders:7"', engine: 'stage' }, { retryable: true });
  await clock.sleep(LEASE_MS / 2);
  await first.release();
  await Promise.all(waiting);
  const brief = await locks.semaphore('brief', { permits: 1 }).acquire({ leaseMs: 1_000 });
  await clock.sleep(2_000);
  await brief.release().catch(() => undefined);
}

/** The name of a lock without its number. */
export function family(name: string): string {
  return name.replace(/:.*/, ':*');
}
