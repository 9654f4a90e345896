import type { Program } from '../../../spi/api/client-card.ts';
import type { Random } from '../../../spi/clock.ts';
import type { OwnerId } from '../../../spi/rule.ts';

/**
 * A UUID of version 8, which is for forms of one's own. Those of Java are of version 4: so the id alone says which program a
 * ticket is of, and Curator, which reads any UUID, takes both.
 */
export function newTicketId(random: Random): OwnerId {
  const hex = random.id();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

export function isOwnTicketId(id: OwnerId): boolean {
  return id[14] === '8';
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** The owner in a document: the client, and a number. */
const IN_DOCUMENT = /^[0-9a-f]{32}:/;

/** Which program an owner is of. A node of another make than Curator's goes by its whole name. */
export function programOfOwner(owner: OwnerId): Program {
  if (IN_DOCUMENT.test(owner)) return 'holdfast';
  if (!UUID.test(owner)) return 'other';
  return isOwnTicketId(owner) ? 'holdfast' : 'curator';
}
