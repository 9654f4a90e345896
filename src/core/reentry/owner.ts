import type { Followed } from '../acquire/followed.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { Random } from '../../spi/clock.ts';
import type { Owner } from '../../spi/synchronizers.ts';
import type { Client } from '../client.ts';
import { logAs } from '../log-as.ts';
import type { HoldStack } from './hold-stack.ts';

/**
 * Two digits in base 36. Turning a number into a string and garbage is what costs most in making an id; with these it
 * happens once in 1,296 ids.
 */
const LAST_DIGITS: readonly string[] = Array.from({ length: 36 ** 2 }, (_, n) =>
  n.toString(36).padStart(2, '0'),
);

/** Makes the ids that owners have on the wire: never the same twice (soundness 1). */
export class OwnerIds {
  readonly #random: Random;
  #client: string;
  /** The client and the leading digits; the last two follow. */
  #leading: string;
  #block = 0;
  #generation = 0;
  #next = 1;

  constructor(random: Random) {
    this.#random = random;
    this.#client = random.id();
    this.#leading = `${this.#client}:`;
  }

  /** The id of this client's session. */
  get client(): string {
    return this.#client;
  }

  /** Grows with every new identity: ids made under another one belong to a session that has ended. */
  get generation(): number {
    return this.#generation;
  }

  next(): OwnerId {
    if (this.#next === LAST_DIGITS.length) {
      this.#next = 0;
      this.#block++;
      this.#leading = `${this.#client}:${this.#block.toString(36)}`;
    }
    return this.#leading + LAST_DIGITS[this.#next++];
  }

  /** A session that ended is never revived: from now on this client has a new identity (soundness 18). */
  renewClient(): void {
    this.#client = this.#random.id();
    this.#generation++;
    this.#leading = `${this.#client}:${this.#block.toString(36)}`;
  }
}

/** What `locks.owner()` is called without a label of its own. It names no owner, so it is not announced. */
export const USUAL_OWNER_LABEL = 'owner';

/** An owner that the user passes around. It maps to a fresh wire id for each acquisition that reaches the store. */
export class ExplicitOwner implements Owner {
  readonly label: string;
  /** What it holds, by family, name and side. */
  readonly holdStacks = new Map<string, HoldStack>();
  /** Acquisitions under way: a second one for the same thing waits for the first and then re-enters. */
  readonly pending = new Map<string, Followed>();

  /** The engine object that made it. */
  readonly client: Client;

  constructor(label: string, client: Client) {
    this.label = label;
    this.client = client;
  }
}

logAs(ExplicitOwner, 'Owner', ({ label }) => ({ label }));
