const BRAND = Symbol.for('holdfast.error');

/** The codes of all errors that Holdfast creates. */
export type ErrorCode =
  | 'ACQUIRE_TIMEOUT'
  | 'NOT_HELD'
  | 'LEASE_LOST'
  | 'UPGRADE_REFUSED'
  | 'NESTED_MONITOR'
  | 'REENTRY_REFUSED'
  | 'BROKEN_BARRIER'
  | 'QUORUM'
  | 'FOREIGN_STATE'
  | 'CLOSED'
  | 'ENGINE'
  | 'BAD_ARGUMENT';

/** What an error is about. */
export interface ErrorSubject {
  /** The kind and name of the synchronizer, or the argument, for example `lock "orders"`. */
  readonly resource: string;
  /** The engine's label, for example `memory`. */
  readonly engine: string;
}

/**
 * The base of all errors that Holdfast creates, argument errors excepted, which are `TypeError` or `RangeError` with
 * the same fields. Use {@link isHoldfastError} rather than `instanceof` when several copies of the package may be loaded.
 *
 * @example
 * ```ts
 * import { isHoldfastError } from 'holdfast';
 * import { memory } from 'holdfast/memory';
 *
 * const locks = memory();
 * await using hold = await locks.lock('report').acquire();
 * try {
 *   await locks.lock('report').acquire({ timeoutMs: 10 });
 * } catch (error) {
 *   if (!isHoldfastError(error)) throw error;
 *   console.log(error.code, error.resource, error.engine); // ACQUIRE_TIMEOUT lock "report" memory
 * }
 * ```
 */
export abstract class HoldfastError extends Error {
  abstract readonly code: ErrorCode;
  readonly resource: string;
  readonly engine: string;

  constructor(message: string, subject: ErrorSubject, options?: ErrorOptions) {
    super(message, options);
    this.resource = subject.resource;
    this.engine = subject.engine;
    Object.defineProperty(this, BRAND, { value: true });
    Object.defineProperty(this, 'name', { value: new.target.name, configurable: true });
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return this === HoldfastError
      ? isHoldfastError(value)
      : Function.prototype[Symbol.hasInstance].call(this, value);
  }
}

/** What every error that Holdfast creates has, argument errors included. */
export interface CodedError extends Error, ErrorSubject {
  readonly code: ErrorCode;
}

/** Whether an error was created by Holdfast: by any copy of it, argument errors included. */
export function isHoldfastError(value: unknown): value is CodedError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** The waiter's time was over before it acquired. It holds nothing and has left no ticket in a line. */
export class AcquireTimeoutError extends HoldfastError {
  readonly code = 'ACQUIRE_TIMEOUT';
}

/** An owner that holds nothing called `release` or `extend`. */
export class NotHeldError extends HoldfastError {
  readonly code = 'NOT_HELD';
}

/** Why a hold was lost. */
export type LossReason = 'expired' | 'gone' | 'session-ended' | 'closed';

/** The hold ended before it was released: stop the work, or let the fence decide. */
export class LeaseLostError extends HoldfastError {
  readonly code = 'LEASE_LOST';
  readonly reason: LossReason;

  constructor(message: string, subject: ErrorSubject, reason: LossReason) {
    super(message, subject);
    this.reason = reason;
  }
}

/** A reader asked for the write side; it would wait for itself. */
export class UpgradeError extends HoldfastError {
  readonly code = 'UPGRADE_REFUSED';
}

/** A section of a monitor tried to enter the same monitor again; it would wait for itself. */
export class NestedMonitorError extends HoldfastError {
  readonly code = 'NESTED_MONITOR';
}

/** A call inside a `run` would wait for the code that makes it. The message names the way out. */
export class ReentryError extends HoldfastError {
  readonly code = 'REENTRY_REFUSED';
}

/** A party gave up or died: the others must not go on as if all had arrived. */
export class BrokenBarrierError extends HoldfastError {
  readonly code = 'BROKEN_BARRIER';
  readonly reason: string;

  constructor(message: string, subject: ErrorSubject, reason: string) {
    super(message, subject);
    this.reason = reason;
  }
}

/** What one member of a quorum answered. */
export interface MemberAnswer extends ErrorSubject {
  readonly answer: 'granted' | 'busy' | 'failed' | 'too-young' | 'too-late';
  readonly error?: unknown;
}

/**
 * So many members failed that no majority can grant. `answers` names what each member answered; `cause` is the first error among their
 * answers. `retryable` says whether the same call may work later: not if members that can never succeed leave no majority.
 */
export class QuorumError extends HoldfastError {
  readonly code = 'QUORUM';
  readonly answers: readonly MemberAnswer[];
  readonly retryable: boolean;

  constructor(
    message: string,
    subject: ErrorSubject,
    options: { readonly answers: readonly MemberAnswer[]; readonly retryable: boolean },
  ) {
    const failed = options.answers.find(({ error }) => error !== undefined);
    super(message, subject, failed && { cause: failed.error });
    this.answers = options.answers;
    this.retryable = options.retryable;
  }
}

/** The record of the name is not one of Holdfast's, or was made with another number of permits or parties. */
export class ForeignStateError extends HoldfastError {
  readonly code = 'FOREIGN_STATE';
}

/** The engine object was closed. */
export class ClosedError extends HoldfastError {
  readonly code = 'CLOSED';
}

/** The store was not reached, or refused. `retryable` says whether the same call may succeed later. */
export class EngineError extends HoldfastError {
  readonly code = 'ENGINE';
  readonly retryable: boolean;

  constructor(
    message: string,
    subject: ErrorSubject,
    options: ErrorOptions & { readonly retryable: boolean },
  ) {
    super(message, subject, options);
    this.retryable = options.retryable;
  }
}

/**
 * The store has ended this client's session, for example after a long pause. The client has taken a new identity: a waiter
 * starts again with it, and the caller of any other verb tries again.
 */
export class SessionEndedError extends EngineError {
  constructor(subject: ErrorSubject) {
    super(
      `${subject.resource}: this client was silent for so long that its session has ended. Try again.`,
      subject,
      {
        retryable: true,
      },
    );
  }
}

function branded<E extends Error>(error: E, subject: ErrorSubject): E & CodedError {
  Object.defineProperty(error, BRAND, { value: true });
  return Object.assign(error, { code: 'BAD_ARGUMENT' as const, ...subject });
}

/** Makes the error for an argument of the wrong type. */
export function argumentTypeError(message: string, subject: ErrorSubject): TypeError & CodedError {
  return branded(new TypeError(message), subject);
}

/** Makes the error for an argument of the right type that is out of range. */
export function argumentRangeError(message: string, subject: ErrorSubject): RangeError & CodedError {
  return branded(new RangeError(message), subject);
}
