import { FENCES_OF_A_TICKET } from '../../../kernels/lines/line-fence.ts';
import type { OwnerId } from '../../../spi/rule.ts';
import { parentOf } from '../layout/node-path.ts';

/** A ticket of this client, as the server has named and numbered it. */
export interface OwnTicket {
  readonly kind: string;
  readonly node: string;
  readonly fence: number;
}

/** Those whose hold excludes others, or stands for a write that does: a permit of a semaphore guards nothing. */
const GUARDS: ReadonlySet<string> = new Set(['lock', 'fairLock', 'readWriteLock', 'election']);
const HANDED_OVER: ReadonlySet<string> = new Set(['lock', 'fairLock']);

/** The tickets of one session, by folder and id: the owner of a semaphore has a ticket in each of its two lines. */
export class OwnTickets {
  readonly #tickets = new Map<string, OwnTicket>();

  get(folder: string, id: OwnerId): OwnTicket | undefined {
    return this.#tickets.get(`${folder}/${id}`);
  }

  has(folder: string, id: OwnerId): boolean {
    return this.#tickets.has(`${folder}/${id}`);
  }

  set(folder: string, id: OwnerId, ticket: OwnTicket): void {
    this.#tickets.set(`${folder}/${id}`, ticket);
  }

  delete(folder: string, id: OwnerId): void {
    this.#tickets.delete(`${folder}/${id}`);
  }

  clear(): void {
    this.#tickets.clear();
  }

  /**
   * The node of the hold with this fence. Of a write and the read under it, which share one, the node of the write: as long as it
   * stands no other client is in.
   */
  pathOf(fence: bigint): string | undefined {
    for (const [key, { kind, node, fence: number }] of this.#tickets) {
      const fences = BigInt(HANDED_OVER.has(kind) ? FENCES_OF_A_TICKET : 1);
      const isMeant = GUARDS.has(kind) && fence / fences === BigInt(number);
      if (isMeant) return `${parentOf(key)}/${node}`;
    }
    return undefined;
  }
}
