import { type ChildProcess, spawn } from 'node:child_process';
import { EXIT, exitCodeOfSignal } from '../../exit-codes.ts';
import { endMarked, isGroupThere } from './descendants.ts';
import type { Work } from './run-request.ts';

/** How a command ended. */
export type CommandEnd =
  | { readonly kind: 'exited'; readonly code: number }
  | { readonly kind: 'signalled'; readonly signal: NodeJS.Signals }
  | { readonly kind: 'not-started'; readonly code: number; readonly message: string };

/** Signals that the terminal itself sends to every process in the foreground. */
const FROM_THE_TERMINAL: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/**
 * The command that runs while the lock is held, with all processes that it starts.
 *
 * It has a process group of its own, which receives the signals. Not if stdin is a terminal: a new session would lose
 * the terminal, and a group in the background is stopped when it reads from it. Then the command stays in our group,
 * and the terminal sends Ctrl-C to both of us.
 */
export class ChildCommand {
  readonly ended: Promise<CommandEnd>;
  readonly #process: ChildProcess;
  readonly #ownGroup: boolean;
  readonly #mark: string;

  /** `mark` is in the environment of the command and of the processes it starts, and of no other. */
  constructor(work: Work, env: NodeJS.ProcessEnv, mark: string) {
    this.#ownGroup = !process.stdin.isTTY;
    this.#mark = mark;
    const [file, args] = work.kind === 'shell' ? ['/bin/sh', ['-c', work.line]] : [work.file, work.args];
    this.#process = spawn(file, args, { stdio: 'inherit', env, detached: this.#ownGroup });
    this.ended = new Promise((resolve) => {
      this.#process.once('error', (error: NodeJS.ErrnoException) => resolve(notStarted(error, file)));
      this.#process.once('exit', (code, signal) =>
        resolve(signal === null ? { kind: 'exited', code: code ?? 0 } : { kind: 'signalled', signal }),
      );
    });
  }

  /** Undefined if it could not be started. */
  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** Passes a signal on. False if the terminal has sent it already. */
  pass(signal: NodeJS.Signals): boolean {
    const { pid } = this;
    if (pid === undefined || (!this.#ownGroup && FROM_THE_TERMINAL.has(signal))) return false;
    sendTo(this.#ownGroup ? -pid : pid, signal);
    return true;
  }

  /**
   * Ends the command and every process it has started, also those that have left its group, where the system shows
   * them. A process that was killed starts no other, so a second look finds what the first one missed.
   */
  end(signal: 'SIGTERM' | 'SIGKILL'): void {
    const { pid } = this;
    if (pid === undefined) return;
    sendTo(this.#ownGroup ? -pid : pid, signal);
    let found = endMarked(this.#mark, signal);
    for (let looks = 0; signal === 'SIGKILL' && found > 0 && looks < 10; looks++)
      found = endMarked(this.#mark, signal);
  }

  /** Whether one of the started processes is left. */
  get isLeft(): boolean {
    const { pid } = this;
    if (pid === undefined) return false;
    return (this.#ownGroup && isGroupThere(pid)) || endMarked(this.#mark, 0) > 0;
  }
}

function sendTo(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    // The process has ended already.
  }
}

function notStarted(error: NodeJS.ErrnoException, file: string): CommandEnd {
  const isMissing = error.code === 'ENOENT' || error.code === 'ENOTDIR';
  return {
    kind: 'not-started',
    code: isMissing ? EXIT.notFound : EXIT.notExecutable,
    message: isMissing ? `${file}: not found` : `${file}: cannot be run (${error.code ?? error.message})`,
  };
}

/** The exit code that a shell would give. */
export function exitCodeOf(ended: CommandEnd): number {
  return ended.kind === 'signalled' ? exitCodeOfSignal(ended.signal) : ended.code;
}
