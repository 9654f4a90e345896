import type { Client } from '../../core/client.ts';
import type { MaybeAsync } from '../../spi/maybe-async.ts';
import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { Decide, Facts, OwnerId, Rule, Step, Verbs } from '../../spi/rule.ts';
import type { DocumentChange, DocumentDecision, Documents, Found } from '../../spi/engine/documents.ts';
import { EngineTimes } from '../requests/engine-times.ts';
import { DocumentCache, type Sight } from './document-cache.ts';
import { type Once, once, type OnceVerbs, type DedupState, type Request } from './at-most-once.ts';
import { shiftDeadlines } from './shift-deadlines.ts';
import type { CellCall, CellReply, Wire } from './reliable-cells.ts';
import { ruleBook } from './rule-book.ts';
import type { Sending } from '../../spi/engine/documents.ts';

/**
 * How long a decision stays good: what the rule saw as now may be this much behind the store's clock (soundness 5). On a
 * slow connection even a fresh look is older than that when the write arrives. The hold's deadline counts from before
 * the look, so there the time is doubled until it is enough.
 */
const GOOD_FOR_MS = 250;
const LONGEST_GOOD_FOR_MS = 4000;
/** After a guess that came too late so many calls look first: on a busy machine the next guess would be late as well. */
const LOOKS_AFTER_LATE_GUESS = 32;
/**
 * A lease that is granted on a guess begins at the time that was guessed, and so ends as much early. The law would permit a
 * quarter of a second, which is half of a lease of half a second: it may be as much as the holder leaves off itself.
 */
const EARLY_MS = 20;
const EARLY_PART = 0.01;
/** A document that would be spent by then, untouched, may go; what is longer in use is kept. */
const FORESIGHT_MS = 60 * 60 * 1000;
/** After so many conflicts those who merely want to come in step back for a moment; who leaves or renews never does. */
const PATIENT_CONFLICTS = 2;
const STEP_BACK_MS = 4;
/** After so many conflicts those who leave or renew keep everybody else out, where the store lets them (soundness 21). */
const DETERMINED_CONFLICTS = 3;
/**
 * After so many, they who want to come in do so, too. With hundreds who compare and replace the same document, whoever has
 * stepped back is overtaken by those who have not, again and again, until its time is over.
 */
const WEARY_CONFLICTS = 12;
const INTEREST: ReadonlySet<string> = new Set(['acquire', 'arrive']);
/** The one verb that ends a hold and changes nothing else: a monitor's value is written by another. */
const GIVING_BACK = 'release';
/** Verbs of an owner that is in: the document is there, and a guess that it is not costs a statement for nothing. */
const OF_HOLDERS: ReadonlySet<string> = new Set([GIVING_BACK, 'renew']);

/** Few stores of documents know who is dead: elsewhere a place or a hold ends by its own time. */
const NOBODY_IS_DEAD = { has: () => false, endsInMs: () => Number.MAX_SAFE_INTEGER };

const NOTHING: Sight = { version: undefined, state: undefined };

type AnyRule = Rule<DedupState<unknown>, OnceVerbs<Verbs>, unknown>;

const rules = Object.fromEntries(
  Object.entries(ruleBook).map(([kind, rule]) => [
    kind,
    once(rule as unknown as Rule<unknown, Verbs, unknown>),
  ]),
) as Readonly<Record<string, AnyRule>>;

/** A state to decide on; a guess if the store was not asked for it in the course of this very call. */
interface Basis extends Found {
  readonly guessed: boolean;
  /** It is not as it was found: it must be written. */
  readonly rebased?: true;
  readonly told?: string | undefined;
}

type DedupVerb = Decide<
  DedupState<unknown>,
  { readonly request: Request; readonly ask: object },
  Once<unknown>
>;

/**
 * Runs rules over a store that can only compare and replace: read, decide here, write if nothing has changed meanwhile,
 * else decide anew on what is there now. The rule runs in this process, and the store's atomic section is the comparison.
 *
 * Where the store lets us guess, the reading is left out: what was last seen is decided on, at a time that the store's
 * clock has certainly reached (soundness 5). Only what is written counts: that nothing is to be changed may be true of
 * what was seen and no longer of what is there, so such an answer is given only after a look.
 */
export class OptimisticCells implements Wire {
  readonly tellsWhenSent = true;
  readonly #client: Client;
  readonly #documents: Documents;
  readonly #times: EngineTimes;
  readonly #lastSeen = new DocumentCache();
  /** How long a decision on a fresh look has to be good for, as the last calls have shown. */
  #lookGoodForMs = GOOD_FOR_MS;
  #looksFirst = 0;
  /** Copies of a request that are under way here, by its number, and the first answer to any of them. */
  readonly #underWay = new Map<number, { copies: number; reply: CellReply | undefined }>();

  constructor(client: Client, documents: Documents) {
    this.#client = client;
    this.#documents = documents;
    this.#times = new EngineTimes(client.clock);
    documents.news?.((kind, name, version, document, at) => {
      const state = parsed(document);
      if (state !== undefined) this.#lastSeen.hear(kind, name, { version, state, told: document }, at);
    });
  }

  get atOnce(): number | undefined {
    return this.#documents.atOnce;
  }

  async send(call: CellCall, sending?: Sending): Promise<CellReply> {
    const { seq } = call.request;
    const request = this.#underWay.get(seq) ?? { copies: 0, reply: undefined };
    this.#underWay.set(seq, request);
    request.copies++;
    try {
      const reply = await this.#settle(call, request, sending);
      request.reply ??= reply;
      return reply;
    } catch (error) {
      // Whatever went wrong, it may be another server that answers next, with another past (soundness 7).
      this.#lastSeen.clear();
      this.#times.forgetAll();
      throw error;
    } finally {
      if (--request.copies === 0) this.#underWay.delete(seq);
    }
  }

  async look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }> {
    const { now, state } = await this.#read(kind, name);
    const look = ruleOf(kind).look(state as DedupState<unknown> | undefined, this.#facts(kind, name, now));
    return { now, look };
  }

  async time(kind: string, name: string): Promise<number> {
    const askedAt = this.#client.clock.now();
    return this.#heard(kind, name, await this.#documents.time(kind, name), askedAt);
  }

  clockOf(kind: string, name: string): string {
    return this.#documents.clockOf(kind, name);
  }

  watch(kind: string, name: string, owner: OwnerId, heard: () => void): MaybeAsync<Unwatch> {
    return this.#documents.watch(kind, name, owner, heard);
  }

  async #settle(
    call: CellCall,
    request: { readonly reply: CellReply | undefined },
    sending: Sending | undefined,
  ): Promise<CellReply> {
    const { kind, name, verb } = call;
    const guessGoodForMs = guessIsGoodForMs(call.ask);
    let found = this.#guess(call, guessGoodForMs) ?? (await this.#read(kind, name));
    for (let conflicts = 0; ; conflicts++) {
      const step = this.#decideIfPossible(call, found);
      if (step === undefined) {
        found = await this.#read(kind, name);
        continue;
      }
      // Another copy has been answered: whoever asked has gone, or waits for this one because the other was slow. To go on
      // would do it twice, and to refuse would tell somebody who has been let in that nobody knows.
      if (request.reply !== undefined) return request.reply;
      if (this.#changesNothing(step, found)) {
        if (!found.guessed || this.#isWatched(call, found)) return { now: found.now, outcome: step.answer };
        found = await this.#read(kind, name);
        continue;
      }
      const change = this.#change(call, found, step, found.guessed ? guessGoodForMs : this.#lookGoodForMs);
      const askedAt = this.#client.clock.now();
      const { now, instead } = await this.#documents.write(change, sending);
      this.#heard(kind, name, now, askedAt);
      if (instead === undefined) {
        if (!found.guessed && now - found.now < this.#lookGoodForMs / 4)
          this.#lookGoodForMs = Math.max(this.#lookGoodForMs / 2, GOOD_FOR_MS);
        this.#lastSeen.set(kind, name, writtenBy(change), now);
        return { now, outcome: found.guessed ? shortened(step.answer, now - found.now) : step.answer };
      }
      this.#lastSeen.set(kind, name, instead, instead.now);
      // It is as it was: the change was only late, or the clock was set back.
      if (instead.version === found.version) this.#wasLate(found);
      found = this.#basis(kind, name, instead);
      const isInterest = INTEREST.has(verb);
      if (
        conflicts + 1 >= (isInterest ? WEARY_CONFLICTS : DETERMINED_CONFLICTS) &&
        this.#documents.exclusively
      )
        return this.#documents.exclusively(
          kind,
          name,
          (there) => this.#decideAlone(call, there, askedAt),
          sending,
        );
      if (isInterest && conflicts >= PATIENT_CONFLICTS) {
        await this.#client.sleep(STEP_BACK_MS * (1 + this.#client.random.fraction() * conflicts));
        found = await this.#read(kind, name);
      }
    }
  }

  /**
   * Learns from it for all calls: where each one found out for itself, a machine that was too busy to answer in a quarter
   * of a second was asked seven times for each change.
   */
  #wasLate(found: Basis): void {
    if (found.guessed) this.#looksFirst = LOOKS_AFTER_LATE_GUESS;
    else this.#lookGoodForMs = Math.min(2 * this.#lookGoodForMs, LONGEST_GOOD_FOR_MS);
  }

  /** What was last seen, at a time which the store's clock has reached by now. */
  #guess({ kind, name, verb }: CellCall, goodForMs: number): Basis | undefined {
    if (this.#documents.guesses !== true) return undefined;
    const sight = this.#lastSeen.get(kind, name);
    if (sight === undefined && OF_HOLDERS.has(verb)) return undefined;
    if (this.#looksFirst > 0) {
      this.#looksFirst--;
      return undefined;
    }
    const time = this.#times.of(this.clockOf(kind, name));
    // Heard so long ago that the bound has fallen behind by more than is good, even if both clocks run alike.
    if (time.slackMs() / 2 >= goodForMs) return undefined;
    // Down to what a clock shows that counts in milliseconds: it would seem to be behind our fractions of one.
    const now = Math.floor(time.atLeast());
    const { version, state, told } = sight ?? NOTHING;
    return { now, version, state, told, guessed: true };
  }

  async #read(kind: string, name: string): Promise<Basis> {
    const askedAt = this.#client.clock.now();
    const found = await this.#documents.read(kind, name);
    this.#heard(kind, name, found.now, askedAt);
    this.#lastSeen.set(kind, name, found, found.now);
    return this.#basis(kind, name, found);
  }

  /**
   * What was found, to decide on. If the clock has been set back since it was written, all that has an end in it is moved
   * along, which makes it another state: whatever is decided is written, so that this happens once.
   */
  #basis(kind: string, name: string, found: Found): Basis {
    const { now, state, changedAt = -Infinity } = found;
    if (state === undefined || changedAt <= now) return { ...found, guessed: false };
    this.#times.forget(this.clockOf(kind, name));
    this.#heard(kind, name, now, -Infinity);
    return { ...found, state: shiftDeadlines(state, changedAt - now), guessed: false, rebased: true };
  }

  #heard(kind: string, name: string, now: number, askedAt: number): number {
    this.#times.of(this.clockOf(kind, name)).heard(now, askedAt);
    return now;
  }

  #decide(
    { kind, name, verb, ask, request }: CellCall,
    found: Found,
  ): Step<DedupState<unknown>, Once<unknown>> {
    const decide = ruleOf(kind).verbs[verb] as DedupVerb;
    const state = found.state as DedupState<unknown> | undefined;
    return decide(state, { request, ask }, this.#facts(kind, name, found.now));
  }

  /** Undefined if what a message told of is no state of ours at all. */
  #decideIfPossible(call: CellCall, found: Basis): Step<DedupState<unknown>, Once<unknown>> | undefined {
    if (found.told === undefined) return this.#decide(call, found);
    try {
      return this.#decide(call, found);
    } catch {
      return undefined;
    }
  }

  /** Nobody else comes between the look and the write, and however long it takes the state is the one that was seen. */
  #decideAlone(call: CellCall, there: Found, askedAt: number): DocumentDecision<CellReply> {
    const found = this.#basis(call.kind, call.name, there);
    const step = this.#decide(call, found);
    if (this.#changesNothing(step, found))
      return { answer: () => ({ now: found.now, outcome: step.answer }) };
    const change = this.#change(call, found, step, LONGEST_GOOD_FOR_MS);
    return {
      change,
      answer: (now) => {
        this.#heard(call.kind, call.name, now, askedAt);
        this.#lastSeen.set(call.kind, call.name, writtenBy(change), now);
        return { now, outcome: step.answer };
      },
    };
  }

  /**
   * A waiter is told that it has to wait on: without a look, if the watch on this name has seen the very version that was
   * guessed and has heard of nothing since. With one, each of 200 waiters looked for itself every ten seconds, beside the
   * one look for all of them.
   */
  #isWatched({ kind, name, verb, ask }: CellCall, found: Basis): boolean {
    // Messages are not believed: what only they have told of is looked at.
    if (found.version === undefined || found.told !== undefined || !INTEREST.has(verb)) return false;
    return 'wait' in ask && ask.wait === true && this.#documents.seen?.(kind, name) === found.version;
  }

  #changesNothing(step: Step<DedupState<unknown>, Once<unknown>>, found: Basis): boolean {
    if (step.state === undefined) return true;
    if (this.#documents.confirms || found.rebased === true) return false;
    return step.state === found.state || (this.#documents.guesses === true && isMereRefusal(step, found));
  }

  #change(
    { kind, name, verb }: CellCall,
    found: Basis,
    step: Step<DedupState<unknown>, Once<unknown>>,
    goodForMs: number,
  ): DocumentChange {
    return {
      kind,
      name,
      verb,
      before: found.state,
      expected: found.version,
      version: this.#client.random.id(),
      state: step.state,
      notBefore: found.now,
      notAfter: found.now + goodForMs,
      ttlMs: this.#ttlMs(kind, step.state!, found.now),
      wake: step.wake,
      mayBeLost: verb === GIVING_BACK,
      told: found.told,
    };
  }

  /** Asked for a time by which everybody who has not come back is gone. */
  #ttlMs(kind: string, state: DedupState<unknown>, now: number): number {
    const later: Facts = { now: now + FORESIGHT_MS, dead: NOBODY_IS_DEAD, fenceFloor: 0, upMs: 0 };
    const fence = ruleOf(kind).spent(state, later);
    if (fence === undefined) return Infinity;
    return FORESIGHT_MS + (fence === 0 ? 0 : this.#documents.retentionMs + Math.max(0, fence / 1000 - now));
  }

  #facts(kind: string, name: string, now: number): Facts {
    const { dead, keptSince } = this.#documents;
    return {
      now,
      dead: dead?.(kind, name) ?? NOBODY_IS_DEAD,
      fenceFloor: 0,
      upMs: keptSince === undefined ? 0 : Math.max(0, now - keptSince()),
    };
  }
}

/** What has been written needs no message any more. */
function writtenBy({ version, state }: DocumentChange): Sight {
  return { version, state };
}

function parsed(document: string): unknown {
  try {
    return JSON.parse(document) as unknown;
  } catch {
    // Not one of ours, or cut off on the way.
    return undefined;
  }
}

function guessIsGoodForMs(ask: object): number {
  if (!('leaseMs' in ask) || typeof ask.leaseMs !== 'number') return GOOD_FOR_MS;
  return Math.min(GOOD_FOR_MS, EARLY_MS + EARLY_PART * ask.leaseMs);
}

/**
 * Somebody who tried once was refused, and nothing is to be written but that. It need not be: a late copy of the attempt
 * that finds the way free is one of this process, and is stopped here; one that was sent before was decided on a state
 * that has changed since, or it would have been let in.
 */
function isMereRefusal(step: Step<DedupState<unknown>, Once<unknown>>, found: Found): boolean {
  const { answer } = step;
  if (answer.kind !== 'done' || typeof answer.answer !== 'object' || answer.answer === null) return false;
  if (!('kind' in answer.answer) || answer.answer.kind !== 'busy') return false;
  const before = found.state as DedupState<unknown> | undefined;
  return step.state?.state === (before?.state ?? null);
}

/**
 * The decision was made for a time that lay so much before the one it was carried out at. Who counts the time that is
 * left from before the call was sent would believe in it for so much too long (soundness 5).
 */
function shortened(outcome: Once<unknown>, byMs: number): Once<unknown> {
  if (outcome.kind !== 'done' || typeof outcome.answer !== 'object' || outcome.answer === null)
    return outcome;
  const { answer } = outcome;
  if (!('remainingMs' in answer) || typeof answer.remainingMs !== 'number') return outcome;
  return { kind: 'done', answer: { ...answer, remainingMs: answer.remainingMs - Math.max(0, byMs) } };
}

function ruleOf(kind: string): AnyRule {
  const rule = rules[kind];
  if (rule === undefined) throw new TypeError(`There is no rule for ${kind}.`);
  return rule;
}
