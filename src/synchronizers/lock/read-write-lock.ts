import { checkName, subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { logged } from '../../core/log-as.ts';
import { OpenGate } from '../../core/queues/gate.ts';
import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import { Holdable } from '../../core/acquire/holdable.ts';
import { openScope, type Place, placeKey } from '../../core/reentry/scope.ts';
import type { HoldStack } from '../../core/reentry/hold-stack.ts';
import { type ErrorSubject, UpgradeError } from '../../spi/errors.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import { protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Lock, ReadWriteLock } from '../../spi/synchronizers.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import type { ReadWriteLockLook, ReadWriteLockVerbs, Side } from '../../spi/verbs/read-write-lock.ts';
import { LockObject } from './lock.ts';

type ReadWriteProtocol = HoldingProtocol<ReadWriteLockVerbs, ReadWriteLockLook>;

function upgradeError(subject: ErrorSubject): UpgradeError {
  return new UpgradeError(
    `${subject.resource} was asked for by an owner that holds only the read side: it would wait for itself. ` +
      'Give back the read side first, or take the write side from the start.',
    subject,
  );
}

function sideHoldable(
  client: Client,
  kind: string,
  side: Side,
  name: string,
  protocol: ReadWriteProtocol,
): Holdable {
  const { traits } = protocol;
  return new Holdable(client, kind, name, protocol, {
    request: { side },
    // A writer is alone with its record: there is no other program that could cut it.
    traits: side === 'read' ? traits : protocolTraits({ ...traits, othersCutLeases: false }),
    refusal: () => upgradeError(subjectOf(kind, name, client.label)),
    blockers: async () => {
      const { writer, readers } = await protocol.look(name);
      if (writer !== undefined) return [writer];
      return side === 'write' ? readers : [];
    },
  });
}

/** The holder a query shows: of several readers the one that stays longest. */
function shownHolder(side: Side, look: ReadWriteLockLook): HolderView | undefined {
  if (side === 'write') return look.writer;
  return look.readers.toSorted((one, other) => other.remainingMs - one.remainingMs)[0];
}

/** What this owner has on a side: by its own name, or by the `run` it is in. */
function holdStackOn(place: Place, owner: ExplicitOwner | undefined): HoldStack | undefined {
  const holdStack = owner === undefined ? openScope(place)?.holdStack : owner.holdStacks.get(placeKey(place));
  return holdStack?.grant.open === true ? holdStack : undefined;
}

/** Both sides of `locks.readWriteLock(name)`. */
export function createReadWriteLock(
  client: Client,
  protocol: ReadWriteProtocol,
  name: string,
): ReadWriteLock {
  checkName(name, 'readWriteLock', client.label);
  const places = {
    read: { client, family: 'readWriteLock', name, side: 'read' },
    write: { client, family: 'readWriteLock', name, side: 'write' },
  };
  const side = (
    which: Side,
    relation: (subject: ErrorSubject, owner: ExplicitOwner | undefined) => HoldStack | undefined,
  ): Lock => {
    const kind = which === 'read' ? 'readLock' : 'writeLock';
    const holdable = sideHoldable(client, kind, which, name, protocol);
    const gate = new OpenGate(holdable);
    return new LockObject({
      kind,
      holdable,
      place: places[which],
      rivals: which === 'read' ? [places.write] : [places.read, places.write],
      gate: () => gate,
      look: async () => {
        const look = await protocol.look(name);
        return { holder: shownHolder(which, look), waiters: look.waiters[which] };
      },
      force: (fence) => protocol.force(name, fence === undefined ? { side: which } : { side: which, fence }),
      relation: (owner) => relation(holdable.subject, owner),
    });
  };
  return {
    ...logged('ReadWriteLock', () => ({ kind: 'readWriteLock', name, engine: client.label })),
    name,
    // Taken under a write it names the write, and can be kept when the write side is given back.
    read: side('read', (_subject, owner) => holdStackOn(places.write, owner)),
    write: side('write', (subject, owner) => {
      if (holdStackOn(places.read, owner) !== undefined) throw upgradeError(subject);
      return undefined;
    }),
  };
}
