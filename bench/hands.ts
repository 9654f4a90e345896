import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ask } from './ask.ts';
import type { Roles } from './roles/index.ts';

type Methods<R extends keyof Roles> = Awaited<ReturnType<Roles[R]>>;
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Answer<F> = F extends (...args: never[]) => infer A ? Awaited<A> : never;

/**
 * A relay hands over for two seconds and sleeps for twenty, while the others have their turn. A process that sleeps for eight
 * is collected by V8, which drops compiled code along with the objects that it refers to: the process would compile again in
 * the middle of its next turn. A process at work is not collected like that, and a process at work is what is measured.
 */
const AT_WORK: Partial<Record<keyof Roles, readonly string[]>> = { relay: ['--no-memory-reducer'] };

/** Another process that uses a library, and calls the methods of its role on request. */
export class Hand<R extends keyof Roles> {
  readonly #child: ChildProcess;

  constructor(role: R, library: string, port: number, folder = '') {
    const path = fileURLToPath(new URL('./hand.js', import.meta.url));
    const execArgv = [...process.execArgv, ...(AT_WORK[role] ?? [])];
    this.#child = fork(path, [role, library, String(port), folder], { execArgv });
  }

  /** Calls a method of the role in that process. One at a time. */
  call<M extends keyof Methods<R>>(
    method: M,
    ...args: Arguments<Methods<R>[M]>
  ): Promise<Answer<Methods<R>[M]>> {
    return ask(this.#child, { method, args });
  }

  letGo(): void {
    this.#child.disconnect();
  }

  /** Ends the process as a crash would. Resolves when the process is gone. */
  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

/** Starts this many. */
export function handsOf<R extends keyof Roles>(
  count: number,
  role: R,
  library: string,
  port: number,
  folder = '',
): Hand<R>[] {
  return Array.from({ length: count }, () => new Hand(role, library, port, folder));
}
