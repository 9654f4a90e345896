import { type Client, closedError } from '../../core/client.ts';
import { EngineError, type ErrorSubject } from '../../spi/errors.ts';
import type { Requests } from '../requests/requests.ts';
import { Slots, WithdrawnError } from '../requests/slots.ts';

/** Calls that want to come in give way to those that leave or renew (soundness 21). */
const INTEREST: ReadonlySet<string> = new Set(['acquire', 'arrive']);

/** Whether a verb wants to come in. */
export function isInterest(verb: string): boolean {
  return INTEREST.has(verb);
}

/** One call of a cell, as far as its turn is concerned. */
export interface CellTurn {
  readonly key: string;
  readonly verb: string;
  readonly ask: object;
  /** When its caller asked for it. */
  readonly since: number;
  readonly subject: ErrorSubject;
}

/** Has the changes of one client to one cell come one after the other (soundness 3), and explains why a turn never came. */
export class CellTurns {
  readonly #client: Client;
  readonly #requests: Requests;
  readonly #slots: Slots;

  constructor(client: Client, requests: Requests, count = Infinity) {
    this.#client = client;
    this.#requests = requests;
    this.#slots = new Slots({ clock: client.clock, count, patienceMs: requests.patienceMs });
  }

  /** Begins a call at once, if nothing is in its way. */
  begin(key: string): boolean {
    return this.#slots.begin(key);
  }

  /** The call is over, and the next one of its cell begins. */
  end(key: string): void {
    this.#slots.give(key);
  }

  /** The store has answered: calls in line have a reason to wait on. */
  noteAnswer(at: number): void {
    this.#slots.noteAnswer(at);
  }

  /**
   * Waits until the calls before this one are over. A store that answers nothing meanwhile has twice the time-out of a
   * command, counted from the call and not from the turn: each of those in line would otherwise wait as long again, behind
   * attempts whose callers have long gone.
   */
  async wait({ key, verb, ask, since, subject }: CellTurn): Promise<void> {
    try {
      const withdraws = verb === 'release';
      await this.#slots.queue(key, { since, isUrgent: !isInterest(verb), withdraws, ask });
    } catch (error) {
      throw this.#explained(error, key, subject);
    }
    // The caller of an acquisition that was never sent is gone: there is nothing to give back.
    if (!isInterest(verb) || !this.#client.closed) return;
    this.#slots.give(key);
    throw closedError(subject);
  }

  #explained(error: unknown, key: string, subject: ErrorSubject): Error {
    const failed = (why: string): EngineError =>
      new EngineError(`${subject.resource}: ${why}`, subject, { cause: error, retryable: true });
    if (error instanceof WithdrawnError)
      return failed('the call was withdrawn before it was sent; nothing was done.');
    if (this.#slots.isUnderWay(key)) return this.#requests.unanswered(subject);
    if (this.#client.closed) return closedError(subject);
    return failed(
      `${subject.engine} has answered none of the calls before this one for ${this.#requests.patienceMs} ms; this one was not sent, and nothing was done. Check that the store can be reached and that its pool has free connections, then try again.`,
    );
  }
}
