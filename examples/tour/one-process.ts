import { setTimeout as sleep } from 'node:timers/promises';
import type { Synchronizers } from 'holdfast';
import { memory, MemoryStore } from 'holdfast/memory';
import { StoppableClock } from './stoppable-clock.ts';
import { taskCalled } from './tasks.ts';
import type { Answer, Crew, Errand, Message, Worker, Workshop } from './worker.ts';

/** How long a message takes each way. Without it everything would be over before you could see it. */
const ON_THE_WAY_MS = 4;

/** Workers as clients of one in-memory store: separate in everything but the event loop. */
export const oneProcess: Workshop = {
  about: [
    'Each worker is a client of its own on one in-memory store, and meets the others',
    'only there. All of them live in this process: to "kill" or "pause" one, the tour',
    'stops its timers and its messages. Locks, leases and fences are the real ones.',
  ],
  open: openCrew,
};

function openCrew(leaseMs: number): Crew {
  const store = new MemoryStore(new StoppableClock());
  const clients: Synchronizers[] = [];
  const open = (label: string, clock = new StoppableClock()): Synchronizers => {
    const client = memory({ store, clock, label, renewalLeaseMs: leaseMs });
    clients.push(client);
    return client;
  };
  return {
    locks: open('the scene'),
    start: (task, name, input, answer) => {
      const clock = new StoppableClock();
      return new LocalWorker(task, name, input, open(name, clock), clock, answer);
    },
    close: async () => {
      await Promise.all(clients.map((client) => client.close()));
    },
  };
}

class LocalWorker implements Worker, Errand {
  readonly name: string;
  readonly input: Message;
  readonly locks: Synchronizers;
  readonly done: Promise<void>;
  readonly #clock: StoppableClock;
  readonly #answer: Answer;
  /** Settled while the worker runs. */
  #running: Promise<void> = Promise.resolve();
  #goOn: () => void = () => undefined;

  constructor(
    task: string,
    name: string,
    input: Message,
    locks: Synchronizers,
    clock: StoppableClock,
    answer: Answer,
  ) {
    this.name = name;
    this.input = input;
    this.locks = locks;
    this.#clock = clock;
    this.#answer = answer;
    this.done = taskCalled(task)(this);
    // A worker that is cut off by the end of its scene fails, and nobody waits for it any more.
    this.done.catch(() => undefined);
  }

  readonly ask = async (what: string, value: Message = null): Promise<Message> => {
    await this.#running;
    await sleep(ON_THE_WAY_MS);
    const answer = await this.#answer(this.name, what, value);
    await sleep(ON_THE_WAY_MS);
    await this.#running;
    return answer ?? null;
  };

  pause(): void {
    this.#clock.stop();
    this.#running = new Promise((resolve) => {
      this.#goOn = resolve;
    });
  }

  resume(): void {
    this.#clock.goOn();
    this.#goOn();
  }

  kill(): void {
    this.pause();
    this.#goOn = () => undefined;
  }
}
