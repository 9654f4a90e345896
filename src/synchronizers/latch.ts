import { checkCount, checkName, checkOptions, readPatience, subjectOf } from '../core/arguments.ts';
import type { Client } from '../core/client.ts';
import { logAs } from '../core/log-as.ts';
import { Contact } from '../core/acquire/contact.ts';
import { waitFor } from '../core/acquire/wait.ts';
import { type WaitLimit, throwIfOver } from '../core/acquire/wait-limit.ts';
import { awaitStep } from '../core/acquire/awaited-step.ts';
import { AcquireTimeoutError, type ErrorSubject } from '../spi/errors.ts';
import type { Protocol } from '../spi/engine/protocol.ts';
import type { Latch, WaitOptions } from '../spi/synchronizers.ts';
import type { LatchLook, LatchVerbs } from '../spi/verbs/latch.ts';

type LatchProtocol = Protocol<LatchVerbs, LatchLook>;

class LatchObject implements Latch {
  readonly name: string;
  readonly #client: Client;
  readonly #protocol: LatchProtocol;
  readonly #subject: ErrorSubject;

  constructor(client: Client, protocol: LatchProtocol, name: string) {
    this.name = name;
    this.#client = client;
    this.#protocol = protocol;
    this.#subject = subjectOf('latch', name, client.label);
  }

  get engine(): string {
    return this.#client.label;
  }

  async trySetCount(count: number): Promise<boolean> {
    checkCount(count, 'count', 1, this.#subject);
    this.#client.throwIfClosed(this.#subject);
    return (await this.#protocol.trySetCount(this.name, { count })).set;
  }

  async countDown(by = 1): Promise<number> {
    checkCount(by, 'countDown', 1, this.#subject);
    this.#client.throwIfClosed(this.#subject);
    return (await this.#protocol.countDown(this.name, { by })).count;
  }

  async count(): Promise<number> {
    return (await this.#look()).count;
  }

  async reset(count = 0): Promise<void> {
    checkCount(count, 'count', 0, this.#subject);
    this.#client.throwIfClosed(this.#subject);
    await this.#protocol.reset(this.name, { count });
  }

  async await(options?: WaitOptions): Promise<void> {
    checkOptions(options, ['timeoutMs', 'signal'], this.#subject);
    this.#client.throwIfClosed(this.#subject);
    const waitLimit = { ...readPatience(options, this.#client, this.#subject), timeoutError: notOpenError };
    waitLimit.signal?.throwIfAborted();
    const contact = new Contact(false);
    const first = await this.#lookInPatience(waitLimit, contact);
    if (first.count === 0) return;
    // The store has answered: without patience the wait ends here, and no later request of it can be taken for an outage.
    throwIfOver(this.#client, this.#subject, waitLimit);
    const owner = this.#client.ids.next();
    await waitFor(
      this.#client,
      {
        subject: this.#subject,
        attempt: async () =>
          wasOpenSince(first, await this.#look())
            ? { kind: 'in', value: undefined }
            : // Nothing opens a latch but a step, and a step wakes: this is only the slow poll behind the wake-up.
              { kind: 'out', againInMs: this.#client.renewalLeaseMs / 3 },
        watch: (heard) => this.#protocol.watch(this.name, owner, heard),
        withdraw: () => undefined,
      },
      waitLimit,
      undefined,
      contact,
    );
  }

  async #look(): Promise<LatchLook> {
    this.#client.throwIfClosed(this.#subject);
    return this.#protocol.look(this.name);
  }

  /** Without patience the look takes as long as its answer takes: to time it as well would refuse every open latch. */
  async #lookInPatience(waitLimit: WaitLimit, contact: Contact): Promise<LatchLook> {
    const look = this.#look();
    if (waitLimit.timeoutMs === 0) return look;
    return awaitStep(this.#client, this.#subject, waitLimit, look, contact);
  }
}

function notOpenError(subject: ErrorSubject, timeoutMs: number): AcquireTimeoutError {
  return new AcquireTimeoutError(
    `${subject.resource} did not open within ${timeoutMs} ms. Its count is as it was; wait again, or longer.`,
    subject,
  );
}

logAs(LatchObject, 'Latch', ({ name, engine }) => ({ kind: 'latch', name, engine }));

/**
 * Whether the latch has opened since a look that found it closed. The count alone does not say: between the step that
 * opened it and this look another client may have closed it again, and the waiter would sleep on through its own opening.
 */
function wasOpenSince(first: LatchLook, now: LatchLook): boolean {
  if (now.count === 0) return true;
  // A smaller round is that of a store which has lost what it had: nothing was opened there.
  return now.round !== undefined && (first.round === undefined || now.round > first.round);
}

/** The latch of `locks.latch(name)`. */
export function createLatch(client: Client, protocol: LatchProtocol, name: string): Latch {
  checkName(name, 'latch', client.label);
  return new LatchObject(client, protocol, name);
}
