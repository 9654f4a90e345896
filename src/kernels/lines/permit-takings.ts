import type { Unwatch } from '../../spi/engine/protocol.ts';
import type { OwnerId } from '../../spi/rule.ts';
import type { LineContext } from './line-context.ts';
import type { LineTurns } from './turns/line-turns.ts';

/** One owner on its way: its tickets, one for each permit, the first with the id of the owner. */
export interface PermitTaking {
  readonly name: string;
  readonly owner: OwnerId;
  readonly tickets: readonly OwnerId[];
  /** The attempt under way. */
  work: Promise<unknown> | undefined;
  isLeft: boolean;
  /** It has been granted its permits. */
  isHeld: boolean;
}

/** The owners of this client that take permits or hold some, and what to call when one of their tickets is in. */
export class PermitTakings {
  readonly #context: LineContext;
  readonly #leases: LineTurns;
  readonly #byOwner = new Map<OwnerId, PermitTaking>();
  readonly #listeners = new Map<OwnerId, () => void>();

  constructor(context: LineContext, leases: LineTurns) {
    this.#context = context;
    this.#leases = leases;
    context.session.whenEnded.add(() => this.#forgetHolds());
  }

  get size(): number {
    return this.#byOwner.size;
  }

  get(owner: OwnerId): PermitTaking | undefined {
    return this.#byOwner.get(owner);
  }

  begin(name: string, owner: OwnerId, permits: number): PermitTaking {
    const { client, traits } = this.#context;
    const more = () => traits?.newOwner?.() ?? client.ids.next();
    const tickets = Array.from({ length: permits }, (_, at) => (at === 0 ? owner : more()));
    for (const ticket of tickets) this.#leases.watch(ticket, () => this.#listeners.get(owner)?.());
    const taking: PermitTaking = { name, owner, tickets, work: undefined, isLeft: false, isHeld: false };
    this.#byOwner.set(owner, taking);
    return taking;
  }

  forget(owner: OwnerId): void {
    for (const ticket of this.#byOwner.get(owner)?.tickets ?? [])
      this.#leases.watch(ticket, () => undefined)();
    this.#byOwner.delete(owner);
  }

  watch(owner: OwnerId, heard: () => void): Unwatch {
    this.#listeners.set(owner, heard);
    return () => {
      if (this.#listeners.get(owner) === heard) this.#listeners.delete(owner);
    };
  }

  /** Whose ticket this is: its id need not be that of the owner. */
  ofTicket(ticket: OwnerId): PermitTaking | undefined {
    for (const taking of this.#byOwner.values()) if (taking.tickets.includes(ticket)) return taking;
    return undefined;
  }

  /**
   * The session has ended, and no holder gives back what is lost. An owner on its way starts again, and gives up itself what it had: its
   * attempt may go on in the next session until then.
   */
  #forgetHolds(): void {
    for (const [owner, { isHeld }] of this.#byOwner) if (isHeld) this.forget(owner);
  }
}
