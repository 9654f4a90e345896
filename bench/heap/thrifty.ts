import type { TrialContestant } from '../trial.ts';

/** How to take a lock again and again. What it resolves to is all that its holder has to keep. */
type Take = () => Promise<object>;

/** A library of which a program keeps no more than it must: the memory that is left is the library's own. */
export interface Thrifty {
  readonly name: string;
  readonly open: (port: number, folder: string) => Promise<Opened>;
}

export interface Opened {
  readonly lock: (name: string) => Take;
  readonly giveBack: (held: object) => unknown;
}

/** Runs in a process of its own for each round: what a library keeps of released locks is not paid for again. */
export function measured(
  { name, open }: Thrifty,
  warmUp: (opened: Opened) => Promise<unknown>,
  round: (opened: Opened) => Promise<number>,
): TrialContestant {
  return {
    name,
    open: async (port, folder) => {
      const opened = await open(port, folder);
      // What the first calls leave behind without limit, code above all, belongs to no lock.
      await warmUp(opened);
      return { round: async () => ({ [HEAP_FIGURE]: await round(opened) }), close: async () => undefined };
    },
  };
}

export const HEAP_FIGURE = 'bytes of each';
