import type { Pace, Plan } from './interleaved.ts';

/** The same for everybody, whatever the pace. */
export function planOf(pace: Pace): Plan {
  return {
    ...pace,
    random: Math.random,
    onRound: (round) => process.stderr.write(round > 0 ? `round ${round}\n` : 'warm-up\n'),
  };
}
