import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { asked } from '../asked.ts';
import type { Roles } from './roles/index.ts';

type Methods<R extends keyof Roles> = Awaited<ReturnType<Roles[R]>>;
type Arguments<F> = F extends (...args: infer A) => unknown ? A : never;
type Answer<F> = F extends (...args: never[]) => infer A ? Awaited<A> : never;

/** Another process that uses a library, and does what it is told. */
export class Hand<R extends keyof Roles> {
  readonly #child: ChildProcess;

  constructor(role: R, library: string, port: number) {
    const path = fileURLToPath(new URL('./hand.js', import.meta.url));
    this.#child = fork(path, [role, library, String(port)]);
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
}

/** So many of them. */
export function handsOf<R extends keyof Roles>(
  count: number,
  role: R,
  library: string,
  port: number,
): Hand<R>[] {
  return Array.from({ length: count }, () => new Hand(role, library, port));
}
