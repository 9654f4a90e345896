import type { CellStore } from '../../spi/engine/cells.ts';
import type { ProtocolTraits } from '../../spi/engine/protocol-traits.ts';
import type { Rule, Verbs } from '../../spi/rule.ts';
import { cellProtocol, holdingCellProtocol } from './cell-protocol.ts';
import type { Protocols } from './protocols.ts';
import { ruleBook } from './rule-book.ts';

/** The cells of one kind; the rule tells the store when a record may go. */
export type CellsOf = <S, V extends Verbs, L>(kind: keyof Protocols, rule: Rule<S, V, L>) => CellStore<S>;

/**
 * All nine synchronizers on any store of cells that is reached by a plain call. `lockTraits`: if the store keeps the caller's
 * time, the plain lock, which is taken most often, makes use of it.
 */
export function cellProtocols(cells: CellsOf, lockTraits: Partial<ProtocolTraits> = {}): Protocols {
  const book = ruleBook;
  return {
    lock: holdingCellProtocol(book.lock, cells('lock', book.lock), lockTraits),
    fairLock: holdingCellProtocol(book.fairLock, cells('fairLock', book.fairLock)),
    readWriteLock: holdingCellProtocol(book.readWriteLock, cells('readWriteLock', book.readWriteLock)),
    semaphore: holdingCellProtocol(book.semaphore, cells('semaphore', book.semaphore)),
    permitSemaphore: holdingCellProtocol(
      book.permitSemaphore,
      cells('permitSemaphore', book.permitSemaphore),
    ),
    latch: cellProtocol(book.latch, cells('latch', book.latch)),
    barrier: cellProtocol(book.barrier, cells('barrier', book.barrier)),
    election: holdingCellProtocol(book.election, cells('election', book.election)),
    monitor: holdingCellProtocol(book.monitor, cells('monitor', book.monitor)),
  };
}
