import type { Clock, Timer } from '../../../spi/clock.ts';
import type { Verdict } from './liveness-file.ts';
import type { EndConnection } from './end-socket.ts';

/** How long the answer `alive` or `unknown` about a client stays valid. */
const FRESH_MS = 250;
/**
 * After a connection has ended the client is probed again and again: while a process is torn down its connections may
 * end before its file locks do. First after 1 ms, doubling, up to the interval without a hint.
 */
const FIRST_LOOK_MS = 1;
const SLOW_LOOK_MS = 1000;

export interface DeadClientsOptions {
  readonly clock: Clock;
  /** This client, which lives. */
  readonly self: string;
  readonly probe: (client: string) => Verdict;
  readonly connect: (client: string, onEnd: () => void) => EndConnection;
  /** Called once for each followed client that has died. */
  readonly onDeath: (client: string) => void;
}

interface FollowedClient {
  connection: EndConnection;
  timer: Timer | undefined;
  lookMs: number;
}

/** The clients whose death was proven, and a close watch on those that an owner waits for. */
export class DeadClients {
  readonly #options: DeadClientsOptions;
  readonly #dead = new Set<string>();
  readonly #lookedAt = new Map<string, number>();
  readonly #followed = new Map<string, FollowedClient>();

  constructor(options: DeadClientsOptions) {
    this.#options = options;
  }

  /** Whether its death is known already. */
  has(client: string): boolean {
    return this.#dead.has(client);
  }

  /**
   * Probes a client, unless that was done a moment ago or the client is followed: then `onDeath` reports it. True only
   * with proof.
   */
  findOut(client: string): boolean {
    const { clock, self } = this.#options;
    if (client === self || this.#followed.has(client)) return false;
    const now = clock.now();
    if (now - (this.#lookedAt.get(client) ?? -Infinity) < FRESH_MS) return false;
    return this.#look(client, now) === 'dead';
  }

  /** From now on `onDeath` reports its death. */
  follow(client: string): void {
    if (client === this.#options.self || this.#followed.has(client) || this.#dead.has(client)) return;
    const followed: FollowedClient = {
      connection: this.#options.connect(client, () => this.#lookSoon(client)),
      timer: undefined,
      lookMs: SLOW_LOOK_MS,
    };
    this.#followed.set(client, followed);
    this.#lookLater(client, followed);
  }

  unfollow(client: string): void {
    const followed = this.#followed.get(client);
    if (followed === undefined) return;
    this.#followed.delete(client);
    followed.timer?.cancel();
    followed.connection.stop();
  }

  close(): void {
    for (const client of this.#followed.keys()) this.unfollow(client);
  }

  #lookSoon(client: string): void {
    const followed = this.#followed.get(client);
    if (followed === undefined) return;
    followed.lookMs = FIRST_LOOK_MS;
    this.#check(client, followed);
  }

  #check(client: string, followed: FollowedClient): void {
    const verdict = this.#look(client, this.#options.clock.now());
    // Nothing can be found out about this client: its holds end with their leases.
    if (verdict === 'unknown') return this.unfollow(client);
    if (verdict === 'alive') return this.#lookLater(client, followed);
    this.unfollow(client);
    return this.#options.onDeath(client);
  }

  #lookLater(client: string, followed: FollowedClient): void {
    followed.timer?.cancel();
    followed.timer = this.#options.clock.timer(followed.lookMs, () => this.#check(client, followed));
    followed.lookMs = Math.min(2 * followed.lookMs, SLOW_LOOK_MS);
  }

  #look(client: string, now: number): Verdict {
    const verdict = this.#options.probe(client);
    // A living process can lose its file lock (by closing the file in another way), so a lock that is free proves
    // nothing while the connection stands.
    const believed = verdict === 'dead' && this.#followed.get(client)?.connection.isOpen ? 'alive' : verdict;
    if (believed === 'dead') {
      this.#dead.add(client);
      this.#lookedAt.delete(client);
    } else {
      this.#lookedAt.set(client, now);
      if (this.#lookedAt.size > 1000) this.#lookedAt.clear();
    }
    return believed;
  }
}
