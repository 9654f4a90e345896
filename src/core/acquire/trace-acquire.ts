import { tracingChannel } from 'node:diagnostics_channel';
import type { Clock } from '../../spi/clock.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import { asPromise, isPending, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { AcquireTrace } from '../../spi/synchronizers.ts';

/**
 * Where every acquisition of the process is traced. Callers look at `hasSubscribers` first, and come to {@link traceAcquire}
 * only by a method of their own: a function made for the trace in the method of all acquisitions is paid for by all of them.
 */
export const acquireTracing = tracingChannel<unknown, AcquireTrace>('holdfast:acquire');

/** What the way to a hold tells the trace of its acquisition. */
export interface TraceNotes {
  /** The trace itself; none where one request is sent for several acquisitions. */
  readonly acquisition?: AcquireTrace;
  /** The owner that asks the store. */
  asksAs(owner: OwnerId): void;
  /** Another owner is before this one. */
  waits(): void;
}

/** What is acquired. */
export interface TraceSubject {
  readonly subject: ErrorSubject;
  readonly kind: string;
  readonly name: string;
  readonly client: { readonly label: string; readonly clock: Clock };
}

/** What the trace reads of a hold. */
interface TracedHold {
  readonly fence: bigint;
  readonly isInner: boolean;
  readonly grant: { readonly owner: OwnerId };
}

let lastId = 0;

class AcquireNotes implements AcquireTrace, TraceNotes {
  readonly id = ++lastId;
  readonly kind: string;
  readonly name: string;
  readonly engine: string;
  owner?: OwnerId;
  fence?: bigint;
  waited = false;
  reentered = false;
  elapsedMs?: number;
  result?: unknown;
  error?: unknown;
  readonly #clock: Clock;
  readonly #since: number;

  constructor({ kind, name, client }: TraceSubject) {
    this.#clock = client.clock;
    this.#since = client.clock.now();
    this.kind = kind;
    this.name = name;
    this.engine = client.label;
  }

  get acquisition(): AcquireTrace {
    return this;
  }

  asksAs(owner: OwnerId): void {
    this.owner = owner;
  }

  waits(): void {
    this.waited = true;
  }

  succeeded<H extends TracedHold | null>(hold: H): H {
    this.elapsedMs = this.#clock.now() - this.#since;
    if (hold !== null) {
      this.owner = hold.grant.owner;
      this.fence = hold.fence;
      this.reentered = hold.isInner;
    }
    this.result = hold;
    this.#over();
    return hold;
  }

  failed(error: unknown): never {
    this.elapsedMs = this.#clock.now() - this.#since;
    this.error = error;
    acquireTracing.error.publish(this);
    this.#over();
    throw error;
  }

  #over(): void {
    acquireTracing.asyncStart.publish(this);
    acquireTracing.asyncEnd.publish(this);
  }
}

/**
 * Traces one call to acquire by the convention of Node for promises: `start`, `end` when the call has returned, then `asyncStart`
 * and `asyncEnd` when it is over, before them `error` if it was rejected. Also an acquisition that is granted at once: a
 * subscriber closes its span at `asyncEnd`, and would keep open those that end without one.
 *
 * Not by `tracePromise`, which passes every result through one promise more. A re-entry that is granted at once has arrived one
 * microtask later (law 14); if its caller went on after that, a branch of the same run could come in between.
 */
export function traceAcquire<H extends TracedHold | null>(
  traced: TraceSubject,
  acquire: (notes: TraceNotes) => MaybeAsync<H>,
): Promise<H> {
  const notes = new AcquireNotes(traced);
  return acquireTracing.start.runStores(notes, () => settle(notes, begin(notes, acquire)));
}

function begin<H>(notes: AcquireNotes, acquire: (notes: TraceNotes) => MaybeAsync<H>): MaybeAsync<H> {
  try {
    return acquire(notes);
  } catch (error) {
    return Promise.reject(error);
  } finally {
    acquireTracing.end.publish(notes);
  }
}

/**
 * Also an answer that is no promise yet becomes one first: its callbacks run with the stores of the code that brings it, the
 * reader of a socket, and those of a promise with the stores of this call.
 */
function settle<H extends TracedHold | null>(notes: AcquireNotes, acquiring: MaybeAsync<H>): Promise<H> {
  if (!isPending(acquiring)) return Promise.resolve(notes.succeeded(acquiring));
  return asPromise(acquiring).then(
    (hold) => notes.succeeded(hold),
    (error: unknown) => notes.failed(error),
  );
}
