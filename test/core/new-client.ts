import { Client } from '../../src/core/client.ts';
import type { VirtualClock } from '../fixtures/virtual-clock.ts';

/** A client of no engine, for the parts of the core that need one. */
export function newClient(clock: VirtualClock): Client {
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  return new Client({ label: 'test', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
}
