import { checkFunction, checkName, checkOptions, readTerms, subjectOf } from '../../core/arguments.ts';
import type { Client } from '../../core/client.ts';
import { logAs } from '../../core/log-as.ts';
import { acquireTracing, traceAcquire, type TraceNotes } from '../../core/acquire/trace-acquire.ts';
import { checkedJson, copyOf } from '../../core/json.ts';
import { openScope, type Place, runInScope, Scope } from '../../core/reentry/scope.ts';
import { argumentTypeError, type ErrorSubject, NestedMonitorError } from '../../spi/errors.ts';
import type { Json } from '../../spi/json.ts';
import type { HoldOptions, Inside, Monitor } from '../../spi/synchronizers.ts';
import { runSection } from '../run-section.ts';
import { MonitorInside } from './monitor-inside.ts';
import { type MonitorProtocol, MonitorSection } from './monitor-section.ts';

class MonitorObject<S> implements Monitor<S> {
  readonly name: string;
  readonly #client: Client;
  readonly #protocol: MonitorProtocol;
  readonly #initial: Json;
  readonly #subject: ErrorSubject;
  readonly #place: Place;

  constructor(client: Client, protocol: MonitorProtocol, name: string, initial: Json, subject: ErrorSubject) {
    this.name = name;
    this.#client = client;
    this.#protocol = protocol;
    this.#initial = initial;
    this.#subject = subject;
    this.#place = { client, family: 'monitor', name, side: 'whole' };
  }

  get engine(): string {
    return this.#client.label;
  }

  async run<T>(fn: (m: Inside<S>) => T | PromiseLike<T>, options?: HoldOptions): Promise<T> {
    checkFunction(fn, this.#subject);
    const entering = acquireTracing.hasSubscribers ? this.#enterTraced(options) : this.#enter(options);
    return runSection(entering, (inside) => this.#runInside(inside, fn), {
      abandon: (inside) => inside.abandon(),
      finish: (inside) => inside.finish(),
    });
  }

  #runInside<T>(inside: MonitorInside<S>, fn: (m: Inside<S>) => T | PromiseLike<T>): Promise<T> {
    const { hold } = inside;
    return runInScope(new Scope(this.#place, hold), () => hold.callSection(() => fn(inside)));
  }

  async #enterTraced(options: HoldOptions | undefined): Promise<MonitorInside<S>> {
    const traced = { client: this.#client, kind: 'monitor', name: this.name, subject: this.#subject };
    let inside!: MonitorInside<S>;
    await traceAcquire(traced, async (trace) => {
      inside = await this.#enter(options, trace);
      return inside.hold;
    });
    return inside;
  }

  #enter(options: HoldOptions | undefined, trace?: TraceNotes): Promise<MonitorInside<S>> {
    checkOptions(options, ['timeoutMs', 'leaseMs', 'signal'], this.#subject);
    this.#client.throwIfClosed(this.#subject);
    const terms = readTerms(options, false, this.#client, this.#subject);
    terms.signal?.throwIfAborted();
    this.#refuseNesting();
    const section = new MonitorSection(
      this.#client,
      this.#protocol,
      this.name,
      this.#initial,
      this.#subject,
      terms,
    );
    return MonitorInside.enter<S>(section, trace);
  }

  async peek(): Promise<S> {
    const { value } = await this.#look();
    return copyOf(value === undefined ? this.#initial : value) as S;
  }

  async isLocked(): Promise<boolean> {
    return (await this.#look()).holder !== undefined;
  }

  async waiters(): Promise<number> {
    const { entering, waiting } = await this.#look();
    return Object.values(waiting).reduce((sum, count) => sum + count, entering);
  }

  #look() {
    this.#client.throwIfClosed(this.#subject);
    return this.#protocol.look(this.name);
  }

  #refuseNesting(): void {
    if (openScope(this.#place) === undefined) return;
    throw new NestedMonitorError(
      `${this.#subject.resource} was entered from inside its own section: it would wait for itself. Pass \`m\` along instead.`,
      this.#subject,
    );
  }
}

logAs(MonitorObject, 'Monitor', ({ name, engine }) => ({ kind: 'monitor', name, engine }));

/** The monitor of `locks.monitor(name, { initial })`. */
export function createMonitor<S>(
  client: Client,
  protocol: MonitorProtocol,
  name: string,
  options: unknown,
): Monitor<S> {
  checkName(name, 'monitor', client.label);
  const subject = subjectOf('monitor', name, client.label);
  checkOptions(options ?? {}, ['initial'], subject);
  if (typeof options !== 'object' || options === null || !('initial' in options)) {
    throw argumentTypeError(
      `${subject.resource} needs { initial }: the guarded state before the first write.`,
      subject,
    );
  }
  return new MonitorObject<S>(
    client,
    protocol,
    name,
    checkedJson(options.initial, 'initial', subject),
    subject,
  );
}
