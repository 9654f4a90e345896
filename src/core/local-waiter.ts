import { onAbort } from './aborts.ts';
import type { Terms } from './terms.ts';
import { Appointment } from './agenda.ts';
import type { Grant } from './grant.ts';
import type { Resource } from './resource.ts';
import { timeoutError } from './wait.ts';

/** One local waiter: handed a grant, called to the head (undefined), or gone by time-out or abort. */
export class LocalWaiter extends Appointment {
  readonly terms: Terms;
  readonly promise: Promise<Grant | undefined>;
  before: LocalWaiter | undefined;
  after: LocalWaiter | undefined;
  readonly #resource: Resource;
  readonly #leave: (waiter: LocalWaiter) => void;
  readonly #unlisten: (() => void) | undefined;
  #resolve!: (grant: Grant | Promise<Grant> | undefined) => void;
  #reject!: (error: unknown) => void;

  constructor(resource: Resource, terms: Terms, leave: (waiter: LocalWaiter) => void) {
    super();
    this.#resource = resource;
    this.terms = terms;
    this.#leave = leave;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal, until } = terms;
    this.#unlisten = signal && onAbort(signal, () => this.#quit(signal.reason));
    // Also without a time-out: somebody waits, so the process must not end.
    resource.client.agenda.set(this, until);
  }

  override get keepsAlive(): boolean {
    return true;
  }

  override due(): void {
    this.#quit(timeoutError(this.#resource.subject, this.terms.timeoutMs));
  }

  resolve(grant: Grant | Promise<Grant> | undefined): void {
    this.#end();
    this.#resolve(grant);
  }

  reject(error: unknown): void {
    this.#end();
    this.#reject(error);
  }

  #quit(error: unknown): void {
    this.#leave(this);
    this.reject(error);
  }

  #end(): void {
    this.#unlisten?.();
    this.#resource.client.agenda.drop(this);
  }
}
