import type { Protocols } from '../cells/protocols.ts';
import { argumentTypeError, type ErrorSubject } from '../../spi/errors.ts';
import type { HolderSighting, Kind } from '../../spi/engine/inspector.ts';

const WITHOUT_HOLDERS: ReadonlySet<Kind> = new Set<Kind>(['latch', 'barrier']);

export function checkBreakable(kind: Kind, subject: ErrorSubject): void {
  if (!WITHOUT_HOLDERS.has(kind)) return;
  throw argumentTypeError(
    `${subject.resource}: a ${kind} has no holders, so forceRelease has nothing to take away. Call reset() of the ${kind} to begin anew.`,
    subject,
  );
}

/**
 * Takes it from that holder. What is between the look and this does not matter: the rule compares owner and fence once
 * more. Answers whether it was taken away.
 */
export async function breakHold(
  protocols: Protocols,
  kind: Kind,
  name: string,
  { owner, fence, side = 'write' }: HolderSighting,
): Promise<boolean> {
  const ask = { owner, ...(fence !== undefined && { fence: Number(fence) }) };
  if (kind === 'latch' || kind === 'barrier') return false;
  if (kind === 'readWriteLock')
    return (await protocols.readWriteLock.force(name, { ...ask, side })).kind === 'forced';
  if (kind === 'semaphore' || kind === 'permitSemaphore')
    return (await protocols[kind].release(name, { owner })).kind === 'released';
  return (await protocols[kind].force(name, ask)).kind === 'forced';
}
