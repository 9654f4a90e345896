import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { ask } from './ask.ts';
import type { Place } from './place.ts';
import type { Speed } from './run-record.ts';
import type { Figures, Trial } from './trial.ts';

/** One contestant of a trial, in a process of its own. */
export class Performer {
  /** Resolves when the contestant is open; rejects if its process ends before. */
  readonly ready: Promise<unknown>;
  readonly #process: ChildProcess;

  constructor(trial: Trial, speed: Speed, contestant: string, { port, folder }: Place) {
    const path = fileURLToPath(new URL('./trial-performer.js', import.meta.url));
    this.#process = fork(path, [trial.engine, trial.name, contestant, String(port), folder, speed]);
    const gone = new AbortController();
    this.#process.once('exit', () => gone.abort(new Error('the contestant ended before it was ready')));
    this.ready = once(this.#process, 'message', { signal: gone.signal });
    // Reported by the first round.
    this.ready.catch(() => undefined);
  }

  async figures(roundMs: number): Promise<Figures> {
    await this.ready;
    return ask(this.#process, roundMs);
  }

  async end(): Promise<void> {
    const performer = this.#process;
    if (performer.exitCode !== null || performer.signalCode !== null) return;
    const exit = once(performer, 'exit');
    if (performer.connected) performer.disconnect();
    await exit;
  }
}
