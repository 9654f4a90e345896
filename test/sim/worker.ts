import { isHoldfastError, type Hold, type Synchronizers } from 'holdfast';
import type { Checkers } from './checkers.ts';
import type { Dice } from './dice.ts';
import type { History, Section } from './history.ts';
import type { Network } from './network.ts';
import type { Process } from './process.ts';

/** What a worker of a simulated process has at hand. */
export interface Surroundings {
  readonly process: Process;
  readonly engine: Synchronizers;
  readonly network: Network;
  readonly dice: Dice;
  readonly history: History;
  readonly checkers: Checkers;
  /** No new work is begun after this. */
  readonly until: number;
  /** Nothing goes wrong in this run: then nothing may be lost or fail either. */
  readonly calm: boolean;
}

/** One worker: does its thing again and again until the work is over. */
export type Work = (at: Surroundings) => Promise<void>;

export async function workUntilOver(at: Surroundings, work: Work): Promise<void> {
  while (at.process.world.now < at.until) {
    try {
      await work(at);
    } catch (error) {
      excuse(at, error);
    }
    await at.process.sleep(at.dice.between(1, 400));
  }
}

const EXCUSED = new Set(['ACQUIRE_TIMEOUT', 'BROKEN_BARRIER', 'ABORTED']);
const EXCUSED_IN_A_STORM = new Set(['LEASE_LOST', 'ENGINE']);

/** What may go wrong may; everything else is a problem. */
function excuse(at: Surroundings, error: unknown): void {
  const code = isHoldfastError(error) ? error.code : error === ABORTED ? 'ABORTED' : 'none';
  at.history.count(`ended with ${code}`);
  if (EXCUSED.has(code)) return;
  if (!at.calm && EXCUSED_IN_A_STORM.has(code)) return;
  at.history.problem(
    `${at.process.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  );
}

/**
 * Longer than the requests of one acquisition take in a calm run, which carries a message in at most 2 ms: three round trips
 * of its own, behind those of the others of its process that ask for the same name.
 */
const LONGEST_CALM_REQUESTS_MS = 100;

const ABORTED = new Error('aborted by the worker');

/** Options at random: with and without a time limit, a lease, an abort. */
export function someOptions(at: Surroundings): {
  timeoutMs?: number;
  leaseMs?: number;
  signal?: AbortSignal;
} {
  const { dice, process } = at;
  const options: { timeoutMs?: number; leaseMs?: number; signal?: AbortSignal } = {};
  if (dice.chance(0.3)) {
    const timeoutMs = Math.floor(dice.between(0, 4000));
    // In a calm run every request is answered: a wait that is shorter than its own requests would be told of an outage.
    options.timeoutMs = at.calm ? Math.max(timeoutMs, LONGEST_CALM_REQUESTS_MS) : timeoutMs;
  }
  // In a calm run nothing may be lost; a lease of its own may well be too short for the work.
  if (dice.chance(0.25) && !at.calm) options.leaseMs = Math.floor(dice.between(300, 5000));
  if (dice.chance(0.1)) {
    const abort = new AbortController();
    process.clock.timer(dice.between(1, 3000), () => abort.abort(ABORTED));
    options.signal = abort.signal;
  }
  return options;
}

/** The wire owner of a hold: what the store knows it by. */
function ownerOf(hold: Hold): string {
  return (hold as unknown as { readonly grant: { readonly owner: string } }).grant.owner;
}

export function beginSection(
  at: Surroundings,
  kind: string,
  name: string,
  hold: Hold,
  exclusive: boolean,
): Section {
  const section = at.history.section({ kind, name, owner: ownerOf(hold), fence: hold.fence, exclusive });
  at.checkers.begins(section);
  return section;
}

/** A guarded act: allowed by the hold at this instant, and then on its way to the resource, however long that takes. */
export function act(at: Surroundings, section: Section, hold: Hold): void {
  hold.throwIfLost();
  at.checkers.acts(section);
  if (!section.exclusive) return;
  const resource = at.checkers.resource(section.kind, section.name);
  at.network.carry(at.process, () => resource.write(section));
}

/** Works under a hold for a while: acts, sometimes extends, sometimes for longer than a lease. */
export async function workUnder(at: Surroundings, section: Section, hold: Hold): Promise<void> {
  const { dice, process } = at;
  const acts = 1 + dice.below(4);
  for (let done = 0; done < acts; done++) {
    act(at, section, hold);
    if (dice.chance(0.15)) await hold.extend(Math.floor(dice.between(100, 6000)));
    await process.sleep(dice.chance(0.1) ? dice.between(1000, 4000) : dice.between(1, 250));
  }
  act(at, section, hold);
}
