import { checkName, subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { OpenGate } from '../../core/queues/gate.ts';
import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import type { Resource } from '../../core/acquire/resource.ts';
import { openScope, type Place } from '../../core/reentry/scope.ts';
import type { HoldStack } from '../../core/reentry/hold-stack.ts';
import { type ErrorSubject, UpgradeError } from '../../spi/errors.ts';
import { mapAnswer } from '../../spi/maybe-async.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import { protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Lock, ReadWriteLock } from '../../spi/synchronizers.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import type { ReadWriteLockLook, ReadWriteLockVerbs, Side } from '../../spi/verbs/read-write-lock.ts';
import { keyOf, LockObject } from './lock.ts';

type ReadWriteProtocol = HoldingProtocol<ReadWriteLockVerbs, ReadWriteLockLook>;

function upgradeError(subject: ErrorSubject): UpgradeError {
  return new UpgradeError(
    `${subject.resource} was asked for by an owner that holds only the read side: it would wait for itself. ` +
      'Give back the read side first, or take the write side from the start.',
    subject,
  );
}

function sideResource(
  client: Client,
  kind: string,
  side: Side,
  name: string,
  protocol: ReadWriteProtocol,
): Resource {
  const subject = subjectOf(kind, name, client.label);
  return {
    client,
    kind,
    name,
    subject,
    renewer: protocol,
    // A writer is alone with its record: there is no other program that could cut it.
    traits:
      side === 'read' ? protocol.traits : protocolTraits({ ...protocol.traits, othersCutLeases: false }),
    acquire: ({ fences: _one, ...ask }) => {
      const answer = protocol.acquire(name, { ...ask, side });
      return mapAnswer(answer, refusedOr);
    },
    release: (owner) => protocol.release(name, { owner, side }),
    watch: (owner, heard) => protocol.watch(name, owner, heard),
    renewal: (owner, leaseMs) => ({ name, ask: { owner, leaseMs, side } }),
  };

  function refusedOr<A extends { readonly kind: string }>(answer: A) {
    return answer.kind === 'upgrade'
      ? { kind: 'refused' as const, error: upgradeError(subject) }
      : (answer as Exclude<A, { readonly kind: 'upgrade' }>);
  }
}

/** The holder a query shows: of several readers the one that stays longest. */
function shownHolder(side: Side, look: ReadWriteLockLook): HolderView | undefined {
  if (side === 'write') return look.writer;
  return look.readers.toSorted((one, other) => other.remainingMs - one.remainingMs)[0];
}

/** What this owner has on a side: by its own name, or by the `run` it is in. */
function tenureOn(place: Place, owner: ExplicitOwner | undefined): HoldStack | undefined {
  const holdStack = owner === undefined ? openScope(place)?.holdStack : owner.holdStacks.get(keyOf(place));
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
    const resource = sideResource(client, kind, which, name, protocol);
    const gate = new OpenGate(resource);
    return new LockObject({
      kind,
      resource,
      place: places[which],
      rivals: which === 'read' ? [places.write] : [places.read, places.write],
      gate: () => gate,
      look: async () => {
        const look = await protocol.look(name);
        return { holder: shownHolder(which, look), waiters: look.waiters[which] };
      },
      force: (fence) => protocol.force(name, fence === undefined ? { side: which } : { side: which, fence }),
      relation: (owner) => relation(resource.subject, owner),
    });
  };
  return {
    name,
    // Taken under a write it names the write, and can be kept when the write side is given back.
    read: side('read', (_subject, owner) => tenureOn(places.write, owner)),
    write: side('write', (subject, owner) => {
      if (tenureOn(places.read, owner) !== undefined) throw upgradeError(subject);
      return undefined;
    }),
  };
}
