import type { Client } from '../../core/client.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import { EngineTimes } from '../requests/engine-times.ts';
import { RequestCopies } from '../requests/request-copies.ts';
import { isInterest } from './cell-turns.ts';
import { DocumentGuesses, guessIsGoodForMs, shortened } from './document-guesses.ts';
import type { DocumentDecision, Documents, Found } from '../../spi/engine/documents.ts';
import { type Basis, type CellStep, RuleDecisions } from './rule-decisions.ts';
import { shiftDeadlines } from './shift-deadlines.ts';
import type { CellCall, CellReply, Wire } from './wire.ts';

/**
 * How long a decision on a look stays good: what the rule saw as now may be this much behind the store's clock (soundness
 * 5). On a slow connection even a fresh look is older than that when the write arrives. The hold's deadline counts from
 * before the look, so there the time is doubled until it is enough.
 */
const GOOD_FOR_MS = 250;
const LONGEST_GOOD_FOR_MS = 4000;
/** After this many conflicts calls that merely want to come in back off for a moment; renewals and releases never do. */
const PATIENT_CONFLICTS = 2;
const BACK_OFF_MS = 4;
/** After this many conflicts a renewal or a release keeps every other client out, where the store lets it (soundness 21). */
const DETERMINED_CONFLICTS = 3;
/**
 * After this many, calls that want to come in do so as well. With hundreds that compare and replace the same document, a
 * call that has backed off is overtaken by those that have not, again and again, until its time is over.
 */
const WEARY_CONFLICTS = 12;

/**
 * Runs rules over a store that can only compare and replace: read, decide here, write if nothing has changed meanwhile,
 * else decide anew on what is there now. The rule runs in this process, and the store's atomic section is the comparison.
 *
 * Where the store lets us guess, the reading is left out ({@link DocumentGuesses}). Only what is written counts: that nothing
 * is to be changed may be true of the last sight and no longer of what is there, so such an answer is given after a look.
 */
export class OptimisticCells implements Wire {
  readonly tellsWhenSent = true;
  readonly times: EngineTimes;
  readonly #client: Client;
  readonly #documents: Documents;
  readonly #guesses: DocumentGuesses;
  readonly #decisions: RuleDecisions;
  /** How long a decision on a fresh look has to be good for, as the last calls have shown. */
  #lookGoodForMs = GOOD_FOR_MS;

  constructor(client: Client, documents: Documents, times = new EngineTimes(client.clock)) {
    this.#client = client;
    this.#documents = documents;
    this.times = times;
    this.#guesses = new DocumentGuesses(documents, times);
    this.#decisions = new RuleDecisions(documents, client.random);
  }

  get atOnce(): number | undefined {
    return this.#documents.atOnce;
  }

  async send(call: CellCall, sending = new RequestCopies<CellReply>(true)): Promise<CellReply> {
    const { kind, name } = call;
    const guessGoodForMs = guessIsGoodForMs(call.ask);
    try {
      let found = this.#guesses.guess(call, guessGoodForMs) ?? (await this.#read(kind, name));
      for (let conflicts = 0; ; conflicts++) {
        const step = this.#decisions.decideIfPossible(call, found);
        // Another copy has been answered: its caller has gone, or waits for this one because the other was slow. To go on
        // would do it twice, and to refuse would tell a caller that holds the lock that the outcome is not known.
        if (sending.answer !== undefined) return sending.answer;
        if (step === undefined || this.#decisions.changesNothing(step, found)) {
          if (step !== undefined && (!found.guessed || this.#guesses.isWatched(call, found)))
            return (sending.answer = { now: found.now, outcome: step.answer });
          found = await this.#read(kind, name);
          continue;
        }
        const goodForMs = found.guessed ? guessGoodForMs : this.#lookGoodForMs;
        const change = this.#decisions.change(call, found, step, goodForMs);
        const askedAt = this.#client.clock.now();
        const { now, instead } = await this.#documents.write(change, sending);
        this.#noteTime(kind, name, now, askedAt);
        if (instead === undefined) {
          this.#guesses.noteSight(kind, name, change, now);
          return (sending.answer = this.#replyWritten(step, found, now));
        }
        this.#noteConflict(call, found, instead);
        if (conflicts + 1 >= this.#mostConflicts(call)) {
          const decide = this.#decideAlone(call, askedAt);
          return (sending.answer = await this.#documents.exclusively!(kind, name, decide, sending));
        }
        found = await this.#afterConflict(call, instead, conflicts);
      }
    } catch (error) {
      // Whatever went wrong, it may be another server that answers next, with another past and another clock (soundness 7).
      this.#guesses.forget();
      this.times.forget(this.clockOf(kind, name));
      throw error;
    }
  }

  async look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }> {
    const found = await this.#read(kind, name);
    return { now: found.now, look: this.#decisions.look(kind, name, found) };
  }

  async time(kind: string, name: string): Promise<number> {
    const askedAt = this.#client.clock.now();
    const now = await this.#documents.time(kind, name);
    this.#noteTime(kind, name, now, askedAt);
    return now;
  }

  clockOf(kind: string, name: string): string {
    return this.#documents.clockOf(kind, name);
  }

  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch> {
    return this.#documents.watch(kind, name, owner, heard);
  }

  suspect(kind: string, name: string): void {
    this.#documents.suspect?.(kind, name);
  }

  #replyWritten(step: CellStep, found: Basis, now: number): CellReply {
    if (found.guessed) return { now, outcome: shortened(step.answer, now - found.now) };
    if (now - found.now < this.#lookGoodForMs / 4)
      this.#lookGoodForMs = Math.max(this.#lookGoodForMs / 2, GOOD_FOR_MS);
    return { now, outcome: step.answer };
  }

  /** After how many conflicts this call keeps the others out. */
  #mostConflicts({ verb }: CellCall): number {
    if (this.#documents.exclusively === undefined) return Infinity;
    return isInterest(verb) ? WEARY_CONFLICTS : DETERMINED_CONFLICTS;
  }

  #noteConflict({ kind, name }: CellCall, found: Basis, instead: Found): void {
    this.#guesses.noteSight(kind, name, instead, instead.now);
    if (instead.version !== found.version) return;
    // It is as it was: the change was only late, or the clock was set back.
    if (found.guessed) this.#guesses.noteLate();
    else this.#lookGoodForMs = Math.min(2 * this.#lookGoodForMs, LONGEST_GOOD_FOR_MS);
  }

  /** What to decide on next. */
  async #afterConflict({ kind, name, verb }: CellCall, instead: Found, conflicts: number): Promise<Basis> {
    const basis = this.#basis(kind, name, instead);
    if (!isInterest(verb) || conflicts < PATIENT_CONFLICTS) return basis;
    await this.#client.sleep(BACK_OFF_MS * (1 + this.#client.random.fraction() * conflicts));
    return this.#read(kind, name);
  }

  async #read(kind: string, name: string): Promise<Basis> {
    const askedAt = this.#client.clock.now();
    const found = await this.#documents.read(kind, name);
    this.#noteTime(kind, name, found.now, askedAt);
    this.#guesses.noteSight(kind, name, found, found.now);
    return this.#basis(kind, name, found);
  }

  /**
   * What was found, to decide on. If the clock has been set back since it was written, all that has an end in it is moved
   * along, which makes it another state: whatever is decided is written, so that this happens once.
   */
  #basis(kind: string, name: string, found: Found): Basis {
    const { now, state, changedAt = -Infinity } = found;
    if (state === undefined || changedAt <= now) return { ...found, guessed: false };
    this.times.forget(this.clockOf(kind, name));
    this.#noteTime(kind, name, now, -Infinity);
    return { ...found, state: shiftDeadlines(state, changedAt - now), guessed: false, rebased: true };
  }

  #noteTime(kind: string, name: string, now: number, askedAt: number): void {
    this.times.of(this.clockOf(kind, name)).noteTime(now, askedAt);
  }

  /** Decides with every other client kept out: however long it takes, the state is the one that was seen. */
  #decideAlone(call: CellCall, askedAt: number): (there: Found) => DocumentDecision<CellReply> {
    return (there) => {
      const { kind, name } = call;
      const found = this.#basis(kind, name, there);
      const step = this.#decisions.decide(call, found);
      if (this.#decisions.changesNothing(step, found))
        return { answer: () => ({ now: found.now, outcome: step.answer }) };
      const change = this.#decisions.change(call, found, step, LONGEST_GOOD_FOR_MS);
      return {
        change,
        answer: (now) => {
          this.#noteTime(kind, name, now, askedAt);
          this.#guesses.noteSight(kind, name, change, now);
          return { now, outcome: step.answer };
        },
      };
    };
  }
}
