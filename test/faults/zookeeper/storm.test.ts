import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { SeededRandom } from '../../engines/seeded-random.ts';
import { openClient } from '../../engines/zookeeper/client/open-client.ts';
import { waitFor } from '../../fixtures/wait-for.ts';
import { startEnsemble } from '../../fixtures/zookeeper/zookeeper-ensemble.ts';
import { describeZooKeeper } from '../../fixtures/zookeeper/zookeeper-jars.ts';
import type { Program } from '../redis/program.ts';
import { FencedRegister } from './fenced-register.ts';
import { ForcedEnds } from './forced-ends.ts';
import { drawClientFault, drawServerFault, type Fault, type StormGround } from './injections.ts';
import { openProxied } from './proxied-locks.ts';
import { RegisterServer } from './register-server.ts';
import { Workers } from './workers.ts';
import { startZooKeeperProgram } from './zookeeper-program.ts';

/** `npm run test:zookeeper-storm` injects 1,000. */
const INJECTIONS = Number(process.env['HOLDFAST_STORM'] ?? 40);
const SEED = process.env['HOLDFAST_STORM_SEED'] ?? `${Date.now()}`;
/** After so many all faults are mended, and every worker has to go on. */
const BETWEEN_CALMS = 20;
const LONGEST_PAUSE_MS = 150;
const SESSION_MS = 3000;
const CLIENTS = 4;
const PROGRAMS = 2;
const LONGEST_MS = 60_000 + 3000 * INJECTIONS;
const folder = '/storm';

/** The faults that are on, each of which ends by itself. */
class Weather {
  readonly #ending = new Set<Promise<void>>();
  /** The fault of a server, if there is one now: a second would leave no majority. */
  ofServer: Promise<void> | undefined;

  begin({ lastsMs, mend }: Fault): Promise<void> {
    const ending = sleep(lastsMs).then(mend);
    this.#ending.add(ending);
    void ending.finally(() => this.#ending.delete(ending)).catch(() => undefined);
    return ending;
  }

  async clear(): Promise<void> {
    await Promise.all(this.#ending);
    this.ofServer = undefined;
  }
}

describeZooKeeper(`a storm of ${INJECTIONS} faults over an ensemble, seed ${SEED}`, () => {
  test(
    'no write of an overtaken holder is accepted, and no waiter is stuck',
    { timeout: LONGEST_MS },
    async () => {
      process.stdout.write(
        `The seed of the storm is ${SEED}: HOLDFAST_STORM_SEED=${SEED} repeats its choices.\n`,
      );
      const random = new SeededRandom(SEED);
      await using ensemble = await startEnsemble();
      const register = new FencedRegister();
      using registerServer = await RegisterServer.start(register);
      const clients = await Promise.all(
        Array.from({ length: CLIENTS }, (_, at) => {
          const first = at % ensemble.servers.length;
          const servers = [...ensemble.servers.slice(first), ...ensemble.servers.slice(0, first)];
          return openProxied(servers, { sessionMs: SESSION_MS, renewalLeaseMs: SESSION_MS });
        }),
      );
      const programs = Array.from({ length: PROGRAMS }, () =>
        startZooKeeperProgram('incrementer', {
          servers: ensemble.address,
          sessionMs: SESSION_MS,
          name: folder,
          registerPort: registerServer.port,
        }),
      );
      const forced = new ForcedEnds();
      const workers = new Workers(clients, folder, register, forced);
      const ground: StormGround = {
        ensemble,
        clients,
        programs,
        folder,
        observer: openClient(ensemble.address, { sessionMs: 30_000 }),
        sessionMs: SESSION_MS,
        forced,
      };
      const tally = new Map<string, number>();
      const weather = new Weather();
      try {
        await allWorkOn(workers, programs);
        for (let count = 1; count <= INJECTIONS; count += 1) {
          const isOfServer = weather.ofServer === undefined && random.fraction() < 0.1;
          const { what, inject } = isOfServer ? drawServerFault(random) : drawClientFault(random);
          tally.set(what, (tally.get(what) ?? 0) + 1);
          const fault = await inject(ground, random);
          const ending = fault && weather.begin(fault);
          if (isOfServer) {
            weather.ofServer = ending;
            void ending?.then(() => (weather.ofServer = undefined));
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
