import type { Client } from '../client.ts';
import { LocalQueue } from '../queues/local-queue.ts';
import { TimerTask } from '../time/timer-queue.ts';
import type { Grant } from '../grants/grant.ts';
import { howToReenter } from '../failures/held-by.ts';

/** A wait behind one and the same hold of its own process is reported once it has lasted for so long, or up to twice as long. */
const CHECK_MS = 5000;
/** To wait for permits that the same process has is what a semaphore is for; to wait behind a leader, what a candidate does. */
const EXPECTED: ReadonlySet<string> = new Set(['semaphore', 'permitSemaphore', 'bareSemaphore', 'election']);
/** So many names are enough to find the mistake: a program may make a lock for each request that it serves. */
const MOST_NAMES = 100;

/** One owner that waits in the store. */
interface StoreWait {
  readonly holdable: { readonly protocol: object; readonly name: string };
}

/**
 * Warns when an owner of this process waits behind another owner of this process: `await lock.acquire()` inside a section that has
 * the lock waits for itself, and nothing else would ever say so. A long hold of an independent owner looks the same from here, so
 * the warning names both.
 *
 * Looks every few seconds, and only while there are waits. The tempting alternative, a timer for each wait, is paid for by every
 * wait; a look costs each of them one comparison.
 */
export class SelfWaits extends TimerTask {
  readonly #client: Client;
  /** Waits in the store. Those in a local queue are found by the grant that they wait for. */
  readonly #pending = new Set<StoreWait>();
  /** Each wait of the last look, and the grant that it was behind. */
  #seen = new Map<object, Grant>();
  readonly #warned = new Set<string>();

  constructor(client: Client) {
    super();
    this.#client = client;
  }

  override get keepsAlive(): boolean {
    return false;
  }

  /** An owner begins to wait. */
  begin(): void {
    if (this.slot !== -1 || this.#client.closed) return;
    this.#client.timers.set(this, this.#client.clock.now() + CHECK_MS);
  }

  add(pending: StoreWait): void {
    this.#pending.add(pending);
    this.begin();
  }

  delete(pending: StoreWait): void {
    this.#pending.delete(pending);
  }

  override due(now: number): void {
    const seen = new Map<object, Grant>();
    for (const [waiter, grant] of this.#waits()) {
      // The same waiter behind the same grant: a grant that was handed over went to the head of its line, and that has gone.
      if (this.#seen.get(waiter) === grant) this.#warn(grant);
      else seen.set(waiter, grant);
    }
    this.#seen = seen;
    // Without one there is nothing to compare with next time, and the next wait begins anew.
    if (seen.size > 0) this.#client.timers.set(this, now + CHECK_MS);
  }

  /** Each wait behind a hold of this client. */
  *#waits(): Generator<readonly [object, Grant]> {
    const byName = new Map<string, StoreWait[]>();
    for (const pending of this.#pending) {
      const { name } = pending.holdable;
      const others = byName.get(name);
      if (others === undefined) byName.set(name, [pending]);
      else others.push(pending);
    }
    for (const grant of this.#client.keeper.kept()) {
      const { protocol, name, kind, subject } = grant.holdable;
      if (EXPECTED.has(kind) || this.#warned.has(subject.resource)) continue;
      const head = grant.gate instanceof LocalQueue ? grant.gate.head : undefined;
      if (head !== undefined) yield [head, grant];
      for (const pending of byName.get(name) ?? [])
        if (pending.holdable.protocol === protocol) yield [pending, grant];
    }
  }

  #warn({ holdable: { kind, subject } }: Grant): void {
    const { resource } = subject;
    if (this.#warned.has(resource) || this.#warned.size === MOST_NAMES) return;
    this.#warned.add(resource);
    process.emitWarning(
      `${resource}: an owner of this process has waited for more than ${CHECK_MS / 1000} s while another owner of this process holds it. If they are independent, the hold is only long. If the one that waits is called by the one that holds, neither ever ends.${howToReenter(kind)}`,
      { type: 'HoldfastWarning', code: 'HOLDFAST_SELF_WAIT' },
    );
  }
}
