import { shown } from '../core/arguments.ts';
import { argumentRangeError, argumentTypeError, type ErrorSubject } from '../spi/errors.ts';

/** Refuses an address that is no text, or that the engine cannot parse. */
export function checkAddress(
  name: string,
  address: unknown,
  example: string,
  parse: (address: string) => unknown,
  subject: ErrorSubject,
): void {
  if (typeof address !== 'string')
    throw argumentTypeError(
      `${subject.resource}: ${name} must be a string such as "${example}", not ${shown(address)}.`,
      subject,
    );
  try {
    parse(address);
  } catch (error) {
    throw argumentTypeError(`${subject.resource}: ${(error as Error).message}.`, subject);
  }
}

/** Refuses a time that no server could be asked for. Without one, the engine has its own. */
export function checkMs(name: string, ms: unknown, least: number, most: number, subject: ErrorSubject): void {
  if (ms === undefined) return;
  if (typeof ms !== 'number')
    throw argumentTypeError(`${subject.resource}: ${name} must be a number, not ${shown(ms)}.`, subject);
  if (!(ms >= least && ms <= most))
    throw argumentRangeError(
      `${subject.resource}: ${name} must be from ${least} to ${most}, not ${ms}.`,
      subject,
    );
}
