import type { Message } from './worker.ts';

/** What a worker asks the scene. */
export interface FromWorker {
  readonly id: number;
  readonly what: string;
  readonly value: Message;
}

/** What the scene answers. */
export interface ToWorker {
  readonly id: number;
  readonly value: Message;
}
