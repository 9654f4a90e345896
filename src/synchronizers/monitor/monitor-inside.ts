import { checkOptions, checkTimeoutMs } from '../../core/arguments.ts';
import { checkedJson, copyOf } from '../../core/json.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import type { Json } from '../../spi/json.ts';
import type { Inside } from '../../spi/synchronizers.ts';
import type { Changes, Entered, Signal } from '../../spi/verbs/monitor.ts';
import type { TraceNotes } from '../../core/acquire/trace-acquire.ts';
import type { GrantHold } from '../hold.ts';
import type { MonitorSection } from './monitor-section.ts';

/** The `m` of a section: the guarded state as of its last entry, and what the section did to it since. */
export class MonitorInside<S> implements Inside<S> {
  readonly #section: MonitorSection;
  #state: Json = null;
  #written = false;
  #signals: Signal[] = [];

  private constructor(section: MonitorSection) {
    this.#section = section;
  }

  /** Enters the monitor. */
  static async enter<S>(section: MonitorSection, trace?: TraceNotes): Promise<MonitorInside<S>> {
    const inside = new MonitorInside<S>(section);
    inside.#showState(await section.enter(trace));
    return inside;
  }

  get hold(): GrantHold<Entered> {
    return this.#section.inside('used');
  }

  get state(): S {
    this.#section.inside('read');
    return this.#state as S;
  }

  set(state: S): void {
    this.#section.inside('written');
    this.#state = checkedJson(state, 'the state', this.#section.subject);
    this.#written = true;
  }

  signal(condition: string): void {
    this.#section.inside('signalled');
    this.#signals.push({ condition: this.#checkCondition(condition), all: false });
  }

  signalAll(condition: string): void {
    this.#section.inside('signalled');
    this.#signals.push({ condition: this.#checkCondition(condition), all: true });
  }

  async wait(condition: string, options?: { readonly timeoutMs?: number }): Promise<boolean> {
    const { grant } = this.#section.inside('left');
    this.#section.client.throwIfClosed(this.#section.subject);
    grant.throwIfLost();
    const timeoutMs = this.#checkWait(condition, options);
    const entered = await this.#section.wait(condition, this.#changes(), timeoutMs);
    this.#showState(entered);
    return entered.signalled;
  }

  async waitUntil(
    condition: string,
    holds: (state: S) => boolean,
    options?: { readonly timeoutMs?: number },
  ): Promise<boolean> {
    const { clock } = this.#section.client;
    const until = clock.now() + this.#checkWait(condition, options);
    while (!holds(this.state)) {
      const left = until - clock.now();
      if (left <= 0) return false;
      await this.wait(condition, left === Infinity ? undefined : { timeoutMs: left });
    }
    return true;
  }

  abandon(): Promise<void> {
    return this.#section.abandon();
  }

  finish(): Promise<void> {
    return this.#section.exit(this.#changes());
  }

  #showState({ value }: Entered): void {
    this.#state = copyOf(value);
    this.#written = false;
    this.#signals = [];
  }

  #changes(): Changes {
    const signals = this.#signals;
    return this.#written ? { write: { value: this.#state }, signals } : { signals };
  }

  #checkWait(condition: unknown, options: { readonly timeoutMs?: number } | undefined): number {
    const { subject } = this.#section;
    this.#checkCondition(condition);
    checkOptions(options, ['timeoutMs'], subject);
    return options?.timeoutMs === undefined ? Infinity : checkTimeoutMs(options.timeoutMs, subject);
  }

  #checkCondition(condition: unknown): string {
    const { subject } = this.#section;
    if (typeof condition === 'string' && condition !== '') return condition;
    throw argumentTypeError(`${subject.resource}: a condition must be a string that is not empty.`, subject);
  }
}
