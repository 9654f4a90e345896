import type { Description, Kind } from '../../spi/engine/inspector.ts';
import type { GivenArguments } from '../commands/command.ts';
import type { InspectedLocks } from '../open-locks.ts';
import { UsageError } from '../usage-error.ts';
import { ALL_KINDS, kindOfWord } from '../kind-words.ts';

/** The one name that a verb takes. */
export function readName({ words }: GivenArguments, verb: string): string {
  const [name, more] = words;
  if (name === undefined || more !== undefined) throw new UsageError(`${verb} needs one name.`);
  return name;
}

/** The kind that was given, or undefined for any. */
export function readKind({ options }: GivenArguments): Kind | undefined {
  const word = options.get('as');
  return word === undefined ? undefined : kindOfWord(word);
}

/** Everything under this name. A bare number may be of any kind: it is shown only as the kind that was given. */
export async function lookUp(
  locks: InspectedLocks,
  name: string,
  kind: Kind | undefined,
): Promise<readonly Description[]> {
  const { inspector, traits } = locks;
  const areShared = traits.keyspace === 'shared';
  // Where kinds share their names, the two semaphores of a name are one record: it is shown once.
  const hidden: readonly Kind[] = areShared ? ['latch', 'permitSemaphore'] : [];
  const offered = ALL_KINDS.filter((one) => Object.hasOwn(locks, one) && !hidden.includes(one));
  const kinds = kind === undefined ? offered : [kind];
  const seen = await Promise.all(kinds.map((one) => inspector.describe(one, name)));
  const found = seen.filter((one) => one !== null);
  if (kind !== undefined) return found;
  // A number whose permits have no holder could also be a latch, or not ours at all.
  return withoutTwins(
    found.filter((one) => !(areShared && one.kind === 'semaphore' && one.holders.length === 0)),
  );
}

/** Where locks and fair locks share a layout, both are found: a queue makes it a fair one. */
function withoutTwins(found: readonly Description[]): readonly Description[] {
  const lock = found.find((one) => one.kind === 'lock');
  const fair = found.find((one) => one.kind === 'fairLock');
  const isTwin = lock !== undefined && fair !== undefined && sameHolders(lock, fair);
  if (!isTwin) return found;
  const twin = fair.waiters.count > 0 ? lock : fair;
  return found.filter((one) => one !== twin);
}

function sameHolders(one: Description, other: Description): boolean {
  const owners = (seen: Description): string => seen.holders.map(({ owner }) => owner).join('\n');
  return one.holders.length > 0 && owners(one) === owners(other);
}
