import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ServerProcess } from '../../fixtures/processes/server-process.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

/** What a program has told: one line of JSON each, see programs/tell.ts. */
export interface Fact {
  readonly what: string;
  /** When it was reported, by the clock that all processes of a machine share. */
  readonly atMs: number;
  readonly [detail: string]: unknown;
}

const built = new URL('../../../.build/programs/test/faults/redis/programs/', import.meta.url);
const SOURCES = /[\\/]programs[\\/]test[\\/]faults[\\/]/;

/** Starts one of the programs beside this file as a process of its own. `plan` is what it is to do. */
export function startProgram(name: string, plan: object): Program {
  const file = fileURLToPath(new URL(`${name}.js`, built));
  if (!existsSync(file)) {
    const shown = file.replace(SOURCES, '/…/');
    throw new Error(`${shown} is not there. \`npm test\` builds it before it runs the tests.`);
  }
  return new Program(name, [file, JSON.stringify(plan)]);
}

/** Another process that uses the library: it can be killed and stopped as no part of this process can. */
export class Program {
  readonly #name: string;
  readonly #process: ServerProcess;

  constructor(name: string, argv: readonly string[], binary = process.execPath) {
    this.#name = name;
    this.#process = new ServerProcess({ binary, argv, readyLine: /^/ });
  }

  /** In the order of telling. */
  get facts(): readonly Fact[] {
    return this.#process.log.split('\n').flatMap(factOf);
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /** The first such fact. A program that has ended without telling it never will. */
  async fact(what: string, deadlineMs?: number): Promise<Fact> {
    const find = (): Fact | undefined => this.facts.find((fact) => fact.what === what);
    await waitFor(`${this.#name} tells "${what}"`, () => find() ?? !this.isAlive, deadlineMs);
    const fact = find();
    if (fact === undefined)
      throw new Error(`${this.#name} ended without telling "${what}":\n${this.#process.log}`);
    return fact;
  }

  pause(): Promise<void> {
    return this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
  }

  /** As the kernel does it when memory is short: no code of the program runs again. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  /** Asks it to end, and gives what it told last. One that was ended by an error of its own fails the test. */
  async end(): Promise<Fact> {
    if (!this.isAlive) throw new Error(`${this.#name} has ended by itself:\n${this.#process.log}`);
    await this.#process.terminate();
    const last = this.facts.at(-1);
    if (last?.what !== 'ended') throw new Error(`${this.#name} did not end well:\n${this.#process.log}`);
    return last;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#process.kill();
  }
}

function factOf(line: string): Fact[] {
  try {
    return line.startsWith('{') ? [JSON.parse(line) as Fact] : [];
  } catch {
    // Not all of the line has arrived.
    return [];
  }
}
