import { acquireByWaiting } from '../../core/acquire/acquire-grant.ts';
import type { AcquireTerms } from '../../core/acquire/acquire-terms.ts';
import { type Contested, explainTimeout } from '../../core/failures/explain-timeout.ts';
import { giveBack } from '../../core/grants/give-back.ts';
import type { Grant } from '../../core/grants/grant.ts';
import { startedAt, tellAcquired } from '../../core/grants/grant-events.ts';
import { HoldEnd } from '../../core/grants/hold-end.ts';
import { Holdable } from '../../core/acquire/holdable.ts';
import type { TraceNotes } from '../../core/acquire/trace-acquire.ts';
import { takeTrace, traceHold } from '../../core/grants/trace-hold.ts';
import { tracedTerms } from '../../core/acquire/traced-terms.ts';
import { timeoutError } from '../../core/failures/timeout-error.ts';
import { isOutOfTime } from '../../core/acquire/wait-limit.ts';
import { onAbort } from '../../core/async/aborts.ts';
import type { Client } from '../../core/client.ts';
import { OpenGate } from '../../core/queues/gate.ts';
import { type ErrorSubject, NotHeldError } from '../../spi/errors.ts';
import type { Json } from '../../spi/json.ts';
import type { HoldingProtocol } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { HolderView } from '../../spi/verbs/holding.ts';
import type { Changes, Entered, MonitorLook, MonitorVerbs } from '../../spi/verbs/monitor.ts';
import { GrantHold } from '../hold.ts';
import { releaseQuietly } from '../release-at-end.ts';
import { ConditionWait } from './condition-wait.ts';

export type MonitorProtocol = HoldingProtocol<MonitorVerbs, MonitorLook>;

/** Of a section, which ends with its `run` and cannot be forgotten before. */
class SectionHold extends GrantHold<Entered> {
  override get gateIfForgotten(): undefined {
    return undefined;
  }
}

/** One run of a section, from its entry to its end: it may leave and come back with a wait in between. */
export class MonitorSection {
  readonly subject: ErrorSubject;
  readonly client: Client;
  readonly #protocol: MonitorProtocol;
  readonly #name: string;
  readonly #terms: AcquireTerms;
  readonly #holdable: Holdable<Entered>;
  /** The same for a wait whose time is over: the store moves its ticket from the condition to the entry. */
  readonly #returning: Holdable<Entered>;
  readonly #gate: OpenGate<Entered>;
  #hold: GrantHold<Entered> | undefined;
  /** Aborts the wait that is under way when the section ends without it. */
  #wait: AbortController | undefined;
  #over = false;
  /** Of its entry. Each time that it is inside is a hold of its own. */
  #trace: TraceNotes | undefined;

  constructor(
    client: Client,
    protocol: MonitorProtocol,
    name: string,
    initial: Json,
    subject: ErrorSubject,
    terms: AcquireTerms,
  ) {
    this.client = client;
    this.subject = subject;
    this.#protocol = protocol;
    this.#name = name;
    this.#terms = terms;
    this.#holdable = new Holdable(client, 'monitor', name, protocol, {
      attempt: { initial },
      blockers: () => this.#lookAtHolder(),
    });
    this.#returning = new Holdable(client, 'monitor', name, protocol, {
      attempt: { initial, stopWaiting: true },
    });
    this.#gate = new OpenGate(this.#holdable);
  }

  /** `trace`: of the entry alone. To come back from a wait is no acquisition that the caller asked for. */
  async enter(trace?: TraceNotes): Promise<Entered> {
    const since = startedAt(this.client);
    let grant: Grant<Entered> | null;
    try {
      grant = await this.#gate.enter(tracedTerms(this.#terms, trace));
      if (grant === null) throw timeoutError(this.subject, 0);
    } catch (error) {
      return explainTimeout(this.#contested, this.#terms.timeoutMs, error, this.#terms.signal);
    }
    this.#trace = trace;
    if (since !== undefined) tellAcquired(grant, since, trace);
    return this.#goInside(grant);
  }

  get #contested(): Contested {
    const { client, kind, name, subject, protocol } = this.#holdable;
    return { client, kind, name, subject, protocol, blockers: () => this.#holdable.blockers() };
  }

  async #lookAtHolder(): Promise<readonly HolderView[]> {
    const { holder } = await this.#protocol.look(this.#name);
    return holder === undefined ? [] : [holder];
  }

  /** The hold, for as long as the section is inside. `verb`: what the caller wants to do with the monitor. */
  inside(verb: string): GrantHold<Entered> {
    if (this.#hold !== undefined) return this.#hold;
    throw this.#outside(verb);
  }

  /** Writes and leaves, waits, and comes back: the answer of the store with which it is inside again. */
  async wait(condition: string, changes: Changes, timeoutMs: number): Promise<Entered> {
    const { grant } = this.inside('left');
    await this.#leaveToWait(grant, condition, changes);
    return this.#comeBack(grant.owner, timeoutMs);
  }

  /** The write and the way out are one step, taken only if the section still holds the monitor. */
  async exit(changes: Changes): Promise<void> {
    this.#over = true;
    const hold = this.#hold;
    if (hold === undefined) return this.#refuseToLeaveWaiting();
    const { grant } = hold;
    if (grant.loss !== undefined) throw grant.loss;
    this.client.throwIfClosed(this.subject);
    const end = HoldEnd.of(grant);
    this.#leave();
    try {
      const answer = await this.#exitWith(grant, changes);
      if (answer.kind === 'gone') throw grant.loseAtRelease();
    } catch (error) {
      end?.tellFailed(error);
      throw error;
    }
    end?.tellReleased();
  }

  /** The section threw: what it wrote since its last wait is dropped. */
  async abandon(): Promise<void> {
    this.#over = true;
    const hold = this.#hold;
    this.#hold = undefined;
    if (hold !== undefined) await releaseQuietly(hold);
    this.#endWait();
  }

  /** The section ended while one of its own waits was still under way: it would come back and hold for no code at all. */
  #refuseToLeaveWaiting(): void {
    if (this.#wait === undefined) return;
    this.#endWait();
    throw new NotHeldError(
      `${this.subject.resource}: the section ended while it waited for a condition. Await m.wait before it ends.`,
      this.subject,
    );
  }

  #endWait(): void {
    this.#wait?.abort(this.#outside('waited for'));
  }

  /** Writes, signals and joins the condition's queue in one step; a step that may or may not have happened is undone. */
  async #leaveToWait(grant: Grant<Entered>, condition: string, changes: Changes): Promise<void> {
    const { owner } = grant;
    const ask = { owner, condition, interestMs: this.client.renewalLeaseMs, ...changes };
    let joined = true;
    try {
      joined = (await this.#protocol.wait(this.#name, ask)).kind === 'waiting';
      if (!joined) grant.lose('gone');
      if (grant.loss !== undefined) throw grant.loss;
    } catch (error) {
      // A ticket in the queue that no owner comes back to would swallow a signal.
      if (joined) this.client.background(giveBack(this.#holdable, owner, this.client.renewalLeaseMs));
      throw error;
    }
    takeTrace(grant)?.end();
    this.#leave();
  }

  async #exitWith(grant: Grant<Entered>, changes: Changes) {
    try {
      return await this.#protocol.exit(this.#name, { owner: grant.owner, ...changes });
    } catch (error) {
      grant.giveBack();
      throw error;
    }
  }

  #goInside(grant: Grant<Entered>): Entered {
    this.#hold = new SectionHold(grant, this.#gate, grant.takeFence());
    return grant.answer;
  }

  /** The store has let go of it, or is about to: no longer renewed, and nothing to release. */
  #leave(): void {
    this.#hold?.grant.end();
    this.#hold = undefined;
  }

  async #comeBack(first: OwnerId, timeoutMs: number): Promise<Entered> {
    const { signal } = this.#terms;
    const wait = new AbortController();
    const unlisten = signal && onAbort(signal, () => wait.abort(signal.reason));
    if (signal?.aborted === true) wait.abort(signal.reason);
    this.#wait = wait;
    // The section may have ended while the step that left was under way.
    if (this.#over) this.#endWait();
    try {
      const grant = await this.#waitAndEnter(first, { ...this.#terms, signal: wait.signal }, timeoutMs);
      if (this.#over) {
        // The keeper has it by now, and would renew for no code what the store may not have back yet.
        grant.end();
        grant.giveBack();
        throw this.#outside('used');
      }
      traceHold(grant, this.#trace?.acquisition);
      const entered = this.#goInside(grant);
      grant.throwIfLost();
      return entered;
    } finally {
      unlisten?.();
      this.#wait = undefined;
    }
  }

  /** Until signalled or out of time; then, without limit, until the monitor is held again, as the section expects. */
  async #waitAndEnter(first: OwnerId, terms: AcquireTerms, timeoutMs: number): Promise<Grant<Entered>> {
    let owner = first;
    const became = (next: OwnerId): void => void (owner = next);
    const until = this.client.clock.now() + timeoutMs;
    const waiting = new ConditionWait(this.#holdable, { ...terms, until, timeoutMs }, became, owner);
    try {
      return await acquireByWaiting(waiting, this.#holdable.contact(false));
    } catch (error) {
      // Also if the store was silent: whether the monitor is held again is for the store to answer, not for this time-out.
      if (!isOutOfTime(error)) throw error;
    }
    const unlimited = { ...terms, until: Infinity, timeoutMs: Infinity };
    const returning = new ConditionWait(this.#returning, unlimited, became, owner);
    return acquireByWaiting(returning, this.#holdable.contact(false));
  }

  #outside(verb: string): NotHeldError {
    return new NotHeldError(`${this.subject.resource} cannot be ${verb} outside its section.`, this.subject);
  }
}
