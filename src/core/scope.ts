import { AsyncLocalStorage } from 'node:async_hooks';
import type { Client } from './client.ts';
import type { Level, Tenure } from './tenure.ts';

/** What a scope is about. Two lock objects of one engine, kind and name are the same place. */
export interface Place {
  readonly client: Client;
  /** The kind; both sides of a read-write lock share one. */
  readonly family: string;
  readonly name: string;
  readonly side: string;
}

/** A running `run(fn)`: who owns what inside it. It closes when `fn` settles (soundness 14). */
export interface Scope {
  readonly place: Place;
  readonly tenure: Tenure;
  readonly level: Level;
  readonly outer: Scope | undefined;
  open: boolean;
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

/** Runs `fn` as the owner of the hold. `enterWith` would leak the scope into the caller. */
export async function runInScope<T>(
  place: Place,
  tenure: Tenure,
  level: Level,
  fn: () => T | PromiseLike<T>,
): Promise<T> {
  const scope: Scope = { place, tenure, level, outer: scopes.getStore(), open: true };
  try {
    return await scopes.run(scope, fn);
  } finally {
    scope.open = false;
  }
}
