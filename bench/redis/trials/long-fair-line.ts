import { setTimeout as sleep } from 'node:timers/promises';
import { type Hand, handsOf } from '../../hands.ts';
import { sumOf } from '../../shares.ts';
import type { Promised, Trial, TrialContestant } from '../../trial.ts';
import { holdfastFair } from '../libraries/holdfast.ts';
import { ServerCounts } from '../server-counts.ts';
import { totalOf } from '../server-info.ts';

const PROCESSES = 4;
const LOCK = 'till';
/** The holder that is in the way is none of the library: the key that a Java thread would leave. */
const HELD_MS = 3_600_000;
const LOOK_MS = 200;
const ours = holdfastFair('ioredis 5');
const COMMANDS = 'commands/s but PING, in scripts too';

/** A server on which one lock is held, and clients that have begun to wait for it. */
interface Line {
  readonly hands: readonly Hand<'clients'>[];
  readonly server: ServerCounts;
  free(): Promise<void>;
  entered(): Promise<number>;
  close(): void;
}

async function openLine(port: number, count: number, leaseMs: number): Promise<Line> {
  const { Redis } = await import('ioredis');
  const client = new Redis(port);
  await client.hset(LOCK, 'another:1', 1);
  await client.pexpire(LOCK, HELD_MS);
  const hands = handsOf(PROCESSES, 'clients', ours.name, port);
  await Promise.all(hands.map((hand) => hand.call('open', LOCK, count / PROCESSES, leaseMs)));
  await Promise.all(hands.map((hand) => hand.call('ask', PROCESSES)));
  const server = await ServerCounts.at(port);
  return {
    hands,
    server,
    free: async () => void (await client.del(LOCK)),
    entered: async () => sumOf(await Promise.all(hands.map((hand) => hand.call('entered')))),
    close: () => {
      server.close();
      client.disconnect();
      for (const hand of hands) hand.letGo();
    },
  };
}

function promised(figure: string, bound: Promised['bound']): Promised {
  return {
    text: `${figure}, ${ours.name}`,
    of: [ours.name],
    value: (figureOf) => figureOf(ours.name, figure),
    bound,
    over: 'worst',
  };
}

const IDLE_CLIENTS = 1000;
/** The default. */
const USUAL_LEASE_MS = 30_000;
/** Until each client knows that the first of the line lives, and is far behind it. */
const SETTLES_MS = 120_000;

const idle: TrialContestant = {
  name: ours.name,
  open: async (port) => {
    const line = await openLine(port, IDLE_CLIENTS, USUAL_LEASE_MS);
    await sleep(SETTLES_MS);
    return {
      round: async (roundMs) => {
        const { spent } = await line.server.during(() => sleep(roundMs));
        const seconds = roundMs / 1000;
        const pings = spent.calls.get('ping') ?? 0;
        return {
          [COMMANDS]: (totalOf(spent.calls) - pings) / seconds,
          'EVALSHA/s': (spent.calls.get('evalsha') ?? 0) / seconds,
          'PING/s': pings / seconds,
        };
      },
      close: async () => line.close(),
    };
  },
};

/** No peer has a line. */
export const idleFairLine: Trial = {
  name: `${IDLE_CLIENTS} clients in line for a fair lock`,
  engine: 'redis',
  contestants: [idle],
  columns: [
    { figure: COMMANDS, digits: 1 },
    { figure: 'EVALSHA/s', digits: 1 },
    { figure: 'PING/s', digits: 1 },
  ],
  promises: [promised(COMMANDS, { atMost: 100 })],
  // Clients far behind the front ask every few minutes: many of them in one round.
  pace: {
    full: { rounds: 4, warmUpRounds: 0, roundMs: 35_000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 35_000 },
  },
  story: {
    about:
      `${IDLE_CLIENTS} clients, each with connections of its own, stand in the line of a fair lock that is not given back: what ` +
      'waiting costs the server while nothing happens. Each connection for messages sends a PING every 5 seconds besides.',
    figure: COMMANDS,
    better: 'less',
    ours: ours.name,
  },
  slow: 'because what happens every few minutes takes as long to be counted',
  openMs: SETTLES_MS + 10_000,
  alone: 'all rounds',
};

const DEAD_CLIENTS = 1000;
const DEAD_LEASE_MS = 3000;
/** Until most of them are far behind, where a dead one is kept for longest. */
const FAR_MS = 12_000;

const dead: TrialContestant = {
  name: ours.name,
  open: async (port) => ({
    round: async () => {
      const line = await openLine(port, DEAD_CLIENTS, DEAD_LEASE_MS);
      await sleep(FAR_MS);
      await Promise.all(line.hands.map((hand) => hand.kill()));
      await line.free();
      const [newcomer] = handsOf(1, 'clients', ours.name, port);
      await newcomer!.call('open', LOCK, 1, DEAD_LEASE_MS);
      const since = performance.now();
      const { spent } = await line.server.during(async () => {
        await newcomer!.call('ask', 0);
        while ((await newcomer!.call('entered')) === 0) await sleep(LOOK_MS);
      });
      const leases = (performance.now() - since) / DEAD_LEASE_MS;
      newcomer!.letGo();
      line.server.close();
      return {
        'calls a dead client': totalOf(spent.calls) / DEAD_CLIENTS,
        'leases until the next is in': leases,
      };
    },
    close: async () => undefined,
  }),
};

export const deadFairLine: Trial = {
  name: `${DEAD_CLIENTS} dead clients in line for a fair lock`,
  engine: 'redis',
  contestants: [dead],
  columns: [
    { figure: 'calls a dead client', digits: 2 },
    { figure: 'leases until the next is in', digits: 1 },
  ],
  promises: [
    promised('calls a dead client', { atMost: 6 }),
    promised('leases until the next is in', { atMost: 6 }),
  ],
  pace: {
    full: { rounds: 3, warmUpRounds: 0, roundMs: 1000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 1000 },
  },
  story: {
    about:
      `${DEAD_CLIENTS} clients that stand in the line of a fair lock are killed together, as by the restart of a fleet, and another ` +
      'asks for the lock: what it costs the server to pass over the dead, and how long that takes.',
    figure: 'calls a dead client',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because so many clients take long to connect and to die',
  openMs: FAR_MS + 40_000,
  alone: 'each round',
};

const CROWD = 2000;
const CROWD_LEASE_MS = 6000;
const CROWD_PATIENCE_MS = 120_000;

const crowd: TrialContestant = {
  name: ours.name,
  open: async (port) => {
    const line = await openLine(port, CROWD, CROWD_LEASE_MS);
    return {
      round: async () => {
        const since = performance.now();
        const { result: entered, spent } = await line.server.during(async () => {
          await line.free();
          for (;;) {
            const count = await line.entered();
            if (count === CROWD || performance.now() - since > CROWD_PATIENCE_MS) return count;
            await sleep(LOOK_MS);
          }
        });
        return {
          'clients that got the lock': entered,
          'ms a grant': (performance.now() - since) / entered,
          'calls a grant, in scripts too': totalOf(spent.calls) / entered,
        };
      },
      close: async () => line.close(),
    };
  },
};

export const crowdedFairLine: Trial = {
  name: `${CROWD} clients one after the other on a fair lock`,
  engine: 'redis',
  contestants: [crowd],
  columns: [
    { figure: 'clients that got the lock', digits: 0 },
    { figure: 'ms a grant', digits: 1 },
    { figure: 'calls a grant, in scripts too', digits: 1 },
  ],
  promises: [promised('clients that got the lock', { atLeast: CROWD })],
  pace: {
    full: { rounds: 1, warmUpRounds: 0, roundMs: 1000 },
    quick: { rounds: 1, warmUpRounds: 0, roundMs: 1000 },
  },
  story: {
    about:
      `${CROWD} clients, each with connections of its own and a lease of ${CROWD_LEASE_MS / 1000} s, stand in the line of a fair lock ` +
      'that becomes free: all of them get it, one after the other.',
    figure: 'ms a grant',
    better: 'less',
    ours: ours.name,
  },
  slow: 'because so many clients take long to connect',
  openMs: 60_000,
  alone: 'each round',
};
