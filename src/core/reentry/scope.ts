import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from '../client.ts';
import type { StackedHold, HoldStack } from './hold-stack.ts';

/** What a scope is about. Two lock objects of one engine, kind and name are the same place. */
export interface Place {
  readonly client: Client;
  /** The kind; both sides of a read-write lock share one. */
  readonly family: string;
  readonly name: string;
  readonly side: string;
}

/** Under what an explicit owner keeps its hold stack of a place. */
export function placeKey(place: Place): string {
  return `${place.family}:${place.side}:${place.name}`;
}

let scopesMade = 0;

/**
 * A `run(fn)`, from the grant of its hold to the end of `fn`: who owns what inside it. It closes when `fn` settles
 * (soundness 14). What it still holds then, taken by `acquire`, belongs to the scope around it.
 */
export class Scope {
  readonly place: Place;
  readonly level: StackedHold;
  /** The scope around it, once `fn` is called: no code runs inside it before. */
  outer: Scope | undefined;
  open = true;
  /** Grows from scope to scope: tells which of two branches was there first. */
  readonly #number = ++scopesMade;

  constructor(place: Place, level: StackedHold) {
    this.place = place;
    this.level = level;
  }

  /** Asked for when code inside could re-enter; most scopes close without. */
  get holdStack(): HoldStack {
    return this.level.holdStack;
  }

  /** This scope or one around it: code in `inner` is code in here. */
  isAround(inner: Scope): boolean {
    for (let scope: Scope | undefined = inner; scope !== undefined; scope = scope.outer) {
      if (scope === this) return true;
    }
    return false;
  }

  /** This scope while it is open, later the nearest open one of the same owner around it. */
  heir(): Scope | undefined {
    let scope: Scope | undefined = this.outer;
    if (this.open) return this;
    while (scope !== undefined && (!scope.open || scope.holdStack !== this.holdStack)) scope = scope.outer;
    return scope;
  }

  isLaterThan(other: Scope): boolean {
    return this.#number > other.#number;
  }
}

const scopes = new AsyncLocalStorage<Scope>();

/**
 * The innermost scope of this place that the caller runs in, if it is still open. A closed one hides those around it:
 * work left behind by an inner `run` is a new owner, not a second hand of the outer one.
 */
export function openScope(place: Place): Scope | undefined {
  for (let scope = scopes.getStore(); scope !== undefined; scope = scope.outer) {
    if (samePlace(scope.place, place)) return scope.open ? scope : undefined;
  }
  return undefined;
}

function samePlace(one: Place, other: Place): boolean {
  return (
    one.name === other.name &&
    one.side === other.side &&
    one.family === other.family &&
    one.client === other.client
  );
}

/** Calls `fn` inside the scope, which its caller closes. `enterWith` would leak the scope into the caller. */
export function enterScope<T>(scope: Scope, fn: () => T): T {
  scope.outer = scopes.getStore();
  return scopes.run(scope, fn);
}

/** `fn` has settled. */
export function closeScope(scope: Scope): void {
  scope.open = false;
  scope.level.noteScopeClosed();
}

/** Runs `fn` inside the scope, and closes it. */
export async function runInScope<T>(scope: Scope, fn: () => T | PromiseLike<T>): Promise<T> {
  try {
    return await enterScope(scope, fn);
  } finally {
    closeScope(scope);
  }
}
