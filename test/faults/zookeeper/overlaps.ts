import type { Hold } from '../../../src/index.ts';
import type { Footing, ForcedEnds } from './forced-ends.ts';
import type { ProxiedLocks } from './proxied-locks.ts';

interface Entered extends Footing {
  readonly hold: Hold;
}

/** Who is in, and who entered beside another holder that believed in its hold, where neither was ended by force. */
export class Overlaps {
  readonly found: string[] = [];
  readonly #forced: ForcedEnds;
  readonly #inside = new Set<Entered>();

  constructor(forced: ForcedEnds) {
    this.#forced = forced;
  }

  /** Returns what notes that it leaves. Throws if the hold is known to be lost. */
  enter({ locks, session }: ProxiedLocks, hold: Hold): () => void {
    const entered = { hold, session, ticket: locks.check(hold).path };
    for (const other of this.#inside) {
      if (other.hold.lost.aborted || this.#forced.has(other) || this.#forced.has(entered)) continue;
      this.found.push(`${describeEntered(entered)} enters beside ${describeEntered(other)}`);
    }
    this.#inside.add(entered);
    return () => this.#inside.delete(entered);
  }
}

function describeEntered({ hold, ticket, session }: Entered): string {
  return `fence ${hold.fence} (${ticket}, session ${session?.toString(16)})`;
}
