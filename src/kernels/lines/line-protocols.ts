import type { LineContext } from './line-context.ts';
import { electionLine } from './election-line.ts';
import { lockLine } from './lock-line.ts';
import { readWriteLockLine } from './read-write-line.ts';
import { semaphoreLine } from './semaphore-line.ts';

/** Every synchronizer that is a line of tickets. What is no line (latch, barrier, monitor) is a cell. */
export function lineProtocols(context: LineContext) {
  return {
    lock: lockLine(context, 'lock'),
    fairLock: lockLine(context, 'fairLock'),
    readWriteLock: readWriteLockLine(context),
    semaphore: semaphoreLine(context),
    election: electionLine(context),
  };
}
