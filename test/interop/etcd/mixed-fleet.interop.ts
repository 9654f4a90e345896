import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EtcdServer, startEtcd } from '../../fixtures/etcd/etcd-server.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { startNode } from '../node-program.ts';
import { JavaPost, NodePost, type Post } from '../posts.ts';
import type { EtcdFleetPlan } from './etcd-fleet-plan.ts';
import { describeGo } from './describe-go.ts';
import { GoClients } from './go-clients.ts';

const GOAL = 2000;
const WORKERS = 4;
/** Of a process that is killed the others wait for as long; one that lives must not lose it on a busy machine. */
const TTL_SECONDS = 5;
const LONGEST_MS = 150_000;

const STAGES: readonly (Pick<EtcdFleetPlan, 'kind'> & { readonly kills: readonly number[] })[] = [
  { kind: 'lock', kills: [400, 800, 1200, 1600] },
  { kind: 'writeLock', kills: [] },
];

interface EtcdIncrement {
  readonly value: number;
  readonly side: string;
  /** The revision. Undefined for the recipe of Go, which has none. */
  readonly fence: bigint | undefined;
}

describeGo('2 Go processes and 2 Node processes with 4 workers each', () => {
  let server: EtcdServer | undefined;
  let dir = '';
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'holdfast-fleet-'));
    server = await startEtcd();
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
      const plan: EtcdFleetPlan = {
        endpoints: server!.address,
        sessionMs: TTL_SECONDS * 1000,
        kind,
        name: `/fleet/${kind}`,
        file,
        goal: GOAL,
        workers: WORKERS,
        waitMs: LONGEST_MS,
      };
      const increments = await runFleet(plan, kills);
      expect(increments.map(({ value }) => value)).toEqual(Array.from({ length: GOAL }, (_, at) => at + 1));
      expect(new Set(increments.map(({ side }) => side))).toEqual(new Set(['go', 'node']));
      const fences = increments.flatMap(({ fence }) => fence ?? []);
      expect(fences.filter((fence, at) => at > 0 && fence < fences[at - 1]!)).toEqual([]);
    },
    LONGEST_MS + 30_000,
  );
});

function goPost(plan: EtcdFleetPlan): Promise<Post> {
  const { endpoints, workers, kind, file, goal, name } = plan;
  return JavaPost.open({
    workers,
    start: () => GoClients.start(endpoints),
    work: async (go) => (await go.open(TTL_SECONDS)).call('increment', name, { kind, file, goal }),
  });
}

async function runFleet(plan: EtcdFleetPlan, kills: readonly number[]): Promise<readonly EtcdIncrement[]> {
  const startedAt = performance.now();
  const gos = await Promise.all([goPost(plan), goPost(plan)]);
  const nodes = [0, 1].map(() => new NodePost(() => startNode('etcd-incrementer', plan)));
  const posts: readonly Post[] = [...gos, ...nodes];
  const hasFailed = (): boolean => posts.some(({ failure }) => failure !== undefined);
  const check = (): void => {
    for (const { failure } of posts) if (failure !== undefined) throw failure;
  };
  try {
    for (const [at, value] of kills.entries()) {
      const reached = (): boolean => (incrementsIn(plan.file).at(-1)?.value ?? 0) >= value;
      await waitFor(`the number is ${value}`, reached, LONGEST_MS);
      check();
      await (at % 2 === 0 ? nodes : gos)[(at >> 1) % 2]!.replace();
    }
    await waitFor('all are done', () => posts.every((post) => post.isDone) || hasFailed(), LONGEST_MS);
    check();
  } finally {
    await Promise.all(posts.map((post) => post.end()));
  }
  const increments = incrementsIn(plan.file);
  const ofGo = increments.filter(({ side }) => side === 'go').length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `${plan.kind}: ${increments.length} increments (${ofGo} by Go), ${kills.length} kills in ${seconds} s\n`,
  );
  return increments;
}

function incrementsIn(file: string): readonly EtcdIncrement[] {
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.map((line) => {
    const [value, side = '', fence = ''] = line.split(' ');
    return { value: Number(value), side, fence: fence === '' ? undefined : BigInt(fence) };
  });
}
