import type { JoinAnswer, Joined } from '../../../spi/engine/ticket-line.ts';
import { isFull } from '../explain-etcd-error.ts';

/**
 * The answer to a join, also where a member says that its database is full: looks for the ticket, and rejects only if there is none.
 *
 * The race: many writes reach a member whose database is about to cross its quota. It has let all of them in, carries them out, and answers
 * those behind the quota that there is no room, although their keys are there (`quotaApplierV3` of etcd; seen for 10 of 10 refused
 * transactions). The tempting alternative takes that for a refusal: the ticket would stand in front of its line for as long as its client lives,
 * and no caller knows of it. The call was answered, so it is not carried out later: one read settles it.
 */
export async function settleFullJoin(
  join: Promise<JoinAnswer>,
  find: () => Promise<Joined | undefined>,
): Promise<JoinAnswer> {
  try {
    return await join;
  } catch (error) {
    if (!isFull(error)) throw error;
    const joined = await find();
    if (joined === undefined) throw error;
    return joined;
  }
}
