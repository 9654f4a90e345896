import { shown } from '../../core/arguments.ts';
import { argumentTypeError, type ErrorSubject } from '../../spi/errors.ts';
import type { Lock } from '../../spi/synchronizers.ts';
import { LockObject } from '../lock/lock.ts';

/** What errors about a composed lock call it. */
export function composedSubject(kind: string, locks: readonly unknown[]): ErrorSubject {
  const names = locks.map((lock) => (lock instanceof LockObject ? JSON.stringify(lock.name) : '?'));
  const engines = new Set(locks.map((lock) => (lock instanceof LockObject ? lock.engine : '?')));
  return { resource: `${kind} [${names.join(', ')}]`, engine: [...engines].join(', ') || 'none' };
}

/** Both sides of a read-write lock are one thing here: an owner cannot have them one after the other. */
function family(lock: LockObject): string {
  return lock.kind === 'readLock' || lock.kind === 'writeLock' ? 'readWriteLock' : lock.kind;
}

/** The locks to compose, checked: ours, no two the same, and engines that differ by name. */
export function checkMembers(kind: string, locks: unknown): readonly LockObject[] {
  const given: readonly unknown[] = Array.isArray(locks) ? locks : [];
  const subject = composedSubject(kind, given);
  if (given.length === 0) {
    throw argumentTypeError(`${kind} needs an array of at least one lock.`, subject);
  }
  const members = given.map((lock) => {
    if (lock instanceof LockObject) return lock;
    const write = typeof lock === 'string' ? ` Write locks.lock(${shown(lock)}).` : '';
    throw argumentTypeError(
      `${subject.resource}: every member must be a lock made by a Holdfast engine, and by the copy of the package that composes them; this is ${shown(lock)}.${write}`,
      subject,
    );
  });
  members.forEach((lock, at) => {
    for (const other of members.slice(0, at)) checkPair(lock, other, subject);
  });
  return members;
}

function checkPair(lock: LockObject, other: LockObject, subject: ErrorSubject): void {
  if (lock.engine === other.engine && lock.client !== other.client) {
    throw argumentTypeError(
      `${subject.resource}: two engine objects have the label ${JSON.stringify(lock.engine)}. Give each a label of its own, the same in every process: members are ordered by label.`,
      subject,
    );
  }
  if (lock.client === other.client && family(lock) === family(other) && lock.name === other.name) {
    throw argumentTypeError(
      `${subject.resource}: ${JSON.stringify(lock.name)} is named twice; it would wait for itself.`,
      subject,
    );
  }
}

/** The same order in every process: by label, kind and name, compared as code units, not by anyone's locale. */
export function inOrder(members: readonly LockObject[]): readonly LockObject[] {
  const rank = (lock: Lock) => [lock.engine, lock.kind, lock.name] as const;
  return members.toSorted((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    const at = a.findIndex((part, index) => part !== b[index]);
    return at === -1 ? 0 : a[at]! < b[at]! ? -1 : 1;
  });
}
