import {
  type CellCall,
  once,
  type Protocols,
  type CellReply,
  type Rule,
  ruleBook,
  type Verbs,
} from 'holdfast/engine';
import { MemoryStore } from 'holdfast/memory';
import type { Clock } from 'holdfast';
import type { Plant } from './plant.ts';
import type { World } from './world.ts';

const EPOCH_MS = 1_700_000_000_000;

type AnyRule = Rule<unknown, Verbs, unknown>;
type Kind = keyof Protocols;

/** A place in line, as the rules keep it. */
export interface Waiting {
  readonly owner: string;
  readonly until: number;
  readonly permits?: number;
}

/** The store: every rule behind `once`, on the in-memory cells, with a clock of its own. */
export class Server {
  readonly store: MemoryStore;
  readonly #world: World;
  readonly #plant: Plant;
  readonly #rules = new Map<Kind, AnyRule>();
  /** Looks at a cell after each step; how checkers follow what the store believes. */
  onStep: ((call: CellCall, outcome: CellReply['outcome']) => void) | undefined;

  constructor(world: World, plant: Plant) {
    this.#world = world;
    this.#plant = plant;
    const clock: Clock = {
      now: () => world.now,
      epochNow: () => EPOCH_MS + world.now,
      timer: (delayMs, call) => ({ cancel: world.after(delayMs, call), keepsAlive: () => undefined }),
    };
    this.store = new MemoryStore(clock);
  }

  /** Decides one call. What comes in and goes out has been through JSON, as on a real wire. */
  decide(text: string): string {
    const call = JSON.parse(text) as CellCall;
    const kind = call.kind as Kind;
    const rule = this.#rule(kind);
    const decide = rule.verbs[call.verb];
    if (decide === undefined) throw new Error(`no verb ${call.verb}`);
    const cells = this.store.cells(kind, rule);
    const outcome = cells.update(call.name, decide, { request: call.request, ask: call.ask });
    this.#world.note(
      () =>
        `store: ${kind} ${call.name} ${call.verb} ${JSON.stringify(call.ask)} -> ${JSON.stringify(outcome)}`,
    );
    this.onStep?.(call, outcome as CellReply['outcome']);
    const reply: CellReply = { now: EPOCH_MS + this.#world.now, outcome: outcome as CellReply['outcome'] };
    return JSON.stringify(reply);
  }

  look(kind: Kind, name: string): unknown {
    const rule = this.#rule(kind);
    return this.store.cells(kind, rule).read(name, rule.look);
  }

  /** Who stands in line, in order. */
  queue(kind: Kind, name: string): readonly Waiting[] {
    const rule = this.#rule(kind);
    return this.store.cells(kind, rule).read(name, (memory, facts) => {
      const state = (memory as { readonly state?: { readonly queue?: readonly Waiting[] } } | undefined)
        ?.state;
      const queue = state?.queue ?? [];
      return queue.filter(({ owner, until }) => until > facts.now && !facts.dead.has(owner));
    });
  }

  /** Who holds it or waits for it; empty when every client is gone. */
  held(kind: string, name: string): readonly string[] {
    const text = JSON.stringify(this.look(kind as Kind, name));
    return text.match(/"owner":"[^"]+"/g) ?? [];
  }

  get now(): number {
    return EPOCH_MS + this.#world.now;
  }

  watch(kind: Kind, name: string, owner: string, heard: () => void): () => void {
    return this.store.cells(kind, this.#rule(kind)).watch(name, owner, heard);
  }

  #rule(kind: Kind): AnyRule {
    const known = this.#rules.get(kind);
    if (known !== undefined) return known;
    const rule = this.#plant.rule(
      ruleBook[kind] as unknown as AnyRule,
      once as unknown as (rule: AnyRule) => AnyRule,
    );
    this.#rules.set(kind, rule);
    return rule;
  }
}
