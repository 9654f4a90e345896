import { describe, expect, test } from 'vitest';
import { leasedSemaphore } from '../../../src/kernels/lines/leased-semaphore.ts';
import type { LineContext } from '../../../src/kernels/lines/line-context.ts';
import { EngineError } from '../../../src/spi/errors.ts';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { newClient } from '../../core/new-client.ts';

/** Of one way. */
const LATENCY_MS = 10;

const broken = new EngineError(
  'the connection broke',
  { resource: 'a connection', engine: 'lines' },
  { retryable: true },
);

test('a single attempt at a semaphore of leases whose looks fail says that the store did not answer', async () => {
  const session = { open: () => undefined, whenEnded: new Set() };
  const tickets = { list: () => Promise.reject(broken) };
  const context = { client: newClient(new VirtualClock()), session, tickets };
  const semaphore = leasedSemaphore(context as unknown as LineContext);
  const ask = { leaseMs: 1000, interestMs: 1000, permits: 1, total: 1 };
  await expect(semaphore.acquire('a', { ...ask, owner: 'one', wait: false })).rejects.toMatchObject({
    code: 'ENGINE',
    retryable: true,
    resource: 'semaphore "a"',
    message: expect.stringContaining('semaphore "a": test did not answer'),
  });
});

describe('an owner whose session ends while it looks for permits', () => {
  test.each([
    { of: 'that acquires', holds: 0, waits: true },
    { of: 'that waits behind others', holds: 1, waits: true },
    { of: 'that makes a single attempt', holds: 0, waits: false },
  ])('$of starts again in the next session', async ({ holds, waits }) => {
    const fleet = new LineFleet({ latencyMs: LATENCY_MS });
    await fleet.run(async () => {
      const [one, two] = [fleet.open({ leasesPermits: true }), fleet.open({ leasesPermits: true })];
      const permit = { permits: 1 };
      const held = holds > 0 ? await one.locks.semaphore('a', permit).acquire() : undefined;
      await two.locks.lock('b').run(() => undefined);
      const semaphore = two.locks.semaphore('a', permit);
      const taking = waits ? semaphore.acquire() : semaphore.tryAcquire();
      // Its requests are on their way: to the lines of the semaphore, in one flight.
      await fleet.clock.sleep(LATENCY_MS / 2);
      fleet.server.end(two.link.session!);
      if (held !== undefined) {
        await fleet.untilTickets(1, 'semaphore', 'a');
        await held.release();
      }
      const hold = await taking;
      expect(hold?.fence).toBeGreaterThan(0n);
      await hold!.release();
    });
  });
});
