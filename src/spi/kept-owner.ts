import type { OwnerId } from './rule.ts';

const KEPT = '+kept';

/** The owner of a hold that only its time ends. Names the client as every owner does. */
export function keptOwner(owner: OwnerId): OwnerId {
  return `${owner}${KEPT}`;
}

/** The owner whose hold it was, or the owner itself. */
export function lastOwner(owner: OwnerId): OwnerId {
  return isKeptOwner(owner) ? owner.slice(0, -KEPT.length) : owner;
}

/** Whether no owner has this hold any more: it is what `minHoldMs` left of it. */
export function isKeptOwner(owner: OwnerId): boolean {
  return owner.endsWith(KEPT);
}
