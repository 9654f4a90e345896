import type { OwnerId } from '../spi/rule.ts';
import type { Random } from '../spi/clock.ts';
import type { Owner } from '../spi/synchronizers.ts';
import type { Client } from './client.ts';
import type { Tenure } from './tenure.ts';

/** Makes the ids that owners have on the wire: never the same twice (soundness 1). */
export class OwnerIds {
  readonly #random: Random;
  #client: string;
  #prefix: string;
  #last = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#client = random.id();
    this.#prefix = `${this.#client}:`;
  }

  /** The id of this client's session. */
  get client(): string {
    return this.#client;
  }

  next(): OwnerId {
    return this.#prefix + ++this.#last;
  }

  /** A session that ended is never revived: from now on this client is somebody else (soundness 18). */
  renewClient(): void {
    this.#client = this.#random.id();
    this.#prefix = `${this.#client}:`;
  }
}

/** An owner that the user passes around. It maps to a fresh wire id for each acquisition that reaches the store. */
export class ExplicitOwner implements Owner {
  readonly label: string;
  /** What it holds, by family, name and side. */
  readonly tenures = new Map<string, Tenure>();
  /** Acquisitions under way: a second one for the same thing waits for the first and then re-enters. */
  readonly pending = new Map<string, Promise<unknown>>();

  /** The engine object that made it. */
  readonly client: Client;

  constructor(label: string, client: Client) {
    this.label = label;
    this.client = client;
  }
}
