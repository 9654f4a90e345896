import type { CellStore } from '../../spi/engine/cells.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Protocols } from '../../spi/engine/protocols.ts';
import type { Kind } from '../../spi/kinds.ts';
import type { Rule, Verbs } from '../../spi/rule.ts';
import { cellProtocol, holdingCellProtocol } from './cell-protocol.ts';
import { ruleBook } from './rule-book.ts';

/** Opens the cells of one kind. The rule decides when a record may go. */
export type CellsOf = <S, V extends Verbs, L>(kind: Kind, rule: Rule<S, V, L>) => CellStore<S>;

type RenewableRule = Parameters<typeof holdingCellProtocol>[0];

/**
 * All synchronizers on a store of cells that answers a plain call. `lockTraits` are those of the plain lock, which is
 * acquired most often: it reads the time of its last step from the store if that is the caller's own clock.
 */
export function cellProtocols(cells: CellsOf, lockTraits: Partial<ProtocolTraits> = {}): Protocols {
  return Object.fromEntries(
    Object.entries(ruleBook).map(([kind, rule]) => [
      kind,
      protocolOf(kind as Kind, rule, cells, kind === 'lock' ? lockTraits : {}),
    ]),
  ) as unknown as Protocols;
}

function protocolOf(
  kind: Kind,
  rule: (typeof ruleBook)[Kind],
  cells: CellsOf,
  traits: Partial<ProtocolTraits>,
): object {
  const store = cells(kind, rule as Rule<unknown, Verbs, unknown>);
  return 'renew' in rule.verbs
    ? holdingCellProtocol(rule as unknown as RenewableRule, store, traits)
    : cellProtocol(rule as Rule<unknown, Verbs, unknown>, store);
}
