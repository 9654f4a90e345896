import { subjectOf } from '../../core/arguments.ts';
import { closedError } from '../../core/client.ts';
import type { ErrorSubject } from '../../spi/errors.ts';
import type { LineTicket, SeenTicket, TicketClaim } from '../../spi/engine/ticket-line.ts';
import type { Json } from '../../spi/json.ts';
import { mapAnswer, type MaybeAsync } from '../../spi/maybe-async.ts';
import type { Renewal, RenewalOutcome, Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type {
  AcquireAsk,
  Busy,
  Granted,
  HolderView,
  OwnerAsk,
  Released,
  RenewAsk,
  Renewed,
} from '../../spi/verbs/holding.ts';
import type { ForceAsk, Forced } from '../../spi/verbs/lock.ts';
import type { TotalMismatch } from '../../spi/verbs/semaphore.ts';
import type { LineRule } from '../../rules/line.ts';
import type { LineContext } from './line-context.ts';
import { LineTurns } from './turns/line-turns.ts';

/** What an acquisition puts into its ticket. */
export interface LineClaim extends TicketClaim {
  readonly fences: number;
  readonly value: Json;
}

/** What differs between the synchronizers that are lines. */
export interface LineForm<Ask extends AcquireAsk> {
  readonly kind: string;
  /** What errors call the thing, if not by its kind. */
  readonly shownKind?: string;
  rule(ask: Ask): LineRule;
  claim(ask: Ask): LineClaim;
  /** The first fence of a ticket, from the number that the store has given it. */
  fence(number: number, subject: ErrorSubject): number;
  /** A single attempt cannot succeed in a line where others stand. */
  readonly excludes: boolean;
  /** Called when the ticket of a hold was taken away. */
  readonly ticketTaken?: (id: OwnerId) => void;
}

/** A ticket that is in, and what a query shows of it. */
export interface SeenHolder {
  readonly ticket: SeenTicket;
  readonly view: HolderView;
}

/** The tickets of a line as a query shows them: who is in, and who waits. */
export interface LineLook {
  readonly holders: readonly SeenHolder[];
  readonly waiting: readonly SeenTicket[];
}

/** The verbs that all synchronizers have in common which are lines of tickets. */
export class LineProtocol<Ask extends AcquireAsk> {
  readonly turns: LineTurns;
  readonly #context: LineContext;
  readonly #form: LineForm<Ask>;

  constructor(context: LineContext, form: LineForm<Ask>) {
    this.#context = context;
    this.#form = form;
    this.turns = new LineTurns(context, form.kind, form);
  }

  acquire(name: string, ask: Ask): MaybeAsync<Granted | Busy | TotalMismatch> {
    const form = this.#form;
    const { fences, ...claim } = form.claim(ask);
    const wanted = {
      ...claim,
      fences,
      ...(ask.under !== undefined && { under: ask.under }),
      ...(form.excludes && !ask.wait && { ifEmpty: true as const }),
    };
    const attempt = this.turns.acquire(name, ask, form.rule(ask), wanted);
    return mapAnswer(attempt, ({ step, number }) => {
      if (step.kind === 'mismatch') return step;
      // The store tells when to try again: this is only the slow look that every wait has.
      if (step.kind === 'behind')
        return { kind: 'busy', againInMs: ask.interestMs / 3, behind: this.#context.session };
      const fence = this.#fence(number, name);
      return { kind: 'granted', fence, fences, remainingMs: ask.leaseMs };
    });
  }

  release(name: string, { owner }: OwnerAsk): MaybeAsync<Released> {
    return this.turns.release(name, owner);
  }

  renew(_name: string, { owner, leaseMs }: RenewAsk): Promise<Renewed> {
    return this.turns.renew(owner, leaseMs);
  }

  renewMany(renewals: readonly Renewal<RenewAsk>[]): Promise<readonly RenewalOutcome[]> {
    return Promise.all(
      renewals.map(({ name, ask }) =>
        this.renew(name, ask).catch((error: unknown): RenewalOutcome => ({ kind: 'failed', error })),
      ),
    );
  }

  watch(_name: string, owner: OwnerId, heard: () => void): Unwatch {
    return this.turns.watch(owner, heard);
  }

  /** `rule` for a look: of a semaphore it depends on the number of permits, which only the tickets know. */
  async look(name: string, ruleFor: (tickets: readonly LineTicket[]) => LineRule): Promise<LineLook> {
    const tickets = await this.#ticketsOf(name);
    const isIn = new Set(
      ruleFor(tickets)
        .holders(tickets)
        .map(({ id }) => id),
    );
    return {
      holders: tickets.filter(({ id }) => isIn.has(id)).map((ticket) => this.#seen(ticket, name)),
      waiting: tickets.filter(({ id }) => !isIn.has(id)),
    };
  }

  /** Takes their tickets away from these holders. What comes between the look and this is harmless: a ticket is used once. */
  async force(name: string, holders: readonly SeenHolder[], ask: ForceAsk): Promise<Forced> {
    let forced: HolderView | undefined;
    for (const { ticket, view } of holders) {
      if (!isMeant(ask, ticket, this.#firstFence(ticket, name))) continue;
      if ((await this.#context.tickets.leave(this.turns.line(name), ticket.id)) === 'absent') continue;
      this.turns.forget(ticket.id);
      forced ??= view;
    }
    return forced === undefined ? { kind: 'not-forced' } : { kind: 'forced', holder: forced };
  }

  /** A query under way while its client closes rejects with that, and not with what became of the connection. */
  async #ticketsOf(name: string): Promise<readonly SeenTicket[]> {
    const { client, session, tickets } = this.#context;
    try {
      await session.open();
      return await tickets.look(this.turns.line(name));
    } catch (error) {
      throw client.closed ? closedError(subjectOf(this.#form.kind, name, client.label)) : error;
    }
  }

  #seen(ticket: SeenTicket, name: string): SeenHolder {
    const fence = this.#firstFence(ticket, name) + ticket.fences - 1;
    const { id, session, joinedAt } = ticket;
    const view = { owner: id, fence, remainingMs: this.turns.remainingMs(id), clientId: session };
    return { ticket, view: joinedAt === undefined ? view : { ...view, since: joinedAt } };
  }

  /** Where the fence is the revision of an answer, no other client knows it: the ticket shows the lower one that it joined with. */
  #firstFence({ id, fence }: SeenTicket, name: string): number {
    return this.#fence(this.turns.numberOf(id) ?? fence, name);
  }

  #fence(number: number, name: string): number {
    return this.#form.fence(number, subjectOf(this.#form.kind, name, this.#context.client.label));
  }
}

function isMeant({ owner, fence }: ForceAsk, ticket: SeenTicket, first: number): boolean {
  if (owner !== undefined && owner !== ticket.id) return false;
  return fence === undefined || (fence >= first && fence < first + ticket.fences);
}
