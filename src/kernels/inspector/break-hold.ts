import { argumentTypeError, type ErrorSubject } from '../../spi/errors.ts';
import type { HolderSighting, Kind } from '../../spi/engine/inspector.ts';
import type { UnraisedProtocols } from '../../spi/engine/protocols.ts';
import { kinds, type KindValues } from '../kinds.ts';

/** Refuses a kind without holders: there is nothing to take away. */
export function checkBreakable(kind: Kind, subject: ErrorSubject): void {
  if (kinds[kind].breakHold !== undefined) return;
  throw argumentTypeError(
    `${subject.resource}: a ${kind} has no holders, so forceRelease has nothing to take away. Call reset() of the ${kind} to begin anew.`,
    subject,
  );
}

/** Takes the hold from the holder that was seen, if it still holds; answers whether it did. */
export async function breakHold(
  protocols: Partial<UnraisedProtocols>,
  kind: Kind,
  name: string,
  holder: HolderSighting,
): Promise<boolean> {
  const breaks = kinds[kind].breakHold as KindValues<never>['breakHold'];
  return breaks === undefined ? false : breaks(protocols[kind] as never, name, holder);
}
