import type { Client } from '../client.ts';
import { LocalQueue } from '../queues/local-queue.ts';
import { TimerTask } from '../time/timer-queue.ts';
import type { Grant } from '../grants/grant.ts';
import { openClients } from '../open-clients.ts';
import type { Holdable } from './holdable.ts';
import { howToReenter } from '../failures/held-by.ts';

/** A wait behind one and the same hold of its own process is reported once it has lasted for so long, or up to twice as long. */
const CHECK_MS = 5000;
/** To wait for permits that the same process has is what a semaphore is for; to wait behind a leader, what a candidate does. */
const EXPECTED: ReadonlySet<string> = new Set(['semaphore', 'permitSemaphore', 'bareSemaphore', 'election']);
/** So many names are enough to find the mistake: a program may make a lock for each request that it serves. */
const MOST_NAMES = 100;

/** One owner that waits in the store. */
interface StoreWait {
  readonly holdable: Holdable;
}

/** An owner that waits, and a hold of this process that keeps it out, or may. */
interface OwnWait {
  readonly waiter: object;
  readonly grant: Grant;
  /** What it waits for, where the hold belongs to another engine object: the name is the same, and the store may be another one. */
  readonly elsewhere?: Holdable;
}

/**
 * Warns when an owner of this process waits behind another owner of this process: `await lock.acquire()` inside a section that has
 * the lock waits for itself, and nothing else would ever say so. A long hold of an independent owner looks the same from here, so
 * the warning names both.
 *
 * Looks every few seconds, and only while there are waits. The tempting alternative, a timer for each wait, is paid for by every
 * wait; a look costs each of them one comparison. The store is asked only where another engine object of the process has a hold of
 * the same name: about each such hold once, and about one of them at a look. To ask about all at once is tempting, because the
 * warning comes sooner; but a process with 200 waits would send 200 requests, and who waits asks nothing. One that waits for itself
 * is still there when its turn comes.
 */
export class SelfWaits extends TimerTask {
  readonly #client: Client;
  /** Waits in the store. Those in a local queue are found by the grant that they wait for. */
  readonly #pending = new Set<StoreWait>();
  /** Each wait of the last look, and the grants that it was behind. */
  #seen = new Map<object, Set<Grant>>();
  readonly #warned = new Set<string>();
  /** Holds of other engine objects that the store was asked about. */
  readonly #asked = new WeakSet<Grant>();
  /** Whether this look has asked the store nothing so far. */
  #mayAsk = false;

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
    this.#mayAsk = true;
    const seen = new Map<object, Set<Grant>>();
    for (const behind of this.#waits()) {
      const { waiter, grant } = behind;
      const grants = seen.get(waiter);
      if (grants === undefined) seen.set(waiter, new Set([grant]));
      else grants.add(grant);
      // The same waiter behind the same grant: a grant that was handed over went to the head of its line, and that has gone.
      if (this.#seen.get(waiter)?.has(grant) === true) this.#tell(behind);
    }
    this.#seen = seen;
    // Without one there is nothing to compare with next time, and the next wait begins anew.
    if (seen.size > 0) this.#client.timers.set(this, now + CHECK_MS);
  }

  /** Each wait behind a hold of this process. */
  *#waits(): Generator<OwnWait> {
    const byName = new Map<string, StoreWait[]>();
    for (const pending of this.#pending) {
      const { name } = pending.holdable;
      const others = byName.get(name);
      if (others === undefined) byName.set(name, [pending]);
      else others.push(pending);
    }
    for (const client of openClients()) {
      const isOwn = client === this.#client;
      if (!isOwn && byName.size === 0) continue;
      for (const grant of client.keeper.kept()) {
        if (EXPECTED.has(grant.holdable.kind)) continue;
        const waits = byName.get(grant.holdable.name) ?? [];
        yield* isOwn ? this.#waitsBehind(grant, waits) : this.#waitsElsewhere(grant, waits);
      }
    }
  }

  *#waitsBehind(grant: Grant, waits: readonly StoreWait[]): Generator<OwnWait> {
    const { protocol, subject } = grant.holdable;
    if (this.#warned.has(subject.resource)) return;
    const head = grant.gate instanceof LocalQueue ? grant.gate.head : undefined;
    if (head !== undefined) yield { waiter: head, grant };
    for (const waiter of waits) if (waiter.holdable.protocol === protocol) yield { waiter, grant };
  }

  *#waitsElsewhere(grant: Grant, waits: readonly StoreWait[]): Generator<OwnWait> {
    if (this.#asked.has(grant)) return;
    for (const waiter of waits) {
      const elsewhere = waiter.holdable;
      if (!this.#warned.has(elsewhere.subject.resource)) yield { waiter, grant, elsewhere };
    }
  }

  #tell({ grant, elsewhere }: OwnWait): void {
    if (elsewhere === undefined) this.#warn(grant.holdable);
    else if (this.#mayAsk && !this.#asked.has(grant)) {
      this.#mayAsk = false;
      this.#asked.add(grant);
      this.#client.background(this.#askAndWarn(grant, elsewhere));
    }
  }

  /** A name that is locked in two stores says nothing of either: that the owner is the same one does. */
  async #askAndWarn({ owner }: Grant, waited: Holdable): Promise<void> {
    const holders = await waited.blockers();
    if (holders.some((holder) => holder.owner === owner)) this.#warn(waited);
  }

  #warn({ kind, subject: { resource } }: Holdable): void {
    if (this.#warned.has(resource) || this.#warned.size === MOST_NAMES) return;
    this.#warned.add(resource);
    process.emitWarning(
      `${resource}: an owner of this process has waited for more than ${CHECK_MS / 1000} s while another owner of this process holds it. If they are independent, the hold is only long. If the one that waits is called by the one that holds, neither ever ends.${howToReenter(kind)}`,
      { type: 'HoldfastWarning', code: 'HOLDFAST_SELF_WAIT' },
    );
  }
}
