import { type Place, Scope } from '../../core/reentry/scope.ts';
import type { GrantHold } from '../hold.ts';

/** The scope of a section. A hold that re-entered has its own from the start: its siblings must see it before the section begins. */
export function scopeOf(hold: GrantHold, place: Place): Scope {
  if (hold.scope?.level !== hold) hold.scope = new Scope(place, hold);
  return hold.scope;
}
