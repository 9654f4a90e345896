import type { HolderSighting } from '../../../spi/engine/inspector.ts';
import type { Reply } from '../driver.ts';
import { isHold, programOf } from './shapes.ts';
import type { RedisContext } from '../redis-context.ts';
import { hashLook } from '../scripts.generated.ts';

/** The most holders that are shown. Only readers can be so many. */
const MOST_HOLDERS = 1000;
const WRITE = ':write';
/** The TTL of a key without expiry; a missing key has another value. */
const ENDLESS = -1;

/** The hash under a name, if it can be a lock. A missing key can be one too: a free lock. */
export interface LockSight {
  readonly isReadWrite: boolean;
  readonly holders: readonly HolderSighting[];
  /** The length of the line of a fair lock. */
  readonly inLine: number;
  /** Whether the hash can only be a lock: then a listing shows it without knowing its kind beforehand. */
  readonly isPlain: boolean;
}

interface Field {
  readonly field: string;
  readonly count: string;
  readonly remainingMs: number;
  readonly fence: string;
}

/** Looks at the hash under a name; undefined if it is no lock of any kind. */
export async function lookAtLock(parts: RedisContext, name: string): Promise<LockSight | undefined> {
  const { scripts, keys } = parts;
  const own = {
    lock: keys.of(name),
    token: keys.token(name),
    queue: keys.fairQueue(name),
    contributions: keys.fairContributions(name),
  };
  const prepared = hashLook(own, { most: MOST_HOLDERS });
  const reply = await scripts.read({ kind: 'lock', name, key: own.lock, ...prepared });
  if (reply.length === 0) return undefined;
  const [ttlMs, , inLine, mode] = reply;
  const fields = fieldsOf(reply);
  const isReadWrite = mode !== '';
  return {
    isReadWrite,
    inLine: Number(inLine),
    holders: fields
      .map((one) => holderOf(one, isReadWrite))
      .filter(({ remainingMs }) => remainingMs > 0)
      .toSorted(writerFirst),
    isPlain:
      Number(ttlMs) !== ENDLESS && isMode(mode) && fields.every((one) => isHold(ownerOf(one), one.count)),
  };
}

function isMode(mode: Reply | undefined): boolean {
  return mode === '' || mode === 'read' || mode === 'write';
}

/** `ttlMs lastFence inLine mode (field count remainingMs fence)*` */
function fieldsOf(reply: readonly Reply[]): readonly Field[] {
  const fields: Field[] = [];
  for (let at = 4; at < reply.length; at += 4) {
    fields.push({
      field: String(reply[at]),
      count: String(reply[at + 1]),
      remainingMs: Number(reply[at + 2]),
      fence: String(reply[at + 3]),
    });
  }
  return fields;
}

function ownerOf({ field }: Field): string {
  return field.endsWith(WRITE) ? field.slice(0, -WRITE.length) : field;
}

/** Sorts writers first: a writer that also reads is one owner, and its side is write. */
function writerFirst(one: HolderSighting, other: HolderSighting): number {
  return Number(other.side === 'write') - Number(one.side === 'write');
}

function holderOf(one: Field, isReadWrite: boolean): HolderSighting {
  const owner = ownerOf(one);
  const program = programOf(owner);
  return {
    owner,
    program,
    ...(isReadWrite && { side: one.field.endsWith(WRITE) ? 'write' : 'read' }),
    // Only for our own holds. The token belongs to the last grant of this library or of Java's fenced lock, and Redis does not
    // show which: beside a hold of Java it may be the fence of a holder that released long ago.
    ...(program === 'holdfast' && one.fence !== '' && { fence: BigInt(one.fence) }),
    remainingMs: one.remainingMs < 0 ? Infinity : one.remainingMs,
    count: Number(one.count) || 1,
  };
}
