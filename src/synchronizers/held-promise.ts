import { traceAcquire, type TraceSubject, type TraceNotes } from '../core/acquire/trace-acquire.ts';
import { type Contested, explainTimeout } from '../core/failures/explain-timeout.ts';
import { timeoutError } from '../core/failures/timeout-error.ts';
import { AcquireTimeoutError } from '../spi/errors.ts';
import { asPromise, isPending, mapAnswer, type MaybeAsync, type Pending } from '../spi/maybe-async.ts';
import type { HoldOptions } from '../spi/synchronizers.ts';
import type { GrantHold } from './hold.ts';

/**
 * What `acquire` returns for an entry. Only a caller with `timeoutMs` can run out of time, and only one with `timeoutMs: 0` makes a
 * single attempt, which may end in null; every other is spared the step that looks for it.
 */
export function heldPromise<H extends GrantHold>(
  entered: MaybeAsync<H | null>,
  options: HoldOptions | undefined,
  contested: Contested,
): Promise<H> {
  if (!isPending(entered)) return entered === null ? refuseOnce(contested, options) : entered.asPromise();
  if (options?.timeoutMs === undefined) return asPromise(entered as Pending<H>);
  return asPromise(heldOrExplained(entered, contested, options));
}

/** The same for a `run`, which needs no promise of a hold that is here. */
export function heldForRun<H extends GrantHold>(
  entered: MaybeAsync<H | null>,
  options: HoldOptions | undefined,
  contested: Contested,
): MaybeAsync<H> {
  return isPending(entered) || entered === null ? heldPromise(entered, options, contested) : entered;
}

/** What `acquire` returns for an entry that is traced: the trace ends with what the caller sees. */
export function tracedHold<H extends GrantHold>(
  traced: TraceSubject,
  contested: Contested,
  options: HoldOptions | undefined,
  enter: (trace: TraceNotes) => MaybeAsync<H | null>,
): Promise<H> {
  return traceAcquire(traced, (trace) => heldOrExplained(enter(trace), contested, options));
}

/** The same for `tryAcquire`. */
export function tracedTry<H extends GrantHold>(
  traced: TraceSubject,
  enter: (trace: TraceNotes) => MaybeAsync<H | null>,
): Promise<H | null> {
  return traceAcquire(traced, (trace) => mapAnswer(enter(trace), (hold) => hold, nullAtTimeout));
}

function heldOrExplained<H extends GrantHold>(
  entered: MaybeAsync<H | null>,
  contested: Contested,
  options: HoldOptions | undefined,
): MaybeAsync<H> {
  return mapAnswer(
    entered,
    (hold) => hold ?? refuseOnce(contested, options),
    (error) => explainTimeout(contested, options?.timeoutMs ?? Infinity, error, options?.signal),
  );
}

/** A single attempt was refused. */
function refuseOnce(contested: Contested, options: HoldOptions | undefined): Promise<never> {
  return explainTimeout(contested, 0, timeoutError(contested.subject, 0), options?.signal);
}

/** What `tryAcquire` answers when an entry fails: null at a time-out. Rethrows everything else. */
export function nullAtTimeout(error: unknown): null {
  if (error instanceof AcquireTimeoutError) return null;
  throw error;
}
