import { readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Client } from '../../../core/client.ts';
import { LivenessFile, livenessFileOf, probe } from './liveness-file.ts';
import { DeadClients } from './dead-clients.ts';
import { connectToEnd, EndSocket } from './end-socket.ts';
import type { SqliteDriver } from '../file/sqlite-driver.ts';

/** The files of the dead are kept for so long: others may still want the proof. */
const KEPT_MS = 24 * 60 * 60 * 1000;

export interface ClientLivenessOptions {
  readonly database: string;
  readonly client: Client;
  readonly load: () => Promise<SqliteDriver>;
  /** Somebody has died whom somebody here waits for. */
  readonly onDeath: (client: string) => void;
}

/** This client's sign of life, and what it can find out about that of others. */
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
   * To be awaited before the first statement: nobody may be named in the file whose death could not be proven. If the
   * sign was swept away it is put up again.
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

  /** All is given back. */
  end(): void {
    this.#over = true;
    this.#socket?.end();
    this.#file?.end();
    this.#file = undefined;
  }

  /** As kill -9 would end it. */
  abandon(): void {
    this.#over = true;
    this.#socket?.end();
    this.#file?.abandon();
    this.#file = undefined;
  }

  /** Removes the files of those who died long ago. */
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
