import type { Hold, HoldOptions } from './hold.ts';

/** The inside of a monitor, for as long as the section runs. */
export interface Inside<S> {
  /** The guarded state, as of entering, of the last wait, or of the last `set`. */
  readonly state: S;
  /** The hold of the section on the monitor. */
  readonly hold: Hold;
  /** Writes when the section ends or waits, and only if it still holds the monitor then. */
  set(state: S): void;
  /**
   * Leaves, waits for a signal, enters again. False if no signal brought it back: `timeoutMs` was over first, or the client's
   * session ended in the store. The section holds the monitor either way.
   */
  wait(condition: string, options?: { readonly timeoutMs?: number }): Promise<boolean>;
  /** Waits until the state satisfies `holds`, checking again after each signal, as Mesa demands. */
  waitUntil(
    condition: string,
    holds: (state: S) => boolean,
    options?: { readonly timeoutMs?: number },
  ): Promise<boolean>;
  /** Wakes one waiter of the condition, when this section ends or waits. */
  signal(condition: string): void;
  /** Wakes all waiters of the condition, when this section ends or waits. */
  signalAll(condition: string): void;
}

/**
 * A Mesa monitor across processes: a state that only one section at a time sees and changes, and conditions to wait for.
 *
 * @example
 * ```ts
 * import { memory } from 'holdfast/memory';
 *
 * const queue = memory().monitor('queue', { initial: { items: [] as string[] } });
 * const taken = queue.run(async (m) => {
 *   await m.waitUntil('notEmpty', (s) => s.items.length > 0);
 *   const [item, ...items] = m.state.items;
 *   m.set({ items });
 *   return item;
 * });
 * await queue.run((m) => {
 *   m.set({ items: [...m.state.items, 'parcel'] });
 *   m.signal('notEmpty');
 * });
 * console.log(await taken); // parcel
 * ```
 */
export interface Monitor<S> {
  /** The name of the monitor. */
  readonly name: string;
  /** Enters, runs the section, writes and leaves in one step. If `fn` throws, writes since the last wait are dropped. */
  run<T>(fn: (m: Inside<S>) => T | PromiseLike<T>, options?: HoldOptions): Promise<T>;
  /** The guarded state as last written, without entering. */
  peek(): Promise<S>;
  /** Whether a section holds the monitor. */
  isLocked(): Promise<boolean>;
  /** How many wait to enter. */
  waiters(): Promise<number>;
}
