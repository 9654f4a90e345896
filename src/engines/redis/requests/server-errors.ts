import { AnsweredError } from '../../../core/failures/answered-error.ts';
import { RefusedError } from '../../../core/failures/refused-error.ts';
import { NotReadyError } from '../../../core/failures/not-ready-error.ts';
import { SharedFailure } from '../../../kernels/requests/shared-failure.ts';
import { StoreFullError } from '../../../core/failures/store-full-error.ts';
import { sayingOf } from './sayings.ts';
import { EngineError, type ErrorSubject, ForeignStateError } from '../../../spi/errors.ts';
import { isError } from '../../../spi/is-error.ts';

/** The server was not ready or was the wrong one, and has done nothing: the same command may succeed soon. */
const TRANSIENT: ReadonlySet<string> = new Set([
  'LOADING',
  'MASTERDOWN',
  'BUSY',
  'MISCONF',
  'TRYAGAIN',
  'CLUSTERDOWN',
  'READONLY',
  'NOREPLICAS',
  'MOVED',
  'ASK',
]);

/** The code at the start of an error reply; undefined for an error of the client. */
function codeOf(error: unknown): string | undefined {
  return isError(error) ? /^([A-Z][A-Z0-9]*)\b/.exec(error.message)?.[1] : undefined;
}

/** Whether the server lacks the script: it has restarted, or another master has taken over. */
export function isUnknownScript(error: unknown): boolean {
  return codeOf(error) === 'NOSCRIPT';
}

/** A slot is migrating, and one key of the script is not where the others are yet: the same script succeeds soon. */
const KEYS_APART = /attempted to access a non local key/;

/** Whether the server or the client refuses, and would refuse an immediate second copy too. */
export function isFinal(error: unknown, topology: string): boolean {
  // The user's client is not open, and rejects at once.
  if (error instanceof EngineError) return !error.retryable;
  if (isError(error) && sayingOf(error.message, topology) !== undefined) return true;
  const code = codeOf(error);
  if (code === undefined || TRANSIENT.has(code)) return false;
  return !(isError(error) && KEYS_APART.test(error.message));
}

const REFUSED_BY_ACL = /NOPERM|can't run this command|can't access|can't publish|No permissions/;

/** Whether the ACL of this connection's user forbids the command. */
export function isForbidden(error: unknown): boolean {
  return isError(error) && REFUSED_BY_ACL.test(error.message);
}

/** The ACL rule that permits a channel of this library or of Spring. */
export function ruleForChannel(channel: string): string {
  const rule = /^(redisson|holdfast)_/.test(channel) ? '&redisson_* &holdfast_*' : `&${channel}`;
  return `Add the channels to its rules: ACL SETUSER «user» ${rule} (docs/engines/redis.md lists the least that is needed).`;
}

/** The ACL forbids to subscribe to the channel that wakes a waiter. */
export function channelForbidden(cause: unknown, channel: string, subject: ErrorSubject): EngineError {
  return new EngineError(
    `${subject.resource}: its Redis user may not subscribe to ${JSON.stringify(channel)}, so a waiter would miss a release. Nothing is held. ${ruleForChannel(channel)}`,
    subject,
    { cause, retryable: false },
  );
}

/** Explains an error of the server: what happened, to which synchronizer, and what to do. */
export function explained(error: unknown, subject: ErrorSubject, topology: string): Error {
  const message = isError(error) ? error.message : String(error);
  const code = codeOf(error);
  const saying = sayingOf(message, topology);
  // A RefusedError, because the server has answered: a cell that took it for silence would repeat for two time-outs in vain.
  const engineError = (text: string, retryable: boolean): EngineError =>
    new RefusedError(`${subject.resource}: ${text}`, subject, { cause: error, retryable });
  if (code === 'WRONGTYPE' || code === 'HOLDFASTFOREIGN') {
    return new ForeignStateError(
      `${subject.resource}: its key in Redis holds something else (${whatOf(message)}). It was left as it is; use another name or a key prefix.`,
      subject,
      { cause: error },
    );
  }
  if (saying !== undefined) return engineError(saying.text, saying.retryable);
  // No RefusedError: the client refused, not the server. An answer would end the outage for calls in line, and they would wait on.
  if (error instanceof EngineError) {
    const text = `${subject.resource}: ${message.replace(/^redis: /, '')}`;
    return new EngineError(text, subject, { cause: error, retryable: error.retryable });
  }
  if (REFUSED_BY_ACL.test(message)) {
    return engineError(
      'the Redis user may not run a required command. Give it the permissions that docs/engines/redis.md lists.',
      false,
    );
  }
  if (code === 'OOM') {
    return new StoreFullError(
      `${subject.resource}: Redis is out of memory and takes nothing new. Holds can be renewed and released; try again when there is room.`,
      subject,
      error,
    );
  }
  if (code === 'CROSSSLOT') {
    return engineError('its keys lie in different slots of the cluster. Use a name without braces.', false);
  }
  return engineError(`Redis refused the command: ${message}`, false);
}

function whatOf(message: string): string {
  return message.startsWith('HOLDFASTFOREIGN')
    ? message.replace(/^HOLDFASTFOREIGN\s*/, '').replace(/ script: .*$/, '')
    : 'a value of another type';
}

/** Whether the server answered that it is not ready: then it has done nothing. */
export function isNotReady(error: unknown): boolean {
  return codeOf(error) !== undefined && !isFinal(error, 'cluster');
}

/**
 * What the failure of a command means to the code that repeats it: a final refusal, a server that is not ready, or, returned
 * unchanged, a failure after which the outcome is unknown.
 */
export function translated(error: unknown, topology: string): unknown {
  if (isFinal(error, topology)) return new SharedFailure((subject) => explained(error, subject, topology));
  if (!isNotReady(error)) return error;
  // With Sentinels and in a cluster the client finds the new master by itself; a single address stays that of a replica.
  const isLasting = topology === 'single' && codeOf(error) === 'READONLY';
  return new NotReadyError(error, (...of) => notReady(error, ...of), isLasting);
}

/** Every answer was that the server is not ready. */
function notReady(cause: unknown, subject: ErrorSubject, mayBeDone = false): EngineError {
  const said = isError(cause) ? cause.message : String(cause);
  const done = mayBeDone
    ? 'Whether an earlier copy of the request was carried out is not known'
    : 'Nothing was done';
  const why = said.startsWith('READONLY')
    ? `the server is a replica and takes no writes (${said}). ${done}. Give the client the address of the master or of Sentinels; after a failover, try again.`
    : `Redis was not ready for as long as it was asked (${said}). ${done}; try again.`;
  return new AnsweredError(`${subject.resource}: ${why}`, subject, { cause, retryable: true });
}

/** The server refused the last copy because its limit had passed. */
export function tooLate(subject: ErrorSubject, outcome: 'nothing-done' | 'unknown'): AnsweredError {
  const what =
    outcome === 'unknown'
      ? 'whether an earlier copy of it was carried out is not known. Look, then try again.'
      : 'nothing was done. Try again; if it stays so, look for connections that break and for a clock of the server that jumps.';
  return new AnsweredError(
    `${subject.resource}: the request reached Redis after its time was over; ${what}`,
    subject,
    { retryable: true },
  );
}

/** Too few replicas have confirmed a grant, a renewal or a change. The master itself has answered. */
export function notConfirmed(confirmed: number, wanted: number, subject: ErrorSubject): AnsweredError {
  return new AnsweredError(
    `${subject.resource}: only ${confirmed} of ${wanted} replicas confirmed it in time, so it does not count, and a grant is released again. Try again, or check which replicas are down.`,
    subject,
    { retryable: true },
  );
}
