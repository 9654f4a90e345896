import type { Program } from '../faults/redis/program.ts';

/** A post of a mixed fleet, which one process takes after the other. */
export interface Post {
  readonly isDone: boolean;
  /** Why its process ended, if that was no kill. */
  readonly failure: unknown;
  /** Kills its process, without a word to any client, and starts another one in its place. */
  replace(): Promise<void>;
  end(): Promise<void>;
}

export class NodePost implements Post {
  readonly #start: () => Program;
  #program: Program;

  constructor(start: () => Program) {
    this.#start = start;
    this.#program = start();
  }

  get isDone(): boolean {
    return this.#program.facts.some(({ what }) => what === 'done');
  }

  get failure(): unknown {
    return this.#program.isAlive ? undefined : new Error('A Node process ended by itself.');
  }

  async replace(): Promise<void> {
    await this.#program.kill();
    this.#program = this.#start();
  }

  end(): Promise<void> {
    return this.#program.kill();
  }
}

/** How the JVM of a post starts, and what each of its workers does there until it is done. */
export interface JavaWork<Java extends { kill(): Promise<void> }> {
  readonly workers: number;
  start(): Promise<Java>;
  work(java: Java, worker: number): Promise<unknown>;
}

export class JavaPost<Java extends { kill(): Promise<void> }> implements Post {
  readonly #job: JavaWork<Java>;
  #java: Java | undefined;
  #done = 0;
  failure: unknown;

  private constructor(job: JavaWork<Java>) {
    this.#job = job;
  }

  static async open<Java extends { kill(): Promise<void> }>(job: JavaWork<Java>): Promise<JavaPost<Java>> {
    const post = new JavaPost(job);
    await post.#start();
    return post;
  }

  get isDone(): boolean {
    return this.#done === this.#job.workers;
  }

  async replace(): Promise<void> {
    await this.end();
    await this.#start();
  }

  async end(): Promise<void> {
    const java = this.#java;
    this.#java = undefined;
    await java?.kill();
  }

  async #start(): Promise<void> {
    const java = await this.#job.start();
    this.#java = java;
    this.#done = 0;
    for (let worker = 0; worker < this.#job.workers; worker += 1) void this.#work(java, worker);
  }

  /** A worker of a JVM that was replaced meanwhile counts no more, neither as done nor as failed. */
  async #work(java: Java, worker: number): Promise<void> {
    try {
      await this.#job.work(java, worker);
      if (java === this.#java) this.#done += 1;
    } catch (error) {
      if (java === this.#java) this.failure = error;
    }
  }
}
