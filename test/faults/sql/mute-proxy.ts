import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/**
 * A network that can go silent for the connections there are, without end, while new ones get through: a firewall that forgot
 * them, a server that has moved. No client is notified, and nothing is closed.
 */
export class MuteProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #open = new Set<{ readonly client: Socket; readonly server: Socket }>();
  #port = 0;

  #targetPort: number;
  #accepted = 0;

  private constructor(targetPort: number) {
    this.#targetPort = targetPort;
    this.#server = createServer({ noDelay: true }, (client) => {
      this.#accepted++;
      const server = connect({ port: this.#targetPort, host: '127.0.0.1', noDelay: true });
      const pair = { client, server };
      this.#open.add(pair);
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        this.#sockets.add(from);
        from.on('error', () => to.destroy());
        from.on('data', (bytes) => void (this.#open.has(pair) && to.write(bytes)));
        from.on('close', () => void (this.#open.has(pair) && to.destroy()));
      }
    });
  }

  static async start(targetPort: number): Promise<MuteProxy> {
    const proxy = new MuteProxy(targetPort);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    proxy.#port = (proxy.#server.address() as { readonly port: number }).port;
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** How many connections get through. */
  get open(): number {
    return this.#open.size;
  }

  /** How many connections have come so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** How many of them have not ended at both sides. */
  get alive(): number {
    return [...this.#sockets].filter((socket) => !socket.destroyed).length;
  }

  /** New connections lead to another server, as after a failover. */
  leadTo(targetPort: number): void {
    this.#targetPort = targetPort;
  }

  /** All that are open now never hear anything again. */
  mute(): void {
    this.#open.clear();
  }

  /** No new ones get through: the server of the port is gone, as far as a client can tell. */
  refuse(): void {
    this.#server.close();
  }

  [Symbol.dispose](): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
