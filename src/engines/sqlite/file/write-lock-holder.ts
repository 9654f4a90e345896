import { readFileSync, statSync } from 'node:fs';

/** The byte of the shared memory beside a database that a writing process locks (SQLite's WAL_WRITE_LOCK). */
const WRITE_LOCK_BYTE = 120;

/** The process that holds the write lock of a database. */
export interface WriteLockHolder {
  readonly pid: number;
  /** Stopped by SIGSTOP or a debugger: it goes on when it is continued, and not before. */
  readonly isStopped: boolean;
}

/** The process that writes to this database now. Undefined where the system does not show it: only Linux does. */
export function findWriteLockHolder(database: string): WriteLockHolder | undefined {
  try {
    const { ino } = statSync(`${database}-shm`);
    const pid = readFileSync('/proc/locks', 'utf8')
      .split('\n')
      .map((line) => writerIn(line, ino))
      .find(isProcess);
    return pid === undefined ? undefined : { pid, isStopped: isStopped(pid) };
  } catch {
    // Another system, or the process has just gone.
    return undefined;
  }
}

/** `7: POSIX  ADVISORY  WRITE 4242 fe:00:1234 120 120`: the process, and the inode of the file behind the last colon. */
function writerIn(line: string, ino: number): number | undefined {
  const [, , , mode, pid, file = '', from, to] = line.trim().split(/\s+/);
  const isMeant = mode === 'WRITE' && file.endsWith(`:${ino}`);
  return isMeant && Number(from) <= WRITE_LOCK_BYTE && (to === 'EOF' || Number(to) >= WRITE_LOCK_BYTE)
    ? Number(pid)
    : undefined;
}

/** A process of another namespace has a number that says nothing here. */
function isProcess(pid: number | undefined): pid is number {
  return pid !== undefined && pid > 0;
}

/** The state follows the name of the program, which is in parentheses and may contain anything. */
function isStopped(pid: number): boolean {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return /^[Tt]/.test(stat.slice(stat.lastIndexOf(')') + 2));
}
