import { checkName, checkOptions, shown, subjectOf } from '../../../kernels/assemble.ts';
import type { Protocols } from '../../../kernels/protocols.ts';
import { argumentTypeError, type ErrorSubject } from '../../../spi/errors.ts';
import type { Change, Expected, Inspector, Kind, Sighting } from '../../../spi/inspector.ts';
import { watchChanges } from './changes.ts';
import { describing } from './describe.ts';
import { breakHold, checkBreakable, meant } from './force.ts';
import { Listing } from './list.ts';
import { InspectorListeners } from './listeners.ts';
import { INSPECTOR, InspectorServers } from './servers.ts';
import type { RedisParts } from '../redis-parts.ts';

/** The inspector of one engine object. It shows what is there, Java's too, and asks the servers for it as little as it can. */
export function redisInspector(parts: RedisParts, protocols: Protocols, commandTimeoutMs: number): Inspector {
  const { client } = parts;
  const subject: ErrorSubject = { resource: INSPECTOR, engine: client.label };
  const servers = new InspectorServers(parts, commandTimeoutMs);
  const listeners = new InspectorListeners(parts, servers);
  const describe = describing({ parts, protocols, listeners });

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

  return {
    list: (options): AsyncIterable<Sighting> => {
      checkOptions(options, ['prefix', 'signal'], subject);
      const { prefix = '', signal } = options ?? {};
      if (typeof prefix !== 'string')
        throw argumentTypeError(`${INSPECTOR}: prefix must be a string, not ${shown(prefix)}.`, subject);
      if (signal !== undefined && !(signal instanceof AbortSignal))
        throw argumentTypeError(`${INSPECTOR}: signal must be an AbortSignal.`, subject);
      const check = (): void => {
        signal?.throwIfAborted();
        client.throwIfClosed(subject);
      };
      return new Listing({ parts, servers, listeners, describe, prefix, check }).sightings();
    },
    describe: async (kind, name) => {
      subjectFor(kind, name);
      return describe[kind](name);
    },
    changes: async (listener: (change: Change) => void) => {
      client.throwIfClosed(subject);
      if (typeof listener !== 'function')
        throw argumentTypeError(`${INSPECTOR}: changes needs a function, not ${shown(listener)}.`, subject);
      return watchChanges(parts, listeners, listener);
    },
    forceRelease: async (kind, name, expected) => {
      const about = subjectFor(kind, name);
      checkBreakable(kind, about);
      checkExpected(expected, about);
      const seen = await describe[kind](name);
      const holder = meant(seen, expected);
      if (seen === null || holder === undefined) return false;
      const broken = await breakHold(protocols, kind, seen, holder);
      if (broken.kind !== 'forced' && broken.kind !== 'released') return false;
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
