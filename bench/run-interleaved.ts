import { shuffled } from './shuffled.ts';

export interface Pace {
  readonly rounds: number;
  readonly warmUpRounds: number;
  /** How long each contestant is measured in each round. */
  readonly roundMs: number;
}

export interface Plan extends Pace {
  readonly random: () => number;
  readonly onRound?: (round: number) => void;
}

/**
 * Performs every entry once in every round, in a new order each time: what slows the machine for a while, or what one
 * entry leaves behind for the next, then falls on all alike. The rounds of the warm-up do not count.
 */
export async function runInterleaved<Entry>(
  entries: readonly Entry[],
  plan: Plan,
  perform: (entry: Entry, counts: boolean) => Promise<void>,
): Promise<void> {
  for (let round = 1 - plan.warmUpRounds; round <= plan.rounds; round += 1) {
    plan.onRound?.(round);
    for (const entry of shuffled(entries, plan.random)) await perform(entry, round > 0);
  }
}
