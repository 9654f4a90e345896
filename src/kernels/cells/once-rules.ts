import type { Decide, Rule, Verbs } from '../../spi/rule.ts';
import { type DedupState, type Once, once, type OnceVerbs, type Request } from './at-most-once.ts';
import { ruleBook } from './rule-book.ts';

/** A rule of the book whose changes are made at most once, over a state of any kind. */
export type OnceRule = Rule<DedupState<unknown>, OnceVerbs<Verbs>, unknown>;

/** One verb of such a rule. */
export type OnceVerb = Decide<
  DedupState<unknown>,
  { readonly request: Request; readonly ask: object },
  Once<unknown>
>;

const rules = Object.fromEntries(
  Object.entries(ruleBook).map(([kind, rule]) => [
    kind,
    once(rule as unknown as Rule<unknown, Verbs, unknown>),
  ]),
) as Readonly<Record<string, OnceRule>>;

export function onceRuleOf(kind: string): OnceRule {
  const rule = rules[kind];
  if (rule === undefined) throw new TypeError(`There is no rule for ${kind}.`);
  return rule;
}
