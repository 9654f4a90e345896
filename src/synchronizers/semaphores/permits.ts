import type { Contested } from '../../core/failures/explain-timeout.ts';
import type { Grant } from '../../core/grants/grant.ts';
import { startedAt, tellAcquired } from '../../core/grants/grant-events.ts';
import { Holdable } from '../../core/acquire/holdable.ts';
import { acquireTracing, type TraceNotes } from '../../core/acquire/trace-acquire.ts';
import { tracedTerms } from '../../core/acquire/traced-terms.ts';
import { checkCount, checkFunction, checkOptions, readTerms } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { logAs } from '../../core/log-as.ts';
import { OpenGate } from '../../core/queues/gate.ts';
import { argumentRangeError, type ErrorSubject, ForeignStateError } from '../../spi/errors.ts';
import { asPromise, mapAnswer, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Acquirable, SemaphoreOptions } from '../../spi/synchronizers.ts';
import type { Granted, HolderView } from '../../spi/verbs/holding.ts';
import type { SemaphoreLook, SemaphoreVerbs, TotalMismatch } from '../../spi/verbs/semaphore.ts';
import { heldPromise, nullAtTimeout, tracedHold, tracedTry } from '../held-promise.ts';
import { RELEASE_AT_END } from '../release-at-end.ts';
import type { GrantHold } from '../hold.ts';
import { runSection } from '../run-section.ts';

export type PermitProtocol = HoldingProtocol<SemaphoreVerbs, SemaphoreLook>;

const OPTIONS = ['timeoutMs', 'leaseMs', 'signal', 'permits'];

/** What both semaphores are: a number of permits that are given out in the order of asking. */
export abstract class Permits<H extends GrantHold> implements Acquirable<SemaphoreOptions, H>, Contested {
  readonly name: string;
  readonly permits: number;
  readonly subject: ErrorSubject;
  readonly client: Client;
  readonly kind: string;
  readonly protocol: PermitProtocol;
  readonly #traits: ProtocolTraits;

  constructor(
    client: Client,
    protocol: PermitProtocol,
    kind: string,
    name: string,
    permits: number,
    subject: ErrorSubject,
    traits = protocol.traits,
  ) {
    this.client = client;
    this.protocol = protocol;
    this.name = name;
    this.permits = permits;
    this.subject = subject;
    this.kind = kind;
    this.#traits = traits;
  }

  get engine(): string {
    return this.client.label;
  }

  async available(): Promise<number> {
    const { total, free, taken } = await this.#look();
    // Not `this.permits - taken`: opened with another number, that is below zero or promises permits that do not exist.
    if (total !== undefined && total !== this.permits) throw this.#mismatch(total);
    return free ?? this.permits - taken;
  }

  async waiters(): Promise<number> {
    return (await this.#look()).waiters;
  }

  /** Those that have the permits. */
  async blockers(): Promise<readonly HolderView[]> {
    return (await this.#look()).holders;
  }

  protected abstract hold(grant: Grant, gate: OpenGate<Granted>, permits: number): H;

  acquire(options?: SemaphoreOptions): Promise<H> {
    if (acquireTracing.hasSubscribers) return this.#acquireTraced(options);
    try {
      return heldPromise(this.#enter(options, false), options, this);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  async tryAcquire(options?: SemaphoreOptions): Promise<H | null> {
    try {
      if (acquireTracing.hasSubscribers) return await this.#tryAcquireTraced(options);
      return await asPromise(this.#enter(options, true));
    } catch (error) {
      return nullAtTimeout(error);
    }
  }

  run<T>(fn: (hold: H) => T | PromiseLike<T>, options?: SemaphoreOptions): Promise<T> {
    try {
      checkFunction(fn, this.subject);
    } catch (error) {
      return Promise.reject(error);
    }
    return runSection(this.acquire(options), (hold: H) => hold.callSection(fn), RELEASE_AT_END);
  }

  #acquireTraced(options: SemaphoreOptions | undefined): Promise<H> {
    return tracedHold(this, this, options, (trace) => this.#enter(options, false, trace));
  }

  #tryAcquireTraced(options: SemaphoreOptions | undefined): Promise<H | null> {
    return tracedTry(this, (trace) => this.#enter(options, true, trace));
  }

  #enter(options: SemaphoreOptions | undefined, single: boolean, trace?: TraceNotes): MaybeAsync<H | null> {
    this.client.throwIfClosed(this.subject);
    checkOptions(options, OPTIONS, this.subject);
    const permits = this.#wanted(options?.permits);
    const terms = readTerms(options, single, this.client, this.subject);
    terms.signal?.throwIfAborted();
    const since = startedAt(this.client);
    const gate = new OpenGate(this.#holdable(permits));
    const entered = gate.enter(tracedTerms(terms, trace));
    return mapAnswer(entered, (grant) => {
      if (grant === null) return null;
      if (since !== undefined) tellAcquired(grant, since, trace);
      return this.hold(grant, gate, permits);
    });
  }

  /** Refuses at once to ask for more permits than exist: the caller would wait without limit. */
  #wanted(permits: unknown): number {
    const wanted = permits === undefined ? 1 : checkCount(permits, 'permits', 1, this.subject);
    const { mostPermits } = this.#traits;
    if (wanted > mostPermits) {
      throw argumentRangeError(
        `${this.subject.resource}: ${wanted} permits were asked for, and ${this.subject.engine} keeps an entry for each: at most ${mostPermits} at a time. Count in larger units.`,
        this.subject,
      );
    }
    if (wanted <= this.permits) return wanted;
    throw argumentRangeError(
      `${this.subject.resource}: ${wanted} permits were asked for and there are only ${this.permits}.`,
      this.subject,
    );
  }

  #look() {
    this.client.throwIfClosed(this.subject);
    return this.protocol.look(this.name);
  }

  #holdable(permits: number): Holdable {
    return new Holdable(this.client, this.kind, this.name, this.protocol, {
      attempt: { permits, total: this.permits },
      traits: this.#traits,
      refusal: ({ total }: TotalMismatch) => this.#mismatch(total),
    });
  }

  #mismatch(total: number): ForeignStateError {
    return new ForeignStateError(
      `${this.subject.resource} is in use with ${total} permits, and was opened here with ${this.permits}. Use the same number everywhere.`,
      this.subject,
    );
  }
}

logAs<Pick<Permits<GrantHold>, 'kind' | 'name' | 'engine' | 'permits'>>(
  Permits,
  'Semaphore',
  ({ kind, name, engine, permits }) => ({ kind, name, engine, permits }),
);
