import { setTimeout as sleep } from 'node:timers/promises';
import { GrpcProxy } from '../../../test/fixtures/etcd/grpc-proxy.ts';
import { IDLE_WAITERS, openIdleWaiters, WAITING_PROCESSES } from '../../idle-waiters.ts';
import type { Library } from '../../library.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { holdfastFairOnEtcd, holdfastOnEtcd } from '../libraries/holdfast.ts';

/** Until every waiter has joined the line. */
const SETTLES_MS = 5000;
const CALLS = 'calls/s';

/** All of it passes a proxy, which counts what is begun: keep-alives go over a stream that stands. */
function contestant(library: Library): TrialContestant {
  return {
    name: library.name,
    open: async (port, folder) => {
      const proxy = await GrpcProxy.start({ port });
      const waiters = await openIdleWaiters(library, proxy.port, folder, SETTLES_MS);
      return {
        round: async (roundMs) => {
          const cpuBefore = await waiters.cpuUs();
          const before = proxy.calls;
          await sleep(roundMs);
          return {
            [CALLS]: ((proxy.calls - before) / roundMs) * 1000,
            'CPU % of a core': ((await waiters.cpuUs()) - cpuBefore) / (roundMs * 10),
          };
        },
        close: async () => {
          waiters.letGo();
          proxy.stop();
        },
      };
    },
  };
}

function silent({ name }: Library): Promised {
  return {
    text: `${CALLS}, ${name}`,
    of: [name],
    value: (figureOf) => figureOf(name, CALLS),
    bound: { atMost: 0 },
    over: 'worst',
  };
}

export const idleWaitersOnEtcd: Trial = {
  name: `${IDLE_WAITERS} waiters on a held lock`,
  engine: 'etcd',
  contestants: [holdfastOnEtcd, holdfastFairOnEtcd].map(contestant),
  columns: [
    { figure: CALLS, digits: 1 },
    { figure: 'CPU % of a core', digits: 1 },
  ],
  promises: [holdfastOnEtcd, holdfastFairOnEtcd].map(silent),
  pace: {
    full: { rounds: 3, warmUpRounds: 0, roundMs: 20_000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 12_000 },
  },
  story: {
    about:
      `${IDLE_WAITERS} waiters in ${WAITING_PROCESSES} processes wait for a lock that is not given back: what waiting costs the server ` +
      'and the clients while nothing happens. Each process keeps one lease alive, over a stream that stands, however many wait in it.',
    figure: CALLS,
    better: 'less',
    ours: holdfastOnEtcd.name,
  },
  slow: 'because what a waiter might ask now and then takes most of a minute to be counted',
  openMs: SETTLES_MS + 1000,
  alone: 'all rounds',
};
