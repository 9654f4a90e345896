import { checkName, checkOptions, shown, subjectOf } from '../../../kernels/assemble.ts';
import type { Protocols } from '../../../kernels/protocols.ts';
import { argumentTypeError, type ErrorSubject } from '../../../spi/errors.ts';
import type { Change, Expected, Inspector, Kind, Sighting } from '../../../spi/inspector.ts';
import type { SqlInside } from '../open-sql-engine.ts';
import { describing, isInUse } from './describe.ts';
import { breakHold, checkBreakable, meant } from './force.ts';

const INSPECTOR = 'inspector';
/** So many rows are taken with one statement. */
const SLICE = 200;

/** The inspector of one engine object. It shows what is there, and asks the database for it a little at a time. */
export function sqlInspector(inside: SqlInside, protocols: Protocols): Inspector {
  const { client, signals, documents } = inside;
  const subject: ErrorSubject = { resource: INSPECTOR, engine: client.label };
  const describe = describing(protocols, signals);

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
    let after = { kind: '', name: '' };
    for (;;) {
      check();
      const slice = await documents.list(after, prefix, SLICE);
      for (const { kind, name } of slice) {
        check();
        const seen = Object.hasOwn(describe, kind) ? await describe[kind as Kind](name) : null;
        if (seen !== null && isInUse(seen))
          yield { kind: seen.kind, name, holders: seen.holders, waiters: seen.waiters };
      }
      const last = slice.at(-1);
      if (last === undefined || slice.length < SLICE) return;
      after = last;
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
      return signals.changes((changed) =>
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
