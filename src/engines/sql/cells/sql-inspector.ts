import { cellInspector, type CellName } from '../../../kernels/inspector/cell-inspector.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Inspector } from '../../../spi/engine/inspector.ts';
import type { CellRows } from './cell-rows.ts';
import type { SqlInside } from '../open-sql-engine.ts';

/** Rows per statement. */
const SLICE = 200;

/** The inspector of one engine object. */
export function sqlInspector({ client, feed, documents }: SqlInside, protocols: Protocols): Inspector {
  return cellInspector({
    client,
    protocols,
    cells: (prefix) => rowsOf(documents, prefix),
    // The watchers of a client are known only to its own process.
    watching: (kind, name) => ({ count: feed.watching(kind, name), counts: 'process' }),
    changes: (told) => feed.changes(told),
  });
}

/** The names of all rows, a slice at a time. */
async function* rowsOf(documents: CellRows, prefix: string): AsyncGenerator<CellName, void, undefined> {
  let after: CellName = { kind: '', name: '' };
  for (;;) {
    const slice = await documents.list(after, prefix, SLICE);
    yield* slice;
    const last = slice.at(-1);
    if (last === undefined || slice.length < SLICE) return;
    after = last;
  }
}
