import { describe, expect, test } from 'vitest';
import { namedClients } from '../../../src/kernels/cells/named-clients.ts';
import { LineFleet } from '../../fixtures/lines/line-fleet.ts';

describe('cells without a clock', () => {
  test('a client enters before any document names it, so that no other client takes it for dead', async () => {
    const fleet = new LineFleet({ latencyMs: 5 });
    await fleet.run(async () => {
      const { locks } = fleet.open();
      const { documents } = fleet.server;
      const named: boolean[] = [];
      const write = documents.write.bind(documents);
      documents.write = (...change) => {
        const clients = [...namedClients(change[3])];
        named.push(documents.living(clients).size === clients.length);
        return write(...change);
      };
      const enter = documents.enter.bind(documents);
      let refusals = 1;
      documents.enter = (client, session) => {
        if (refusals-- > 0) throw new Error('not now');
        enter(client, session);
      };
      await locks.monitor('m', { initial: 0 }).run((m) => m.set(1));
      expect(named.length).toBeGreaterThan(0);
      expect(named).not.toContain(false);
    });
  });

  test('a waiter that asks again changes nothing, and so wakes no other waiter', async () => {
    const fleet = new LineFleet({ latencyMs: 1 });
    await fleet.run(async () => {
      const members = Array.from({ length: 3 }, () => fleet.open());
      const arrivals = members
        .slice(0, 2)
        .map(({ locks }) => locks.barrier('b', { parties: 3 }).arrive({ timeoutMs: 60_000 }));
      await fleet.clock.sleep(100);
      const before = members.map(({ link }) => link.requests);
      await fleet.clock.sleep(5000);
      const asked = members.map(({ link }, at) => link.requests - before[at]!);
      expect(Math.max(...asked)).toBeLessThan(20);
      await members[2]!.locks.barrier('b', { parties: 3 }).arrive();
      await Promise.all(arrivals);
    });
  });

  test('what became of a party goes with the next change of its client', async () => {
    const fleet = new LineFleet();
    await fleet.run(async () => {
      const barrier = fleet.open().locks.barrier('b', { parties: 1 });
      for (let round = 0; round < 10; round++) await barrier.arrive();
      const { state } = fleet.server.documents.read('barrier', 'b') as {
        readonly state: { readonly state: { readonly outcomes: readonly unknown[] } };
      };
      expect(state.state.outcomes.length).toBeLessThanOrEqual(1);
    });
  });
});
