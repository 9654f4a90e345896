import type { Inspector, Synchronizers } from 'holdfast';

/** What passes between a worker and the scene. Plain JSON, because a worker lives in another process. */
export type Message =
  null | boolean | number | string | readonly Message[] | { readonly [key: string]: Message };

/** What a worker is given: who it is, the locks it shares with the others, and a line to the scene. */
export interface Errand {
  readonly name: string;
  readonly input: Message;
  readonly locks: Synchronizers;
  /** Tells the scene something, or asks it; goes on when the scene has answered. */
  readonly ask: (what: string, value?: Message) => Promise<Message>;
}

/** What a worker does. It knows nothing but its errand, so it can run anywhere. */
export type Task = (errand: Errand) => Promise<void>;

/** The scene's side of a worker's questions. */
export type Answer = (from: string, what: string, value: Message) => Message | void | Promise<Message | void>;

/** A worker at work. */
export interface Worker {
  readonly name: string;
  /** Settles when its task has ended; never once it was killed. */
  readonly done: Promise<void>;
  /** Stops it in the middle of what it does, as a long garbage collection or a suspended machine would. */
  pause(): void;
  resume(): void;
  /** Ends it without letting it clean up. */
  kill(): void;
}

/** A kind of place for workers to live in. */
export interface Workshop {
  /** What is real there and what is played, in lines of at most 80 columns. */
  readonly about: readonly string[];
  readonly open: (leaseMs: number) => Crew;
}

/** Workers and the store they share. Each scene opens one of its own. */
export interface Crew {
  /** For the scene's own looks: it holds nothing. */
  readonly locks: Synchronizers & { readonly inspector: Inspector };
  readonly start: (task: string, name: string, input: Message, answer: Answer) => Worker;
  readonly close: () => Promise<void>;
}

/** A fence crosses as text, because JSON has no bigint. */
export function fenceFrom(message: Message): bigint {
  if (typeof message !== 'string') throw new TypeError('a fence was expected');
  return BigInt(message);
}
