import type { Client } from '../core/client.ts';
import type { Eventually } from '../spi/eventually.ts';
import type { Unwatch } from '../spi/protocol.ts';
import type { Decide, Facts, OwnerId, Rule, Step, Verbs, Wake } from '../spi/rule.ts';
import { type Once, once, type OnceVerbs, type Remembering, type Request } from './once.ts';
import type { Call, Reply, Wire } from './remote-cells.ts';
import { ruleBook } from './rule-book.ts';

/** A document as a store keeps it, and what its clock showed when it was read. */
export interface Found {
  readonly now: number;
  /** Undefined if there is none. */
  readonly version: string | undefined;
  readonly state: unknown;
}

/** A change of one document: carried out only on the version that it was decided on, at the time it was decided for. */
export interface Change {
  readonly kind: string;
  readonly name: string;
  readonly expected: string | undefined;
  /** Never used before for any document: one that was used twice would let a decision on old state through (soundness 7). */
  readonly version: string;
  readonly state: unknown;
  readonly notBefore: number;
  readonly notAfter: number;
  /** The document may go after this time if nobody changes it; Infinity for never. */
  readonly ttlMs: number;
  readonly wake: Wake;
}

/** Named documents that can be read, and replaced by whoever knows their version. */
export interface Documents {
  read(kind: string, name: string): Promise<Found>;
  /** Undefined if it was done, and the time; otherwise what is there now. */
  write(change: Change): Promise<{ readonly now: number; readonly instead?: Found }>;
  /** The clock of the server that keeps this document, and which of several it is. */
  time(kind: string, name: string): Promise<number>;
  clockOf(kind: string, name: string): string;
  watch(kind: string, name: string, owner: OwnerId, heard: () => void): Eventually<Unwatch>;
  /** Whether a change counts only once others have confirmed it: then also an answer that changes nothing is written. */
  readonly confirms: boolean;
  /** How long a document is remembered that matters to nobody but for its last fence. */
  readonly retentionMs: number;
}

/**
 * How long a decision stays good: what the rule saw as now may be this much behind the store's clock (soundness 5). On a
 * slow connection even a fresh look is older than that when the write arrives. The hold's deadline counts from before
 * the look, so there the time is doubled until it is enough.
 */
const GOOD_FOR_MS = 250;
const LONGEST_GOOD_FOR_MS = 4000;
/** A document that would be spent by then, untouched, may go; what is longer in use is kept. */
const FORESIGHT_MS = 60 * 60 * 1000;
/** After so many conflicts those who merely want to come in step back for a moment; who leaves or renews never does. */
const PATIENT_CONFLICTS = 2;
const STEP_BACK_MS = 4;

/** No store of documents knows who is dead: a place or a hold ends by its own time. */
const NOBODY_IS_DEAD = { has: () => false, endsInMs: () => Number.MAX_SAFE_INTEGER };

type AnyRule = Rule<Remembering<unknown>, OnceVerbs<Verbs>, unknown>;

const rules = Object.fromEntries(
  Object.entries(ruleBook).map(([kind, rule]) => [
    kind,
    once(rule as unknown as Rule<unknown, Verbs, unknown>),
  ]),
) as Readonly<Record<string, AnyRule>>;

/**
 * Runs rules over a store that can only compare and replace: read, decide here, write if nothing has changed meanwhile,
 * else decide anew on what is there now. The rule runs in this process, and the store's atomic section is the comparison.
 */
export class DocumentWire implements Wire {
  readonly #client: Client;
  readonly #documents: Documents;

  constructor(client: Client, documents: Documents) {
    this.#client = client;
    this.#documents = documents;
  }

  async send({ kind, name, verb, ask, request }: Call): Promise<Reply> {
    const decide = ruleOf(kind).verbs[verb] as Decide<
      Remembering<unknown>,
      { readonly request: Request; readonly ask: object },
      Once<unknown>
    >;
    let found = await this.#documents.read(kind, name);
    let goodForMs = GOOD_FOR_MS;
    for (let conflicts = 0; ; conflicts++) {
      const state = found.state as Remembering<unknown> | undefined;
      const step = decide(state, { request, ask }, factsAt(found.now));
      if (step.state === state && !this.#documents.confirms) return { now: found.now, outcome: step.answer };
      if (step.state === undefined) return { now: found.now, outcome: step.answer };
      const written = await this.#documents.write(this.#change(kind, name, found, step, goodForMs));
      if (written.instead === undefined) return { now: written.now, outcome: step.answer };
      // Nobody has changed it: it was only late.
      if (written.instead.version === found.version) goodForMs = Math.min(2 * goodForMs, LONGEST_GOOD_FOR_MS);
      found = written.instead;
      if (conflicts >= PATIENT_CONFLICTS && (verb === 'acquire' || verb === 'arrive')) {
        await this.#client.sleep(STEP_BACK_MS * (1 + this.#client.random.fraction() * conflicts));
        found = await this.#documents.read(kind, name);
      }
    }
  }

  async look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }> {
    const { now, state } = await this.#documents.read(kind, name);
    return { now, look: ruleOf(kind).look(state as Remembering<unknown> | undefined, factsAt(now)) };
  }

  time(kind: string, name: string): Promise<number> {
    return this.#documents.time(kind, name);
  }

  clockOf(kind: string, name: string): string {
    return this.#documents.clockOf(kind, name);
  }

  watch(kind: string, name: string, owner: OwnerId, heard: () => void): Eventually<Unwatch> {
    return this.#documents.watch(kind, name, owner, heard);
  }

  #change(
    kind: string,
    name: string,
    found: Found,
    step: Step<Remembering<unknown>, Once<unknown>>,
    goodForMs: number,
  ): Change {
    return {
      kind,
      name,
      expected: found.version,
      version: this.#client.random.id(),
      state: step.state,
      notBefore: found.now,
      notAfter: found.now + goodForMs,
      ttlMs: this.#ttlMs(kind, step.state!, found.now),
      wake: step.wake,
    };
  }

  /** Asked for a time by which everybody who has not come back is gone. */
  #ttlMs(kind: string, state: Remembering<unknown>, now: number): number {
    const fence = ruleOf(kind).spent(state, factsAt(now + FORESIGHT_MS));
    if (fence === undefined) return Infinity;
    return FORESIGHT_MS + (fence === 0 ? 0 : this.#documents.retentionMs + Math.max(0, fence / 1000 - now));
  }
}

function ruleOf(kind: string): AnyRule {
  const rule = rules[kind];
  if (rule === undefined) throw new TypeError(`There is no rule for ${kind}.`);
  return rule;
}

function factsAt(now: number): Facts {
  return { now, dead: NOBODY_IS_DEAD, fenceFloor: 0, upMs: 0 };
}
