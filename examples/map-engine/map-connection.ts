import type { Clock } from 'holdfast';
import type { MapServer } from './map-server.ts';

/** What a watcher hears after a gap, in which it may have missed anything. */
export const GAP = '';

interface Watch {
  /** Reports a gap to the watcher. */
  readonly gap: () => void;
  /** Ends the watch on the server. */
  readonly end: () => void;
}

/** One client's connection: everything takes its time, replies get lost, the server falls silent, the client dies. */
export class MapConnection {
  readonly #server: MapServer;
  readonly #clock: Clock;
  readonly #latencyMs: number;
  readonly #watches = new Set<Watch>();
  #state: 'open' | 'silent' | 'cut' = 'open';
  #losesNextReply = false;

  constructor(server: MapServer, clock: Clock, latencyMs = 0) {
    this.#server = server;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  /** Has the server do something, and brings its reply. */
  async ask<T>(request: (server: MapServer) => T): Promise<T> {
    await this.#travel();
    const reply = request(this.#server);
    if (this.#losesNextReply) {
      this.#losesNextReply = false;
      return new Promise<never>(() => undefined);
    }
    await this.#travel();
    return reply;
  }

  /** Calls with every message about the key, and once with {@link GAP} after a silence. */
  async watch(key: string, heard: (message: string, key: string) => void): Promise<() => void> {
    const watch = await this.ask((server) => this.#watchOn(server, key, heard));
    return () => {
      watch.end();
      this.#watches.delete(watch);
    };
  }

  /** Loses the reply to the next request: the server carries it out. */
  loseNextReply(): void {
    this.#losesNextReply = true;
  }

  /** Answers nothing until what this returns is called. */
  silence(): () => void {
    this.#state = 'silent';
    return () => {
      if (this.#state !== 'silent') return;
      this.#state = 'open';
      for (const { gap } of this.#watches) gap();
    };
  }

  /** As `kill -9` of the client: nothing it sends arrives, and the server forgets its watches. */
  cut(): void {
    this.#state = 'cut';
    for (const { end } of this.#watches) end();
  }

  close(): void {
    this.cut();
  }

  /** Known to the connection as soon as it is on the server, also if the reply is lost: it ends with the connection. */
  #watchOn(server: MapServer, key: string, heard: (message: string, key: string) => void): Watch {
    const end = server.watch(key, (message, changed) => {
      // A message that finds no connection is lost: the watcher hears of the gap later.
      if (this.#state === 'open') void this.#travel().then(() => heard(message, changed));
    });
    const watch = { gap: () => heard(GAP, key), end };
    this.#watches.add(watch);
    return watch;
  }

  async #travel(): Promise<void> {
    if (this.#latencyMs > 0)
      await new Promise<void>((resolve) => {
        this.#clock.timer(this.#latencyMs, resolve);
      });
    if (this.#state !== 'open') await new Promise<never>(() => undefined);
  }
}
