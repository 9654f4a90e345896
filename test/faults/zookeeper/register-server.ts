import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { createInterface } from 'node:readline';
import type { FencedRegister } from './fenced-register.ts';

/** Serves a register to other processes: one line for each request, `fence` to read and `fence value` to write. */
export class RegisterServer {
  readonly #listener: Server;

  private constructor(listener: Server) {
    this.#listener = listener;
  }

  static async start(register: FencedRegister): Promise<RegisterServer> {
    const listener = createServer((socket) => {
      socket.on('error', () => socket.destroy());
      const lines = createInterface({ input: socket });
      // The interface emits the errors of its socket again: that of a process that was killed ends the connection, and no more.
      lines.on('error', () => undefined);
      lines.on('line', (line) => {
        const [fence, value] = line.split(' ');
        const answer =
          value === undefined
            ? register.read(BigInt(fence!))
            : register.write(BigInt(fence!), Number(value)) || undefined;
        socket.write(`${answer === undefined ? 'refused' : Number(answer)}\n`);
      });
    });
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new RegisterServer(listener);
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  [Symbol.dispose](): void {
    this.#listener.close();
  }
}
