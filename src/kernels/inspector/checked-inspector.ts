import { checkName, checkOptions, shown, subjectOf } from '../../core/arguments.ts';
import type { NamelessHolder } from '../../core/announcing/holder-names.ts';
import type { Client } from '../../core/client.ts';
import { withJsonForm } from '../../core/json-form.ts';
import { argumentTypeError, type ErrorSubject } from '../../spi/errors.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type {
  Change,
  Description,
  Expected,
  HolderSighting,
  Inspector,
  Kind,
  Sighting,
} from '../../spi/engine/inspector.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import { checkBreakable } from './break-hold.ts';
import type { Describing } from './describing.ts';

/** The resource that errors of an inspector name. */
export const INSPECTOR = 'inspector';

/** What differs between the inspectors of the engines. */
export interface InspectorParts {
  readonly client: Client;
  /** Of the kinds that the engine offers. */
  readonly describe: Partial<Describing>;
  /** Lists what is in use and begins with the prefix. Calls `check` before each: it throws once the caller has stopped. */
  readonly sightings: (prefix: string, check: () => void) => AsyncIterable<Sighting>;
  readonly changes: (listener: (change: Change) => void) => MaybeAsync<Unwatch>;
  /** Takes the hold from that holder, if it still holds; answers whether it did. */
  readonly breakHold: (kind: Kind, name: string, holder: HolderSighting) => Promise<boolean>;
}

/** The inspector of one engine object. Checks every argument the same way for all engines. */
export function checkedInspector(parts: InspectorParts): Inspector {
  const { client, describe } = parts;
  const subject: ErrorSubject = { resource: INSPECTOR, engine: client.label };

  function subjectFor(kind: Kind, name: string): ErrorSubject {
    if (typeof kind !== 'string' || !Object.hasOwn(describe, kind)) {
      const known = Object.keys(describe).join(', ');
      throw argumentTypeError(`${INSPECTOR}: there is no kind ${shown(kind)}; known are ${known}.`, subject);
    }
    checkName(name, kind, client.label);
    const about = subjectOf(kind, name, client.label);
    client.throwIfClosed(about);
    return about;
  }

  async function named<S extends Sighting>(seen: S): Promise<S> {
    return { ...seen, holders: (await client.names.identify(seen.kind, seen.holders)).map(shownHolder) };
  }

  async function described(seen: Description): Promise<Description> {
    const { kind, line } = seen;
    if (line.order === 'unknown') return named(seen);
    const places = (await client.names.identify(kind, line.places)).map(withoutClue);
    return { ...(await named(seen)), line: { ...line, places } };
  }

  async function* listed(prefix: string, check: () => void): AsyncGenerator<Sighting, void, undefined> {
    for await (const seen of parts.sightings(prefix, check)) yield await named(seen);
  }

  return {
    list: (options): AsyncIterable<Sighting> => {
      checkOptions(options, ['prefix', 'signal'], subject);
      const { prefix = '', signal } = options ?? {};
      if (typeof prefix !== 'string')
        throw argumentTypeError(`${INSPECTOR}: prefix must be a string, not ${shown(prefix)}.`, subject);
      if (signal !== undefined && !(signal instanceof AbortSignal))
        throw argumentTypeError(`${INSPECTOR}: signal must be an AbortSignal.`, subject);
      return listed(prefix, () => {
        signal?.throwIfAborted();
        client.throwIfClosed(subject);
      });
    },
    describe: async (kind, name) => {
      subjectFor(kind, name);
      const seen = await describe[kind]!(name);
      return seen === null ? null : described(seen);
    },
    changes: async (listener: (change: Change) => void) => {
      client.throwIfClosed(subject);
      if (typeof listener !== 'function')
        throw argumentTypeError(`${INSPECTOR}: changes needs a function, not ${shown(listener)}.`, subject);
      return parts.changes(listener);
    },
    forceRelease: async (kind, name, expected) => {
      const about = subjectFor(kind, name);
      checkBreakable(kind, about);
      checkExpected(expected, about);
      const holder = meant(await describe[kind]!(name), expected);
      if (holder === undefined || !(await parts.breakHold(kind, name, holder))) return false;
      // A holder of this process hears of it now, and not with its next renewal.
      client.keeper.loseForced(holder.owner);
      return true;
    },
  };
}

function shownHolder(holder: HolderSighting & NamelessHolder): HolderSighting {
  return withJsonForm(withoutClue(holder));
}

/** Without what only served to find its name. */
function withoutClue<T extends object>(found: T): T {
  const { clientId: _clientId, since: _since, ...rest } = found as T & Partial<NamelessHolder>;
  return rest as unknown as T;
}

/** The holder that the caller saw, if it still holds. */
function meant(seen: Description | null, { owner, fence }: Expected): HolderSighting | undefined {
  return seen?.holders.find(
    (holder) =>
      (owner === undefined || holder.owner === owner) && (fence === undefined || holder.fence === fence),
  );
}

/** Demands an owner or a fence: the lock's own `forceRelease` breaks the hold of any holder. */
function checkExpected(expected: Expected, subject: ErrorSubject): void {
  checkOptions(expected ?? null, ['owner', 'fence'], subject);
  const { owner, fence } = expected;
  const isGood =
    (owner === undefined || typeof owner === 'string') &&
    (fence === undefined || typeof fence === 'bigint') &&
    (owner !== undefined || fence !== undefined);
  if (isGood) return;
  throw argumentTypeError(
    `${subject.resource}: forceRelease needs what was seen of the holder: its owner (a string), its fence (a bigint), or both.`,
    subject,
  );
}
