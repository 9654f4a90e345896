import { subjectOf } from '../../../core/arguments.ts';
import { type ErrorSubject, SessionEndedError } from '../../../spi/errors.ts';
import type { LineName } from '../../../spi/engine/ticket-line.ts';
import { isPending, mapAnswer, type MaybeAsync, type Pending } from '../../../spi/maybe-async.ts';
import type { Unwatch } from '../../../spi/engine/protocol.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { AcquireAsk, Released, Renewed } from '../../../spi/verbs/holding.ts';
import type { LineRule } from '../../../rules/line.ts';
import type { LineContext } from '../line-context.ts';
import { UnwatchedHolds } from './unwatched-holds.ts';
import { LineTurn, type TurnAsk } from './line-turn.ts';
import { tellOutage } from '../tell-outage.ts';
import type { TurnStep } from './turn-step.ts';

const RELEASED: Released = { kind: 'released', others: 0 };
const NOT_HELD: Released = { kind: 'not-held' };

/** A read side that keeps the ticket of its write, where no ticket can join under another one. */
interface Loan {
  readonly writer: LineTurn;
}

/** The attempts of one owner that wait for a session. */
interface PendingOpen {
  attempts: number;
  isLeft: boolean;
}

interface TurnsOptions {
  /** What errors call the thing, if not by its kind. */
  readonly shownKind?: string;
  /** Called when the ticket of a hold was taken away. */
  readonly ticketTaken?: ((id: OwnerId) => void) | undefined;
}

/** How one attempt went, with what the store has numbered the ticket with. */
interface LineAttempt {
  readonly step: TurnStep;
  readonly number: number;
}

const NOT_JOINED: LineAttempt = { step: { kind: 'behind' }, number: 0 };

/**
 * The owners of this client in the lines of one kind: a map from owner to ticket and listener. The wait loop watches before its
 * first try, and a line has nothing to watch before there is a ticket: so the listener may come first.
 */
export class LineTurns {
  readonly #context: LineContext;
  readonly #kind: string;
  readonly #shownKind: string;
  readonly #ticketTaken: TurnsOptions['ticketTaken'];
  readonly #turns = new Map<OwnerId, LineTurn>();
  readonly #loans = new Map<OwnerId, Loan>();
  readonly #listeners = new Map<OwnerId, () => void>();
  readonly #unwatched: UnwatchedHolds;
  readonly #opening = new Map<OwnerId, PendingOpen>();

  constructor(context: LineContext, kind: string, { shownKind = kind, ticketTaken }: TurnsOptions = {}) {
    this.#context = context;
    this.#unwatched = new UnwatchedHolds(context.client);
    this.#kind = kind;
    this.#shownKind = shownKind;
    this.#ticketTaken = ticketTaken;
    context.session.whenEnded.add(() => this.#sessionEnded());
  }

  line(name: string): LineName {
    return { kind: this.#kind, name };
  }

  /** How long the lease of a hold of this client still lasts; Infinity for those of others, whose leases only their own client knows. */
  remainingMs(owner: OwnerId): number {
    const turn = this.#turns.get(owner);
    return turn?.isIn === true ? Math.max(0, turn.until - this.#context.client.clock.now()) : Infinity;
  }

  /** Whether this owner has a ticket, or a request for one under way. */
  has(owner: OwnerId): boolean {
    return this.#turns.has(owner);
  }

  isIn(owner: OwnerId): boolean {
    return this.#turns.get(owner)?.isIn === true;
  }

  /** What the store has numbered a hold of this client with. */
  numberOf(owner: OwnerId): number | undefined {
    return this.isIn(owner) ? this.#turns.get(owner)?.number : undefined;
  }

  watch(owner: OwnerId, heard: () => void): Unwatch {
    this.#listeners.set(owner, heard);
    return () => {
      if (this.#listeners.get(owner) === heard) this.#listeners.delete(owner);
    };
  }

  /** One attempt of an owner. Answers the number of its hold once it is in. */
  acquire(name: string, ask: AcquireAsk, rule: LineRule, claim: TurnAsk): MaybeAsync<LineAttempt> {
    const { session, client } = this.#context;
    const opened = session.open();
    const attempt = isPending(opened)
      ? this.#attemptOnceOpen(opened, name, ask, rule, claim)
      : this.#attempt(name, ask, rule, claim);
    return ask.wait ? attempt : tellOutage(client, this.#subject(name), attempt);
  }

  release(name: string, owner: OwnerId): MaybeAsync<Released> {
    const loan = this.#loans.get(owner);
    if (loan !== undefined) {
      this.#loans.delete(owner);
      return this.#dropAfter(loan.writer, loan.writer.giveBackLoan(owner));
    }
    const opening = this.#opening.get(owner);
    if (opening !== undefined) opening.isLeft = true;
    const turn = this.#turns.get(owner);
    if (turn !== undefined) return this.#leave(turn);
    if (opening !== undefined || owner.startsWith(`${this.#context.client.ids.client}:`)) return NOT_HELD;
    // An inspector gives back what another client holds.
    return this.#context.tickets.leave(this.line(name), owner).then(releasedOr);
  }

  /** Never shortens (soundness 4). What counts beside the lease is the session, whose deadline ends every hold. */
  async renew(owner: OwnerId, leaseMs: number): Promise<Renewed> {
    const turn = this.#loans.get(owner)?.writer ?? this.#turns.get(owner);
    if (turn === undefined) return { kind: 'gone' };
    const now = this.#context.client.clock.now();
    if (!(await turn.watchOwn())) {
      this.forget(owner);
      return { kind: 'gone' };
    }
    turn.until = Math.max(turn.until, now + leaseMs);
    return { kind: 'renewed', remainingMs: turn.until - now };
  }

  /** The ticket of this owner is known to be gone. */
  forget(owner: OwnerId): void {
    const turn = this.#turns.get(owner);
    this.#turns.delete(owner);
    this.#loans.delete(owner);
    turn?.loseTicket();
  }

  /**
   * The race: the owner gives up while the session is being opened, and has no ticket to give back. An attempt that went on
   * afterwards would make one that stands for as long as the session does.
   */
  async #attemptOnceOpen(
    opened: Pending<void>,
    name: string,
    ask: AcquireAsk,
    rule: LineRule,
    claim: TurnAsk,
  ): Promise<LineAttempt> {
    const { owner } = ask;
    const opening = this.#opening.get(owner) ?? { attempts: 0, isLeft: false };
    this.#opening.set(owner, opening);
    opening.attempts++;
    try {
      await opened;
    } finally {
      if (--opening.attempts === 0) this.#opening.delete(owner);
    }
    return opening.isLeft ? NOT_JOINED : this.#attempt(name, ask, rule, claim);
  }

  /**
   * Answers a waiter that tries again at once: a promise would count as a request whose answer the store owes.
   *
   * Answers a single attempt that failed when its ticket has left. The tempting alternative answers at once, because the answer
   * is known and the request goes out right behind it. The race: the holder hears of the failed attempt, releases, and its
   * request overtakes the other one; the ticket that is about to leave is the first of the line, and a free lock looks held.
   */
  #attempt(name: string, ask: AcquireAsk, rule: LineRule, claim: TurnAsk): MaybeAsync<LineAttempt> {
    const { owner, under, wait, leaseMs } = ask;
    const { client, tickets } = this.#context;
    if (under !== undefined && !tickets.joinsUnder) return this.#borrow(name, owner, under);
    const turn = this.#turnOf(name, owner, rule, claim);
    return mapAnswer(turn.attempt(wait), (step) => {
      const attempt = { step, number: turn.number };
      if (step.kind === 'in') this.#begin(turn, client.clock.now() + leaseMs);
      else if (!wait || step.kind === 'mismatch') return mapAnswer(this.#leave(turn), () => attempt);
      return attempt;
    });
  }

  #begin(turn: LineTurn, until: number): void {
    turn.until = Math.max(turn.until, until);
    this.#unwatched.add(turn);
  }

  #turnOf(name: string, owner: OwnerId, rule: LineRule, claim: TurnAsk): LineTurn {
    const known = this.#turns.get(owner);
    if (known !== undefined) return known;
    const turn = new LineTurn(this.#context, this.line(name), owner, rule, claim, this.#subject(name));
    turn.heard = () => this.#listeners.get(owner)?.();
    turn.whenTaken = () => {
      this.#drop(turn);
      this.#ticketTaken?.(owner);
    };
    this.#turns.set(owner, turn);
    return turn;
  }

  #borrow(name: string, owner: OwnerId, under: OwnerId): LineAttempt {
    const writer = this.#turns.get(under);
    if (writer?.lend(owner) !== true) throw new SessionEndedError(this.#subject(name));
    this.#loans.set(owner, { writer });
    return { step: { kind: 'in' }, number: writer.number };
  }

  #subject(name: string): ErrorSubject {
    return subjectOf(this.#shownKind, name, this.#context.client.label);
  }

  #leave(turn: LineTurn): MaybeAsync<Released> {
    return this.#dropAfter(turn, turn.release());
  }

  #dropAfter(turn: LineTurn, left: MaybeAsync<'left' | 'absent'>): MaybeAsync<Released> {
    return mapAnswer(left, (answer) => {
      if (!turn.isIn) this.#drop(turn);
      return releasedOr(answer);
    });
  }

  #drop(turn: LineTurn): void {
    this.#unwatched.delete(turn);
    if (this.#turns.get(turn.owner) === turn) this.#turns.delete(turn.owner);
  }

  /** Holds are lost by now. Waiters hear of it, and start again as new owners. */
  #sessionEnded(): void {
    this.#loans.clear();
    for (const [owner, turn] of this.#turns) {
      if (turn.isIn) this.#turns.delete(owner);
      turn.end();
    }
  }
}

function releasedOr(answer: 'left' | 'absent'): Released {
  return answer === 'left' ? RELEASED : NOT_HELD;
}
