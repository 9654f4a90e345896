import type { CellCall, Protocols, CellReply } from 'holdfast/engine';
import type { History, Section } from './history.ts';
import { FencedResource } from './resource.ts';
import type { Server } from './server.ts';

type Kind = keyof Protocols;

interface HolderLook {
  readonly owner: string;
  readonly fence: number;
}

/** The parts of all looks that say who holds what. */
interface AnyLook {
  readonly holder?: HolderLook;
  readonly writer?: HolderLook;
  readonly leader?: HolderLook;
  readonly readers?: readonly HolderLook[];
  readonly holders?: readonly (HolderLook & { readonly permits: number })[];
  readonly total?: number;
  readonly taken?: number;
}

function exclusiveHolder(look: AnyLook): HolderLook | undefined {
  return look.holder ?? look.writer ?? look.leader;
}

/** All that have it, exclusively or shared. */
function standing(look: AnyLook): readonly string[] {
  const exclusive = exclusiveHolder(look);
  const shared = [...(look.readers ?? []), ...(look.holders ?? [])];
  return [...(exclusive === undefined ? [] : [exclusive]), ...shared].map(({ owner }) => owner);
}

/** Follows the store step by step and every act of every holder, and says what must not be. */
export class Checkers {
  readonly #history: History;
  readonly #server: Server;
  readonly #resources = new Map<string, FencedResource>();
  readonly #lastGrant = new Map<string, HolderLook>();
  readonly #fences = new Map<string, Set<bigint>>();
  /** Who reads under a write of its own: the write's owner by the read's. */
  readonly #readsUnder = new Map<string, string>();
  readonly #arrivals = new Map<string, Map<string, number>>();
  readonly #gone = new Set<string>();
  /** Until when a lock is to be taken, by the clock of the store, and by whom it was taken. */
  readonly #lasting = new Map<string, { readonly owner: string; readonly until: number }>();
  #arrived = 0;

  constructor(history: History, server: Server) {
    this.#history = history;
    this.#server = server;
    server.onStep = (call, outcome) => this.#afterStep(call, outcome);
  }

  resource(kind: string, name: string): FencedResource {
    const key = `${kind} ${name}`;
    const known = this.#resources.get(key) ?? new FencedResource(this.#history);
    this.#resources.set(key, known);
    return known;
  }

  /** A hold was given to its caller. Every fence is given out once. */
  begins(section: Section): void {
    const key = `${section.kind} ${section.name}`;
    const fences = this.#fences.get(key) ?? new Set<bigint>();
    if (section.exclusive && fences.has(section.fence)) {
      this.#history.problem(`fence ${section.fence} of ${key} was given out twice`);
    }
    this.#fences.set(key, fences.add(section.fence));
  }

  /**
   * A caller is about to act as the holder, its own look at the clock having said that it may. Then the store must agree
   * at this very instant: this is exclusion, and the truth of `lost`, in one.
   */
  acts(section: Section): void {
    const look = this.#server.look(section.kind as Kind, section.name) as AnyLook;
    if (standing(look).includes(section.owner)) return;
    const now = exclusiveHolder(look);
    this.#history.problem(
      `section ${section.id} acts under ${section.kind} ${section.name}, which the store has ${now === undefined ? 'set free' : `given to ${now.owner}`}`,
    );
  }

  #afterStep(call: CellCall, outcome: CellReply['outcome']): void {
    const kind = call.kind as Kind;
    const { name } = call;
    this.#checkGone(call, outcome);
    this.#checkLasting(call, outcome);
    if ('under' in call.ask && 'owner' in call.ask)
      this.#readsUnder.set(String(call.ask.owner), String(call.ask.under));
    const look = this.#server.look(kind, name) as AnyLook;
    this.#checkShares(kind, name, look);
    this.#checkFenceOrder(kind, name, exclusiveHolder(look));
    this.#checkOrder(kind, name, look);
  }

  /** The client that has given back or withdrawn must not be let in afterwards: no client would be there to release it. */
  #checkGone({ kind, name, verb, ask }: CellCall, outcome: CellReply['outcome']): void {
    if (outcome.kind !== 'done' || !('owner' in ask)) return;
    const side = 'side' in ask ? String(ask.side) : '';
    const who = `${kind} ${name} ${side} ${String(ask.owner)}`;
    if (verb === 'release') this.#gone.add(who);
    const { answer } = outcome as { readonly answer?: { readonly kind?: string } };
    if (verb === 'acquire' && answer?.kind === 'granted' && this.#gone.has(who)) {
      this.#history.problem(`${who} was let in after it had gone`);
    }
  }

  /** A hold that is to last is not followed by another before, unless its owner withdrew what it had never heard of. */
  #checkLasting({ kind, name, verb, ask }: CellCall, outcome: CellReply['outcome']): void {
    if (outcome.kind !== 'done' || !('owner' in ask)) return;
    const key = `${kind} ${name}`;
    const owner = String(ask.owner);
    const before = this.#lasting.get(key);
    if (verb === 'release' && !('minHold' in ask) && before?.owner === owner) this.#lasting.delete(key);
    const { answer } = outcome as { readonly answer?: { readonly kind?: string } };
    if (verb !== 'acquire' || answer?.kind !== 'granted' || before?.owner === owner) return;
    const { now } = this.#server;
    if (before !== undefined && now < before.until) {
      this.#history.problem(`${key} was taken ${before.until - now} ms before ${before.owner} let it go`);
    }
    this.#lasting.delete(key);
    if ('minHoldMs' in ask) {
      this.#history.count('holds that are to last');
      this.#lasting.set(key, { owner, until: now + Number(ask.minHoldMs) });
    }
  }

  #checkShares(kind: Kind, name: string, look: AnyLook): void {
    const { writer, readers = [], total, taken = 0 } = look;
    const isStranger = ({ owner }: { readonly owner: string }): boolean =>
      owner !== writer?.owner && this.#readsUnder.get(owner) !== writer?.owner;
    if (writer !== undefined && readers.some(isStranger)) {
      this.#history.problem(`${kind} ${name} has a writer and readers`);
    }
    if (total !== undefined && taken > total)
      this.#history.problem(`${kind} ${name}: ${taken} of ${total} permits taken`);
  }

  #checkFenceOrder(kind: Kind, name: string, holder: HolderLook | undefined): void {
    if (holder === undefined) return;
    const key = `${kind} ${name}`;
    const last = this.#lastGrant.get(key);
    // What is left of a released hold is the same grant.
    if (holder.owner === `${last?.owner}+kept`) return;
    if (last !== undefined && last.owner !== holder.owner && holder.fence <= last.fence) {
      this.#history.problem(`${key}: fence ${holder.fence} after ${last.fence}`);
    }
    this.#lastGrant.set(key, holder);
  }

  /**
   * First come, first served, where that is promised: no client is let in past a living client that stood there before. Those
   * for whom there is still room have not been passed: they were woken as well and are on their way.
   */
  #checkOrder(kind: Kind, name: string, look: AnyLook): void {
    if (kind !== 'fairLock' && kind !== 'semaphore' && kind !== 'permitSemaphore') return;
    const key = `${kind} ${name}`;
    const arrivals = this.#arrivals.get(key) ?? new Map<string, number>();
    this.#arrivals.set(key, arrivals);
    const queue = this.#server.queue(kind, name);
    // The client that lapsed and came again stands behind those who came meanwhile.
    let before = -1;
    for (const { owner } of queue) {
      if ((arrivals.get(owner) ?? -1) <= before) arrivals.set(owner, this.#arrived++);
      before = arrivals.get(owner) ?? before;
    }
    for (const owner of standing(look)) {
      const place = arrivals.get(owner);
      if (place === undefined) continue;
      const passed = queue.filter((other) => (arrivals.get(other.owner) ?? Infinity) < place);
      const wanted = passed.reduce((sum, { permits = 1 }) => sum + permits, look.taken ?? 1);
      if (passed.length > 0 && wanted > (look.total ?? 1)) {
        this.#history.problem(
          `${key}: ${owner} was let in past ${passed.map((other) => other.owner).join(', ')}`,
        );
      }
    }
    for (const owner of arrivals.keys()) {
      if (!queue.some((other) => other.owner === owner)) arrivals.delete(owner);
    }
  }
}
