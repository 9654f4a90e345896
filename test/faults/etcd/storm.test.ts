import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../engines/seeded-random.ts';
import { describeEtcd } from '../../fixtures/etcd/describe-etcd.ts';
import { startCluster } from '../../fixtures/etcd/etcd-cluster.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import type { Program } from '../redis/program.ts';
import { FencedRegister } from '../zookeeper/fenced-register.ts';
import { ForcedEnds } from '../zookeeper/forced-ends.ts';
import { RegisterServer } from '../zookeeper/register-server.ts';
import { Workers } from '../zookeeper/workers.ts';
import { startEtcdProgram } from './etcd-program.ts';
import { drawClientFault, drawMemberFault, type EtcdFault, type EtcdGround } from './injections.ts';
import { openProxiedEtcd } from './proxied-etcd.ts';

/** `npm run test:etcd-storm` injects 1,000. */
const INJECTIONS = Number(process.env['HOLDFAST_STORM'] ?? 40);
const SEED = process.env['HOLDFAST_STORM_SEED'] ?? `${Date.now()}`;
/** After so many all faults are mended, and every worker has to go on. */
const BETWEEN_CALMS = 20;
const LONGEST_PAUSE_MS = 150;
const SESSION_MS = 3000;
const CLIENTS = 4;
const PROGRAMS = 2;
const LONGEST_MS = 60_000 + 3000 * INJECTIONS;
const name = '/storm';

/** The faults that are on, each of which ends by itself. */
class EtcdWeather {
  readonly #ending = new Set<Promise<void>>();
  /** The fault of a member, if there is one now: a second would leave no majority. */
  ofMember: Promise<void> | undefined;

  begin({ lastsMs, mend }: EtcdFault): Promise<void> {
    const ending = sleep(lastsMs).then(mend);
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending)).catch(() => undefined);
    return ending;
  }

  async clear(): Promise<void> {
    await Promise.all(this.#ending);
    this.ofMember = undefined;
  }
}

describeEtcd(`a storm of ${INJECTIONS} faults over a cluster, seed ${SEED}`, () => {
  test(
    'no write of an overtaken holder is accepted, and no waiter is stuck',
    { timeout: LONGEST_MS },
    async () => {
      process.stdout.write(
        `The seed of the storm is ${SEED}: HOLDFAST_STORM_SEED=${SEED} repeats its choices.\n`,
      );
      const random = new SeededRandom(SEED);
      await using cluster = await startCluster();
      const register = new FencedRegister();
      using registerServer = await RegisterServer.start(register);
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, (_, at) => {
          const first = at % cluster.servers.length;
          const servers = [...cluster.servers.slice(first), ...cluster.servers.slice(0, first)];
          return openProxiedEtcd(servers, { sessionMs: SESSION_MS });
        }),
      );
      const programs = Array.from({ length: PROGRAMS }, () =>
        startEtcdProgram('incrementer', {
          endpoints: cluster.address,
          sessionMs: SESSION_MS,
          name,
          registerPort: registerServer.port,
        }),
      );
      const forced = new ForcedEnds();
      const workers = new Workers(clients, name, register, forced);
      const ground: EtcdGround = { cluster, clients, programs, name, sessionMs: SESSION_MS, forced };
      const tally = new Map<string, number>();
      const weather = new EtcdWeather();
      try {
        await allWorkOn(workers, programs);
        for (let count = 1; count <= INJECTIONS; count += 1) {
          const isOfMember = weather.ofMember === undefined && random.fraction() < 0.1;
          const { what, inject } = isOfMember ? drawMemberFault(random) : drawClientFault(random);
          tally.set(what, (tally.get(what) ?? 0) + 1);
          const fault = await inject(ground, random);
          const ending = fault && weather.begin(fault);
          if (isOfMember) {
            weather.ofMember = ending;
            void ending?.then(() => (weather.ofMember = undefined));
          }
          await sleep(LONGEST_PAUSE_MS * random.fraction());
          if (count % BETWEEN_CALMS !== 0 && count !== INJECTIONS) continue;
          await weather.clear();
          await allWorkOn(workers, programs);
          forced.forget();
        }
      } finally {
        await weather.clear();
        await workers.end();
        for (const client of clients) await client[Symbol.asyncDispose]();
      }
      for (const program of programs) await program.end();
      process.stdout.write(`${JSON.stringify(Object.fromEntries(tally))}\n`);
      process.stdout.write(`${register.accepted} writes accepted, ${register.refused} refused\n`);
      expect(workers.overlaps, `seed ${SEED}`).toEqual([]);
      expect(register.value, `seed ${SEED}`).toBe(register.accepted);
    },
  );
});

async function allWorkOn(workers: Workers, programs: readonly Program[]): Promise<void> {
  const before = programs.map(progressOf);
  await workers.workOn();
  for (const [at, program] of programs.entries())
    await waitFor(`process ${at} works`, () => progressOf(program) > before[at]!, 60_000);
}

function progressOf(program: Program): number {
  if (!program.isAlive) throw new Error('A process has ended.');
  return Number(program.facts.findLast(({ what }) => what === 'progress')?.['accepted'] ?? 0);
}
