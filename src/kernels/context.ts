import { processCard } from '../core/announcing/process-card.ts';
import { checkLeaseMs, shown } from '../core/arguments.ts';
import { Client } from '../core/client.ts';
import { PushedSession } from '../core/pushed-session.ts';
import { type ClientSession, Session } from '../core/session.ts';
import type { EngineSetup, PushingEngineSetup } from '../spi/engine/context.ts';
import type { ClientCard } from '../spi/api/client-card.ts';
import type { EngineOptions } from '../spi/api/engine-options.ts';
import { argumentTypeError, type ErrorSubject } from '../spi/errors.ts';

const USUAL_LEASE_MS = 30_000;

const NO_SESSIONS: Required<EngineSetup>['sessions'] = {
  store: { beat: () => 'alive', end: () => undefined },
  ttlMs: Infinity,
};

/** One engine object before it has synchronizers: what its protocols are made of. */
export interface EngineContext<S extends ClientSession = ClientSession> {
  /** Identity, time, timers and events of the engine object. */
  readonly client: Client;
  /** The client's sign of life in the store. */
  readonly session: S;
  /** What errors about the engine object itself are about. */
  readonly subject: ErrorSubject;
  /** What the client announces about itself; undefined if the user has switched that off. */
  readonly card?: ClientCard | undefined;
}

/** Checks the options that every engine has and opens a client. The first of two steps: {@link assemble} is the second. */
export function openContext({ sessions = NO_SESSIONS, ...setup }: EngineSetup): EngineContext<Session> {
  const { client, subject, card } = openClient(setup);
  const session = new Session(client, sessions.store, sessions.ttlMs);
  // A session that never lapses needs no beat: it opens with its client, and no request has to wait for it.
  if (sessions.ttlMs === Infinity) void session.open();
  return { client, session, subject, card };
}

/** The same for an engine whose store ends sessions itself and pushes what happens to them. */
export function openPushedContext({ liveness, ...setup }: PushingEngineSetup): EngineContext<PushedSession> {
  const { client, subject, card } = openClient(setup);
  return { client, session: new PushedSession(client, liveness), subject, card };
}

function openClient({ engine, options, clock, random }: Omit<EngineSetup, 'sessions'>) {
  const subject = { resource: `${engine}()`, engine };
  const label = options.label ?? engine;
  if (typeof label !== 'string' || label === '') {
    throw argumentTypeError(`${subject.resource}: label must be a string that is not empty.`, subject);
  }
  const renewalLeaseMs = checkLeaseMs(options.renewalLeaseMs ?? USUAL_LEASE_MS, 'renewalLeaseMs', subject);
  const maxHoldMs =
    options.maxHoldMs === undefined ? Infinity : checkLeaseMs(options.maxHoldMs, 'maxHoldMs', subject);
  const card = checkedCard(options, subject);
  return { client: new Client({ label, clock, random, renewalLeaseMs, maxHoldMs }), subject, card };
}

function checkedCard(
  { name, announce = true }: EngineOptions,
  subject: ErrorSubject,
): ClientCard | undefined {
  if (name !== undefined && (typeof name !== 'string' || name === ''))
    throw argumentTypeError(
      `${subject.resource}: name must be a string that is not empty, not ${shown(name)}.`,
      subject,
    );
  if (typeof announce !== 'boolean')
    throw argumentTypeError(
      `${subject.resource}: announce must be true or false, not ${shown(announce)}.`,
      subject,
    );
  return announce ? processCard(name) : undefined;
}
