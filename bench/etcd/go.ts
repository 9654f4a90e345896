import { fileURLToPath } from 'node:url';
import { GoClients, type GoSession } from '../../test/interop/etcd/go-clients.ts';
import { evenness, sumOf } from '../shares.ts';
import type { Figures, TrialContestant } from '../trial.ts';

export const GO = 'concurrency.Mutex (Go)';

/** Of the package, and not of the build of the benchmarks, where it is looked for by the first contestant that needs it. */
function goProgram(): string {
  return fileURLToPath(
    new URL('.build/interop-go/etcd-clients', import.meta.resolve('holdfast/package.json')),
  );
}

/** What Go asks for when nothing is set, in seconds. */
const TTL = 60;

/** A process of Go with clients of this member. */
export async function startGo(port: number): Promise<GoProcess> {
  const clients = await GoClients.start(`127.0.0.1:${port}`, goProgram());
  return { open: () => clients.open(TTL), kill: () => clients.kill() };
}

export interface GoProcess {
  readonly open: () => Promise<GoSession>;
  readonly kill: () => Promise<void>;
}

/** What one round of Go came to. */
export interface GoRound {
  /** Those whose goroutine entered before the time of the round was over. */
  readonly sections: number;
  readonly roundMs: number;
  /** Until the last one had released: a round ends with the section that is under way. */
  readonly elapsedMs: number;
  readonly unevenness: number;
}

/** Go itself: so many sessions of one process that want one mutex again as soon as they have released it. */
export function goContestant(sessions: number, figuresOf: (round: GoRound) => Figures): TrialContestant {
  return {
    name: GO,
    open: async (port) => {
      const go = await startGo(port);
      const open = await Promise.all(Array.from({ length: sessions }, () => go.open()));
      return {
        round: async (roundMs) => {
          const start = performance.now();
          const counts = await Promise.all(
            open.map(async (session) => Number(await session.call('pairs', '/go/mutex', { forMs: roundMs }))),
          );
          const elapsedMs = performance.now() - start;
          return figuresOf({ sections: sumOf(counts), roundMs, elapsedMs, unevenness: evenness(counts) });
        },
        close: () => go.kill(),
      };
    },
  };
}
