import type { Random } from '../../spi/clock.ts';
import type { DeadOwners, Facts, Step } from '../../spi/rule.ts';
import type { DedupState, Once } from './at-most-once.ts';
import type { DocumentChange, Documents, Found } from '../../spi/engine/documents.ts';
import { onceRuleOf, type OnceVerb } from './once-rules.ts';
import type { CellCall } from './wire.ts';

/** A document that would be spent after this long, untouched, may go; what is in use for longer is kept. */
const FORESIGHT_MS = 60 * 60 * 1000;
/** The one verb that ends a hold and changes nothing else: a monitor's value is written by another. */
const GIVING_BACK = 'release';

/** Few stores of documents know which owners are dead: elsewhere a ticket or a hold ends by its own time. */
export const NONE_DEAD: DeadOwners = { has: () => false, endsInMs: () => Number.MAX_SAFE_INTEGER };

/** A state to decide on; a guess if the store was not asked for it in the course of this very call. */
export interface Basis extends Found {
  readonly guessed: boolean;
  /** It is not as it was found: it must be written. */
  readonly rebased?: true;
  readonly told?: string | undefined;
}

/** What a rule decided: the next state, and the answer to the request. */
export type CellStep = Step<DedupState<unknown>, Once<unknown>>;

/** Runs the rules on documents of a store: from a document that was found to the change that is to be written. */
export class RuleDecisions {
  readonly #documents: Documents;
  readonly #random: Random;

  constructor(documents: Documents, random: Random) {
    this.#documents = documents;
    this.#random = random;
  }

  look(kind: string, name: string, { state, now }: Found): unknown {
    return onceRuleOf(kind).look(state as DedupState<unknown> | undefined, this.#facts(kind, name, now));
  }

  decide({ kind, name, verb, ask, request }: CellCall, found: Found): CellStep {
    const decide = onceRuleOf(kind).verbs[verb] as OnceVerb;
    const state = found.state as DedupState<unknown> | undefined;
    return decide(state, { request, ask }, this.#facts(kind, name, found.now));
  }

  /** Undefined if the document that a message told of is no state of ours at all: any client may send messages. */
  decideIfPossible(call: CellCall, found: Basis): CellStep | undefined {
    if (found.told === undefined) return this.decide(call, found);
    try {
      return this.decide(call, found);
    } catch {
      return undefined;
    }
  }

  changesNothing(step: CellStep, found: Basis): boolean {
    if (step.state === undefined) return true;
    if (this.#documents.confirms || found.rebased === true) return false;
    return step.state === found.state || (this.#documents.guesses === true && isMereRefusal(step, found));
  }

  /** The change that carries out a decision, while it is good: what the rule saw as now is a lower bound (soundness 5). */
  change({ kind, name, verb }: CellCall, found: Basis, step: CellStep, goodForMs: number): DocumentChange {
    return {
      kind,
      name,
      verb,
      before: found.state,
      expected: found.version,
      version: this.#random.id(),
      state: step.state,
      notBefore: found.now,
      notAfter: found.now + goodForMs,
      ttlMs: this.#ttlMs(kind, step.state!, found.now),
      wake: step.wake,
      mayBeLost: verb === GIVING_BACK,
      told: found.told,
    };
  }

  /** Asks the rule for a time by which every client that has not come back is gone. */
  #ttlMs(kind: string, state: DedupState<unknown>, now: number): number {
    const later: Facts = { now: now + FORESIGHT_MS, dead: NONE_DEAD, fenceFloor: 0, upMs: 0 };
    const fence = onceRuleOf(kind).spent(state, later);
    if (fence === undefined) return Infinity;
    return FORESIGHT_MS + (fence === 0 ? 0 : this.#documents.retentionMs + Math.max(0, fence / 1000 - now));
  }

  #facts(kind: string, name: string, now: number): Facts {
    const { dead, keptSince } = this.#documents;
    return {
      now,
      dead: dead?.(kind, name) ?? NONE_DEAD,
      fenceFloor: 0,
      upMs: keptSince === undefined ? 0 : Math.max(0, now - keptSince()),
    };
  }
}

/**
 * A single attempt was refused, and nothing is to be written but that. It need not be: a late copy of the attempt that finds
 * the way free is one of this process, and is stopped here; one that was sent before was decided on a state that has
 * changed since, or it would have been granted.
 */
function isMereRefusal(step: CellStep, found: Found): boolean {
  const { answer } = step;
  if (answer.kind !== 'done' || typeof answer.answer !== 'object' || answer.answer === null) return false;
  if (!('kind' in answer.answer) || answer.answer.kind !== 'busy') return false;
  const before = found.state as DedupState<unknown> | undefined;
  return step.state?.state === (before?.state ?? null);
}
