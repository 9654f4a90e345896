import type { HolderSighting } from '../../../spi/engine/inspector.ts';

/** Ours: 128 random bits of the client, and a number. */
const OURS = /^[0-9a-f]{32}:[0-9a-z]+$/;
/** Redisson's: the client's UUID and the id of a thread; of a transaction, with that behind it. */
const JAVA = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:-?\d+(?::.+)?$/s;
const COUNT = /^[1-9]\d*$/;

/** Permits of ours that were taken together are counted in the last four digits of their ids, from 0000 on. */
const OUR_PERMIT = /^[0-9a-f]{28}0000$/;

export function programOf(owner: string): HolderSighting['program'] {
  return OURS.test(owner) ? 'holdfast' : 'other';
}

export function programOfPermit(id: string): HolderSighting['program'] {
  return OUR_PERMIT.test(id) ? 'holdfast' : 'other';
}

/** Whether a field of a hash is an owner and how often it holds: nobody else would call a field so. */
export function isHold(owner: string, count: string): boolean {
  return (OURS.test(owner) || JAVA.test(owner)) && COUNT.test(count);
}

/** The end of the channel on which one who waits for a fair lock is told. */
export const WAITERS_END = /:(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):-?[0-9a-z]+$/;
