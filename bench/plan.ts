import type { Pace, Plan } from './interleaved.ts';

/** The same for everybody, whatever the pace. */
export function planOf(pace: Pace): Plan {
  return {
    ...pace,
    random: Math.random,
    onRound: (round) => process.stderr.write(round > 0 ? `round ${round}\n` : 'warm-up\n'),
  };
}

export const fullPlan: Plan = planOf({ rounds: 11, warmUpRounds: 2, roundMs: 400 });

/** Good enough to see a factor of two. */
export const quickPlan: Plan = planOf({ rounds: 5, warmUpRounds: 1, roundMs: 80 });
