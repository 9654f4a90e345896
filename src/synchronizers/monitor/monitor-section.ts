import { keptUnlessOver } from '../../core/acquire/keep-grant.ts';
import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { checkOptions, checkTimeoutMs } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { OpenGate } from '../../core/queues/gate.ts';
import { giveBack } from '../../core/acquire/give-back.ts';
import { Grant } from '../../core/acquire/grant.ts';
import { checkedJson, copyOf } from '../../core/json.ts';
import type { Resource } from '../../core/acquire/resource.ts';
import { startedAt, tellAcquired } from '../../core/acquire/tell-acquired.ts';
import { isOutOfTime, type Turn, timeoutError, waitFor } from '../../core/acquire/wait.ts';
import { argumentTypeError, type ErrorSubject, NotHeldError } from '../../spi/errors.ts';
import type { Json } from '../../spi/json.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import type { Inside } from '../../spi/synchronizers.ts';
import type { Changes, Entered, MonitorLook, MonitorVerbs, Signal } from '../../spi/verbs/monitor.ts';
import { GrantHold, releaseQuietly } from '../hold.ts';

export type MonitorProtocol = HoldingProtocol<MonitorVerbs, MonitorLook>;

/** One run of a section: enters, may leave and come back with `wait`, writes when it leaves. */
export class MonitorSection<S> implements Inside<S> {
  readonly #client: Client;
  readonly #protocol: MonitorProtocol;
  readonly #subject: ErrorSubject;
  readonly #terms: AcquireTerms;
  readonly #initial: Json;
  readonly #resource: Resource<Entered>;
  readonly #gate: OpenGate<Entered>;
  #hold: GrantHold<Entered> | undefined;
  /** The id under which a wait is under way. */
  #waitingAs: string | undefined;
  #over = false;
  #state: Json = null;
  #written = false;
  #signals: Signal[] = [];

  constructor(
    client: Client,
    protocol: MonitorProtocol,
    name: string,
    initial: Json,
    subject: ErrorSubject,
    terms: AcquireTerms,
  ) {
    this.#client = client;
    this.#protocol = protocol;
    this.#subject = subject;
    this.#terms = terms;
    this.#initial = initial;
    this.#resource = {
      client,
      kind: 'monitor',
      name,
      subject,
      renewer: protocol,
      traits: protocol.traits,
      acquire: ({ fences: _one, ...ask }) => protocol.acquire(name, { ...ask, initial }),
      release: (owner) => protocol.release(name, { owner }),
      watch: (owner, heard) => protocol.watch(name, owner, heard),
      renewal: (owner, leaseMs) => ({ name, ask: { owner, leaseMs } }),
    };
    this.#gate = new OpenGate(this.#resource);
  }

  get hold(): GrantHold<Entered> {
    return this.#inside('used');
  }

  get state(): S {
    this.#inside('read');
    return this.#state as S;
  }

  set(state: S): void {
    this.#inside('written');
    this.#state = checkedJson(state, 'the state', this.#subject);
    this.#written = true;
  }

  signal(condition: string): void {
    this.#inside('signalled');
    this.#signals.push({ condition: this.#checkCondition(condition), all: false });
  }

  signalAll(condition: string): void {
    this.#inside('signalled');
    this.#signals.push({ condition: this.#checkCondition(condition), all: true });
  }

  async wait(condition: string, options?: { readonly timeoutMs?: number }): Promise<boolean> {
    const { grant } = this.#inside('left');
    this.#client.throwIfClosed(this.#subject);
    grant.throwIfLost();
    const timeoutMs = this.#checkWait(condition, options);
    await this.#leaveToWait(grant, condition);
    return this.#comeBack(grant.owner, timeoutMs);
  }

  async waitUntil(
    condition: string,
    holds: (state: S) => boolean,
    options?: { readonly timeoutMs?: number },
  ): Promise<boolean> {
    const until = this.#client.clock.now() + this.#checkWait(condition, options);
    while (!holds(this.state)) {
      const left = until - this.#client.clock.now();
      if (left <= 0) return false;
      await this.wait(condition, left === Infinity ? undefined : { timeoutMs: left });
    }
    return true;
  }

  async enter(): Promise<void> {
    const since = startedAt(this.#client);
    const grant = await this.#gate.enter(this.#terms);
    if (grant === null) throw timeoutError(this.#subject, 0);
    tellAcquired(grant, since);
    this.#entered(grant);
  }

  /** The write and the way out are one step, taken only if the section still holds the monitor. */
  async exit(): Promise<void> {
    this.#over = true;
    const hold = this.#hold;
    if (hold === undefined) return this.#refuseToLeaveWaiting();
    const { grant } = hold;
    if (grant.loss !== undefined) throw grant.loss;
    this.#client.throwIfClosed(this.#subject);
    const changes = this.#changes();
    this.#leave();
    const answer = await this.#exitWith(grant, changes);
    if (answer.kind === 'gone') throw grant.goneAtRelease();
    grant.tellReleased(grant.heldAt);
  }

  /** The section threw: what it wrote since its last wait is dropped. */
  async abandon(): Promise<void> {
    this.#over = true;
    const hold = this.#hold;
    this.#hold = undefined;
    if (hold !== undefined) await releaseQuietly(hold);
    this.#stopWaiting();
  }

  /** The section ended while one of its own waits was still under way: it would come back and hold for nobody. */
  #refuseToLeaveWaiting(): void {
    if (this.#waitingAs === undefined) return;
    this.#stopWaiting();
    throw new NotHeldError(
      `${this.#subject.resource}: the section ended while it waited for a condition. Await m.wait before it ends.`,
      this.#subject,
    );
  }

  #stopWaiting(): void {
    const owner = this.#waitingAs;
    if (owner !== undefined)
      this.#client.background(giveBack(this.#resource, owner, this.#client.renewalLeaseMs));
  }

  /** Writes, signals and joins the condition's queue in one step; a step that may or may not have happened is undone. */
  async #leaveToWait(grant: Grant<Entered>, condition: string): Promise<void> {
    const { owner } = grant;
    const ask = { owner, condition, interestMs: this.#client.renewalLeaseMs, ...this.#changes() };
    let joined = true;
    try {
      joined = (await this.#protocol.wait(this.#resource.name, ask)).kind === 'waiting';
      if (!joined) grant.lose('gone');
      if (grant.loss !== undefined) throw grant.loss;
    } catch (error) {
      // A place in the queue that nobody comes back to would swallow a signal.
      if (joined) this.#client.background(giveBack(this.#resource, owner, this.#client.renewalLeaseMs));
      throw error;
    }
    this.#leave();
  }

  async #exitWith(grant: Grant<Entered>, changes: Changes) {
    try {
      return await this.#protocol.exit(this.#resource.name, { owner: grant.owner, ...changes });
    } catch (error) {
      grant.giveBack();
      throw error;
    }
  }

  #entered(grant: Grant<Entered>): void {
    this.#hold = new GrantHold(grant, this.#gate, grant.takeFence());
    this.#state = copyOf(grant.answer.value);
    this.#written = false;
    this.#signals = [];
  }

  /** The store has let go of it, or is about to: no longer renewed, and nothing to release. */
  #leave(): void {
    this.#hold?.grant.end();
    this.#hold = undefined;
  }

  /** Until signalled or out of time; then, without limit, until the monitor is held again, as the section expects. */
  async #comeBack(owner: string, timeoutMs: number): Promise<boolean> {
    const until = this.#client.clock.now() + timeoutMs;
    this.#waitingAs = owner;
    try {
      return await this.#waitFor(owner, { ...this.#terms, until, timeoutMs }, false);
    } catch (error) {
      // Also if the store was silent: whether the monitor is held again is for the store to answer, not for this time-out.
      if (!isOutOfTime(error)) throw error;
      return await this.#waitFor(owner, { ...this.#terms, until: Infinity, timeoutMs: Infinity }, true);
    } finally {
      this.#waitingAs = undefined;
    }
  }

  async #waitFor(owner: string, terms: AcquireTerms, stopWaiting: boolean): Promise<boolean> {
    const { generation } = this.#client.ids;
    const grant = await waitFor(this.#client, this.#turn(owner, stopWaiting), terms);
    if (this.#over) {
      grant.giveBack();
      throw this.#outside('used');
    }
    this.#entered(keptUnlessOver(grant, generation));
    grant.throwIfLost();
    return grant.answer.signalled;
  }

  #turn(owner: string, stopWaiting: boolean): Turn<Grant<Entered>> {
    const { leaseMs, renewed } = this.#terms;
    const interestMs = this.#client.renewalLeaseMs;
    return {
      subject: this.#subject,
      isWaiting: true,
      attempt: async () => {
        if (this.#over) throw this.#outside('waited for');
        const sentAt = this.#client.clock.now();
        const ask = { owner, leaseMs, wait: true, interestMs, initial: this.#initial };
        const answer = await this.#protocol.acquire(
          this.#resource.name,
          stopWaiting ? { ...ask, stopWaiting } : ask,
        );
        if (answer.kind === 'busy') return { kind: 'out', againInMs: answer.againInMs };
        return { kind: 'in', value: new Grant(this.#resource, owner, answer, sentAt, leaseMs, renewed) };
      },
      watch: (heard) => this.#resource.watch(owner, heard),
      // A wait that is out of time goes on as an entry with the same id; only real departures withdraw.
      withdraw: (why) =>
        isOutOfTime(why) ? undefined : giveBack(this.#resource, owner, this.#terms.leaseMs),
    };
  }

  #changes(): Changes {
    const signals = this.#signals;
    return this.#written ? { write: { value: this.#state }, signals } : { signals };
  }

  #inside(verb: string): GrantHold<Entered> {
    if (this.#hold !== undefined) return this.#hold;
    throw this.#outside(verb);
  }

  #outside(verb: string): NotHeldError {
    return new NotHeldError(
      `${this.#subject.resource} cannot be ${verb} outside its section.`,
      this.#subject,
    );
  }

  #checkWait(condition: unknown, options: { readonly timeoutMs?: number } | undefined): number {
    this.#checkCondition(condition);
    checkOptions(options, ['timeoutMs'], this.#subject);
    return options?.timeoutMs === undefined ? Infinity : checkTimeoutMs(options.timeoutMs, this.#subject);
  }

  #checkCondition(condition: unknown): string {
    if (typeof condition === 'string' && condition !== '') return condition;
    throw argumentTypeError(
      `${this.#subject.resource}: a condition must be a string that is not empty.`,
      this.#subject,
    );
  }
}
