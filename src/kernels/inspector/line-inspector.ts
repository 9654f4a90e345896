import type { Client } from '../../core/client.ts';
import type { Program } from '../../spi/api/client-card.ts';
import type {
  Change,
  Description,
  HolderSighting,
  Inspector,
  Kind,
  Sighting,
} from '../../spi/engine/inspector.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { UnraisedProtocols } from '../../spi/engine/protocols.ts';
import { ForeignStateError, type ErrorSubject } from '../../spi/errors.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import { breakHold } from './break-hold.ts';
import { checkedInspector, INSPECTOR } from './checked-inspector.ts';
import { type Describing, describing, isInUse } from './describing.ts';

/** What the inspector of an engine of lines looks through. */
export interface LineInside<K extends Kind> {
  readonly client: Client;
  readonly session: { open(): MaybeAsync<void> };
  /** Counts the watchers of this process of a kind whose record keeps no line of waiters. */
  readonly documents: { watching(kind: Kind, name: string): number };
  readonly protocols: Pick<UnraisedProtocols, K>;
}

/** Says which program an owner is of. */
type ProgramOf = (owner: OwnerId) => Program;

/** Where a look begins, and what its errors are about. */
interface LineWalk {
  /** Those that the engine offers. */
  readonly kinds: readonly Kind[];
  readonly subject: ErrorSubject;
}

/** What differs between the engines of lines. */
export interface LineInspectorParts<K extends Kind> {
  readonly inside: LineInside<K>;
  /** Lists what is there and begins with the prefix, a slice at a time. Called within a session. */
  readonly walk: (
    prefix: string,
    look: LineWalk,
  ) => AsyncIterable<{ readonly kind: string; readonly name: string }>;
  readonly changes: (listener: (change: Change) => void, look: LineWalk) => MaybeAsync<Unwatch>;
  readonly programOf: ProgramOf;
  /** The caller's error for an error of the store. */
  readonly explain: (error: unknown, subject: ErrorSubject) => unknown;
}

/** The inspector of an engine whose lines are in the layout of other programs: shows their holders and waiters too. */
export function lineInspector<K extends Kind>(parts: LineInspectorParts<K>): Inspector {
  const { inside, walk, changes, programOf, explain } = parts;
  const { client, session, documents, protocols } = inside;
  const kinds = Object.keys(protocols) as K[];
  const look = { kinds, subject: { resource: INSPECTOR, engine: client.label } };
  const looks = describing(protocols, (kind, name) => ({
    count: documents.watching(kind, name),
    counts: 'process',
  }));
  const describe = Object.fromEntries(
    kinds.map((kind) => [kind, async (name: string) => whatIsSeen(looks[kind](name), programOf)]),
  ) as unknown as Partial<Describing>;

  async function* sightings(prefix: string, check: () => void): AsyncGenerator<Sighting, void, undefined> {
    check();
    await session.open();
    try {
      for await (const { kind, name } of walk(prefix, look)) {
        check();
        const seen = (await describe[kind as Kind]?.(name)) ?? null;
        if (seen !== null && isInUse(seen))
          yield { kind: seen.kind, name, holders: seen.holders, waiters: seen.waiters };
      }
    } catch (error) {
      throw explain(error, look.subject);
    }
  }

  return checkedInspector({
    client,
    describe,
    sightings,
    changes: (listener) => changes(listener, look),
    breakHold: (kind, name, holder) => breakHold(protocols, kind, name, holder),
  });
}

/** What lies at that name may be a line of another kind, or another program's: then nothing of this kind is there. */
async function whatIsSeen(
  look: Promise<Description | null>,
  programOf: ProgramOf,
): Promise<Description | null> {
  try {
    const seen = await look;
    return seen === null ? null : withPrograms(seen, programOf);
  } catch (error) {
    if (error instanceof ForeignStateError) return null;
    throw error;
  }
}

/** The id of a ticket says which program it is of. */
function withPrograms(seen: Description, programOf: ProgramOf): Description {
  const holders = seen.holders.map((holder) => withProgram(holder, programOf));
  if (seen.line.order === 'unknown') return { ...seen, holders };
  const places = seen.line.places.map((place) => ({ ...place, program: programOf(place.owner) }));
  return { ...seen, holders, line: { ...seen.line, places } };
}

/** Without a fence for a holder of another program, which sends none of ours with its writes. */
function withProgram({ fence, ...holder }: HolderSighting, programOf: ProgramOf): HolderSighting {
  const program = programOf(holder.owner);
  return { ...holder, program, ...(program === 'holdfast' && fence !== undefined && { fence }) };
}
