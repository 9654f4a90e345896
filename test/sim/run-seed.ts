import { Dice } from './dice.ts';
import { Fleet } from './fleet.ts';
import { calmDown, someWeather, unleash } from './nemesis.ts';
import { FAIR_WEATHER } from './network.ts';
import { PLANTS } from './plant.ts';
import { COMMAND_TIMEOUT_MS, LEASE_MS } from './simulated-engine.ts';
import type { Work } from './worker.ts';
import { BarrierLedger } from './workloads/barrier.ts';
import { holdingWorkloads, LONGEST_MIN_HOLD_MS } from './workloads/holding.ts';
import { LatchLedger } from './workloads/latch.ts';
import { MonitorLedger } from './workloads/monitor.ts';
import { World } from './world.ts';

interface Workload {
  readonly work: Work;
  check(fleet: Fleet): void;
}

/** A fresh workload for each run: some keep a ledger. */
const WORKLOADS: Readonly<Record<string, () => Workload>> = {
  ...Object.fromEntries(
    Object.entries(holdingWorkloads).map(([kind, work]) => [kind, () => ({ work, check: () => undefined })]),
  ),
  latch: () => new LatchLedger(),
  barrier: () => new BarrierLedger(),
  monitor: () => new MonitorLedger(),
};

export const KINDS: readonly string[] = Object.keys(WORKLOADS);

export interface SeedOptions {
  /** What to simulate; without it the seed decides. */
  readonly kind?: string;
  /** What to take out; see plant.ts. */
  readonly plant?: string;
  readonly keepTrace?: boolean;
}

export interface SeedResult {
  readonly seed: number;
  readonly kind: string;
  readonly problems: readonly string[];
  readonly counts: ReadonlyMap<string, number>;
  readonly hash: string;
  readonly trace: readonly string[];
}

const STORM_MS = 9_000;
/** After the storm everything must come to its end within this time: leases and sessions run out, then all have a turn. */
const QUIET_MS = 60_000;
/** Less than a lease: the client that is gone by then has left no hold behind, or it would still be there. */
const ORPHAN_MS = 2 * COMMAND_TIMEOUT_MS + 400;

/** One simulated run. The same seed gives the same run, down to the hash of its trace. */
export async function runSeed(seed: number, options: SeedOptions = {}): Promise<SeedResult> {
  const world = new World(new Dice(seed), options.keepTrace ?? false);
  const kind = options.kind ?? KINDS[seed % KINDS.length]!;
  const plant = PLANTS[options.plant ?? 'none'];
  const make = WORKLOADS[kind];
  if (plant === undefined || make === undefined)
    throw new RangeError(`no such plant or kind: ${options.plant}, ${kind}`);
  const workload = make();
  const weather = someWeather(world.dice);
  const fleet = new Fleet(world, plant, workload.work, { weather, until: STORM_MS });
  // A rejection without a handler ends a user's process. Without this listener it would end the whole run of seeds,
  // and no report would name the seed.
  const unhandled = (error: unknown): void =>
    fleet.history.problem(`a rejection without a handler: ${String(error)}`);
  process.on('unhandledRejection', unhandled);
  try {
    await simulate(world, fleet, weather !== FAIR_WEATHER);
    workload.check(fleet);
    await checkLeftovers(world, fleet);
    // Node reports a rejection after the microtasks of its turn: the listener stays until then, so that the next seed is
    // not blamed.
    await new Promise(setImmediate);
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  const { problems, counts } = fleet.history;
  return { seed, kind, problems, counts, hash: world.hash(), trace: world.trace };
}

async function simulate(world: World, fleet: Fleet, isStormy: boolean): Promise<void> {
  const processes = 2 + world.dice.below(3);
  for (let started = 0; started < processes; started++) fleet.start(1 + world.dice.below(3));
  if (isStormy) unleash(fleet, world.dice.fork(), STORM_MS);
  await world.runUntil(STORM_MS);
  calmDown(fleet);
  await world.runUntil(STORM_MS + QUIET_MS, () => fleet.stuck().length === 0 && world.now > STORM_MS + 7000);
  for (const who of fleet.stuck()) fleet.history.problem(`${who} wait without end`);
}

/** Every client closes; soon after, well before a lease could have ended by itself, no client holds or waits any more. */
async function checkLeftovers(world: World, fleet: Fleet): Promise<void> {
  const from = world.now;
  let closed = false;
  void fleet.close().then(() => (closed = true));
  await world.runUntil(from + ORPHAN_MS, () => closed);
  if (!closed) fleet.history.problem('closing does not end');
  await world.runUntil(world.now + LEASE_MS / 3);
  expectNothingLeft(fleet, (left) => !left.endsWith('+kept"'));
  await world.runUntil(world.now + LONGEST_MIN_HOLD_MS);
  expectNothingLeft(fleet, () => true);
}

/** `counts`: what must be gone by now. */
function expectNothingLeft(fleet: Fleet, counts: (owner: string) => boolean): void {
  for (const kind of KINDS) {
    for (const name of ['a', 'b']) {
      const left = fleet.server.held(kind, name).filter(counts);
      if (left.length > 0) fleet.history.problem(`${kind} ${name} is left with ${left.join(', ')}`);
    }
  }
}
