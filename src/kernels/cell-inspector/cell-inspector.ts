import { checkName, checkOptions, shown, subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { argumentTypeError, type ErrorSubject } from '../../spi/errors.ts';
import type { Change, Expected, Inspector, Kind, Sighting } from '../../spi/inspector.ts';
import type { Unwatch } from '../../spi/protocol.ts';
import { closedError } from '../surroundings.ts';
import type { Protocols } from '../protocols.ts';
import { describing, isInUse } from './describe.ts';
import { breakHold, checkBreakable, meant } from './force.ts';

const INSPECTOR = 'inspector';

export interface CellInspectorParts {
  readonly client: Client;
  readonly protocols: Protocols;
  /** All cells there are. */
  readonly cells: () => Iterable<{ readonly kind: Kind; readonly name: string }>;
  /** How many listen for changes of a cell. */
  readonly watching: (kind: Kind, name: string) => number;
  readonly changes: (listener: (change: Change) => void) => Unwatch;
}

/** The inspector of an engine whose cells are all at hand. */
export function cellInspector({
  client,
  protocols,
  cells,
  watching,
  changes,
}: CellInspectorParts): Inspector {
  const subject: ErrorSubject = { resource: INSPECTOR, engine: client.label };
  const describe = describing(protocols, watching);

  function throwIfClosed(about: ErrorSubject): void {
    if (client.closed) throw closedError(about);
  }

  function subjectFor(kind: Kind, name: string): ErrorSubject {
    if (typeof kind !== 'string' || !Object.hasOwn(describe, kind)) {
      const known = Object.keys(describe).join(', ');
      throw argumentTypeError(`${INSPECTOR}: there is no kind ${shown(kind)}; known are ${known}.`, subject);
    }
    checkName(name, kind, client.label);
    const about = subjectOf(kind, name, client.label);
    throwIfClosed(about);
    return about;
  }

  async function* sightings(prefix: string, check: () => void): AsyncGenerator<Sighting, void, undefined> {
    check();
    for (const { kind, name } of cells()) {
      check();
      if (!name.startsWith(prefix)) continue;
      const seen = await describe[kind](name);
      if (seen !== null && isInUse(seen))
        yield { kind: seen.kind, name, holders: seen.holders, waiters: seen.waiters };
    }
  }

  return {
    list: (options): AsyncIterable<Sighting> => {
      checkOptions(options, ['prefix', 'signal'], subject);
      const { prefix = '', signal } = options ?? {};
      if (typeof prefix !== 'string')
        throw argumentTypeError(`${INSPECTOR}: prefix must be a string, not ${shown(prefix)}.`, subject);
      if (signal !== undefined && !(signal instanceof AbortSignal))
        throw argumentTypeError(`${INSPECTOR}: signal must be an AbortSignal.`, subject);
      return sightings(prefix, () => {
        signal?.throwIfAborted();
        throwIfClosed(subject);
      });
    },
    describe: async (kind, name) => {
      subjectFor(kind, name);
      return describe[kind](name);
    },
    changes: async (listener) => {
      throwIfClosed(subject);
      if (typeof listener !== 'function')
        throw argumentTypeError(`${INSPECTOR}: changes needs a function, not ${shown(listener)}.`, subject);
      return changes((change) => {
        // Not inside the step that made the change: a listener may throw, or take a step of its own.
        queueMicrotask(() => listener(change));
      });
    },
    forceRelease: async (kind, name, expected) => {
      const about = subjectFor(kind, name);
      checkBreakable(kind, about);
      checkExpected(expected, about);
      const seen = await describe[kind](name);
      const holder = meant(seen, expected);
      if (seen === null || holder === undefined || !(await breakHold(protocols, seen, holder))) return false;
      // If it was ours, whoever has it here need not wait for a renewal to be told.
      client.keeper.forced(holder.owner);
      return true;
    },
  };
}

/** To take something from whoever happens to have it is what a lock's own `forceRelease` is for. */
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
