import type { Locks } from 'holdfast';
import type { Fleet } from './fleet.ts';
import { CUSTOMERS, ELECTION } from './news.ts';

/** Who holds what, read from Redis: lines for the terminal. */
export async function boardOf(
  locks: Locks,
  { served, killed, takenOver }: Fleet,
): Promise<readonly string[]> {
  const election = locks.election(ELECTION);
  const [leader, candidates] = await Promise.all([election.leader(), election.candidates()]);
  const rows = await Promise.all(
    CUSTOMERS.map(async (name) => `${name}: ${(await locks.lock(name).holder())?.client?.name ?? '-'}`),
  );
  return [
    ...rows,
    `leader: ${leader?.value ?? '-'}, ${candidates} candidates`,
    `${served} customers served, ${killed} workers killed, ${takenOver} holds taken over`,
  ];
}
