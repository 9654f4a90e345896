import type { Client } from '../../../core/client.ts';
import { breakHold } from '../../../kernels/inspector/break-hold.ts';
import { checkedInspector, INSPECTOR } from '../../../kernels/inspector/checked-inspector.ts';
import { type Describing, describing, isInUse } from '../../../kernels/inspector/describing.ts';
import type {
  Description,
  HolderSighting,
  Inspector,
  Kind,
  Sighting,
} from '../../../spi/engine/inspector.ts';
import type { UnraisedProtocols } from '../../../spi/engine/protocols.ts';
import { ForeignStateError } from '../../../spi/errors.ts';
import type { MaybeAsync } from '../../../spi/maybe-async.ts';
import { explainError } from '../explain-error.ts';
import { programOfOwner } from '../layout/ticket-id.ts';
import type { ZooKeeperDocuments } from '../documents/zookeeper-documents.ts';
import type { ZooKeeperLiveness } from '../zookeeper-liveness.ts';
import { ChangeWatch } from './change-watch.ts';
import { walkNodes } from './walk-nodes.ts';

/** What the inspector of one engine object looks through. */
export interface ZooKeeperInside<K extends Kind> {
  readonly client: Client;
  readonly session: { open(): MaybeAsync<void> };
  readonly liveness: ZooKeeperLiveness;
  readonly root: string;
  readonly documents: ZooKeeperDocuments;
  readonly protocols: Pick<UnraisedProtocols, K>;
}

/** Shows holders and waiters, those of Curator too. */
export function zooKeeperInspector<K extends Kind>(inside: ZooKeeperInside<K>): Inspector {
  const { client, session, liveness, root, documents, protocols } = inside;
  const subject = { resource: INSPECTOR, engine: client.label };
  const kinds = Object.keys(protocols) as K[];
  const looks = describing(protocols, (kind, name) => ({
    count: documents.watching(kind, name),
    counts: 'process',
  }));
  const describe = Object.fromEntries(
    kinds.map((kind) => [kind, async (name: string) => whatIsSeen(looks[kind](name))]),
  ) as unknown as Partial<Describing>;

  async function* sightings(prefix: string, check: () => void): AsyncGenerator<Sighting, void, undefined> {
    check();
    await session.open();
    try {
      for await (const { kind, name } of walkNodes({
        client: liveness.client(subject),
        root,
        kinds,
        prefix,
      })) {
        check();
        const seen = (await describe[kind as Kind]?.(name)) ?? null;
        if (seen !== null && isInUse(seen))
          yield { kind: seen.kind, name, holders: seen.holders, waiters: seen.waiters };
      }
    } catch (error) {
      throw explainError(error, subject);
    }
  }

  return checkedInspector({
    client,
    describe,
    sightings,
    changes: (listener) =>
      new ChangeWatch({ client, session, liveness, root, kinds, subject }, listener).begin(),
    breakHold: (kind, name, holder) => breakHold(protocols, kind, name, holder),
  });
}

/** A node of that path may be the folder of a line, or another program's: then nothing of this kind is there. */
async function whatIsSeen(look: Promise<Description | null>): Promise<Description | null> {
  try {
    const seen = await look;
    return seen === null ? null : withPrograms(seen);
  } catch (error) {
    if (error instanceof ForeignStateError) return null;
    throw error;
  }
}

/** The id of a ticket says which program it is of. */
function withPrograms(seen: Description): Description {
  const holders = seen.holders.map(withProgram);
  if (seen.line.order === 'unknown') return { ...seen, holders };
  const places = seen.line.places.map((place) => ({ ...place, program: programOfOwner(place.owner) }));
  return { ...seen, holders, line: { ...seen.line, places } };
}

/** Without a fence for a holder of Curator's, which sends none with its writes. */
function withProgram({ fence, ...holder }: HolderSighting): HolderSighting {
  const program = programOfOwner(holder.owner);
  return { ...holder, program, ...(program === 'holdfast' && fence !== undefined && { fence }) };
}
