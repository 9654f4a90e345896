import { setTimeout as sleep } from 'node:timers/promises';
import { opCode } from '../../../src/engines/zookeeper/client/protocol/operation.ts';
import { FrameProxy } from '../../../test/fixtures/zookeeper/frame-proxy.ts';
import { IDLE_WAITERS, openIdleWaiters, WAITING_PROCESSES } from '../../idle-waiters.ts';
import type { Library } from '../../library.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { holdfast, holdfastFair } from '../libraries/holdfast.ts';

/** Until every waiter has joined the line. */
const SETTLES_MS = 5000;
const REQUESTS = 'requests/s besides heartbeats';

/** All of it passes a proxy, which sees what is asked: the server counts requests, and does not say of which kind. */
function contestant(library: Library): TrialContestant {
  return {
    name: library.name,
    open: async (port, folder) => {
      const proxy = await FrameProxy.start({ port });
      const waiters = await openIdleWaiters(library, proxy.port, folder, SETTLES_MS);
      return {
        round: async (roundMs) => {
          const cpuBefore = await waiters.cpuUs();
          const before = proxy.requests.length;
          await sleep(roundMs);
          const asked = proxy.requests.slice(before);
          const heartbeats = asked.filter((code) => code === opCode.sync).length;
          return {
            [REQUESTS]: ((asked.length - heartbeats) / roundMs) * 1000,
            'heartbeats/s': (heartbeats / roundMs) * 1000,
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
    text: `${REQUESTS}, ${name}`,
    of: [name],
    value: (figureOf) => figureOf(name, REQUESTS),
    bound: { atMost: 0 },
    over: 'worst',
  };
}

export const idleWaiters: Trial = {
  name: `${IDLE_WAITERS} waiters on a held lock`,
  engine: 'zookeeper',
  contestants: [holdfast, holdfastFair].map(contestant),
  columns: [
    { figure: REQUESTS, digits: 1 },
    { figure: 'heartbeats/s', digits: 1 },
    { figure: 'CPU % of a core', digits: 1 },
  ],
  promises: [holdfast, holdfastFair].map(silent),
  pace: {
    full: { rounds: 3, warmUpRounds: 0, roundMs: 20_000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 12_000 },
  },
  story: {
    about:
      `${IDLE_WAITERS} waiters in ${WAITING_PROCESSES} processes wait for a lock that is not given back: what waiting costs the server ` +
      'and the clients while nothing happens. A heartbeat is of a session, and each process has one session, however many wait ' +
      'in it. In a fair lock each waiter watches the ticket ahead of its own.',
    figure: REQUESTS,
    better: 'less',
    ours: holdfast.name,
  },
  slow: 'because what a waiter might ask now and then takes most of a minute to be counted',
  openMs: SETTLES_MS + 1000,
  alone: 'all rounds',
};
