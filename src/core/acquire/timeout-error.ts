import { AcquireTimeoutError, type ErrorSubject } from '../../spi/errors.ts';

/** The error of an acquisition whose time is over while another owner holds the name. */
export function timeoutError(subject: ErrorSubject, timeoutMs: number): AcquireTimeoutError {
  return new AcquireTimeoutError(
    `${subject.resource} was not acquired within ${timeoutMs} ms. Nothing is held; try again, or wait longer.`,
    subject,
  );
}
