import { argumentRangeError, argumentTypeError, type ErrorSubject } from '../spi/errors.ts';
import type { AcquireTerms } from './acquire/acquire-terms.ts';
import type { Client } from './client.ts';
import { ExplicitOwner } from './reentry/owner.ts';
import type { WaitLimit } from './acquire/wait-limit.ts';

const LONGEST_NAME_BYTES = 512;
/** Shorter leases would be over before their own safety margin. */
const SHORTEST_LEASE_MS = 50;
/** A year. A caller that means “without limit” leaves a lease out; a time-out may also be Infinity. */
const LONGEST_MS = 365 * 24 * 60 * 60 * 1000;

/** How a value is shown in a message: enough to recognise it, never all of it. */
export function shown(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null || value === undefined)
    return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** What errors about a synchronizer call it. */
export function subjectOf(kind: string, name: string, engine: string): ErrorSubject {
  return { resource: `${kind} ${JSON.stringify(name)}`, engine };
}

/** Names are 1 to 512 bytes of well-formed UTF-8 without NUL; two lone surrogates would become one key on the wire. */
export function checkName(name: unknown, kind: string, engine: string): asserts name is string {
  const subject = { resource: kind, engine };
  if (typeof name !== 'string') {
    throw argumentTypeError(`The name of a ${kind} must be a string, not ${shown(name)}.`, subject);
  }
  const bytes = Buffer.byteLength(name);
  if (bytes === 0 || bytes > LONGEST_NAME_BYTES) {
    throw argumentRangeError(
      `The name of a ${kind} must have 1 to ${LONGEST_NAME_BYTES} bytes in UTF-8; ${shown(name)} has ${bytes}.`,
      subject,
    );
  }
  if (name.includes('\0'))
    throw argumentTypeError(`The name of a ${kind} must not contain NUL: ${shown(name)}.`, subject);
  if (!name.isWellFormed()) {
    throw argumentTypeError(
      `The name of a ${kind} must be well-formed Unicode; ${shown(name)} has half a character.`,
      subject,
    );
  }
}

/** Options must be an object with known keys only: one that is misspelt would be silently ignored otherwise. */
export function checkOptions(options: unknown, known: readonly string[], subject: ErrorSubject): void {
  if (options === undefined) return;
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw argumentTypeError(
      `${subject.resource}: options must be an object, not ${shown(options)}.${optionsHint(options, known)}`,
      subject,
    );
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) {
      throw argumentTypeError(
        `${subject.resource}: there is no option ${shown(key)}; known are ${known.join(', ')}.`,
        subject,
      );
    }
  }
}

/** What the caller meant by a value in the place of the options: in other libraries it is a number, or a function. */
function optionsHint(given: unknown, known: readonly string[]): string {
  const waits = known.includes('timeoutMs');
  if (typeof given === 'function')
    return waits ? ' Write run(fn, options) to call a function while you hold it.' : '';
  if (typeof given !== 'number') return '';
  const wait = `Write { timeoutMs: ${given} } to wait for at most ${given} ms`;
  if (waits && known.includes('leaseMs'))
    return ` ${wait}, or { leaseMs: ${given} } to hold for ${given} ms.`;
  if (waits) return ` ${wait}.`;
  const [count] = known;
  return count === 'permits' || count === 'parties' ? ` Write { ${count}: ${given} }.` : '';
}

function checkNumber(
  value: unknown,
  what: string,
  least: number,
  most: number,
  subject: ErrorSubject,
): number {
  if (typeof value !== 'number') {
    const unit =
      typeof value === 'string' && /Ms$|^extend$/.test(what) ? ' It is a time in milliseconds.' : '';
    throw argumentTypeError(
      `${subject.resource}: ${what} must be a number, not ${shown(value)}.${unit}`,
      subject,
    );
  }
  if (!(value >= least && value <= most)) {
    const unlimited = what === 'timeoutMs' ? ' Infinity waits without limit.' : '';
    throw argumentRangeError(
      `${subject.resource}: ${what} must be from ${least} to ${most}, not ${shown(value)}.${unlimited}`,
      subject,
    );
  }
  return value;
}

/** A whole number from `least` on. */
export function checkCount(value: unknown, what: string, least: number, subject: ErrorSubject): number {
  const count = checkNumber(value, what, least, Number.MAX_SAFE_INTEGER, subject);
  if (!Number.isInteger(count)) {
    throw argumentRangeError(
      `${subject.resource}: ${what} must be a whole number, not ${shown(value)}.`,
      subject,
    );
  }
  return count;
}

/** A number that belongs to a synchronizer itself, and that `factory(name)` alone does not have. */
export function checkSize(value: unknown, what: string, factory: string, subject: ErrorSubject): number {
  if (value !== undefined) return checkCount(value, what, 1, subject);
  throw argumentTypeError(
    `${subject.resource}: ${what} must be a number, not undefined. Write ${factory}(name, { ${what}: 3 }) with how many there are.`,
    subject,
  );
}

/** A lease: long enough to outlast its own safety margin. */
export function checkLeaseMs(value: unknown, what: string, subject: ErrorSubject): number {
  if (value === Infinity && (what === 'leaseMs' || what === 'maxHoldMs'))
    throw argumentRangeError(
      `${subject.resource}: ${what} must be from ${SHORTEST_LEASE_MS} to ${LONGEST_MS}, not Infinity. Leave it out: the hold is then renewed until it is released.`,
      subject,
    );
  return checkNumber(value, what, SHORTEST_LEASE_MS, LONGEST_MS, subject);
}

/** `Infinity` is without limit, as if the option were left out of `acquire`. */
export function checkTimeoutMs(value: unknown, subject: ErrorSubject): number {
  return value === Infinity ? value : checkNumber(value, 'timeoutMs', 0, LONGEST_MS, subject);
}

export function checkFunction(fn: unknown, subject: ErrorSubject, verb = 'run'): void {
  if (typeof fn !== 'function') {
    throw argumentTypeError(
      `${subject.resource}: ${verb} needs a function, not ${shown(fn)}. Write ${verb}(fn, options).`,
      subject,
    );
  }
}

export function checkSignal(signal: unknown, subject: ErrorSubject): AbortSignal | undefined {
  if (signal === undefined || signal instanceof AbortSignal) return signal;
  const what =
    signal instanceof AbortController
      ? 'an AbortController. Write { signal: controller.signal }'
      : shown(signal);
  throw argumentTypeError(`${subject.resource}: signal must be an AbortSignal, not ${what}.`, subject);
}

/** A fence as users see it, or none. */
export function checkFence(fence: unknown, subject: ErrorSubject): number | undefined {
  if (fence === undefined) return undefined;
  if (typeof fence === 'bigint') return Number(fence);
  throw argumentTypeError(`${subject.resource}: fence must be a bigint, not ${shown(fence)}.`, subject);
}

/** An owner that `locks.owner()` of this very engine object made. */
export function checkOwner(owner: unknown, client: Client, subject: ErrorSubject): ExplicitOwner {
  if (owner instanceof ExplicitOwner && owner.client === client) return owner;
  // `lock.release()` is how other libraries release; here a hold is apart from its lock.
  const hint =
    owner === undefined
      ? ' Write hold.release() or hold.extend(ms) with the hold that acquire() gave you.'
      : '';
  throw argumentTypeError(
    `${subject.resource}: owner must come from owner() of the same engine object, not ${shown(owner)}.${hint}`,
    subject,
  );
}

interface WaitFields {
  readonly timeoutMs?: unknown;
  readonly signal?: unknown;
}

/** How long to wait. Without a time-out: without limit. */
export function readPatience(
  options: WaitFields | undefined,
  client: Client,
  subject: ErrorSubject,
): WaitLimit {
  const signal = checkSignal(options?.signal, subject);
  if (options?.timeoutMs === undefined) return { until: Infinity, timeoutMs: Infinity, signal };
  const timeoutMs = checkTimeoutMs(options.timeoutMs, subject);
  return { until: client.clock.now() + timeoutMs, timeoutMs, signal };
}

interface HoldFields extends WaitFields {
  readonly leaseMs?: unknown;
  readonly minHoldMs?: unknown;
}

/** How long a lock is to be taken at least. A lease of its own must not end before: its holder would not hold it any more. */
function readMinHoldMs(options: HoldFields, leaseMs: number, subject: ErrorSubject): number {
  const minHoldMs = checkLeaseMs(options.minHoldMs, 'minHoldMs', subject);
  if (options.leaseMs === undefined || minHoldMs <= leaseMs) return minHoldMs;
  throw argumentRangeError(
    `${subject.resource}: minHoldMs must not be longer than leaseMs, and ${minHoldMs} is longer than ${leaseMs}.`,
    subject,
  );
}

/** On what terms a hold is wanted. `single`: a missing or zero time-out means one attempt. */
export function readTerms(
  options: HoldFields | undefined,
  single: boolean,
  client: Client,
  subject: ErrorSubject,
): AcquireTerms {
  if (options === undefined) return client.usualTerms(single);
  const waitLimit = readPatience(options, client, subject);
  const renewed = options.leaseMs === undefined;
  const leaseMs = renewed ? client.renewalLeaseMs : checkLeaseMs(options.leaseMs, 'leaseMs', subject);
  const once = waitLimit.timeoutMs === 0 || (single && options.timeoutMs === undefined);
  // One attempt takes as long as its answer takes: to time it as well would refuse everything that is not in this process.
  const terms = { ...waitLimit, until: once ? Infinity : waitLimit.until, leaseMs, renewed, once };
  if (options.minHoldMs === undefined) return terms;
  return { ...terms, minHoldMs: readMinHoldMs(options, leaseMs, subject) };
}
