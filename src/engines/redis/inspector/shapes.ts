import type { Program } from '../../../spi/api/client-card.ts';

/** An owner of this library: 128 random bits of the client, and a number; behind them what `minHoldMs` has left of its hold. */
const OURS = /^[0-9a-f]{32}:[0-9a-z]+(?:\+kept)?$/;
/** An owner of Redisson: the client's UUID and a thread id, and the transaction id behind it in a transaction. */
const JAVA = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}:-?\d+(?::.+)?$/s;
const COUNT = /^[1-9]\d*$/;

/** The first of several permits taken together by this library: the last four digits count them from 0000. */
const OUR_PERMIT = /^[0-9a-f]{28}0000$/;

/** Of an owner in Redisson's layout. */
export function programOf(owner: string): Program {
  if (OURS.test(owner)) return 'holdfast';
  return JAVA.test(owner) ? 'redisson' : 'other';
}

/** Redisson's permits are random: one in 65,536 ends as those of this library do. */
export function programOfPermit(id: string): Program {
  return OUR_PERMIT.test(id) ? 'holdfast' : 'redisson';
}

/** Whether a field of a hash is an owner and its hold count: no other program names a field so. */
export function isHold(owner: string, count: string): boolean {
  return (OURS.test(owner) || JAVA.test(owner)) && COUNT.test(count);
}

/** The suffix of the channel of one waiter for a fair lock. */
export const WAITERS_END = /:(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}):-?[0-9a-z]+$/;
