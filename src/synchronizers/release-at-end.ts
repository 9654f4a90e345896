import { LeaseLostError } from '../spi/errors.ts';
import { isPending, mapAnswerFor, type MaybeAsync } from '../spi/maybe-async.ts';
import type { GrantHold } from './hold.ts';
import type { SectionEnds } from './run-section.ts';

/** The release at the end of a `run`. */
export const RELEASE_AT_END: SectionEnds<GrantHold> = {
  abandon: releaseQuietly,
  finish: releaseAfterSuccess,
};

/**
 * The work is done. A lost hold is an error, because the work may not have been alone; a release that did not reach the store
 * is not: the caller would repeat work that succeeded, and the lease ends by itself.
 */
export function releaseAfterSuccess(hold: GrantHold): MaybeAsync<void> {
  try {
    const released = hold.endNow();
    if (isPending(released)) return mapAnswerFor(hold, released, nothing, tellUnlessLost);
  } catch (error) {
    tellUnlessLost(hold, error);
  }
}

function nothing(): void {}

function tellUnlessLost(hold: GrantHold, error: unknown): void {
  if (error instanceof LeaseLostError) throw error;
  tellTrouble(hold, error);
}

/** Releases when an earlier error, or a result, must win over what becomes of the release. */
export async function releaseQuietly(hold: GrantHold): Promise<void> {
  try {
    await hold.release();
  } catch (error) {
    if (error !== hold.grant.loss) tellTrouble(hold, error);
  }
}

function tellTrouble({ grant }: GrantHold, error: unknown): void {
  const { client, kind, name } = grant.holdable;
  client.events.trouble.emit({ kind, name, engine: client.label, error });
}
