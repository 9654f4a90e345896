import { expect, test } from 'vitest';
import { leasedSemaphore } from '../../../src/kernels/lines/leased-semaphore.ts';
import type { LineContext } from '../../../src/kernels/lines/line-context.ts';
import { EngineError } from '../../../src/spi/errors.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';
import { newClient } from '../../core/new-client.ts';

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
