import { StoreFullError } from '../../../core/failures/store-full-error.ts';
import { SessionEndedError, type ErrorSubject } from '../../../spi/errors.ts';
import type { JoinAnswer, JoinAsk, LineName } from '../../../spi/engine/ticket-line.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import type { LineRule } from '../../../rules/line.ts';
import { Advance } from './advance.ts';
import { isUnknown } from './is-unknown.ts';
import { joinOnce } from './join-once.ts';
import type { LineContext } from '../line-context.ts';
import { leaveForSure } from './leave-for-sure.ts';
import { type LineSight, NextInLine } from './next-in-line.ts';
import type { TurnPhase } from './turn-phase.ts';
import type { TurnStep } from './turn-step.ts';
import { WatchedTickets } from './watched-tickets.ts';

/** What a turn asks for. */
export type TurnAsk = Omit<JoinAsk, 'id' | 'session'>;

/**
 * One owner's way through a line: joins, waits for the tickets ahead, is in, leaves.
 *
 * While the owner waits, this listens and not the wait loop: when a ticket ahead has gone the owner is in ({@link NextInLine}), or
 * this lists the line again and watches the next one. It only reports when the owner is in. The tempting alternative reports
 * every ticket that goes, and leaves the list to the next attempt. A waiter whose predecessor gives up would then watch nothing
 * between the report and the attempt, and each waiter that gives up would cost the one behind it an attempt.
 */
export class LineTurn {
  readonly owner: OwnerId;
  /** Until when its lease lasts, by the client's clock: the client ends leases, the store knows of none. */
  until = 0;
  /** Called when the owner is in, or has to learn that it will not be. */
  heard: (() => void) | undefined;
  /** Called when the ticket of a hold was taken away. */
  whenTaken: (() => void) | undefined;
  readonly #context: LineContext;
  readonly #line: LineName;
  readonly #subject: ErrorSubject;
  readonly #rule: LineRule;
  readonly #ask: TurnAsk;
  readonly #generation: number;
  readonly #watched: WatchedTickets;
  readonly #next: NextInLine;
  #phase: TurnPhase = 'new';
  #work: Promise<TurnStep> | undefined;
  #leaving: Promise<'left' | 'absent'> | undefined;
  #failure: { readonly error: unknown } | undefined;
  #number = 0;
  /** Owners that read under this write and keep its ticket. */
  readonly #loans = new Set<OwnerId>();
  #isLent = false;
  readonly #advancing: Advance;

  constructor(
    context: LineContext,
    line: LineName,
    owner: OwnerId,
    rule: LineRule,
    ask: TurnAsk,
    subject: ErrorSubject,
  ) {
    this.#context = context;
    this.#line = line;
    this.owner = owner;
    this.#rule = rule;
    this.#ask = ask;
    this.#subject = subject;
    this.#generation = context.client.ids.generation;
    this.#watched = new WatchedTickets(context.tickets, line, owner, (id) => this.#hearGone(id));
    this.#next = new NextInLine(context, line, owner, this.#watched);
    this.#advancing = new Advance(context.client, {
      isWaiting: () => this.#isWaiting,
      advance: () => this.#advance(),
      fail: (error) => void this.#fail(error),
    });
  }

  /** What the store has numbered the hold with. */
  get number(): number {
    return this.#number;
  }

  get isIn(): boolean {
    return this.#phase === 'in';
  }

  /**
   * One attempt. Asks the store only if there is no ticket yet, or no room for one: a waiter that tries again costs nothing. An
   * owner that does not wait watches nothing; its ticket is to be given back when it is not in.
   */
  attempt(waits: boolean): TurnStep | Promise<TurnStep> {
    if (this.#failure !== undefined) throw this.#failure.error;
    if (this.#phase === 'ended') throw new SessionEndedError(this.#subject);
    if (this.#phase === 'in') return { kind: 'in' };
    if (this.#phase === 'new') {
      this.#phase = 'joining';
      this.#work = this.#join(waits);
    }
    return this.#phase === 'joining' && this.#work !== undefined ? this.#work : { kind: 'behind' };
  }

  /**
   * Whether the store still has the ticket of a hold. The first call watches the ticket, and so costs a request; from then on
   * the store tells when it is taken away, and no call asks. A hold that is given back within a second never does.
   */
  async watchOwn(): Promise<boolean> {
    if (this.#phase !== 'in') return false;
    if (!(await this.#watched.watchOwn())) this.loseTicket();
    return this.isIn;
  }

  /** The ticket of a hold was taken away. */
  loseTicket(): void {
    if (this.#phase !== 'in') return;
    this.#phase = 'ended';
    this.#watched.clear();
    this.whenTaken?.();
    const { keeper } = this.#context.client;
    for (const owner of [this.owner, ...this.#loans]) keeper.loseForced(owner);
  }

  /** An owner that reads under this write keeps the ticket too. False if there is none any more. */
  lend(owner: OwnerId): boolean {
    if (this.#phase !== 'in') return false;
    this.#loans.add(owner);
    return true;
  }

  giveBackLoan(owner: OwnerId): Promise<'left' | 'absent'> | 'left' | 'absent' {
    if (!this.#loans.delete(owner)) return 'absent';
    if (!this.#isLent || this.#loans.size > 0) return this.#phase === 'in' ? 'left' : 'absent';
    return (this.#leaving ??= this.#leave());
  }

  /** Gives up the ticket, or the request for one. Safe to call twice. */
  release(): Promise<'left' | 'absent'> | 'left' {
    if (this.#loans.size > 0 && this.#phase === 'in') {
      this.#isLent = true;
      return 'left';
    }
    return (this.#leaving ??= this.#leave());
  }

  /** The session has ended, and the ticket with it. */
  end(): void {
    if (this.#phase !== 'left') this.#phase = 'ended';
    this.#watched.clear();
    this.heard?.();
  }

  async #leave(): Promise<'left' | 'absent'> {
    const before = this.#phase;
    if (before !== 'ended') this.#phase = 'left';
    this.#watched.clear();
    // A join under way may still make a ticket, also one whose answer never comes: the request has to be over first.
    if (before === 'joining') await this.#work?.catch(() => undefined);
    if (before === 'new' || before === 'ended' || this.#isOver) return 'absent';
    const leaving = leaveForSure(this.#context, this.#line, this.owner, () => this.#isOver);
    // A refusal that is remembered would answer the next call too: no request would go out, and the ticket would stand.
    void leaving.catch(() => (this.#leaving = undefined));
    return leaving;
  }

  /** The session that the ticket belongs to is no longer ours. */
  get #isOver(): boolean {
    return this.#generation !== this.#context.client.ids.generation;
  }

  get #isWaiting(): boolean {
    return this.#phase === 'waiting' && !this.#isOver;
  }

  async #join(waits: boolean): Promise<TurnStep> {
    try {
      const { connection } = this.#context.session;
      const joined = await this.#joinOnce();
      if (joined.kind === 'joined') {
        this.#number = joined.fence;
        return await this.#settle({ listing: joined.listing, connection }, waits);
      }
      this.#phase = 'new';
      return { kind: 'behind' };
    } catch (error) {
      // Whatever became of the request, the session that it was made for has ended, and any ticket with it.
      if (this.#isOver) throw new SessionEndedError(this.#subject);
      if (error instanceof StoreFullError && this.#phase === 'joining') this.#phase = 'new';
      // The ticket stands, and the connection broke while the tickets ahead were to be watched: the position is kept.
      if (this.#phase !== 'waiting' || !isUnknown(error)) throw error;
      this.#advancing.begin();
      return { kind: 'behind' };
    }
  }

  async #joinOnce(): Promise<JoinAnswer> {
    const { session } = this.#context;
    if (this.#isOver || session.id === undefined) throw new SessionEndedError(this.#subject);
    const ask = { ...this.#ask, id: this.owner, session: session.id };
    return joinOnce(this.#context.tickets, this.#line, ask, () => !this.#isOver && this.#phase !== 'left');
  }

  /** Watches what is ahead in the line, until the owner is in or everything that it waits for is watched. */
  async #settle(first: LineSight, waits = true): Promise<TurnStep> {
    for (let sight = first; ; sight = await this.#next.list()) {
      const standing = this.#rule.standing(sight.listing.tickets, this.owner);
      if (this.#phase === 'left' || this.#phase === 'ended') return { kind: 'behind' };
      if (standing.kind === 'absent') return this.#joinAgain();
      if (standing.kind === 'in') return this.#goIn(sight.listing.revision);
      if (standing.kind === 'mismatch') return standing;
      if (!waits) return { kind: 'behind' };
      this.#phase = 'waiting';
      if ((await this.#next.watch(standing, sight)) || !this.#isWaiting) return { kind: 'behind' };
      if (this.#next.isIn) return this.#goIn();
    }
  }

  /** Its own ticket: that of a hold is lost, and a waiter that has lost it finds out by its list, and joins again. */
  #hearGone(id: OwnerId): void {
    if (id === this.owner) this.loseTicket();
    if (!this.#isWaiting || !this.#next.isIn) return this.#advancing.begin();
    this.#goIn();
    this.heard?.();
  }

  #goIn(revision?: number): TurnStep {
    this.#watched.keepOwn();
    this.#number = revision ?? this.#number;
    this.#phase = 'in';
    return { kind: 'in' };
  }

  // The ticket of a waiter was taken away: its id may be used again. A list would show a ticket whose answer was lost, not its fence.
  async #joinAgain(): Promise<TurnStep> {
    this.#watched.clear();
    this.#phase = 'joining';
    this.#work = this.#join(true);
    return this.#work.catch((error: unknown) => this.#fail(error));
  }

  /** Goes on from a fresh listing. The owner hears of it only when it is in, or has to learn that it will not be. */
  async #advance(): Promise<void> {
    const step = await this.#settle(await this.#next.list());
    if (step.kind !== 'behind') this.heard?.();
  }

  #fail(error: unknown): TurnStep {
    // A failure that is kept answers every later attempt, also when there is room again.
    if (!(error instanceof StoreFullError)) this.#failure = { error };
    this.heard?.();
    return { kind: 'behind' };
  }
}
