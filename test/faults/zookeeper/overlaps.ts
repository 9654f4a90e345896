import type { Hold, Lock } from '../../../src/index.ts';
import type { Footing, ForcedEnds } from './forced-ends.ts';

/** A client of lines, of whichever engine. */
export interface LineClient {
  readonly locks: { lock(name: string): Lock };
  /** That of its holds. */
  readonly session: bigint | undefined;
  /** The path or key of a hold. Throws if the hold is known to be lost. */
  ticketOf(hold: Hold): string;
}

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
  enter(client: LineClient, hold: Hold): () => void {
    const entered = { hold, session: client.session, ticket: client.ticketOf(hold) };
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
