import type { PostgresServer } from '../../fixtures/sql/postgres-server.ts';
import { JavaProgram } from '../java-program.ts';
import { SpringLock } from './spring.ts';

/** Which of Spring's tables: that of 6.5, or that of 7. */
export type Layout = 7 | 6;

/** Of one `JdbcLockRegistry`. */
export interface JdbcSettings {
  readonly prefix: string;
  readonly region: string;
  /** Of every lock of it, in milliseconds. */
  readonly timeToLive: number;
}

/** A JVM with several registries in one database, each of which is one owner of locks. */
export class SpringJdbc {
  readonly #program: JavaProgram;
  readonly #registries: readonly JdbcSettings[];
  #threads = 0;

  private constructor(program: JavaProgram, registries: readonly JdbcSettings[]) {
    this.#program = program;
    this.#registries = registries;
  }

  static async start(
    layout: Layout,
    { port, database: name, user, password }: PostgresServer,
    registries: readonly JdbcSettings[],
  ): Promise<SpringJdbc> {
    const database = { port, name, user, password };
    const plan = registries.map((settings) => ({ database, ...settings }));
    return new SpringJdbc(await JavaProgram.start(`spring-jdbc-${layout}`, plan), registries);
  }

  /** On a thread of its own. */
  lock(region: string, name: string): JdbcLock {
    this.#threads += 1;
    const client = this.#registries.findIndex((settings) => settings.region === region);
    return new JdbcLock(this.#program, { thread: `thread ${this.#threads}`, client, name });
  }

  kill(): Promise<void> {
    return this.#program.kill();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.kill();
  }
}

/** A lock of a registry, as one Java thread has it. */
export class JdbcLock extends SpringLock {
  readonly #program: JavaProgram;
  readonly #line: { readonly thread: string; readonly client: number };
  readonly #name: string;

  constructor(
    program: JavaProgram,
    line: { readonly thread: string; readonly client: number; readonly name: string },
  ) {
    super(program, line);
    const { name, ...registry } = line;
    this.#program = program;
    this.#line = registry;
    this.#name = name;
  }

  /** No client does it by itself over there: its holder asks its registry. */
  async renew(): Promise<void> {
    await this.#program.tell({ ...this.#line, method: 'renewLock', args: [this.#name] });
  }
}
