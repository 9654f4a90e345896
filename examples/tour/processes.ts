import { type ChildProcess, fork } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sqlite } from 'holdfast/sqlite';
import type { FromWorker, ToWorker } from './letters.ts';
import type { Answer, Crew, Message, Worker, Workshop } from './worker.ts';

const PROGRAM = fileURLToPath(new URL('./worker-process.js', import.meta.url));

/** Workers as processes of their own, which meet in a file. */
export const processes: Workshop = {
  about: [
    'Each worker is a process of its own. They meet in a file of the embedded engine,',
    'and nowhere else: there is no server. To pause or kill one, the tour sends it',
    'SIGSTOP or SIGKILL.',
  ],
  open: openCrew,
};

function openCrew(leaseMs: number): Crew {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-tour-'));
  const file = join(folder, 'locks.db');
  const locks = sqlite({ file, renewalLeaseMs: leaseMs });
  const workers: ProcessWorker[] = [];
  return {
    locks,
    start: (task, name, input, answer) => {
      const worker = new ProcessWorker({ task, name, input, file, leaseMs }, answer);
      workers.push(worker);
      return worker;
    },
    close: async () => {
      await Promise.all(workers.map((worker) => worker.end()));
      await locks.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Order {
  readonly task: string;
  readonly name: string;
  readonly input: Message;
  readonly file: string;
  readonly leaseMs: number;
}

class ProcessWorker implements Worker {
  readonly name: string;
  readonly done: Promise<void>;
  readonly #process: ChildProcess;
  readonly #answer: Answer;
  readonly #gone: Promise<void>;
  #killed = false;

  constructor(order: Order, answer: Answer) {
    this.name = order.name;
    this.#answer = answer;
    this.#process = fork(PROGRAM, [JSON.stringify(order)]);
    this.#process.on('message', (letter) => void this.#reply(letter as FromWorker));
    this.#gone = new Promise((resolve) => this.#process.once('exit', () => resolve()));
    this.done = new Promise((resolve, reject) => {
      this.#process.once('exit', (code, signal) => {
        if (this.#killed) return;
        if (code === 0) resolve();
        else reject(new Error(`${this.name} ended with ${signal ?? code}`));
      });
    });
    // A worker that is cut off by the end of its scene fails, and nothing waits for it any more.
    this.done.catch(() => undefined);
  }

  pause(): void {
    this.#process.kill('SIGSTOP');
  }

  resume(): void {
    this.#process.kill('SIGCONT');
  }

  kill(): void {
    this.#killed = true;
    this.#process.kill('SIGKILL');
  }

  async end(): Promise<void> {
    if (this.#process.exitCode === null && this.#process.signalCode === null) this.kill();
    await this.#gone;
  }

  async #reply({ id, what, value }: FromWorker): Promise<void> {
    const answered = (await this.#answer(this.name, what, value)) ?? null;
    const letter: ToWorker = { id, value: answered };
    if (this.#process.connected) this.#process.send(letter, () => undefined);
  }
}
