import { type FSWatcher, watch } from 'node:fs';
import type { Clock, Timer } from '../../../spi/clock.ts';

/** How often to look at the file in any case: a watcher may not be available, or miss something. */
const LOOK_MS = 500;

/**
 * Calls whenever the file may have been deleted or replaced, as long as it is open here. A client that only holds sends
 * no statement, and so would not look by itself: with a lease of an hour it would go on for an hour beside the holder
 * in the new file.
 */
export class SameFileWatch {
  readonly #file: string;
  readonly #clock: Clock;
  readonly #look: () => void;
  #watcher: FSWatcher | undefined;
  #timer: Timer | undefined;

  constructor(file: string, clock: Clock, look: () => void) {
    this.#file = file;
    this.#clock = clock;
    this.#look = look;
  }

  begin(): void {
    this.end();
    this.#lookLater();
    try {
      this.#watcher = watch(this.#file, { persistent: false }, () => this.#look());
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch {
      // Too many watchers, or a file system without them: the timer looks.
    }
  }

  end(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #lookLater(): void {
    this.#timer = this.#clock.timer(LOOK_MS, () => {
      this.#lookLater();
      this.#look();
    });
  }
}
