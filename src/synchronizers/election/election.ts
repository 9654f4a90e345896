import {
  checkFunction,
  checkName,
  checkOptions,
  checkSignal,
  readTerms,
  subjectOf,
} from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { logAs } from '../../core/log-as.ts';
import { type Gate, OpenGate } from '../../core/queues/gate.ts';
import type { Grant } from '../../core/grants/grant.ts';
import { checkedJson, copyOf } from '../../core/json.ts';
import { Holdable } from '../../core/acquire/holdable.ts';
import { type Contested, explainTimeout } from '../../core/failures/explain-timeout.ts';
import { startedAt, tellAcquired } from '../../core/grants/grant-events.ts';
import { acquireTracing, traceAcquire, type TraceNotes } from '../../core/acquire/trace-acquire.ts';
import { tracedTerms } from '../../core/acquire/traced-terms.ts';
import { timeoutError } from '../../core/failures/timeout-error.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { Json } from '../../spi/json.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import type { CampaignOptions, Election, LeadOptions, Leader, Leadership } from '../../spi/synchronizers.ts';
import type { ElectionLook, ElectionVerbs } from '../../spi/verbs/election.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import { GrantHold } from '../hold.ts';
import { type Lead, leadInTurns } from './lead-in-turns.ts';
import { leaderOf } from './leader-of.ts';
import { observeLeader } from './observe-leader.ts';

type ElectionProtocol = HoldingProtocol<ElectionVerbs, ElectionLook>;

class LeadershipHold<V> extends GrantHold implements Leadership<V> {
  readonly #protocol: ElectionProtocol;
  #value: Json;

  constructor(grant: Grant, gate: Gate, protocol: ElectionProtocol, value: Json) {
    super(grant, gate, grant.takeFence());
    this.#protocol = protocol;
    this.#value = value;
  }

  get value(): V | null {
    return copyOf(this.#value) as V | null;
  }

  async proclaim(value: V): Promise<void> {
    const { grant } = this;
    const { name, subject } = grant.holdable;
    const said = checkedJson(value, 'the value', subject);
    this.throwIfLost();
    const answer = await this.#protocol.proclaim(name, { owner: grant.owner, value: said });
    if (answer.kind === 'gone') grant.lose('gone');
    if (grant.loss !== undefined) throw grant.loss;
    this.#value = said;
  }

  resign(): Promise<void> {
    return this.release();
  }
}

class ElectionObject<V> implements Election<V>, Contested {
  readonly kind = 'election';
  readonly name: string;
  readonly client: Client;
  readonly subject: ErrorSubject;
  readonly protocol: ElectionProtocol;

  constructor(client: Client, protocol: ElectionProtocol, name: string) {
    this.name = name;
    this.client = client;
    this.protocol = protocol;
    this.subject = subjectOf('election', name, client.label);
  }

  get engine(): string {
    return this.client.label;
  }

  campaign(options?: CampaignOptions<V>): Promise<LeadershipHold<V>> {
    return acquireTracing.hasSubscribers ? this.#campaignTraced(options) : this.#campaign(options);
  }

  #campaignTraced(options: CampaignOptions<V> | undefined): Promise<LeadershipHold<V>> {
    return traceAcquire(this, (trace) => this.#campaign(options, trace));
  }

  async #campaign(options: CampaignOptions<V> | undefined, trace?: TraceNotes): Promise<LeadershipHold<V>> {
    this.client.throwIfClosed(this.subject);
    checkOptions(options, ['timeoutMs', 'leaseMs', 'signal', 'value'], this.subject);
    const value = this.#checkedValue(options);
    const terms = readTerms(options, false, this.client, this.subject);
    terms.signal?.throwIfAborted();
    const since = startedAt(this.client);
    const gate = new OpenGate(
      new Holdable(this.client, 'election', this.name, this.protocol, { attempt: { value } }),
    );
    let grant: Grant | null;
    try {
      grant = await gate.enter(tracedTerms(terms, trace));
      if (grant === null) throw timeoutError(this.subject, 0);
    } catch (error) {
      return explainTimeout(this, terms.timeoutMs, error, terms.signal);
    }
    if (since !== undefined) tellAcquired(grant, since, trace);
    return new LeadershipHold<V>(grant, gate, this.protocol, value);
  }

  async lead(fn: Lead<V>, options?: LeadOptions<V>): Promise<void> {
    this.client.throwIfClosed(this.subject);
    checkFunction(fn, this.subject, 'lead');
    checkOptions(options, ['signal', 'value'], this.subject);
    const signal = checkSignal(options?.signal, this.subject);
    // Read once: every campaign publishes what the caller passed, whatever becomes of the caller's object meanwhile.
    const value = this.#checkedValue(options) as V;
    const terms = signal === undefined ? { value } : { value, signal };
    const campaign = () => this.campaign(terms);
    await leadInTurns({ client: this.client, name: this.name, signal, campaign, lead: fn });
  }

  async leader(): Promise<Leader<V> | null> {
    const { leader } = await this.#look();
    if (leader === undefined) return null;
    return leaderOf<V>(leader);
  }

  async blockers(): Promise<readonly HolderView[]> {
    const { leader } = await this.#look();
    return leader === undefined ? [] : [leader];
  }

  async candidates(): Promise<number> {
    return (await this.#look()).candidates;
  }

  observe(options?: { readonly signal?: AbortSignal }): AsyncIterableIterator<Leader<V> | null> {
    checkOptions(options, ['signal'], this.subject);
    const signal = checkSignal(options?.signal, this.subject);
    return observeLeader<V>(this.client, this.protocol, this.name, this.subject, signal);
  }

  #checkedValue(options: { readonly value?: V } | undefined): Json {
    return options?.value === undefined ? null : checkedJson(options.value, 'the value', this.subject);
  }

  #look() {
    this.client.throwIfClosed(this.subject);
    return this.protocol.look(this.name);
  }
}

logAs(ElectionObject, 'Election', ({ name, engine }) => ({ kind: 'election', name, engine }));

/** The election of `locks.election(name)`. */
export function createElection<V>(client: Client, protocol: ElectionProtocol, name: string): Election<V> {
  checkName(name, 'election', client.label);
  return new ElectionObject<V>(client, protocol, name);
}
