import type { Client } from '../../core/client.ts';
import { subjectOf } from '../../core/arguments.ts';
import { StoreFullError } from '../../core/failures/store-full-error.ts';
import type { ClientSession } from '../../core/session.ts';
import { type BarrierState, withoutOutcomes } from '../../rules/barrier.ts';
import type { VersionedDocument, VersionedDocuments } from '../../spi/engine/versioned-documents.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import { mapAnswer, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { Facts, OwnerId, Step } from '../../spi/rule.ts';
import { ASKED_AGAIN, type DedupState, type Once } from './at-most-once.ts';
import { clientOf, namedClients } from './named-clients.ts';
import { onceRuleOf, type OnceVerb } from './once-rules.ts';
import type { CellCall, CellReply, Wire } from './wire.ts';

/** Calls that want to come in step back after so many conflicts; those that leave or renew do not (soundness 21). */
const PATIENT_CONFLICTS = 2;
const STEP_BACK_MS = 4;
const INTEREST: ReadonlySet<string> = new Set(['acquire', 'arrive']);

/**
 * What a store without a clock shows as its time, always. An `until` in a state then lies ahead without limit: it means "until its
 * session ends", and the limit of a request is never past. Leases are ended by the client that was given them.
 */
const STANDSTILL = 0;

type State = DedupState<unknown>;

/**
 * Runs rules over documents that are compared by their version only. There is no window of time on a write, as there is for
 * stores with a clock: nothing in the state changes by itself, so that a decision is good for as long as its version is.
 *
 * A copy of a request is recognised by its client and number, which the document remembers until the session of that client has ended. A
 * copy that comes later finds its session dead, and a write that comes later finds another version: so a late copy does
 * nothing, without any limit of time.
 */
export class ClocklessCells implements Wire {
  readonly #client: Client;
  readonly #session: ClientSession;
  readonly #documents: VersionedDocuments;
  /** The generation of the client that has entered, and when it is done. */
  #entered: { readonly generation: number; readonly done: Promise<void> } | undefined;
  /** Owners that know what became of them, by barrier: their outcomes go with the next change. */
  readonly #answered = new Map<string, Set<OwnerId>>();

  constructor(client: Client, session: ClientSession, documents: VersionedDocuments) {
    this.#client = client;
    this.#session = session;
    this.#documents = documents;
  }

  async send(call: CellCall): Promise<CellReply> {
    const { kind, name, verb } = call;
    await this.#enter(subjectOf(kind, name, this.#client.label));
    for (let conflicts = 0; ; conflicts++) {
      const found = await this.#documents.read(kind, name);
      const dead = await this.#deadIn(found);
      const state = this.#pruned(kind, name, found, dead);
      const step = this.#decide(call, state, found, dead);
      const isSame = step.state === undefined || step.state === found.state;
      const answer =
        isSame || (await this.#documents.write(kind, name, found.version, step.state)) === 'written';
      if (answer) return this.#replyTo(call, step.answer);
      if (conflicts >= PATIENT_CONFLICTS && INTEREST.has(verb))
        await this.#client.sleep(STEP_BACK_MS * (1 + this.#client.random.fraction() * conflicts));
    }
  }

  async look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }> {
    await this.#session.open();
    const found = await this.#documents.read(kind, name);
    const facts = factsOf(found, await this.#deadIn(found));
    return { now: STANDSTILL, look: onceRuleOf(kind).look(found.state as State | undefined, facts) };
  }

  time(): Promise<number> {
    return Promise.resolve(STANDSTILL);
  }

  watch(kind: string, name: string, _owner: OwnerId, heard: () => void): MaybeAsync<Unwatch> {
    return mapAnswer(this.#session.open(), () => this.#documents.watch(kind, name, heard));
  }

  /**
   * No document names this client before the store knows by which session it lives: others would take it for dead.
   *
   * The race: the session ends while a change is under way, another caller opens the next one, and a copy of the change is sent before that
   * is granted. The client would enter without a session, or with one that is given up, once for all its time: nothing would
   * show that it lives, or nothing that it has died.
   */
  async #enter(subject: ErrorSubject): Promise<void> {
    const { clock, ids, label, sessionDeadline } = this.#client;
    if (clock.now() >= sessionDeadline) throw noSession(label);
    const { client, generation } = ids;
    if (this.#entered?.generation !== generation)
      this.#entered = { generation, done: this.#documents.enter(client) };
    const entered = this.#entered;
    try {
      await entered.done;
    } catch (error) {
      if (this.#entered === entered) this.#entered = undefined;
      throw error instanceof StoreFullError ? retold(error, subject) : error;
    }
  }

  /**
   * Asked after the document was read, never before: a client that enters and then writes its name would be missing from an
   * earlier answer, and its hold be taken from it while it lives.
   */
  async #deadIn({ state }: VersionedDocument): Promise<ReadonlySet<string>> {
    const named = new Set(namedClients(state));
    named.delete(this.#client.ids.client);
    if (named.size === 0) return named;
    const living = await this.#documents.living([...named]);
    return new Set([...named].filter((client) => !living.has(client)));
  }

  /** Without what no client needs any more: changes of clients that are dead, outcomes whose party has had its answer. */
  #pruned(
    kind: string,
    name: string,
    found: VersionedDocument,
    dead: ReadonlySet<string>,
  ): State | undefined {
    const memory = found.state as State | undefined;
    if (memory === undefined) return undefined;
    const clients = memory.clients.filter(({ client }) => !dead.has(client));
    const answered = this.#answered.get(`${kind}:${name}`);
    const state =
      answered === undefined ? memory.state : withoutOutcomes(memory.state as BarrierState, answered);
    if (clients.length === memory.clients.length && state === memory.state) return memory;
    return { state, clients };
  }

  #decide(
    { kind, verb, ask, request }: CellCall,
    state: State | undefined,
    found: VersionedDocument,
    dead: ReadonlySet<string>,
  ): Step<State, Once<unknown>> {
    const decide = onceRuleOf(kind).verbs[verb] as OnceVerb;
    const step = decide(state, { request: { ...request, notAfter: STANDSTILL }, ask }, factsOf(found, dead));
    // A change that is none: what was pruned can wait for one.
    return changesNothing(step, state, verb, ask) ? { ...step, state: found.state as State } : step;
  }

  #replyTo({ kind, name, verb, ask }: CellCall, outcome: Once<unknown>): CellReply {
    const { answer } = outcome as { readonly answer?: { readonly kind?: string } };
    const isOver = outcome.kind === 'done' && (answer?.kind === 'tripped' || answer?.kind === 'broken');
    if (verb === 'arrive' && isOver && 'owner' in ask)
      this.#noteAnswered(`${kind}:${name}`, String(ask.owner));
    return { now: STANDSTILL, outcome };
  }

  #noteAnswered(key: string, owner: OwnerId): void {
    const owners = this.#answered.get(key) ?? new Set<OwnerId>();
    this.#answered.set(key, owners.add(owner));
  }
}

function noSession(engine: string): EngineError {
  const message = 'session: there is none at the moment. Try again.';
  return new EngineError(message, { resource: 'session', engine }, { retryable: true });
}

/**
 * Whether only the number of the request is new, of a verb that can be asked again. It is not written then: every change calls all
 * that watch the document, each of them asks again, and if that were a change they would call each other without end.
 *
 * A single attempt that was refused is remembered all the same: a late copy of it would be granted to a caller that has gone.
 */
function changesNothing(
  { state: after, answer }: Step<State, Once<unknown>>,
  before: State | undefined,
  verb: string,
  ask: object,
): boolean {
  if (after === before) return true;
  if (!ASKED_AGAIN.has(verb) || (after?.state ?? null) !== (before?.state ?? null)) return false;
  const { answer: decision } = answer as { readonly answer?: { readonly kind?: string } };
  const isOver = verb === 'acquire' && decision?.kind === 'busy' && !('wait' in ask && ask.wait === true);
  return !isOver;
}

/** Fences and rounds follow the history of the store, so that they grow also over a document that was made anew. */
function factsOf({ revision }: VersionedDocument, dead: ReadonlySet<string>): Facts {
  return {
    now: STANDSTILL,
    dead: { has: (owner) => dead.has(clientOf(owner)), endsInMs: () => Number.MAX_SAFE_INTEGER },
    fenceFloor: revision,
    upMs: 0,
  };
}

/** All calls of a client share its entering: each tells the error of its own synchronizer. */
function retold({ message, resource, cause }: StoreFullError, subject: ErrorSubject): StoreFullError {
  return new StoreFullError(subject.resource + message.slice(resource.length), subject, cause);
}
