import { NEAR_PLACES } from './fair-lock-rule.ts';
import { fairLockKindOf } from './fair-lock-kind.ts';
import type { ModelStage } from './model-stage.ts';
import { scriptSources } from './script-sources.ts';

/** The line of a random program is seldom long: this front ends behind the second. */
const SHORT_FRONT = 1;

export const fairLockKindWithShortFront = fairLockKindOf(SHORT_FRONT);

/** The text of a script in which the front is short. */
export function shortenFront(source: string): string {
  return source.replace(`NEAR_PLACES = ${NEAR_PLACES}`, `NEAR_PLACES = ${SHORT_FRONT}`);
}

const loaded = new WeakMap<ModelStage, Promise<ReadonlyMap<string, string>>>();

/** The scripts of a lock with a short front, by the names of those that they replace. */
export function loadShortFront(stage: ModelStage): Promise<ReadonlyMap<string, string>> {
  const known = loaded.get(stage) ?? load(stage);
  loaded.set(stage, known);
  return known;
}

async function load(stage: ModelStage): Promise<ReadonlyMap<string, string>> {
  const digests = new Map<string, string>();
  for (const { name, source } of scriptSources) {
    const shortened = shortenFront(source);
    if (shortened !== source) digests.set(name, await stage.load(shortened));
  }
  return digests;
}
