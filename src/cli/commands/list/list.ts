import type { Sighting } from '../../../spi/engine/inspector.ts';
import type { Command } from '../command.ts';
import { EXIT } from '../../exit-codes.ts';
import { print } from '../../output/output.ts';
import { UsageError } from '../../usage-error.ts';
import { sightingJson } from '../../queries/sighting-json.ts';
import { sightingTable } from '../../queries/sighting-table.ts';
import { withLocks } from '../../queries/with-locks.ts';

/** Shows what is held or waited for. */
export const list: Command = ({ words, options }, address) => {
  const [prefix = '', more] = words;
  if (more !== undefined) throw new UsageError('list takes one prefix at most.');
  return withLocks(address, async ({ inspector }) => {
    const seen: Sighting[] = [];
    for await (const sighting of inspector.list({ prefix })) {
      if (options.has('json')) print(sightingJson(sighting));
      else seen.push(sighting);
    }
    if (seen.length > 0) {
      const inOrder = seen.toSorted(
        (one, other) => compare(one.name, other.name) || compare(one.kind, other.kind),
      );
      const width = process.stdout.isTTY ? process.stdout.columns : undefined;
      print(sightingTable(inOrder, width).join('\n'));
    }
    return EXIT.ok;
  });
};

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
