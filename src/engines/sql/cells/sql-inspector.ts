import type { Client } from '../../../core/client.ts';
import { cellInspector, type CellName } from '../../../kernels/inspector/cell-inspector.ts';
import { INSPECTOR } from '../../../kernels/inspector/checked-inspector.ts';
import { Requests } from '../../../kernels/requests/requests.ts';
import type { Protocols } from '../../../spi/engine/protocols.ts';
import type { Inspector } from '../../../spi/engine/inspector.ts';
import type { CellRows } from './cell-rows.ts';
import type { SqlInside } from '../open-sql-engine.ts';

/** Rows per statement. */
const SLICE = 200;

/** The inspector of one engine object. */
export function sqlInspector(
  { client, feed, documents }: SqlInside,
  protocols: Protocols,
  commandTimeoutMs: number,
): Inspector {
  const rows = new RowListing(documents, client, commandTimeoutMs);
  return cellInspector({
    client,
    protocols,
    cells: (prefix) => rows.list(prefix),
    // The watchers of a client are known only to its own process.
    watching: (kind, name) => ({ count: feed.watching(kind, name), counts: 'process' }),
    changes: (told) => feed.changes(told),
  });
}

/**
 * Lists the names of all rows. Has {@link Requests} limit each statement: an exhausted pool keeps the statement waiting
 * without limit, and a pool of pg that ends never calls back the borrowers that wait for a connection.
 */
class RowListing {
  readonly #documents: CellRows;
  readonly #client: Client;
  readonly #requests: Requests;

  constructor(documents: CellRows, client: Client, commandTimeoutMs: number) {
    this.#documents = documents;
    this.#client = client;
    this.#requests = new Requests({ client, commandTimeoutMs });
  }

  async *list(prefix: string): AsyncGenerator<CellName, void, undefined> {
    let after: CellName = { kind: '', name: '' };
    for (;;) {
      const slice = await this.#readSlice(after, prefix);
      yield* slice;
      const last = slice.at(-1);
      if (last === undefined || slice.length < SLICE) return;
      after = last;
    }
  }

  #readSlice(after: CellName, prefix: string): Promise<readonly CellName[]> {
    const subject = { resource: INSPECTOR, engine: this.#client.label };
    const send = () => this.#documents.list(after, prefix, SLICE);
    return this.#requests.repeat({ subject, send }, this.#requests.until(this.#client.clock.now()));
  }
}
