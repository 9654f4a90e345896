import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Facts, OwnerId, Rule, Step, Verbs } from '../../src/spi/rule.ts';

/** How an engine learns of death: not at all, or because a session that is no longer renewed ends after this time. */
export type Sessions = 'unknown' | { readonly ttlMs: number };

const LONG = 1e9;

export function clientOf(owner: OwnerId): string {
  return owner.slice(0, owner.lastIndexOf(':'));
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

function copied<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/**
 * The smallest engine: one record, a clock that the test moves, sessions, a floor under the fences. It takes each step on
 * the record and on a JSON copy of it, and refuses a rule that changes its input, writes what JSON cannot keep, or
 * answers differently after a round trip.
 */
export class World<S, V extends Verbs, L> {
  readonly rule: Rule<S, V, L>;
  now = 1_000_000;
  state: S | undefined = undefined;
  fenceFloor = 0;
  /** Whether the rule gives back the very state it was given when nothing has changed. */
  steady = true;
  /** Told of every step: the watchers. */
  heard: (step: Step<S, unknown>, before: S | undefined) => void = () => {};
  readonly #sessions: Sessions;
  /** When the sessions end of clients that renew them no more. */
  readonly #endings = new Map<string, number>();

  constructor(rule: Rule<S, V, L>, sessions: Sessions = 'unknown') {
    this.rule = rule;
    this.#sessions = sessions;
  }

  facts(now = this.now): Facts {
    const endsAt = (owner: OwnerId): number =>
      this.#endings.get(clientOf(owner)) ??
      (this.#sessions === 'unknown' ? now + LONG : this.now + this.#sessions.ttlMs);
    return {
      now,
      dead: { has: (owner) => endsAt(owner) <= now, endsInMs: (owner) => endsAt(owner) - now },
      fenceFloor: this.fenceFloor,
      upMs: 0,
    };
  }

  /** The client renews its session no more: it ends after its time to live, if the engine can know. */
  stop(client: string): void {
    if (this.#sessions !== 'unknown' && !this.#endings.has(client)) {
      this.#endings.set(client, this.now + this.#sessions.ttlMs);
    }
  }

  /** Ends the session at once. That is the engine's own doing, and the engine tells every client of it. */
  end(client: string): void {
    this.#endings.set(client, Math.min(this.now, this.#endings.get(client) ?? this.now));
  }

  isDead(owner: OwnerId): boolean {
    return this.facts().dead.has(owner);
  }

  step<K extends keyof V>(verb: K, ask: V[K]['ask']): V[K]['answer'] {
    const before = frozen(this.state);
    const facts = this.facts();
    const step = this.rule.verbs[verb](before, frozen(ask), facts);
    const again = this.rule.verbs[verb](copied(before), ask, facts);
    assert.deepEqual(again, step, 'the same step after a round trip');
    assert.deepEqual(copied(step.state), step.state, 'a state is plain JSON');
    if (this.steady && isDeepStrictEqual(step.state, before)) {
      assert(step.state === before, 'an unchanged state is the same reference');
    }
    assert(typeof step.wake === 'string' || step.wake.length > 0, 'waking no client is called none');
    assert(
      typeof step.wake === 'string' || new Set(step.wake).size === step.wake.length,
      'no client is woken twice',
    );
    this.state = step.state;
    this.heard(step, before);
    return step.answer;
  }

  /** What would be answered, were it asked at this time. */
  peek<K extends keyof V>(verb: K, ask: V[K]['ask'], at = this.now): V[K]['answer'] {
    return this.rule.verbs[verb](this.state, ask, this.facts(at)).answer;
  }

  look(): L {
    return this.rule.look(this.state, this.facts());
  }

  /** Drops the record if the rule lets it go, as an engine's clean-up does. */
  sweep(): boolean {
    const fence = this.state === undefined ? undefined : this.rule.spent(this.state, this.facts());
    if (fence === undefined) return false;
    this.fenceFloor = Math.max(this.fenceFloor, fence);
    this.state = undefined;
    return true;
  }
}
