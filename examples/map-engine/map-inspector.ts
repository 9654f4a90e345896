import type { Inspector } from 'holdfast';
import { cellInspector, type CellName, type Client, type Protocols } from 'holdfast/engine';
import { GAP, type MapConnection } from './map-connection.ts';
import { keyOf, type MapDocuments } from './map-documents.ts';
import { EVERY_KEY } from './map-server.ts';

const SLICE = 100;

interface MapInspectorParts {
  readonly client: Client;
  readonly protocols: Protocols;
  readonly connection: MapConnection;
  readonly documents: MapDocuments;
}

/** Shows operators what is held and waited for. */
export function mapInspector({ client, protocols, connection, documents }: MapInspectorParts): Inspector {
  return cellInspector({
    client,
    protocols,
    cells: (prefix) => namesOn(connection, prefix),
    watching: (kind, name) => ({ count: documents.watching(kind, name), counts: 'process' }),
    changes: (told) =>
      connection.watch(EVERY_KEY, (message, key) => told(message === GAP ? undefined : nameIn(key))),
  });
}

/** A slice at a time: the server is never asked for everything at once. */
async function* namesOn(connection: MapConnection, prefix: string): AsyncGenerator<CellName> {
  for (let after = ''; ;) {
    const from = after;
    const keys = await connection.ask((server) => server.keysAfter(from, SLICE));
    yield* keys.map(nameIn).filter(({ name }) => name.startsWith(prefix));
    const last = keys.at(-1);
    if (last === undefined) return;
    after = last;
  }
}

function nameIn(key: string): CellName {
  const at = key.indexOf(keyOf('', ''));
  return { kind: key.slice(0, at), name: key.slice(at + 1) };
}
