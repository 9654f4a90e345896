import assert from 'node:assert/strict';
import { type CodedError, type ErrorCode, isHoldfastError } from '../../index.ts';

/**
 * The error that a call rejects with. A call that throws instead of rejecting fails the case too: callers would have to
 * handle both.
 */
export async function rejectionOf(call: () => Promise<unknown>): Promise<unknown> {
  let promise: Promise<unknown>;
  try {
    promise = call();
  } catch (error) {
    return assert.fail(`threw instead of rejecting: ${String(error)}`);
  }
  return promise.then(
    () => assert.fail('was expected to reject'),
    (error: unknown) => error,
  );
}

/** Asserts that this is an error of ours, with everything that each of them has. */
export function assertCoded(error: unknown, code: ErrorCode, engine?: string): asserts error is CodedError {
  if (!isHoldfastError(error)) throw error;
  assert.ok(error instanceof Error);
  assert.equal(error.code, code, `${error.code}: ${error.message}`);
  assert.ok(typeof error.resource === 'string' && error.resource !== '', 'names a resource');
  assert.ok(typeof error.engine === 'string' && error.engine !== '', 'names an engine');
  if (engine !== undefined) assert.equal(error.engine, engine);
  assert.ok(error.message !== '', 'has a message');
}

/** Asserts that a call rejects with an error of ours, and answers with the error. */
export async function assertRejects(
  call: () => Promise<unknown>,
  code: ErrorCode,
  engine?: string,
): Promise<CodedError> {
  const error = await rejectionOf(call);
  assertCoded(error, code, engine);
  return error;
}

/** An argument that must be refused: its value, the class of the error, and what the message must name. */
export interface BadArgument<T = unknown> {
  readonly given: T;
  readonly error: typeof TypeError | typeof RangeError;
  readonly names: RegExp;
}

/** Asserts that an argument was refused as it should be. */
export function assertRefused(error: unknown, bad: BadArgument): void {
  assertCoded(error, 'BAD_ARGUMENT');
  assert.ok(
    error instanceof bad.error,
    `${error.constructor.name} instead of ${bad.error.name}: ${error.message}`,
  );
  assert.match(error.message, bad.names);
}

/** Asserts that an asynchronous call refuses its argument by rejecting. */
export async function assertRejectsArgument(bad: BadArgument, call: () => Promise<unknown>): Promise<void> {
  assertRefused(await rejectionOf(call), bad);
}

/** Asserts that a synchronous call refuses its argument by throwing. */
export function assertThrowsArgument(bad: BadArgument, call: () => unknown): void {
  try {
    call();
  } catch (error) {
    assertRefused(error, bad);
    return;
  }
  assert.fail(`accepted: ${String(bad.given)}`);
}
