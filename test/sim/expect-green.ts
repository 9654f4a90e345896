import { expect } from 'vitest';
import { replayCommand } from './report.ts';
import { runSeed } from './run-seed.ts';

/** Runs seeds and fails on the first red one, with the command that replays it. Answers what happened in all of them. */
export async function expectGreen(from: number, count: number): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (let seed = from; seed < from + count; seed++) {
    const result = await runSeed(seed);
    expect(
      result.problems,
      `seed ${seed} (${result.kind}) is red; replay it: ${replayCommand(seed)}`,
    ).toStrictEqual([]);
    for (const [what, often] of result.counts) counts.set(what, (counts.get(what) ?? 0) + often);
  }
  return counts;
}
