import type { Holder } from './api/hold.ts';

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
 * the same fields. `instanceof` and {@link isHoldfastError} also know the errors of another copy of the package.
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
  /** @internal */
  static readonly errorName: string = 'HoldfastError';
  abstract readonly code: ErrorCode;
  readonly resource: string;
  readonly engine: string;

  constructor(message: string, subject: ErrorSubject, options?: ErrorOptions) {
    super(message, options);
    this.resource = subject.resource;
    this.engine = subject.engine;
    Object.defineProperty(this, BRAND, { value: true });
    // The class says its name in a text: a bundler that shortens names has given the class itself another one.
    const name = Object.hasOwn(new.target, 'errorName') ? new.target.errorName : new.target.name;
    Object.defineProperty(this, 'name', { value: name, configurable: true });
  }

  /**
   * Also of another copy of Holdfast: of a bundle beside the package, of the ES modules beside CommonJS. Its classes are others,
   * and their names are the same. A class that a user derives says no name, and is recognised by its prototype alone.
   */
  static override [Symbol.hasInstance](value: unknown): boolean {
    if (Function.prototype[Symbol.hasInstance].call(this, value)) return true;
    if (!isHoldfastError(value)) return false;
    return this === HoldfastError || (Object.hasOwn(this, 'errorName') && isNamed(value, this.errorName));
  }
}

/** Whether an error is of the class that says this name, or of one derived from it. */
function isNamed(error: Error, name: string): boolean {
  for (let one: unknown = error.constructor; typeof one === 'function'; one = Object.getPrototypeOf(one))
    if ((one as Partial<typeof HoldfastError>).errorName === name) return true;
  return false;
}

/** What every error that Holdfast creates has, argument errors included. */
export interface CodedError extends Error, ErrorSubject {
  /** What kind of error it is, for a program to decide by. */
  readonly code: ErrorCode;
}

/** Whether an error was created by Holdfast: by any copy of it, argument errors included. */
export function isHoldfastError(value: unknown): value is CodedError {
  return typeof value === 'object' && value !== null && BRAND in value;
}

/** The waiter's time was over before it acquired. It holds nothing and has left no ticket in a line. */
export class AcquireTimeoutError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'AcquireTimeoutError';
  readonly code = 'ACQUIRE_TIMEOUT';
  /** Who held it when the time was over, if the store answered that soon enough; of several the first. Without `owner` for a semaphore: the id of a permit is a secret. */
  readonly holder?: Omit<Holder, 'owner'> & Partial<Pick<Holder, 'owner'>>;
}

/** An owner that holds nothing called `release` or `extend`. */
export class NotHeldError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'NotHeldError';
  readonly code = 'NOT_HELD';
}

/** Why a hold was lost. */
export type LossReason = 'expired' | 'gone' | 'session-ended' | 'closed';

/** The hold ended before it was released: stop the work, or let the fence decide. */
export class LeaseLostError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'LeaseLostError';
  readonly code = 'LEASE_LOST';
  readonly reason: LossReason;

  constructor(message: string, subject: ErrorSubject, reason: LossReason) {
    super(message, subject);
    this.reason = reason;
  }
}

/** A reader asked for the write side; it would wait for itself. */
export class UpgradeError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'UpgradeError';
  readonly code = 'UPGRADE_REFUSED';
}

/** A section of a monitor tried to enter the same monitor again; it would wait for itself. */
export class NestedMonitorError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'NestedMonitorError';
  readonly code = 'NESTED_MONITOR';
}

/** A call inside a `run` would wait for the code that makes it. The message names the way out. */
export class ReentryError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'ReentryError';
  readonly code = 'REENTRY_REFUSED';
}

/** A party gave up or died: the others must not go on as if all had arrived. */
export class BrokenBarrierError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'BrokenBarrierError';
  readonly code = 'BROKEN_BARRIER';
  readonly reason: string;

  constructor(message: string, subject: ErrorSubject, reason: string) {
    super(message, subject);
    this.reason = reason;
  }
}

/** What one member of a quorum answered. */
export interface MemberAnswer extends ErrorSubject {
  /** What the member answered. */
  readonly answer: 'granted' | 'busy' | 'failed' | 'too-young' | 'too-late';
  /** Why it failed, if it did. */
  readonly error?: unknown;
}

/**
 * So many members failed that no majority can grant. `answers` names what each member answered; `cause` is the first error among their
 * answers. `retryable` says whether the same call may work later: not if members that can never succeed leave no majority.
 */
export class QuorumError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'QuorumError';
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
  /** @internal */
  static override readonly errorName: string = 'ForeignStateError';
  readonly code = 'FOREIGN_STATE';
}

/** The engine object was closed. */
export class ClosedError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'ClosedError';
  readonly code = 'CLOSED';
}

/** The store was not reached, or refused. `retryable` says whether the same call may succeed later. */
export class EngineError extends HoldfastError {
  /** @internal */
  static override readonly errorName: string = 'EngineError';
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
  /** @internal */
  static override readonly errorName: string = 'SessionEndedError';
  constructor(subject: ErrorSubject) {
    super(
      `${subject.resource}: this client was silent for so long that its session has ended. Try again.`,
      subject,
      { retryable: true },
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
