import type { HolderSighting } from '../../../spi/engine/inspector.ts';
import type { Reply } from '../driver.ts';
import { isHold, programOf } from './shapes.ts';
import type { RedisContext } from '../redis-context.ts';
import { hashLook } from '../scripts.generated.ts';

/** So many holders are shown. Only readers can be as many. */
const MOST_HOLDERS = 1000;
const WRITE = ':write';
/** What Redis says of a key that has no end; of one that is not there it says something else. */
const ENDLESS = -1;

/** What is kept under a name, if that can be a lock: nothing at all can be one too, a free one. */
export interface LockSight {
  readonly isReadWrite: boolean;
  readonly holders: readonly HolderSighting[];
  /** How many stand in the line of a fair lock. */
  readonly inLine: number;
  /** Whether nobody but a lock looks so: it is seen for one without being told that there is one. */
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

/** A writer that also reads is one owner, and what it does is write. */
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
    // The token is that of our last grant, or of a fenced lock of Java's, and who took it last is not to be seen: what
    // stands beside a hold of Java's may be the fence of one who left long ago.
    ...(program === 'holdfast' && one.fence !== '' && { fence: BigInt(one.fence) }),
    remainingMs: one.remainingMs < 0 ? Infinity : one.remainingMs,
    count: Number(one.count) || 1,
  };
}
