import type { PostgresServer } from '../../fixtures/sql/postgres-server.ts';
import { JavaClients } from '../java-clients.ts';
import { JavaProgram } from '../java-program.ts';
import { SpringLock, SpringThread } from './spring.ts';

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
export class SpringJdbc extends JavaClients<SpringThread> {
  readonly #registries: readonly JdbcSettings[];

  private constructor(program: JavaProgram, registries: readonly JdbcSettings[]) {
    super(program, SpringThread);
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
    const client = this.#registries.findIndex((settings) => settings.region === region);
    return new JdbcLock(this.thread(client), name);
  }
}

/** A lock of a registry, as one Java thread has it. */
export class JdbcLock extends SpringLock {
  /** No client does it by itself over there: its holder asks its registry. */
  async renew(): Promise<void> {
    await this.thread.call('renewLock', [this.name]);
  }
}
