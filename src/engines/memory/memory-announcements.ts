import type { Clock } from '../../spi/clock.ts';
import type { Announcements, FoundClients } from '../../spi/engine/announcements.ts';

/** What the clients of one store in this process say about themselves. */
export class MemoryAnnouncements implements Announcements {
  readonly lastMs = Infinity;
  readonly fencesAreTimes = true;
  readonly #clock: Clock;
  readonly #said = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  announce(client: string, said: string): void {
    this.#said.set(client, said);
  }

  retract(client: string): void {
    this.#said.delete(client);
  }

  find(clients: readonly string[]): FoundClients {
    const found = clients.flatMap((id) => {
      const said = this.#said.get(id);
      return said === undefined ? [] : ([[id, said]] as const);
    });
    return { now: this.#clock.epochNow(), said: new Map(found) };
  }

  programOf(): 'holdfast' {
    return 'holdfast';
  }
}
