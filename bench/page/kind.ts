import type { TrialRecord } from '../run-record.ts';
import type { Story } from '../story.ts';

export type Kind = 'ours' | 'floor' | 'peer';

/** By its name: all of ours begin with our own. */
export function kindOf(contestant: string, { floors = [] }: Story): Kind {
  if (contestant.startsWith('holdfast')) return 'ours';
  return floors.includes(contestant) ? 'floor' : 'peer';
}

/** The floor of this contestant: the one over the same client, or else the first. */
export function floorFor(contestant: string, { story, series }: TrialRecord): string | undefined {
  const measured = (story.floors ?? []).filter((floor) =>
    series.some((each) => each.contestant === floor && each.figures[story.figure] !== undefined),
  );
  const client = /\([^)]*\)$/.exec(contestant)?.[0];
  return measured.find((floor) => client !== undefined && floor.endsWith(client)) ?? measured[0];
}
