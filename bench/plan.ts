import type { Plan } from './runner.ts';

const surroundings = {
  random: Math.random,
  onRound: (round: number) => process.stderr.write(round > 0 ? `round ${round}\n` : 'warm-up\n'),
};

export const fullPlan: Plan = { ...surroundings, rounds: 11, warmUpRounds: 2, roundMs: 400 };

/** Good enough to see a factor of two. */
export const quickPlan: Plan = { ...surroundings, rounds: 5, warmUpRounds: 1, roundMs: 80 };
