import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';

/**
 * A shell that has the program as its child, and reads. Its input ends when the demo ends it or dies, by whatever death: then the shell
 * ends the program and removes its folder. An exit hook of the demo would not run after SIGKILL.
 */
const SCRIPT = `folder="$1"; shift
"$@" & program=$!
read -r line
kill "$program" 2>/dev/null
wait "$program"
rm -rf "$folder"`;

/** A program that does not outlive the demo. */
export interface BoundProgram {
  readonly shell: ChildProcessByStdio<Writable, Readable, Readable>;
  readonly end: () => Promise<void>;
}

/** In a session of its own, because Ctrl-C in a terminal reaches each process of its session, also those that are to end last. */
export function startBound(words: readonly string[], folder: string, env = process.env): BoundProgram {
  const shell = spawn('sh', ['-c', SCRIPT, 'bound-to-the-demo', folder, ...words], {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
  });
  shell.stdin.on('error', () => undefined);
  const gone = once(shell, 'exit');
  return {
    shell,
    end: async () => {
      shell.stdin.end();
      await gone;
    },
  };
}
