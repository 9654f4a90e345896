import { checkLeaseMs } from '../core/arguments.ts';
import { Client } from '../core/client.ts';
import { Session } from '../core/session.ts';
import type { EngineSetup } from '../spi/engine/context.ts';
import { argumentTypeError, type ErrorSubject } from '../spi/errors.ts';

const USUAL_LEASE_MS = 30_000;

const NO_SESSIONS: Required<EngineSetup>['sessions'] = {
  store: { beat: () => 'alive', end: () => undefined },
  ttlMs: Infinity,
};

/** One engine object before it has synchronizers: what its protocols are made of. */
export interface EngineContext {
  /** Identity, time, timers and events of the engine object. */
  readonly client: Client;
  /** The client's sign of life in the store. */
  readonly session: Session;
  /** What errors about the engine object itself are about. */
  readonly subject: ErrorSubject;
}

/** Checks the options that every engine has and opens a client. The first of two steps: {@link assemble} is the second. */
export function openContext({
  engine,
  options,
  clock,
  random,
  sessions = NO_SESSIONS,
}: EngineSetup): EngineContext {
  const subject = { resource: `${engine}()`, engine };
  const label = options.label ?? engine;
  if (typeof label !== 'string' || label === '') {
    throw argumentTypeError(`${subject.resource}: label must be a string that is not empty.`, subject);
  }
  const renewalLeaseMs = checkLeaseMs(options.renewalLeaseMs ?? USUAL_LEASE_MS, 'renewalLeaseMs', subject);
  const maxHoldMs =
    options.maxHoldMs === undefined ? Infinity : checkLeaseMs(options.maxHoldMs, 'maxHoldMs', subject);
  const client = new Client({ label, clock, random, renewalLeaseMs, maxHoldMs });
  const session = new Session(client, sessions.store, sessions.ttlMs);
  // A session that never lapses needs no beat: it opens with its client, and no request has to wait for it.
  if (sessions.ttlMs === Infinity) void session.open();
  return { client, session, subject };
}
