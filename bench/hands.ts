import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { asked } from './asked.ts';
import type { Roles } from './roles/index.ts';

type Methods<R extends keyof Roles> = Awaited<ReturnType<Roles[R]>>;
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Answer<F> = F extends (...args: never[]) => infer A ? Awaited<A> : never;

/**
 * A relay hands over for two seconds and sleeps for twenty, while the others have their turn. A process that sleeps for eight
 * is tidied up by V8, and loses with that the compiled code that knew what was thrown away: it would be compiled anew in the
 * middle of its next turn. One that is at work is not tidied up, and that is what is measured.
 */
const AT_WORK: Partial<Record<keyof Roles, readonly string[]>> = { relay: ['--no-memory-reducer'] };

/** Another process that uses a library, and does what it is told. */
export class Hand<R extends keyof Roles> {
  readonly #child: ChildProcess;

  constructor(role: R, library: string, port: number, folder = '') {
    const path = fileURLToPath(new URL('./hand.js', import.meta.url));
    const execArgv = [...process.execArgv, ...(AT_WORK[role] ?? [])];
    this.#child = fork(path, [role, library, String(port), folder], { execArgv });
  }

  /** Calls a method of its role over there. One at a time. */
  call<M extends keyof Methods<R>>(
    method: M,
    ...args: Arguments<Methods<R>[M]>
  ): Promise<Answer<Methods<R>[M]>> {
    return asked(this.#child, { method, args });
  }

  letGo(): void {
    this.#child.disconnect();
  }

  /** As a crash ends it. Resolves when it is gone. */
  async kill(): Promise<void> {
    const exit = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exit;
  }
}

/** So many of them. */
export function handsOf<R extends keyof Roles>(
  count: number,
  role: R,
  library: string,
  port: number,
  folder = '',
): Hand<R>[] {
  return Array.from({ length: count }, () => new Hand(role, library, port, folder));
}
