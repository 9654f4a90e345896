import type { Pace, Plan } from './run-interleaved.ts';

/** The same for every contestant, whatever the pace. */
export function planOf(pace: Pace): Plan {
  return {
    ...pace,
    random: Math.random,
    onRound: (round) => process.stderr.write(round > 0 ? `round ${round}\n` : 'warm-up\n'),
  };
}
