import type { ExplicitOwner } from '../../core/reentry/owner.ts';
import { type ErrorSubject, NotHeldError } from '../../spi/errors.ts';
import { GrantHold } from '../hold.ts';

/** The innermost hold of an owner at a place. `verb`: what the owner wants to do with it. */
export function latestHold(
  owner: ExplicitOwner,
  key: string,
  verb: string,
  subject: ErrorSubject,
): GrantHold {
  const latest = owner.holdStacks.get(key)?.innermost;
  if (latest instanceof GrantHold) return latest;
  throw new NotHeldError(
    `${subject.resource} is not held by the owner ${JSON.stringify(owner.label)} that wants to ${verb} it.`,
    subject,
  );
}
