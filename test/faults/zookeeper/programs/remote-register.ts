import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** A register that the test serves; see ../register-server.ts. Requests are answered in their order. */
export class RemoteRegister {
  readonly #socket: Socket;
  readonly #waiting: ((answer: string) => void)[] = [];

  private constructor(socket: Socket) {
    this.#socket = socket;
    createInterface({ input: socket }).on('line', (line) => this.#waiting.shift()?.(line));
  }

  static async open(port: number): Promise<RemoteRegister> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new RemoteRegister(socket);
  }

  /** Undefined if the fence is refused. */
  async read(fence: bigint): Promise<number | undefined> {
    const answer = await this.#ask(String(fence));
    return answer === 'refused' ? undefined : Number(answer);
  }

  async write(fence: bigint, value: number): Promise<boolean> {
    return (await this.#ask(`${fence} ${value}`)) !== 'refused';
  }

  close(): void {
    this.#socket.destroy();
  }

  #ask(line: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#socket.write(`${line}\n`);
    });
  }
}
