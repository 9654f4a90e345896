import { isHoldfastError } from '../spi/errors.ts';
import { EXIT } from './exit-codes.ts';
import { UsageError } from './usage-error.ts';

/** What went wrong, as a line for people and a number for programs. */
export interface Failure {
  readonly message: string;
  readonly exitCode: number;
}

export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) return { message: error.message, exitCode: EXIT.usage };
  if (!isHoldfastError(error)) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { message: `an unexpected error: ${text}`, exitCode: EXIT.software };
  }
  const { code, message } = error;
  if (code === 'BAD_ARGUMENT' || code === 'FOREIGN_STATE') return { message, exitCode: EXIT.usage };
  if (code === 'ACQUIRE_TIMEOUT') return { message, exitCode: EXIT.notAcquired };
  if (code === 'LEASE_LOST') return { message, exitCode: EXIT.lost };
  return { message: withCause(error), exitCode: EXIT.unavailable };
}

/** Appends the driver's own message, which helps most. */
function withCause(error: Error): string {
  const { cause, message } = error;
  const said = cause instanceof Error ? cause.message || (cause as NodeJS.ErrnoException).code : undefined;
  return said === undefined || said === '' || message.includes(said) ? message : `${message} (${said})`;
}
