import { checkCount, checkOptions, readTerms } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { OpenGate } from '../../core/queues/gate.ts';
import type { Grant } from '../../core/acquire/grant.ts';
import type { Resource } from '../../core/acquire/resource.ts';
import { startedAt, tellAcquired } from '../../core/acquire/tell-acquired.ts';
import { argumentRangeError, type ErrorSubject, ForeignStateError } from '../../spi/errors.ts';
import { type MaybeAsync, mapAnswer } from '../../spi/maybe-async.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import { protocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { SemaphoreOptions } from '../../spi/synchronizers.ts';
import type { Granted } from '../../spi/verbs/holding.ts';
import type { SemaphoreLook, SemaphoreVerbs, TotalMismatch } from '../../spi/verbs/semaphore.ts';
import { HoldAcquirable } from '../acquirable.ts';
import type { GrantHold } from '../hold.ts';

export type PermitProtocol = HoldingProtocol<SemaphoreVerbs, SemaphoreLook>;

const OPTIONS = ['timeoutMs', 'leaseMs', 'signal', 'permits'];

/** What both semaphores are: a number of permits that are given out in the order of asking. */
export abstract class Permits<H extends GrantHold> extends HoldAcquirable<SemaphoreOptions, Granted, H> {
  readonly name: string;
  readonly permits: number;
  protected readonly subject: ErrorSubject;
  protected readonly client: Client;
  protected readonly protocol: PermitProtocol;
  /** See `ProtocolTraits`. */
  protected readonly survivesClose: boolean = false;
  readonly #kind: string;

  constructor(
    client: Client,
    protocol: PermitProtocol,
    kind: string,
    name: string,
    permits: number,
    subject: ErrorSubject,
  ) {
    super();
    this.client = client;
    this.protocol = protocol;
    this.name = name;
    this.permits = permits;
    this.subject = subject;
    this.#kind = kind;
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

  protected abstract hold(grant: Grant, gate: OpenGate<Granted>, permits: number): H;

  protected override enter(options: SemaphoreOptions | undefined, single: boolean): MaybeAsync<H | null> {
    this.client.throwIfClosed(this.subject);
    checkOptions(options, OPTIONS, this.subject);
    const permits = this.#wanted(options?.permits);
    const terms = readTerms(options, single, this.client, this.subject);
    terms.signal?.throwIfAborted();
    const since = startedAt(this.client);
    const gate = new OpenGate(this.#resource(permits));
    const grant = gate.enter(terms);
    const held = (entered: Grant | null) => {
      if (entered === null) return null;
      tellAcquired(entered, since);
      return this.hold(entered, gate, permits);
    };
    return mapAnswer(grant, held);
  }

  /** Refuses at once to ask for more permits than exist: the caller would wait without limit. */
  #wanted(permits: unknown): number {
    const wanted = permits === undefined ? 1 : checkCount(permits, 'permits', 1, this.subject);
    const { mostPermits } = this.protocol.traits;
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

  #resource(permits: number): Resource {
    const { client, protocol, name, subject } = this;
    const total = this.permits;
    const refusedOr = <A extends Granted | { readonly kind: string }>(answer: A) =>
      answer.kind === 'mismatch'
        ? { kind: 'refused' as const, error: this.#mismatch((answer as unknown as TotalMismatch).total) }
        : (answer as Exclude<A, TotalMismatch>);
    return {
      client,
      kind: this.#kind,
      name,
      subject,
      renewer: protocol,
      acquire: ({ fences: _one, ...ask }) => {
        const answer = protocol.acquire(name, { ...ask, permits, total });
        return mapAnswer(answer, refusedOr);
      },
      release: (owner) => protocol.release(name, { owner }),
      traits: this.survivesClose
        ? protocolTraits({ ...protocol.traits, survivesClose: true })
        : protocol.traits,
      watch: (owner, heard) => protocol.watch(name, owner, heard),
      renewal: (owner, leaseMs) => ({ name, ask: { owner, leaseMs } }),
    };
  }

  #mismatch(total: number): ForeignStateError {
    return new ForeignStateError(
      `${this.subject.resource} is in use with ${total} permits, and was opened here with ${this.permits}. Use the same number everywhere.`,
      this.subject,
    );
  }
}
