import type { Decide, Facts, Rule, Step, Verbs } from '../../spi/rule.ts';

/** Which change of which client this is, and until when it may happen. A copy of a call repeats it. */
export interface Request {
  readonly client: string;
  /** Grows with every change a client makes to a cell, and is never used for another. */
  readonly seq: number;
  /** Engine time after which the change is refused. */
  readonly notAfter: number;
}

/** Why a change did not happen. */
export type RefusedChange =
  /** It came after `notAfter`: its sender has long given up. */
  | { readonly kind: 'late' }
  /** The client has made a later change to this cell: this is an old copy. */
  | { readonly kind: 'superseded' }
  /** The client's session has ended. */
  | { readonly kind: 'session-ended' };

export type Once<Answer> = { readonly kind: 'done'; readonly answer: Answer } | RefusedChange;

interface DedupEntry {
  readonly client: string;
  readonly seq: number;
  readonly notAfter: number;
  readonly answer: unknown;
}

/** A rule's state, and for each client the last change it made here. */
export interface DedupState<S> {
  readonly state: S | null;
  readonly clients: readonly DedupEntry[];
}

export type OnceVerbs<V extends Verbs> = {
  readonly [K in keyof V]: {
    readonly ask: { readonly request: Request; readonly ask: V[K]['ask'] };
    readonly answer: Once<V[K]['answer']>;
  };
};

/** How much longer than a copy can come an answer is kept: the engine's clock may stand between two of its steps. */
const KEPT_LONGER_MS = 1000;

/**
 * Verbs that are asked again rather than remembered. Their answers say how much time is left, and a remembered one would
 * promise time that is already gone; asking them again changes nothing (soundness 2).
 */
export const ASKED_AGAIN: ReadonlySet<string> = new Set(['acquire', 'renew', 'arrive']);

/**
 * Makes every verb of a rule happen at most once for each request, however many copies of it arrive and however late.
 *
 * A client has one change to a cell in flight, so its last sequence number says it all: the same number is a copy and
 * gets the first answer, a lower one is an old copy and is refused, also when it is the acquisition that a later
 * withdrawal was meant for. Past `notAfter` no copy can do anything, so nothing needs to be kept for longer (soundness 3).
 */
export function once<S, V extends Verbs, L>(rule: Rule<S, V, L>): Rule<DedupState<S>, OnceVerbs<V>, L> {
  const verbs: Record<string, unknown> = {};
  for (const [verb, decide] of Object.entries<Decide<S, never, unknown>>(rule.verbs)) {
    verbs[verb] = decideOnce(verb, decide);
  }
  return {
    verbs: verbs as Rule<DedupState<S>, OnceVerbs<V>, L>['verbs'],
    look: (memory, facts) => rule.look(memory?.state ?? undefined, facts),
    spent: (memory, facts) => {
      if (remembered(memory.clients, facts).length > 0) return undefined;
      return memory.state === null ? 0 : rule.spent(memory.state, facts);
    },
  };
}

/** Whether a copy gets the first answer. A single attempt that was refused is over: its caller has gone. */
function isFinal(verb: string, ask: unknown, answer: unknown): boolean {
  return !ASKED_AGAIN.has(verb) || (!isWaiting(ask) && isBusy(answer));
}

function remembered(entries: readonly DedupEntry[], facts: Facts): readonly DedupEntry[] {
  return entries.filter((entry) => entry.notAfter + KEPT_LONGER_MS >= facts.now);
}

function decideOnce<S, Ask, Answer>(verb: string, decide: Decide<S, Ask, Answer>) {
  return (
    memory: DedupState<S> | undefined,
    { request, ask }: { readonly request: Request; readonly ask: Ask },
    facts: Facts,
  ): Step<DedupState<S>, Once<Answer>> => {
    const refused = (kind: RefusedChange['kind']): Step<DedupState<S>, Once<Answer>> => ({
      state: memory,
      answer: { kind },
      wake: 'none',
    });
    if (facts.now > request.notAfter) return refused('late');
    const last = memory?.clients.find((entry) => entry.client === request.client);
    if (last !== undefined && last.seq > request.seq) return refused('superseded');
    // Before the look at the session: what was done was done, and "try again" would have it done twice.
    if (last?.seq === request.seq && isFinal(verb, ask, last.answer)) {
      return { state: memory, answer: { kind: 'done', answer: last.answer as Answer }, wake: 'none' };
    }
    if (facts.dead.has(`${request.client}:0`)) return refused('session-ended');
    const step = decide(memory?.state ?? undefined, ask, facts);
    return {
      state: remember(memory, step, request, isWaiting(ask), facts),
      answer: { kind: 'done', answer: step.answer },
      wake: step.wake,
    };
  };
}

function remember<S, Answer>(
  memory: DedupState<S> | undefined,
  step: Step<S, Answer>,
  request: Request,
  waiting: boolean,
  facts: Facts,
): DedupState<S> | undefined {
  const unchanged = step.state === undefined || step.state === memory?.state;
  // The refusal of a waiter leaves nothing to remember: a late copy of it finds its owner still waiting, or
  // superseded by the withdrawal. A single attempt withdraws nothing: a late copy of it would be granted to no owner.
  if (unchanged && waiting && isBusy(step.answer)) return memory;
  const { client, seq, notAfter } = request;
  const others = remembered(memory?.clients ?? [], facts).filter((entry) => entry.client !== client);
  return {
    state: step.state ?? null,
    clients: [...others, { client, seq, notAfter, answer: step.answer ?? null }],
  };
}

function isWaiting(ask: unknown): boolean {
  return typeof ask === 'object' && ask !== null && 'wait' in ask && ask.wait === true;
}

function isBusy(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'busy';
}
