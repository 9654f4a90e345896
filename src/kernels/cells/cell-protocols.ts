import type { CellStore } from '../../spi/engine/cells.ts';
import type { Punctual } from '../../spi/engine/protocol.ts';
import type { Protocols } from '../../spi/engine/protocols.ts';
import type { Kind } from '../../spi/kinds.ts';
import type { Rule, Verbs } from '../../spi/rule.ts';
import { cellProtocol, holdingCellProtocol } from './cell-protocol.ts';
import { ruleBook } from './rule-book.ts';

/** Opens the cells of one kind. The rule decides when a record may go. */
export type CellsOf = <S, V extends Verbs, L>(kind: Kind, rule: Rule<S, V, L>) => CellStore<S>;

type RenewableRule = Parameters<typeof holdingCellProtocol>[0];

/**
 * All synchronizers on a store of cells that answers a plain call. The plain lock, which is acquired most often, reads the
 * time of its last step from the store if that is the caller's own clock.
 */
export function cellProtocols(cells: CellsOf, punctual: Punctual = {}): Protocols {
  const protocols = Object.fromEntries(
    Object.entries(ruleBook).map(([kind, rule]) => [kind, protocolOf(kind as Kind, rule, cells)]),
  ) as unknown as Protocols;
  return { ...protocols, lock: { ...protocols.lock, ...punctual } };
}

function protocolOf(kind: Kind, rule: (typeof ruleBook)[Kind], cells: CellsOf): object {
  const store = cells(kind, rule as Rule<unknown, Verbs, unknown>);
  return 'renew' in rule.verbs
    ? holdingCellProtocol(rule as unknown as RenewableRule, store)
    : cellProtocol(rule as Rule<unknown, Verbs, unknown>, store);
}
