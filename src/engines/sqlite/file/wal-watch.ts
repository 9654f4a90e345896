import { type FSWatcher, watch } from 'node:fs';

/**
 * Reports changes of a database by changes of its write-ahead log, which every commit appends to. A watcher may miss
 * changes or not be available at all (a network mount, too many watchers), so its user must poll as well.
 */
export class WalWatch {
  readonly #file: string;
  readonly #onChange: () => void;
  #watcher: FSWatcher | undefined;

  constructor(database: string, changed: () => void) {
    this.#file = `${database}-wal`;
    this.#onChange = changed;
  }

  get isWatching(): boolean {
    return this.#watcher !== undefined;
  }

  begin(): void {
    if (this.#watcher !== undefined) return;
    try {
      const watcher = watch(this.#file, { persistent: false }, (event) => {
        // Another file may have taken its place, which this watcher does not see.
        if (event === 'rename') this.end();
        this.#onChange();
      });
      watcher.on('error', () => this.end());
      this.#watcher = watcher;
    } catch {
      // The log does not exist yet, or cannot be watched.
    }
  }

  end(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }
}
