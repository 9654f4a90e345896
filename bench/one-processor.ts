import { execFileSync } from 'node:child_process';

/**
 * What is started meanwhile shares one processor: the last of those that this process may use.
 *
 * The tempting alternative is to leave client and server to the system. It puts them on one processor or on two as it
 * likes, and to wake a sleeping processor takes longer than all the work of a pair: what was measured was where they
 * happened to be. On one there is nothing but the work, and whoever does more of it cannot hide that behind waiting.
 *
 * Where the system has no `taskset`, that is said, and the measurement is as wide as the system makes it.
 */
export async function onOneProcessor<T>(start: () => Promise<T>): Promise<T> {
  const allowed = allowedProcessors();
  if (allowed === undefined) {
    process.stderr.write('There is no taskset here: client and server run wherever the system puts them.\n');
    return start();
  }
  allow(/\d+$/.exec(allowed)![0]);
  try {
    return await start();
  } finally {
    allow(allowed);
  }
}

/** As a list such as `0-3`; undefined where nobody can tell. */
function allowedProcessors(): string | undefined {
  try {
    const told = execFileSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
    return /([\d,-]+)\s*$/.exec(told)?.[1];
  } catch {
    return undefined;
  }
}

/** Children begin where their parent may run, and stay there. */
function allow(processors: string): void {
  execFileSync('taskset', ['-c', '-p', processors, String(process.pid)], { stdio: 'ignore' });
}
