import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print, say } from '../../output/output.ts';
import { lookUp, readKind, readName } from '../../queries/lookup.ts';
import { withLocks } from '../../queries/with-locks.ts';

/** Prints the fence of the holder; of several holders, the highest. */
export const token: Command = (given, address) => {
  const name = readName(given, 'token');
  return withLocks(address, async (locks) => {
    const found = await lookUp(locks, name, readKind(given));
    const fences = found.flatMap(({ holders }) => holders.flatMap(({ fence }) => fence ?? []));
    const highest = fences.toSorted((one, other) => (one < other ? 1 : -1))[0];
    if (highest === undefined) {
      say(found.some(({ holders }) => holders.length > 0) ? 'it is held without a fence' : 'it is free');
      return EXIT.no;
    }
    print(String(highest));
    return EXIT.ok;
  });
};
