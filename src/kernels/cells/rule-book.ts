import { barrierRule } from '../../rules/barrier.ts';
import { electionRule } from '../../rules/election.ts';
import { latchRule } from '../../rules/latch.ts';
import { lockRule } from '../../rules/lock.ts';
import { monitorRule } from '../../rules/monitor.ts';
import { permitSemaphoreRule } from '../../rules/permit-semaphore.ts';
import { readWriteLockRule } from '../../rules/read-write-lock.ts';
import { semaphoreRule } from '../../rules/semaphore.ts';

/** The rule of each synchronizer. The fair lock is the lock with a queue that decides. */
export const ruleBook = {
  lock: lockRule({ fair: false }),
  fairLock: lockRule({ fair: true }),
  readWriteLock: readWriteLockRule,
  semaphore: semaphoreRule,
  permitSemaphore: permitSemaphoreRule,
  latch: latchRule,
  barrier: barrierRule,
  election: electionRule,
  monitor: monitorRule,
} as const;
