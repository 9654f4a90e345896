import { barrierRule } from '../rules/barrier.ts';
import { electionRule } from '../rules/election.ts';
import { latchRule } from '../rules/latch.ts';
import { lockRule } from '../rules/lock.ts';
import { monitorRule } from '../rules/monitor.ts';
import { permitSemaphoreRule } from '../rules/permit-semaphore.ts';
import { readWriteLockRule } from '../rules/read-write-lock.ts';
import { semaphoreRule } from '../rules/semaphore.ts';
import type { CellStore } from '../spi/cells.ts';
import type { Rule, Verbs } from '../spi/rule.ts';
import { cellProtocol, holdingCellProtocol } from './cell-protocol.ts';
import type { Protocols } from './protocols.ts';

/** The cells of one kind; the rule tells the store when a record may go. */
export type CellsOf = <S, V extends Verbs, L>(kind: keyof Protocols, rule: Rule<S, V, L>) => CellStore<S>;

const fairLockRule = lockRule({ fair: true });
const plainLockRule = lockRule({ fair: false });

/** All nine synchronizers on any store of cells. */
export function cellProtocols(cells: CellsOf): Protocols {
  return {
    lock: holdingCellProtocol(plainLockRule, cells('lock', plainLockRule)),
    fairLock: holdingCellProtocol(fairLockRule, cells('fairLock', fairLockRule)),
    readWriteLock: holdingCellProtocol(readWriteLockRule, cells('readWriteLock', readWriteLockRule)),
    semaphore: holdingCellProtocol(semaphoreRule, cells('semaphore', semaphoreRule)),
    permitSemaphore: holdingCellProtocol(permitSemaphoreRule, cells('permitSemaphore', permitSemaphoreRule)),
    latch: cellProtocol(latchRule, cells('latch', latchRule)),
    barrier: cellProtocol(barrierRule, cells('barrier', barrierRule)),
    election: holdingCellProtocol(electionRule, cells('election', electionRule)),
    monitor: holdingCellProtocol(monitorRule, cells('monitor', monitorRule)),
  };
}
