import type { OwnerId } from '../../src/spi/rule.ts';

/** For each client, those who wait in a line of its own, where only the first asks the server. */
export class ClientLines {
  readonly #lines: readonly OwnerId[][];

  constructor(clients: number) {
    this.#lines = Array.from({ length: clients }, () => []);
  }

  /** Whether it is this one's turn to ask. One that will wait takes its place with that. */
  mayAsk(client: number, owner: OwnerId, waits: boolean): boolean {
    const line = this.#lines[client]!;
    if (waits && !line.includes(owner)) line.push(owner);
    return line.length === 0 || line[0] === owner;
  }

  leave(client: number, owner: OwnerId): void {
    const line = this.#lines[client]!;
    const place = line.indexOf(owner);
    if (place !== -1) line.splice(place, 1);
  }
}
