import { expect, test } from 'vitest';
import { Client } from '../../src/core/client.ts';
import { ClocklessCells } from '../../src/kernels/cells/clockless-cells.ts';
import { SeededRandom } from '../engines/seeded-random.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';

test('a client enters cells without a clock only while its session is open', async () => {
  const client = new Client({
    label: 'cells',
    clock: new VirtualClock(),
    random: new SeededRandom('cells'),
    renewalLeaseMs: 30_000,
    maxHoldMs: Infinity,
  });
  const session = {
    open: () => undefined,
    endIdentity: () => undefined,
    endAfter: (closed: Promise<void>) => closed,
  };
  let entered = 0;
  const cells = new ClocklessCells(client, session, {
    enter: async () => void entered++,
    read: async () => ({ version: undefined, state: undefined, revision: 1 }),
    write: async () => 'written',
    living: async () => new Set<string>(),
    watch: async () => () => undefined,
  });
  const request = { client: client.ids.client, seq: 1, notAfter: Infinity };
  const call = { kind: 'latch', name: 'a', verb: 'trySetCount', ask: { count: 1 }, request };
  // As a copy of a change whose session has ended, and whose next one is on its way.
  client.sessionDeadline = -Infinity;
  await expect(cells.send(call)).rejects.toMatchObject({ code: 'ENGINE', retryable: true });
  expect(entered).toBe(0);
  client.sessionDeadline = client.clock.now() + 1000;
  await cells.send(call);
  expect(entered).toBe(1);
});
