import type { DocumentChange } from '../../../spi/engine/documents.ts';

/** Selects the part of a state that a change must not make longer while the server is out of memory. */
type Measured = (state: unknown) => unknown;

/** The state of the rule, without the dedup records of the clients beside it: those come and go with every change. */
const whole: Measured = (remembering) => member(remembering, 'state');
/** The value that a monitor guards, or that a leader proclaims. */
const value: Measured = (remembering) => member(whole(remembering), 'value');

/**
 * The part that is measured, for each verb that can add to a state. A new waiter adds itself to the state; an owner that asks
 * again to keep its place does not. An owner that leaves a monitor moves other waiters from queue to queue, which must always
 * be possible: for these verbs only a longer value counts. All other verbs release, renew or remove, and are never refused.
 */
const MEASURED: Readonly<Record<string, Measured>> = {
  acquire: whole,
  arrive: whole,
  exit: value,
  wait: value,
  proclaim: value,
};

/** Whether a change needs more memory of the server than the state before it. */
export function grows({ verb, before, state }: DocumentChange): boolean {
  const measured = MEASURED[verb];
  return measured !== undefined && lengthOf(measured(state)) > lengthOf(measured(before));
}

function lengthOf(part: unknown): number {
  return part === undefined || part === null ? 0 : JSON.stringify(part).length;
}

function member(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? (of as Record<string, unknown>)[name] : undefined;
}
