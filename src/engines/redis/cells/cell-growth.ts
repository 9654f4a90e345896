import type { DocumentChange } from '../../../spi/engine/documents.ts';

/** Of a change, the part of the state that it must not make longer while the server is out of memory. */
type Measured = (state: unknown) => unknown;

/** Rules keep their state beside what is remembered of each client. That memory comes and goes with every change. */
const whole: Measured = (remembering) => member(remembering, 'state');
/** What a monitor guards, or a leader proclaims. */
const value: Measured = (remembering) => member(whole(remembering), 'value');

/**
 * What the verbs that can add something are measured by. A newcomer adds itself to the state; an owner that asks again to
 * keep its place does not. Whoever leaves a monitor moves others from line to line, which must always be possible: only a
 * longer value counts. All other verbs give something back, renew it or take it away, and are never refused.
 */
const MEASURED: Readonly<Record<string, Measured>> = {
  acquire: whole,
  arrive: whole,
  exit: value,
  wait: value,
  proclaim: value,
};

/** Whether a change asks the server for more room than it has given already. */
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
