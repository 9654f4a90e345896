import type { JoinAsk, LineTicket } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { Side } from '../../../spi/verbs/read-write-lock.ts';

const SIDES: readonly Side[] = ['read', 'write'];
/** The lease, the owner or a place of its client, and what a ticket of a semaphore asks for. */
const OWN_TICKET = /^([0-9a-f]+)-([0-9a-f]{32}[:.][0-9a-z]+)(?:-(\d+)of(\d+)(?:-id)?)?$/;
/** As the concurrency package of etcd calls a key: by the lease alone. */
const LEASE = /^[0-9a-f]+$/;
/** A ticket whose key comes again goes by its name, and by the revision that created it. */
const OWN_ID = /^[0-9a-f]{32}\.[0-9a-z]+@\d+$/;
const FOREIGN_ID = /^(.+)@(\d+)$/s;

/** A lease as etcd's own tools write it in a key: without leading zeros. */
export function leaseName(lease: bigint): string {
  return BigInt.asUintN(64, lease).toString(16);
}

/**
 * The key of a ticket behind the prefix of its line: the lease as the concurrency package has it, then `«client».«place»`, which comes again
 * (`OwnPlaces`), or the id of the owner, which does not. One lease has one ticket in a line there; here every owner has one of its own.
 */
export function ticketSuffix(
  kind: string,
  lease: string,
  place: string,
  { side = 'write', permits = 1, total }: Pick<JoinAsk, 'side' | 'permits' | 'total'>,
): string {
  // A permit semaphore at a name that begins with a slash could not be told from a semaphore there.
  const mark = kind === 'permitSemaphore' ? '-id' : '';
  const claim = total === undefined ? '' : `-${permits}of${total}${mark}`;
  return `${kind === 'readWriteLock' ? `${side}/` : ''}${lease}-${place}${claim}`;
}

/** What a key of a line says by itself. */
export interface TicketInKey extends LineTicket {
  /** The name of its lease, where the key has it. */
  readonly session: string;
  readonly isOurs: boolean;
  /** The owner, or the place of its client, of a ticket of this library. */
  readonly place: string;
}

export function ticketInKey(kind: string, suffix: string, createRevision: bigint): TicketInKey {
  const side = kind === 'readWriteLock' ? SIDES.find((one) => suffix.startsWith(`${one}/`)) : undefined;
  const rest = side === undefined ? suffix : suffix.slice(side.length + 1);
  const [, session = '', place = '', permits, total] = OWN_TICKET.exec(rest) ?? [];
  const order = Number(createRevision);
  const claim = side === undefined ? {} : { side };
  if (place === '') {
    const lease = LEASE.test(rest) ? rest : '';
    return { id: `${suffix}@${createRevision}`, order, session: lease, isOurs: false, place, ...claim };
  }
  const numbers = total === undefined ? {} : { permits: Number(permits), total: Number(total) };
  const id = place.includes('.') ? `${place}@${createRevision}` : place;
  return { id, order, session, isOurs: true, place, ...claim, ...numbers };
}

/** The key and the revision of a ticket that another program made. Undefined for an id of ours. */
export function foreignTicket(
  id: OwnerId,
): { readonly suffix: string; readonly revision: bigint } | undefined {
  const [, suffix, revision] = OWN_ID.test(id) ? [] : (FOREIGN_ID.exec(id) ?? []);
  return suffix === undefined || revision === undefined ? undefined : { suffix, revision: BigInt(revision) };
}

/** Whether a key is a ticket of this library, of whichever line. */
export function isOwnTicketKey(key: string): boolean {
  return OWN_TICKET.test(key.slice(key.lastIndexOf('/') + 1));
}
