import type { Synchronizers } from 'holdfast';
import { assemble, openContext, protocolTraits, ReliableCells, remoteProtocols } from 'holdfast/engine';
import type { Dice } from './dice.ts';
import type { Plant } from './plant.ts';
import type { Process } from './process.ts';
import type { SimulatedWire } from './wire.ts';

/** Leases and time-outs of the simulated fleet: short, so that much happens in little simulated time. */
export const LEASE_MS = 3_000;
export const SESSION_MS = 3_000;
export const COMMAND_TIMEOUT_MS = 400;

/** The real library on the simulated wire: nothing of it is replaced but time, chance and transport. */
export function simulatedEngine(
  process: Process,
  wire: SimulatedWire,
  dice: Dice,
  plant: Plant,
): Synchronizers {
  const context = openContext({
    engine: 'simulated',
    options: { label: process.name, renewalLeaseMs: LEASE_MS },
    clock: plant.clock(process.clock),
    random: dice,
    sessions: { store: wire, ttlMs: SESSION_MS },
  });
  const { client, session } = context;
  const cells = new ReliableCells(client, session, wire, { commandTimeoutMs: COMMAND_TIMEOUT_MS });
  const protocols = remoteProtocols(cells);
  return assemble(context, {
    traits: {
      wakeUp: 'push',
      clock: 'server',
      crash: 'session',
      waiters: 'process',
      permitOrder: 'fleet',
      keyspace: 'by-kind',
      leaseGranularityMs: 0,
      scope: 'fleet',
    },
    protocols: {
      ...protocols,
      fairLock: { ...protocols.fairLock, traits: protocolTraits({ batchesWaiters: true }) },
    },
  });
}
