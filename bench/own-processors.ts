import { execFileSync } from 'node:child_process';

/**
 * Starts processes on the first of the processors that this process may use, or on the others.
 *
 * The tempting alternative is to leave client and server to the system. It puts them on one processor or on two as it
 * likes, and to wake a sleeping processor takes longer than all the work of a pair: what was measured was where they
 * happened to be. In production they are on two, and mostly on two machines.
 *
 * Where the system has no `taskset`, or but one processor, that is said, and figures spread as wide as the system makes it.
 */
export async function onProcessors<T>(
  which: 'the first' | 'the others',
  start: () => Promise<T>,
): Promise<T> {
  const allowed = allowedProcessors();
  const [first, ...others] = allowed;
  if (first === undefined || others.length === 0) {
    process.stderr.write(
      'Processors cannot be chosen here: client and server run where the system puts them.\n',
    );
    return start();
  }
  allow(which === 'the first' ? [first] : others);
  try {
    return await start();
  } finally {
    allow(allowed);
  }
}

/** None where the system does not say. */
function allowedProcessors(): number[] {
  try {
    const told = execFileSync('taskset', ['-c', '-p', String(process.pid)], { encoding: 'utf8' });
    return processorsIn(/([\d,-]+)\s*$/.exec(told)?.[1] ?? '');
  } catch {
    return [];
  }
}

/** Of a list such as `0-3,6`. */
export function processorsIn(list: string): number[] {
  return list
    .split(',')
    .filter((part) => part !== '')
    .flatMap((part) => {
      const [from = 0, to = from] = part.split('-').map(Number);
      return Array.from({ length: to - from + 1 }, (_, at) => from + at);
    });
}

/** Children begin where their parent may run, and stay there. */
function allow(processors: readonly number[]): void {
  execFileSync('taskset', ['-c', '-p', processors.join(','), String(process.pid)], { stdio: 'ignore' });
}
