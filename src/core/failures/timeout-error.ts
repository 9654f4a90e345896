import type { Holder } from '../../spi/api/hold.ts';
import { AcquireTimeoutError, type ErrorSubject } from '../../spi/errors.ts';
import { withJsonForm } from '../json-form.ts';
import { heldBy, howToReenter } from './held-by.ts';

/** Time-outs at the end of which the store owed an answer. */
const owed = new WeakSet<AcquireTimeoutError>();

/** The same at the end of which the store owes an answer to another request: a look would wait behind it, and most likely in vain. */
export function owedTimeoutError(subject: ErrorSubject, timeoutMs: number): AcquireTimeoutError {
  const error = timeoutError(subject, timeoutMs);
  owed.add(error);
  return error;
}

/** Kinds whose owners are ids of permits: a process that knows one can release the permit, and errors end up in logs. */
const SECRET_OWNERS: ReadonlySet<string> = new Set(['semaphore', 'permitSemaphore']);

/** Whether the store may answer soon who holds the thing that was not acquired. */
export function isExplicable(error: unknown): error is AcquireTimeoutError {
  return error instanceof AcquireTimeoutError && !owed.has(error);
}

/** What was not acquired, and which of several things. */
interface Withheld {
  readonly kind: string;
  readonly member?: string;
}

/** The error of an acquisition whose time is over while another owner holds the name; with those that hold it, if they are known, and what. */
export function timeoutError(
  subject: ErrorSubject,
  timeoutMs: number,
  holders: readonly Holder[] = [],
  { kind, member }: Withheld = { kind: '' },
): AcquireTimeoutError {
  const isBehindItself = holders.some(({ inThisProcess }) => inThisProcess === true);
  const advice = isBehindItself ? howToReenter(kind) : '';
  const error = new AcquireTimeoutError(
    `${subject.resource} was not acquired within ${timeoutMs} ms${heldBy(holders, member)}. Nothing was acquired; try again, or wait longer.${advice}`,
    subject,
  );
  const [holder] = holders;
  if (holder === undefined) return error;
  const { owner, ...others } = holder;
  const shown = SECRET_OWNERS.has(kind) ? others : { owner, ...others };
  return Object.assign(error, { holder: withJsonForm(shown) });
}
