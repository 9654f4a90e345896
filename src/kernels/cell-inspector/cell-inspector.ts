import { checkName, checkOptions, shown, subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { argumentTypeError, type ErrorSubject } from '../../spi/errors.ts';
import type { Change, Expected, Inspector, Kind, Sighting, Waiting } from '../../spi/inspector.ts';
import type { Eventually } from '../../spi/eventually.ts';
import type { Unwatch } from '../../spi/protocol.ts';
import type { Protocols } from '../protocols.ts';
import { describing, isInUse } from './describe.ts';
import { breakHold, checkBreakable, meant } from './force.ts';

const INSPECTOR = 'inspector';

/** Which cell. Engines may have cells of kinds that are no synchronizers, and that nobody is shown. */
export interface CellName {
  readonly kind: string;
  readonly name: string;
}

export interface CellInspectorParts {
  readonly client: Client;
  readonly protocols: Protocols;
  /** The cells whose names begin so, bit by bit. */
  readonly cells: (prefix: string) => AsyncIterable<CellName> | Iterable<CellName>;
  readonly waitersOfLatch: (name: string) => Waiting;
  /** Calls after changes; with nothing if anything may have changed. */
  readonly changes: (told: (changed: CellName | undefined) => void) => Eventually<Unwatch>;
}

/** The inspector of an engine that keeps everything in cells. It shows what is there, and asks for it a little at a time. */
export function cellInspector(parts: CellInspectorParts): Inspector {
  const { client, protocols } = parts;
  const subject: ErrorSubject = { resource: INSPECTOR, engine: client.label };
  const describe = describing(protocols, parts.waitersOfLatch);

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

  async function* sightings(prefix: string, check: () => void): AsyncGenerator<Sighting, void, undefined> {
    check();
    for await (const { kind, name } of parts.cells(prefix)) {
      check();
      const seen = Object.hasOwn(describe, kind) ? await describe[kind as Kind](name) : null;
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
        client.throwIfClosed(subject);
      });
    },
    describe: async (kind, name) => {
      subjectFor(kind, name);
      return describe[kind](name);
    },
    changes: async (listener: (change: Change) => void) => {
      client.throwIfClosed(subject);
      if (typeof listener !== 'function')
        throw argumentTypeError(`${INSPECTOR}: changes needs a function, not ${shown(listener)}.`, subject);
      return parts.changes((changed) =>
        tell(
          listener,
          changed === undefined
            ? { what: 'anything' }
            : { what: 'name', ...(changed as { kind: Kind; name: string }) },
        ),
      );
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

/** A listener that throws must not keep the news from others; its error surfaces as an uncaught exception of its own. */
function tell(listener: (change: Change) => void, change: Change): void {
  try {
    listener(change);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
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
