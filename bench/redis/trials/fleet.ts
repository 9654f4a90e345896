import type { TrialContestant } from '../../trial.ts';
import { CommandCounts } from '../command-counts.ts';
import { type Hand, handsOf } from '../../hands.ts';
import type { Library } from '../../library.ts';
import { monotonicUs } from '../../monotonic.ts';
import { evenness, leastShare, sumOf } from '../../shares.ts';

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
  { figure: 'EVALSHA a section', digits: 2 },
];

/** Several processes whose workers all want the same lock again as soon as they have given it back. */
export function fleet({ name }: Library): TrialContestant {
  return {
    name,
    open: async (port) => {
      const hands = handsOf(PROCESSES, 'workers', name, port);
      await Promise.all(hands.map((hand) => hand.call('ready')));
      const counts = new CommandCounts(port);
      return {
        round: async (roundMs) => {
          const slots = Math.round(roundMs / SLOT_MS);
          const { result, calls } = await counts.during(() => shiftOf(hands, slots));
          const workers = result.flat().map(sumOf);
          const processes = result.map((each) => slotSums(each, slots));
          const sections = sumOf(workers);
          return {
            'sections/s': (sections / (slots * SLOT_MS)) * 1000,
            'least share of a process in 2 s': leastShare(processes, WINDOW_MS / SLOT_MS),
            'CV of the workers': evenness(workers),
            'EVALSHA a section': (calls.get('evalsha') ?? 0) / sections,
          };
        },
        close: async () => {
          counts.close();
          for (const hand of hands) hand.letGo();
        },
      };
    },
  };
}

/** For each process, what each of its workers had in each slot. */
function shiftOf(hands: readonly Hand<'workers'>[], slots: number): Promise<number[][][]> {
  const shift = {
    name: 'fleet',
    workers: WORKERS,
    fromUs: monotonicUs() + START_IN_US,
    slots,
    slotMs: SLOT_MS,
  };
  return Promise.all(hands.map((hand) => hand.call('work', shift)));
}

function slotSums(workers: readonly (readonly number[])[], slots: number): number[] {
  return Array.from({ length: slots }, (_, slot) => sumOf(workers.map((counts) => counts[slot] ?? 0)));
}
