import { subjectOf } from '../../core/arguments.ts';
import { exclusiveLine, permitsLine } from '../../rules/line.ts';
import type { HoldingProtocol, RenewalOutcome } from '../../spi/engine/protocol.ts';
import { asPromise } from '../../spi/maybe-async.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { AcquireAsk, Busy, Granted, Released, Renewed } from '../../spi/verbs/holding.ts';
import type {
  SemaphoreAsk,
  SemaphoreLook,
  SemaphoreVerbs,
  TotalMismatch,
} from '../../spi/verbs/semaphore.ts';
import { CrowdedNames } from './crowded-names.ts';
import { LEASE_LINES, LeaseLines } from './lease-lines.ts';
import type { LineContext } from './line-context.ts';
import { plainFence } from './line-fence.ts';
import { LineProtocol } from './line-protocol.ts';
import { lineView } from './line-view.ts';
import { lineTraits } from './line-traits.ts';
import { type PermitTaking, PermitTakings } from './permit-takings.ts';
import { tellOutage } from './tell-outage.ts';

/** One ticket for each permit. */
interface LeaseAsk extends AcquireAsk {
  readonly total: number;
}

type PermitAttempt = Granted | Busy | TotalMismatch;

/**
 * K of N as Curator's InterProcessSemaphoreV2 has it: a line of leases, one for each permit, and a mutex that those who have to
 * wait stand in front of. Only the one that has the mutex waits in the line of leases, so that a large request is not starved.
 *
 * An owner that finds no other waiting takes its leases without the mutex. That is safe: a lease counts when fewer than N
 * are ahead of it, and of all leases that count the last one has seen all others.
 */
export class LeasedSemaphore {
  readonly #context: LineContext;
  readonly #mutex: LineProtocol<AcquireAsk>;
  readonly #leases: LineProtocol<LeaseAsk>;
  readonly #takings: PermitTakings;
  readonly #crowded = new CrowdedNames();
  readonly #lines: LeaseLines;

  constructor(context: LineContext) {
    this.#context = context;
    this.#lines = new LeaseLines(context);
    this.#mutex = new LineProtocol(context, {
      kind: LEASE_LINES.waiting,
      excludes: true,
      rule: () => exclusiveLine,
      claim: () => ({ fences: 1, value: null }),
      fence: plainFence,
    });
    this.#leases = new LineProtocol(context, {
      kind: LEASE_LINES.leases,
      shownKind: LEASE_LINES.waiting,
      excludes: false,
      rule: ({ total }) => permitsLine(total),
      claim: ({ total }) => ({ total, fences: 1, value: null }),
      fence: plainFence,
      ticketTaken: (ticket) => this.#loseHoldOf(ticket),
    });
    this.#takings = new PermitTakings(context, this.#leases.turns);
  }

  acquire(name: string, ask: SemaphoreAsk): Promise<PermitAttempt> {
    const known = this.#takings.get(ask.owner);
    const taking = known ?? this.#takings.begin(name, ask.owner, ask.permits);
    const attempt = this.#attempt(name, ask, taking, known === undefined);
    const work = ask.wait ? attempt : this.#toldOfOutage(name, attempt);
    taking.work = work;
    return work;
  }

  /**
   * Gives up what the owner has, or is about to have. The race: an attempt under way has the mutex, and its leases are made after
   * they were to be released; they would stand for as long as the session does. So the attempt has to be over first.
   */
  async release(name: string, owner: OwnerId): Promise<Released> {
    const taking = this.#takings.get(owner);
    if (taking !== undefined) {
      taking.isLeft = true;
      await taking.work?.catch(() => undefined);
    }
    const tickets = taking?.tickets ?? [owner];
    const releases = [
      ...tickets.map((ticket) => asPromise(this.#leases.release(name, { owner: ticket }))),
      ...(this.#mutex.turns.has(owner) ? [asPromise(this.#mutex.release(name, { owner }))] : []),
    ];
    const released = await Promise.all(releases);
    this.#takings.forget(owner);
    return released.find(({ kind }) => kind === 'released') ?? { kind: 'not-held' };
  }

  async renew(name: string, owner: OwnerId, leaseMs: number): Promise<Renewed> {
    const tickets = this.#takings.get(owner)?.tickets ?? [owner];
    const renewed = await Promise.all(
      tickets.map((ticket) => this.#leases.renew(name, { owner: ticket, leaseMs })),
    );
    const gone = renewed.find(({ kind }) => kind === 'gone');
    if (gone !== undefined) this.#context.client.background(this.release(name, owner));
    return gone ?? renewed[0]!;
  }

  watch(owner: OwnerId, heard: () => void): () => void {
    const ends = [this.#takings.watch(owner, heard), this.#mutex.turns.watch(owner, heard)];
    return () => {
      for (const end of ends) end();
    };
  }

  async look(name: string): Promise<SemaphoreLook> {
    let total: number | undefined;
    const { holders } = await this.#leases.look(name, (tickets) => {
      total = tickets.find((ticket) => ticket.total !== undefined)?.total;
      return permitsLine(total ?? Infinity);
    });
    const { holders: first, waiting } = await this.#mutex.look(name, () => exclusiveLine);
    const held = holders.map(({ view }) => ({ ...view, permits: 1 }));
    // The one that has the mutex is next: it waits for leases, which stand in their line without the permits that they are a part of.
    const inTurn = [...first.map(({ ticket }) => ticket), ...waiting];
    return { total, taken: held.length, holders: held, waiters: inTurn.length, line: lineView(inTurn) };
  }

  async #attempt(
    name: string,
    ask: SemaphoreAsk,
    taking: PermitTaking,
    isFirst: boolean,
  ): Promise<PermitAttempt> {
    const attempt = await this.#takeInTurn(name, ask, taking, isFirst);
    taking.isHeld = attempt.kind === 'granted';
    return attempt;
  }

  async #takeInTurn(
    name: string,
    ask: SemaphoreAsk,
    taking: PermitTaking,
    isFirst: boolean,
  ): Promise<PermitAttempt> {
    const { tickets } = taking;
    if (isFirst) {
      const attempt = await this.#takeAtOnce(name, ask, tickets);
      if (attempt.kind === 'busy' && !ask.wait) this.#takings.forget(ask.owner);
      if (attempt.kind !== 'busy' || !ask.wait || taking.isLeft) return attempt;
    }
    const first = await this.#mutex.acquire(name, ask);
    if (first.kind !== 'granted') return first;
    if (taking.isLeft) return { kind: 'busy', againInMs: ask.interestMs / 3 };
    const attempt = await this.#take(name, ask, tickets);
    // Not awaited: the answer is known, and the next one in front of the mutex hears of it as soon.
    if (attempt.kind === 'granted')
      this.#context.client.background(this.#mutex.release(name, { owner: ask.owner }));
    return attempt;
  }

  #toldOfOutage(name: string, attempt: Promise<PermitAttempt>): Promise<PermitAttempt> {
    const { client } = this.#context;
    const subject = subjectOf(LEASE_LINES.waiting, name, client.label);
    return asPromise(tellOutage(client, subject, attempt));
  }

  /**
   * Without the mutex, and only where there is room and no other waits. In one round trip: takes, and looks whether others wait in the
   * same flight. What is taken ahead of them is given back.
   *
   * A name that was full when it was last asked for is looked at first, which is a round trip more. So is every single attempt:
   * the tempting alternative takes at once, and a lease that is about to be given back refuses another single attempt.
   */
  async #takeAtOnce(name: string, ask: SemaphoreAsk, tickets: readonly OwnerId[]): Promise<PermitAttempt> {
    const busy: Busy = { kind: 'busy', againInMs: ask.interestMs / 3 };
    await this.#context.session.open();
    const looksFirst = !ask.wait || this.#crowded.has(name);
    if (looksFirst && !(await this.#lines.hasRoom(name, ask))) {
      this.#crowded.add(name);
      return busy;
    }
    const [attempt, isOvertaking] = await Promise.all([
      this.#take(name, { ...ask, wait: false }, tickets),
      !looksFirst && this.#lines.isAwaited(name),
    ]);
    if (attempt.kind === 'granted' && !isOvertaking) {
      this.#crowded.delete(name);
      return attempt;
    }
    this.#crowded.add(name);
    await Promise.all(tickets.map((owner) => asPromise(this.#leases.release(name, { owner }))));
    return attempt.kind === 'granted' ? busy : attempt;
  }

  async #take(name: string, ask: SemaphoreAsk, tickets: readonly OwnerId[]): Promise<PermitAttempt> {
    const attempts = await Promise.all(
      tickets.map((owner) => asPromise(this.#leases.acquire(name, { ...ask, owner }))),
    );
    return attempts.find(({ kind }) => kind !== 'granted') ?? attempts[0]!;
  }

  /**
   * A hold of several permits is lost with the first of its tickets, whose id need not be that of the owner. The other tickets
   * would keep their permits, for as long as the session lasts, for an owner that has lost its hold.
   */
  #loseHoldOf(ticket: OwnerId): void {
    const { client } = this.#context;
    const taking = this.#takings.ofTicket(ticket);
    if (taking === undefined) return;
    client.keeper.loseForced(taking.owner);
    client.background(this.release(taking.name, taking.owner));
  }
}

/** The protocol of a semaphore of leases. */
export function leasedSemaphore(context: LineContext): HoldingProtocol<SemaphoreVerbs, SemaphoreLook> {
  const semaphore = new LeasedSemaphore(context);
  return {
    traits: lineTraits(context),
    acquire: (name, ask) => semaphore.acquire(name, ask),
    release: (name, { owner }) => semaphore.release(name, owner),
    renew: (name, { owner, leaseMs }) => semaphore.renew(name, owner, leaseMs),
    renewMany: (renewals) =>
      Promise.all(
        renewals.map(({ name, ask }) =>
          semaphore
            .renew(name, ask.owner, ask.leaseMs)
            .catch((error: unknown): RenewalOutcome => ({ kind: 'failed', error })),
        ),
      ),
    watch: (_name, owner, heard) => semaphore.watch(owner, heard),
    look: (name) => semaphore.look(name),
  };
}
