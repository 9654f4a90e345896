import type { CellCall, Protocols, CellReply, SessionStore, Wire } from 'holdfast/engine';
import type { Network } from './network.ts';
import type { Process } from './process.ts';
import type { Server } from './server.ts';

/** After so long a broken connection is noticed and made again; the client that watches is then told once. */
const GAP_MS = 800;

/** One process's way to the server, through the network in both directions. */
export class SimulatedWire implements Wire, SessionStore {
  readonly #process: Process;
  readonly #network: Network;
  readonly #server: Server;

  constructor(process: Process, network: Network, server: Server) {
    this.#process = process;
    this.#network = network;
    this.#server = server;
  }

  async send(call: CellCall): Promise<CellReply> {
    const text = JSON.stringify(call);
    return JSON.parse(await this.#ask(() => this.#server.decide(text))) as CellReply;
  }

  async look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }> {
    const text = await this.#ask(() =>
      JSON.stringify({ now: this.#server.now, look: this.#server.look(kind as keyof Protocols, name) }),
    );
    return JSON.parse(text) as { now: number; look: unknown };
  }

  async time(): Promise<number> {
    return Number(await this.#ask(() => String(this.#server.now)));
  }

  async beat(client: string, ttlMs: number): Promise<'alive' | 'ended'> {
    return (await this.#ask(() => this.#server.store.beat(client, ttlMs))) as 'alive' | 'ended';
  }

  async end(client: string): Promise<void> {
    await this.#ask(() => {
      this.#server.store.end(client);
      return '';
    });
  }

  /** Told over the network as well. A message that is lost is a gap: noticed after a while, and told then. */
  async watch(kind: string, name: string, owner: string, heard: () => void): Promise<() => void> {
    const tell = (): void => {
      const delivered = this.#network.carry(this.#process, () => this.#process.happens(heard));
      if (!delivered) this.#process.world.after(GAP_MS, tell);
    };
    let watching = true;
    const unwatch = this.#server.watch(kind as keyof Protocols, name, owner, () => {
      if (watching && !this.#process.dead) tell();
    });
    await this.#ask(() => '');
    return () => {
      watching = false;
      unwatch();
    };
  }

  /** There and back. Every copy that arrives is decided; the first reply that comes back counts. */
  #ask(decide: () => string): Promise<string> {
    return new Promise((resolve) => {
      this.#network.carry(this.#process, () => {
        const reply = decide();
        this.#network.carry(this.#process, () => this.#process.happens(() => resolve(reply)));
      });
    });
  }
}
