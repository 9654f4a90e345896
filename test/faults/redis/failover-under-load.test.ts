import { expect, test } from 'vitest';
import { describeRedis } from '../../fixtures/redis/redis-binary.ts';
import { startRedisCluster } from '../../fixtures/redis/redis-cluster.ts';
import { startRedisSentinel } from '../../fixtures/redis/redis-sentinel.ts';
import { startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { FencedRegister } from './fenced-register.ts';
import type { ClientName, Place } from './open-locks.ts';
import { type Program, startProgram } from './program.ts';

const name = 'counter';
const WORKERS: readonly ClientName[] = ['node-redis', 'ioredis', 'node-redis', 'ioredis'];
/** Enough to know that it works again. */
const SOME = 20;

/** Workers in processes of their own that increment one number; `faults` happen one after the other meanwhile. */
async function underLoad(place: Place, faults: readonly (() => Promise<unknown>)[]): Promise<Outcome> {
  await using resource = await startRedisServer();
  using register = await FencedRegister.open(resource.port);
  await using workers = startWorkers({ place, name, registerPort: resource.port, renewalLeaseMs: 1500 });

  await workers.workOn();
  for (const fault of faults) {
    await fault();
    await workers.workOn();
  }
  const accepted = await workers.end();
  const fences = await register.accepted();
  return {
    lost: accepted - (await register.value()),
    overtaken: fences.filter((fence, at) => at > 0 && fence <= (fences[at - 1] ?? 0n)).length,
  };
}

/** Of the writes that the fence let through: how many are not in the number, and how many came in the wrong order. */
interface Outcome {
  readonly lost: number;
  readonly overtaken: number;
}

const flawless: Outcome = { lost: 0, overtaken: 0 };

function startWorkers(plan: object) {
  const programs = WORKERS.map((client) => startProgram('incrementer', { ...plan, client }));
  return {
    workOn: async () => {
      const before = programs.map(progressOf);
      for (const [at, program] of programs.entries()) {
        await waitFor(`worker ${at} works`, () => progressOf(program) > (before[at] ?? 0) + SOME, 30_000);
      }
    },
    end: async () => {
      const ends = await Promise.all(programs.map((program) => program.end()));
      return ends.reduce((sum, end) => sum + Number(end['accepted']), 0);
    },
    [Symbol.asyncDispose]: async () => {
      for (const program of programs) await program[Symbol.asyncDispose]();
    },
  };
}

/** A worker that has ended by an error of its own will never work again. */
function progressOf(program: Program): number {
  if (!program.isAlive) throw new Error('A worker has ended.');
  return Number(program.facts.findLast(({ what }) => what === 'progress')?.['accepted'] ?? 0);
}

describeRedis('a failover under load', () => {
  test.concurrent(
    'by Sentinels',
    async () => {
      await using topology = await startRedisSentinel();
      const { sentinels, masterName } = topology;
      const outcome = await underLoad({ sentinels: sentinels.map(({ port }) => port), masterName }, [
        async () => {
          const master = await topology.masterServer();
          await master.kill();
          await topology.waitForNewMaster(master);
        },
        // It stands still, with all connections open: no client hears that it is gone.
        async () => {
          const master = await topology.masterServer();
          await master.pause();
          await topology.waitForNewMaster(master);
        },
      ]);
      expect(outcome).toEqual(flawless);
    },
    120_000,
  );

  test.concurrent(
    'in a cluster',
    async () => {
      await using cluster = await startRedisCluster();
      const outcome = await underLoad({ cluster: cluster.nodes.map(({ port }) => port) }, [
        async () => cluster.failover(await cluster.masterOf(name)),
        async () => {
          const master = await cluster.masterOf(name);
          await master.kill();
          await cluster.waitForNewMaster(name, master);
          await master.restart();
          await cluster.waitAgreed(30_000);
        },
        async () => {
          const master = await cluster.masterOf(name);
          await master.pause();
          await cluster.waitForNewMaster(name, master);
        },
      ]);
      expect(outcome).toEqual(flawless);
    },
    120_000,
  );
});
