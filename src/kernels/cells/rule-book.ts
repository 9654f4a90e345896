import type { Kind } from '../../spi/kinds.ts';
import { kinds, type KindValues } from '../kinds.ts';

/** The rule of each kind: what an engine runs, or obeys in a native form. */
export const ruleBook = Object.fromEntries(
  Object.entries(kinds).map(([kind, { rule }]) => [kind, rule]),
) as unknown as { readonly [K in Kind]: KindValues<K>['rule'] };
