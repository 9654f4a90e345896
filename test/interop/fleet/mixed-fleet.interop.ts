import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { describeJava } from '../java-build.ts';
import type { FleetPlan } from './fleet-plan.ts';
import { type FleetRecord, JavaPost, NodePost, recordsOf } from './fleet.ts';
import { type FreeSpell, FreeWatch } from './free-watch.ts';

const JVMS = 2;
const NODES = 4;
const LEASE_MS = 2000;
const NAME = 'number';
const TICK_MS = 1000;
/** After a kill that left a line of dead waiters: how many increments show that it has recovered. */
const RECOVERED = 20;
/** How long a lock may be free while somebody waits for it. */
const FREE_MS = LEASE_MS + 1000;
/**
 * The same of a fair lock, for each dead one before. It is more than a lease: Java, which passes over the dead one by one,
 * does not take off what a waiter of ours had added to its deadline while it lived.
 */
const FREE_FOR_EACH_DEAD_MS = 3 * LEASE_MS;
const LONGEST_MS = 150_000;

interface Stage extends Pick<FleetPlan, 'kind' | 'goal' | 'readers'> {
  /**
   * The dead of a fair lock keep their places until their deadlines, one after the other: that is Redisson's rule, by which
   * a process of eight waiters costs eight times the patience. More kills than the line can digest would only lengthen it.
   */
  readonly waitsForRecovery: boolean;
  /** How often somebody is killed, if not until the goal is reached. */
  readonly kills?: number;
  /** A Node process is killed every tick, and a JVM with every so many of them. */
  readonly killsOfNodeForOneOfJava: number;
}

const STAGES: readonly Stage[] = [
  { kind: 'lock', goal: 20_000, readers: 0, waitsForRecovery: false, killsOfNodeForOneOfJava: 10 },
  {
    kind: 'fairLock',
    goal: 20_000,
    kills: 2,
    readers: 0,
    waitsForRecovery: true,
    killsOfNodeForOneOfJava: 2,
  },
  { kind: 'writeLock', goal: 5000, readers: 1, waitsForRecovery: false, killsOfNodeForOneOfJava: 10 },
];

describeJava(
  '2 JVMs with 8 threads and 4 Node processes with 8 workers, some of them killed all the while',
  () => {
    test.each(STAGES)(
      '$kind: no increment is lost or done twice, fences increase, and nobody waits in vain',
      async (stage) => {
        await using server = await startRedisServer();
        const { records, spells, kills, isDone } = await runFleet(server, stage);

        const values = records.map(({ value }) => value);
        expect(values.filter((value, at) => value !== at + 1)).toEqual([]);
        expect(isDone).toBe(true);
        expect(await server.command('LRANGE', `${NAME}:torn`, 0, -1)).toEqual([]);
        const fences = records.flatMap(({ fence }) => fence ?? []);
        expect(fences.filter((fence, at) => at > 0 && fence <= (fences[at - 1] ?? 0n))).toEqual([]);
        expect(
          spells.filter(({ forMs, deadHeads }) => forMs > FREE_MS + FREE_FOR_EACH_DEAD_MS * deadHeads),
        ).toEqual([]);
        expect(kills).toBeGreaterThan(1);
      },
      LONGEST_MS + 60_000,
    );
  },
);

interface Outcome {
  readonly records: readonly FleetRecord[];
  readonly spells: readonly FreeSpell[];
  readonly kills: number;
  /** The goal was reached, or everybody who was to be killed has been and the others went on. */
  readonly isDone: boolean;
}

async function runFleet(
  server: RedisServer,
  { kind, goal, readers, waitsForRecovery, killsOfNodeForOneOfJava, kills: planned = Infinity }: Stage,
): Promise<Outcome> {
  const plan: FleetPlan = {
    port: server.port,
    kind,
    name: NAME,
    goal,
    workers: 8,
    readers,
    pauseMs: 5,
    leaseMs: LEASE_MS,
    fairWaitMs: LEASE_MS,
  };
  const valueNow = async (): Promise<number> => Number((await server.command('GET', `${NAME}:value`)) ?? 0);
  const startedAt = performance.now();
  const jvms = await Promise.all(Array.from({ length: JVMS }, () => JavaPost.open(plan, 'redisson-4')));
  const nodes = Array.from({ length: NODES }, (_, at) => new NodePost(plan, at));
  const posts = [...jvms, ...nodes];
  const watch = new FreeWatch(server, plan);
  let kills = 0;
  let nextKillAt = RECOVERED;
  let isDone = false;
  try {
    while (!isDone && performance.now() - startedAt < LONGEST_MS) {
      await sleep(TICK_MS);
      for (const { failure } of posts) if (failure !== undefined) throw failure;
      const value = await valueNow();
      isDone = posts.every((post) => post.isDone) || (kills === planned && value >= nextKillAt);
      if (isDone || value >= goal || (waitsForRecovery && value < nextKillAt)) continue;
      nextKillAt = value + RECOVERED;
      kills += 1;
      if (kills % killsOfNodeForOneOfJava === 0)
        await jvms[(kills / killsOfNodeForOneOfJava) % JVMS]!.replace();
      await nodes[kills % NODES]!.replace();
    }
  } finally {
    await Promise.all([watch.end(), ...posts.map((post) => post.end())]);
  }
  const tookMs = performance.now() - startedAt;
  const outcome = { records: await recordsOf(server, NAME), spells: await watch.end(), kills, isDone };
  tell(kind, outcome, tookMs);
  return outcome;
}

/** For whoever reads the log: how the sides shared it is promised to nobody. */
function tell(kind: string, { records, spells, kills }: Outcome, tookMs: number): void {
  const ofJava = records.filter(({ side }) => side === 'java').length;
  const longest = Math.max(0, ...spells.map(({ forMs }) => forMs));
  process.stdout.write(
    `${kind}: ${records.length} increments (${ofJava} by Java), ${kills} kills in ${(tookMs / 1000).toFixed(0)} s, ` +
      `free for ${longest.toFixed(0)} ms at the most\n`,
  );
}
