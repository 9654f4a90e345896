import type { Sighting } from '../../spi/inspector.ts';
import type { Doing } from '../doings.ts';
import { EXIT } from '../exit-codes.ts';
import { print } from '../speech.ts';
import { UsageError } from '../usage-error.ts';
import { sightingJson } from './sighting-json.ts';
import { sightingTable } from './sighting-table.ts';
import { withLocks } from './with-locks.ts';

/** What is held or waited for. */
export const list: Doing = ({ words, options }, address) => {
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
