import type { TrialContestant } from '../../trial.ts';
import { type Hand, handsOf } from '../../hands.ts';
import type { Library } from '../../library.ts';
import { monotonicUs } from '../../monotonic.ts';
import type { Worked } from '../../roles/workers.ts';
import { evenness, leastShare, sumOf } from '../../shares.ts';
import { costColumns, costOf } from '../cost.ts';
import { ServerCounts } from '../server-counts.ts';

export const PROCESSES = 4;
const WORKERS = 4;
const SLOT_MS = 100;
const WINDOW_MS = 2000;
/** Until all processes have heard when to start. */
const START_IN_US = 50_000;

export const fleetName = `${PROCESSES} processes x ${WORKERS} waiters`;

export const fleetColumns = [
  { figure: 'sections/s', digits: 0 },
  { figure: 'least share of a process in 2 s', digits: 2 },
  { figure: 'CV of the workers', digits: 3 },
  ...costColumns('section'),
];

/**
 * Several processes whose workers all want the same lock again as soon as they have released it. Each section lasts this
 * many milliseconds.
 */
export function fleet(insideMs: number): (library: Library) => TrialContestant {
  return ({ name }) => ({
    name,
    open: async (port) => {
      const hands = handsOf(PROCESSES, 'workers', name, port);
      await Promise.all(hands.map((hand) => hand.call('ready')));
      const server = await ServerCounts.at(port);
      return {
        round: async (roundMs) => {
          const slots = Math.round(roundMs / SLOT_MS);
          const { result, spent } = await server.during(() => shiftOf(hands, slots, insideMs));
          const workers = result.flatMap(({ counts }) => counts).map(sumOf);
          const processes = result.map(({ counts }) => slotSums(counts, slots));
          const sections = sumOf(workers);
          // What the server did for workers that finished late counts as well.
          const all = sections + sumOf(result.map(({ late }) => late));
          return {
            'sections/s': (sections / (slots * SLOT_MS)) * 1000,
            'least share of a process in 2 s': leastShare(processes, WINDOW_MS / SLOT_MS),
            'CV of the workers': evenness(workers),
            ...costOf(spent, all, 'section'),
          };
        },
        close: async () => {
          server.close();
          for (const hand of hands) hand.letGo();
        },
      };
    },
  });
}

/** For each process, what its workers had. */
function shiftOf(hands: readonly Hand<'workers'>[], slots: number, insideMs: number): Promise<Worked[]> {
  const shift = {
    name: 'fleet',
    workers: WORKERS,
    fromUs: monotonicUs() + START_IN_US,
    slots,
    slotMs: SLOT_MS,
    insideMs,
  };
  return Promise.all(hands.map((hand) => hand.call('work', shift)));
}

function slotSums(workers: readonly (readonly number[])[], slots: number): number[] {
  return Array.from({ length: slots }, (_, slot) => sumOf(workers.map((counts) => counts[slot] ?? 0)));
}
