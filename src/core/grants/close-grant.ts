import type { Grant } from './grant.ts';
import { HoldEnd } from './hold-end.ts';
import { takeTrace } from './trace-hold.ts';

/** Gives back a grant whose engine object closes, and tells its holder. One that is to outlive the client stays in the store. */
export async function closeGrant(grant: Grant): Promise<void> {
  if (grant.staysAfterClose) {
    takeTrace(grant)?.end();
    return grant.end();
  }
  // On its way from owner to owner it has no holder: the last one has reported its release already.
  const end = grant.lossListener === undefined ? undefined : HoldEnd.of(grant);
  try {
    const released = grant.release();
    grant.tellClosed();
    await released;
  } catch (error) {
    end?.tellFailed(error);
    throw error;
  }
  end?.tellReleased();
}
