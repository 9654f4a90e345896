import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { waitFor } from '../../fixtures/wait-for.ts';
import { startZooKeeper, type ZooKeeperServer } from '../../fixtures/zookeeper/zookeeper-server.ts';
import { describeCurator } from '../java-build.ts';
import type { Post } from '../posts.ts';
import type { FleetPlan } from './fleet-plan.ts';
import { curatorPost, type Increment, incrementsIn, nodePost } from './fleet.ts';

const GOAL = 2000;
const WORKERS = 4;
/** Of a process that is killed the others wait for as long; one that lives must not lose it on a busy machine. */
const SESSION_MS = 5000;
const LONGEST_MS = 150_000;

interface Stage extends Pick<FleetPlan, 'kind'> {
  /** At which values a process is killed: of Node, of Java, of Node, and so on. */
  readonly kills: readonly number[];
}

const STAGES: readonly Stage[] = [
  { kind: 'lock', kills: [400, 800, 1200, 1600] },
  { kind: 'writeLock', kills: [] },
  { kind: 'semaphore', kills: [] },
];

describeCurator('a JVM of each version with 4 threads and 2 Node processes with 4 workers', () => {
  let server: ZooKeeperServer | undefined;
  let dir = '';
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'holdfast-fleet-'));
    server = await startZooKeeper();
  });
  afterAll(async () => {
    await server?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  test.each(STAGES)(
    '$kind: 2,000 increments without a guard, none lost or done twice, and fences increase',
    async ({ kind, kills }) => {
      const file = join(dir, kind);
      writeFileSync(file, '');
      const plan: FleetPlan = {
        servers: server!.address,
        sessionMs: SESSION_MS,
        kind,
        name: `/fleet/${kind}`,
        file,
        goal: GOAL,
        workers: WORKERS,
        waitMs: LONGEST_MS,
      };
      const increments = await runFleet(plan, kills);
      expect(increments.map(({ value }) => value)).toEqual(Array.from({ length: GOAL }, (_, at) => at + 1));
      expect(new Set(increments.map(({ side }) => side))).toEqual(new Set(['java', 'node']));
      const fences = increments.flatMap(({ fence }) => fence ?? []);
      expect(fences.filter((fence, at) => at > 0 && fence <= fences[at - 1]!)).toEqual([]);
    },
    LONGEST_MS + 30_000,
  );
});

async function runFleet(plan: FleetPlan, kills: readonly number[]): Promise<readonly Increment[]> {
  const startedAt = performance.now();
  const jvms = await Promise.all([curatorPost(plan, 'curator-5-9'), curatorPost(plan, 'curator-5-4')]);
  const nodes = [nodePost(plan), nodePost(plan)];
  const posts: readonly Post[] = [...jvms, ...nodes];
  const valueNow = (): number => incrementsIn(plan.file).at(-1)?.value ?? 0;
  const check = (): void => {
    for (const { failure } of posts) if (failure !== undefined) throw failure;
  };
  try {
    for (const [at, value] of kills.entries()) {
      await waitFor(`the number is ${value}`, () => valueNow() >= value, LONGEST_MS);
      check();
      await (at % 2 === 0 ? nodes : jvms)[(at >> 1) % 2]!.replace();
    }
    await waitFor('all are done', () => posts.every((post) => post.isDone) || hasFailed(posts), LONGEST_MS);
    check();
  } finally {
    await Promise.all(posts.map((post) => post.end()));
  }
  const increments = incrementsIn(plan.file);
  const ofJava = increments.filter(({ side }) => side === 'java').length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `${plan.kind}: ${increments.length} increments (${ofJava} by Java), ${kills.length} kills in ${seconds} s\n`,
  );
  return increments;
}

function hasFailed(posts: readonly Post[]): boolean {
  return posts.some(({ failure }) => failure !== undefined);
}
