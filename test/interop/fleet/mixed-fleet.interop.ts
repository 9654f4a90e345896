import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { type RedisServer, startRedisServer } from '../../fixtures/redis/redis-server.ts';
import { describeJava } from '../java-build.ts';
import type { FleetPlan } from './fleet-plan.ts';
import { type FleetRecord, nodePost, recordsOf, redissonPost } from './fleet.ts';
import { type FreeSpell, FreeWatch } from './free-watch.ts';

const JVMS = 2;
const NODES = 4;
const LEASE_MS = 2000;
const NAME = 'number';
/** A Node process is killed every second, and a JVM with every tenth. */
const TICK_MS = 1000;
const NODES_FOR_EACH_JVM = 10;
/** How long a lock may be free while a client waits for it; of a fair lock, for each dead one that stands before. */
const FREE_MS = LEASE_MS + 1000;
/** What ours give a place of Java's beyond its deadline, which is by the clock of its JVM. Once for all: deadlines are a chain. */
const CLOCKS_APART_MS = 2000;
/** To go on to the goal under every lock takes minutes more than the others have altogether: for when that is asked for. */
const WHOLE = process.env['HOLDFAST_WHOLE_FLEET'] === '1';
const LONGEST_MS = WHOLE ? 900_000 : 150_000;
const GOAL = 20_000;

interface Stage extends Pick<FleetPlan, 'kind' | 'goal' | 'readers'> {
  /** When it is enough, if the goal has not been reached by then; and how much it must be. */
  readonly forMs: number;
  readonly atLeast: number;
  /** How long processes are killed. */
  readonly killsForMs: number;
}

/**
 * A fair lock cannot be killed at this rate for long. Eight threads of a JVM that was killed stand in line, each with a
 * patience of two seconds from when it is first, by Redisson's rule: 16 s for the JVM of every ten seconds. The eight
 * waiters of a Node process cost two seconds together, of each second. So nearly all that is done in these 30 s is to pass
 * over the dead, about 24 threads of Java, and a Node process is killed again before it has come from the end of
 * the line to its head. Afterwards the line must recover: its increments are done by those who live.
 */
const STAGES: readonly Stage[] = [
  { kind: 'lock', readers: 0, killsForMs: Infinity, ...toTheGoal() },
  { kind: 'fairLock', readers: 0, killsForMs: 30_000, ...(WHOLE ? toTheGoal() : lasting(75_000, 2000)) },
  { kind: 'writeLock', readers: 1, killsForMs: Infinity, ...(WHOLE ? toTheGoal() : lasting(60_000, 1000)) },
];

function toTheGoal() {
  return { goal: GOAL, forMs: LONGEST_MS, atLeast: GOAL };
}

function lasting(forMs: number, atLeast: number) {
  return { goal: GOAL, forMs, atLeast };
}

describeJava(
  '2 JVMs with 8 threads and 4 Node processes with 8 workers, some of them killed all the while',
  () => {
    test.each(STAGES)(
      '$kind: no increment is lost or done twice, fences increase, and no waiter waits in vain',
      async (stage) => {
        await using server = await startRedisServer();
        const { records, spells, kills } = await runFleet(server, stage);

        const values = records.map(({ value }) => value);
        expect(values.filter((value, at) => value !== at + 1)).toEqual([]);
        expect(records.length).toBeGreaterThanOrEqual(stage.atLeast);
        expect(await server.command('LRANGE', `${NAME}:torn`, 0, -1)).toEqual([]);
        const fences = records.flatMap(({ fence }) => fence ?? []);
        expect(fences.filter((fence, at) => at > 0 && fence <= (fences[at - 1] ?? 0n))).toEqual([]);
        expect(spells.filter(isTooLong)).toEqual([]);
        expect(kills).toBeGreaterThan(1);
      },
      LONGEST_MS + 60_000,
    );
  },
);

function isTooLong({ forMs, dead }: FreeSpell): boolean {
  return forMs > FREE_MS * Math.max(1, dead.java + dead.node) + (dead.java > 0 ? CLOCKS_APART_MS : 0);
}

interface Outcome {
  readonly records: readonly FleetRecord[];
  readonly spells: readonly FreeSpell[];
  readonly kills: number;
}

async function runFleet(server: RedisServer, stage: Stage): Promise<Outcome> {
  const { kind, goal, readers, forMs, killsForMs } = stage;
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
  const jvms = await Promise.all(Array.from({ length: JVMS }, () => redissonPost(plan, 'redisson-4')));
  const nodes = Array.from({ length: NODES }, (_, at) => nodePost(plan, at));
  const posts = [...jvms, ...nodes];
  const watch = new FreeWatch(server, plan);
  const startedAt = performance.now();
  const passedMs = (): number => performance.now() - startedAt;
  let kills = 0;
  let ofJava: Promise<void> | undefined;
  try {
    for (let tick = 1; passedMs() < forMs; tick += 1) {
      await sleep(tick * TICK_MS - passedMs());
      for (const { failure } of posts) if (failure !== undefined) throw failure;
      if (posts.every((post) => post.isDone)) break;
      if (passedMs() > killsForMs || (await valueNow()) >= goal) continue;
      kills += 1;
      await nodes[kills % NODES]!.replace();
      if (kills % NODES_FOR_EACH_JVM > 0) continue;
      // It takes a second or two to start, in which Node processes go on being killed.
      await ofJava;
      ofJava = jvms[(kills / NODES_FOR_EACH_JVM) % JVMS]!.replace();
    }
    await ofJava;
  } finally {
    await Promise.all([watch.end(), ...posts.map((post) => post.end())]);
  }
  const tookMs = passedMs();
  const outcome = { records: await recordsOf(server, NAME), spells: await watch.end(), kills };
  tell(kind, outcome, tookMs);
  return outcome;
}

/** For the reader of the log: how the sides shared it is not promised. */
function tell(kind: string, { records, spells, kills }: Outcome, tookMs: number): void {
  const ofJava = records.filter(({ side }) => side === 'java').length;
  const longest = Math.max(0, ...spells.map(({ forMs }) => forMs));
  process.stdout.write(
    `${kind}: ${records.length} increments (${ofJava} by Java), ${turnsOf(records)} turns at the server, ` +
      `${kills} kills in ${(tookMs / 1000).toFixed(0)} s, free for ${longest.toFixed(0)} ms at the most\n`,
  );
}

/** What a Node process hands from one of its workers to the next has fences that follow each other. */
function turnsOf(records: readonly FleetRecord[]): number {
  return records.filter(({ side, fence }, at) => {
    const before = records[at - 1];
    const isHandedOn = side === 'node' && before?.side === 'node' && fence === (before.fence ?? 0n) + 1n;
    return !isHandedOn;
  }).length;
}
