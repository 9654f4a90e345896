import type { OwnerId } from './rule.ts';

const KEPT = '+kept';

/** The owner of a hold that only its time ends. Names the client as every owner does. */
export function keptOwner(owner: OwnerId): OwnerId {
  return `${owner}${KEPT}`;
}

/** Whether no owner has this hold any more: it is what `minHoldMs` left of it. */
export function isKeptOwner(owner: OwnerId): boolean {
  return owner.endsWith(KEPT);
}
