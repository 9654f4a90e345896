import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Client } from '../../../core/client.ts';
import { LivenessFile, livenessFileOf, probe } from './liveness-file.ts';
import { DeadClients } from './dead-clients.ts';
import { connectToEnd, EndSocket } from './end-socket.ts';
import type { SqliteDriver } from '../file/sqlite-driver.ts';

/** How long the files of dead clients are kept: other clients may still need the proof. */
const KEPT_MS = 24 * 60 * 60 * 1000;

export interface ClientLivenessOptions {
  readonly database: string;
  readonly client: Client;
  readonly load: () => Promise<SqliteDriver>;
  /** Called when a client has died for which an owner of this client waits. */
  readonly onDeath: (client: string) => void;
}

/** The sign of life of this client, and what it can find out about others. */
export class ClientLiveness {
  readonly deadClients: DeadClients;
  readonly #options: ClientLivenessOptions;
  readonly #id: string;
  #driver: SqliteDriver | undefined;
  #file: LivenessFile | undefined;
  #socket: EndSocket | undefined;
  #over = false;

  constructor(options: ClientLivenessOptions) {
    this.#options = options;
    const { client, database, onDeath: died } = options;
    this.#id = client.ids.client;
    this.deadClients = new DeadClients({
      clock: client.clock,
      self: this.#id,
      probe: (other) =>
        this.#driver === undefined ? 'unknown' : probe(this.#driver, livenessFileOf(database, other)),
      connect: (other, onEnd) => connectToEnd(other, false, onEnd),
      onDeath: died,
    });
  }

  /**
   * Must be awaited before the first statement: the database may name only clients whose death can be proven. Creates
   * the file again if it was swept away.
   */
  async begin(): Promise<SqliteDriver> {
    const driver = await this.#options.load();
    this.#driver = driver;
    if (this.#over || this.#file?.isThere === true) return driver;
    this.#file?.abandon();
    this.#file = new LivenessFile(driver, livenessFileOf(this.#options.database, this.#id));
    this.#socket ??= new EndSocket(this.#id, false);
    return driver;
  }

  /** Ends after everything was released. */
  end(): void {
    this.#over = true;
    this.#socket?.end();
    this.#file?.end();
    this.#file = undefined;
  }

  /** Ends as `kill -9` would end it. */
  abandon(): void {
    this.#over = true;
    this.#socket?.end();
    this.#file?.abandon();
    this.#file = undefined;
  }

  /** Removes the files of clients that died long ago. */
  sweep(): void {
    const { database, client } = this.#options;
    const begins = `${basename(database)}-alive-`;
    const folder = dirname(database);
    for (const name of readdirSync(folder)) {
      if (!name.startsWith(begins)) continue;
      const file = join(folder, name);
      const written = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity;
      if (client.clock.epochNow() - written < KEPT_MS) continue;
      if (this.#driver !== undefined && probe(this.#driver, file) === 'dead') rmSync(file, { force: true });
    }
  }
}
