import type { Gate } from '../queues/gate.ts';
import { type ErrorSubject, LeaseLostError, type LossReason } from '../../spi/errors.ts';

/** What the keeper calls when a grant is lost. */
export interface LossListener {
  lose(error: LeaseLostError): void;
  /**
   * The gate through which the client releases the grant if no code can reach its holder any more. Undefined while the holder
   * may be in use all the same.
   */
  readonly gateIfForgotten?: Gate | undefined;
}

const CAUSES: Readonly<Record<LossReason, string>> = {
  expired: 'its lease ended before it was renewed or released',
  gone: 'the store no longer has it: it expired there or was released by force',
  'session-ended': "this client's session ended in the store",
  closed: 'its engine object was closed',
};

/** The error of a holder whose hold has ended before it was released. */
export function lossError(subject: ErrorSubject, reason: LossReason): LeaseLostError {
  return new LeaseLostError(
    `${subject.resource} was lost: ${CAUSES[reason]}. Another owner may hold it now: stop, or let the fence decide.`,
    subject,
    reason,
  );
}
