import { type ExplicitOwner, USUAL_OWNER_LABEL } from '../../core/reentry/owner.ts';
import type { GrantHold } from '../hold.ts';

/** Keeps a hold for the explicit owner that acquired it, until its hold stack is over; its label is announced meanwhile. */
export function keepForOwner(owner: ExplicitOwner, key: string, hold: GrantHold): void {
  const { label, holdStacks, client } = owner;
  const { announcer } = client.names;
  const { owner: id } = hold.grant;
  const isNamed = label !== USUAL_OWNER_LABEL && label !== '';
  holdStacks.set(key, hold.holdStack);
  if (isNamed) announcer?.addLabel(id, label);
  hold.holdStack.whenOver = () => {
    holdStacks.delete(key);
    if (isNamed) announcer?.dropLabel(id);
  };
}
