import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the endpoint of this name is. */
function addressOf(name: string): string {
  if (process.platform === 'linux') return `\0holdfast-${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\holdfast-${name}`;
  // Elsewhere the address is a file, whose path may not be longer than about a hundred bytes.
  return join(tmpdir(), `holdfast-${name}.sock`);
}

/**
 * An endpoint of this process on which nothing is ever said: the end of a connection to it is the news, and the system delivers it
 * within a millisecond of the end of the process, however the process ends.
 */
export class EndSocket {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #address: string;
  readonly #keepsAlive: boolean;

  /** `keepsAlive`: whether the endpoint and its connections keep this process from ending. */
  constructor(name: string, keepsAlive: boolean) {
    this.#address = addressOf(name);
    this.#keepsAlive = keepsAlive;
    this.#server = createServer((socket) => this.#accept(socket));
    // Without a handler an address that cannot be used would end the process.
    this.#server.on('error', () => undefined);
    this.#server.listen(this.#address);
    if (!keepsAlive) this.#server.unref();
  }

  /** Resolves when others can connect. Rejects if the address cannot be used. To be called in the turn of the constructor. */
  whenListening(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('listening', resolve);
      this.#server.once('error', reject);
    });
  }

  /** Ends all connections, which is what their other ends wait for. */
  end(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (!/^[\0\\]/.test(this.#address)) rmSync(this.#address, { force: true });
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    if (!this.#keepsAlive) socket.unref();
    socket.on('error', () => undefined);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.resume();
  }
}

/** A connection to the endpoint of another process. */
export interface EndConnection {
  /** Whether the connection stands: then the process at the other end lives. */
  readonly isOpen: boolean;
  /** Closes the connection without a call. */
  stop(): void;
}

/** Calls `onEnd` once, when the connection has ended or could not be opened. */
export function connectToEnd(name: string, keepsAlive: boolean, onEnd: () => void): EndConnection {
  let isOpen = false;
  const socket = connect(addressOf(name));
  if (!keepsAlive) socket.unref();
  socket.on('connect', () => {
    isOpen = true;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isOpen = false;
    onEnd();
  });
  // Unread data would delay the end; nothing is ever said.
  socket.resume();
  return {
    get isOpen() {
      return isOpen;
    },
    stop: () => {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
}
