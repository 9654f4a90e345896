import type { Client } from '../../core/client.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Change, Inspector, Kind, Sighting, Waiting } from '../../spi/engine/inspector.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import { checkedInspector } from './checked-inspector.ts';
import type { Protocols } from '../../spi/engine/protocols.ts';
import { breakHold } from './break-hold.ts';
import { describing, isInUse } from './describing.ts';

/** Which cell. An engine may have cells of a kind that is no synchronizer: the inspector does not show them. */
export interface CellName {
  readonly kind: string;
  readonly name: string;
}

/** What differs between the engines that keep everything in cells. */
export interface CellInspectorParts {
  readonly client: Client;
  readonly protocols: Protocols;
  /** Lists the cells whose names begin with the prefix, a slice at a time. */
  readonly cells: (prefix: string) => AsyncIterable<CellName> | Iterable<CellName>;
  /** Counts the watchers of a name, for a kind whose record keeps no line of waiters. */
  readonly watching: (kind: Kind, name: string) => Waiting;
  /** Calls after changes; with undefined if any cell may have changed. */
  readonly changes: (told: (changed: CellName | undefined) => void) => MaybeAsync<Unwatch>;
}

/** The inspector of an engine that keeps everything in cells. */
export function cellInspector(parts: CellInspectorParts): Inspector {
  const { client, protocols } = parts;
  const describe = describing(protocols, parts.watching);

  async function* sightings(prefix: string, check: () => void): AsyncGenerator<Sighting, void, undefined> {
    check();
    for await (const { kind, name } of parts.cells(prefix)) {
      check();
      const seen = Object.hasOwn(describe, kind) ? await describe[kind as Kind](name) : null;
      if (seen !== null && isInUse(seen))
        yield { kind: seen.kind, name, holders: seen.holders, waiters: seen.waiters };
    }
  }

  return checkedInspector({
    client,
    describe,
    sightings,
    changes: (listener) => parts.changes((changed) => tell(listener, changeOf(changed))),
    breakHold: (kind, name, holder) => breakHold(protocols, kind, name, holder),
  });
}

function changeOf(changed: CellName | undefined): Change {
  return changed === undefined
    ? { what: 'anything' }
    : { what: 'name', ...(changed as { kind: Kind; name: string }) };
}

/** A listener that throws must not keep the change from other listeners: its error surfaces as an uncaught exception. */
function tell(listener: (change: Change) => void, change: Change): void {
  try {
    listener(change);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
