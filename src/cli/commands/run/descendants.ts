import { readdirSync, readFileSync } from 'node:fs';
import { MARKS } from './run-environment.ts';

const PROCESSES = '/proc';

/**
 * Sends a signal to every process that has the mark in its environment, and answers how many there were; signal 0 only
 * counts them.
 *
 * Children inherit the environment, so this finds processes outside our group: after `setsid`, or when stdin is a
 * terminal. Parent ids say less: an orphan gets another parent. Only Linux shows environments; elsewhere none is found,
 * and the group is all there is.
 */
export function endMarked(mark: string, signal: NodeJS.Signals | 0): number {
  if (process.platform !== 'linux') return 0;
  let found = 0;
  for (const entry of readdirSync(PROCESSES)) {
    if (!/^\d+$/.test(entry) || Number(entry) === process.pid || !isMarked(entry, mark)) continue;
    try {
      process.kill(Number(entry), signal);
      found++;
    } catch {
      // The process has ended, or belongs to another user.
    }
  }
  return found;
}

function isMarked(entry: string, mark: string): boolean {
  try {
    const variables = readFileSync(`${PROCESSES}/${entry}/environ`, 'latin1').split('\0');
    const marks = variables.find((variable) => variable.startsWith(`${MARKS}=`));
    return (
      marks
        ?.slice(MARKS.length + 1)
        .split(' ')
        .includes(mark) === true
    );
  } catch {
    return false;
  }
}

/** Whether any process is left in the group. */
export function isGroupThere(group: number): boolean {
  try {
    process.kill(-group, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
