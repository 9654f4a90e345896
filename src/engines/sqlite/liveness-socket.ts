import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where a client can be reached by those who want to hear of its end. */
function addressOf(client: string): string {
  if (process.platform === 'linux') return `\0holdfast-${client}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\holdfast-${client}`;
  // Elsewhere it is a file, whose path may not be longer than a hundred bytes.
  return join(tmpdir(), `holdfast-${client}.sock`);
}

/**
 * The endpoint of one client. Nothing is ever said on it: that a connection to it ends is the news, and the system brings
 * it within a millisecond of the end of the process. It is a hint and no more. What cannot be reached may live all the
 * same, in another network namespace or behind a full backlog; the proof is the client's file.
 */
export class LivenessSocket {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #address: string;

  constructor(client: string) {
    this.#address = addressOf(client);
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      socket.unref();
      socket.on('error', () => undefined);
      socket.on('close', () => this.#sockets.delete(socket));
      socket.resume();
    });
    // Without it those who wait find out a little later.
    this.#server.on('error', () => undefined);
    this.#server.listen(this.#address);
    this.#server.unref();
  }

  end(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
    if (!/^[\0\\]/.test(this.#address)) rmSync(this.#address, { force: true });
  }
}

/** A connection to another client's endpoint. */
export interface LivenessCall {
  /** It stands: at the other end somebody lives. */
  readonly isOpen: boolean;
  end(): void;
}

/** Calls once when the connection has ended, or could not be made. */
export function callLivenessSocket(client: string, ended: () => void): LivenessCall {
  let isOpen = false;
  const socket = connect(addressOf(client));
  socket.unref();
  socket.on('connect', () => {
    isOpen = true;
  });
  socket.on('error', () => undefined);
  socket.on('close', () => {
    isOpen = false;
    ended();
  });
  return {
    get isOpen() {
      return isOpen;
    },
    end: () => {
      socket.removeAllListeners('close');
      socket.destroy();
    },
  };
}
