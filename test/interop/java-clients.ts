import type { JavaProgram } from './java-program.ts';

/** One Java thread, which is one owner of locks. It does one thing after the other. */
export class JavaThread {
  readonly #program: JavaProgram;
  readonly #line: { readonly thread: string; readonly client: number };

  constructor(program: JavaProgram, thread: string, client: number) {
    this.#program = program;
    this.#line = { thread, client };
  }

  /** Interrupts what it is doing. */
  async interrupt(): Promise<void> {
    await this.tell({ interrupt: true });
  }

  protected tell(line: object): Promise<unknown> {
    return this.#program.tell({ ...this.#line, ...line });
  }
}

/** A JVM with one or more clients of a library. `Thread` says what its threads can do. */
export abstract class JavaClients<Thread extends JavaThread> {
  readonly #program: JavaProgram;
  readonly #Thread: new (program: JavaProgram, thread: string, client: number) => Thread;
  #threads = 0;

  protected constructor(
    program: JavaProgram,
    Thread: new (program: JavaProgram, thread: string, client: number) => Thread,
  ) {
    this.#program = program;
    this.#Thread = Thread;
  }

  get log(): string {
    return this.#program.log;
  }

  /** A thread that nothing else uses, with one of the clients. */
  thread(client = 0): Thread {
    this.#threads += 1;
    return new this.#Thread(this.#program, `thread ${this.#threads}`, client);
  }

  pause(): Promise<void> {
    return this.#program.pause();
  }

  resume(): void {
    this.#program.resume();
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}
