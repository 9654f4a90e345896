import type { CommandOutcome } from '../driver.ts';
import { plainReply } from './reply.ts';
import { isError } from '../../../spi/is-error.ts';

/** The outcome of each of several commands: an error of one hides none of the others. */
export async function outcomes(replies: readonly Promise<unknown>[]): Promise<readonly CommandOutcome[]> {
  const settled = await Promise.allSettled(replies);
  return settled.map((each) =>
    each.status === 'fulfilled' ? { reply: plainReply(each.value) } : { error: asError(each.reason) },
  );
}

export function asError(reason: unknown): Error {
  return isError(reason) ? reason : new Error(String(reason));
}
