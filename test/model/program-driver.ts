import type {
  CommandOutcome,
  RedisDriver,
  RedisNode,
  Reply,
  Subscriber,
} from '../../src/engines/redis/driver.ts';
import { calledBy, placeOf, type ScriptSource } from './script-sources.ts';

/**
 * What becomes of a request. All goes well; or it is carried out and its answer is lost, or it is overtaken by the one
 * that is sent after it, and is still on its way then; or no later copy is carried out either, and the caller never
 * learns whether the first one was carried out or is still on its way.
 *
 * The client gives up an `unknown-done` request because no copy is answered for twice the time-out of a command. By then
 * every copy is past its limit. An `unknown-pending` request therefore ends sooner, or its first copy would always be too
 * late to do harm: the server refuses the second copy for lack of memory, and the client does not repeat it.
 */
export const FATES = ['fine', 'answer-lost', 'overtaken', 'unknown-done', 'unknown-pending'] as const;
export type Fate = (typeof FATES)[number];

export function isUnknown(fate: Fate): boolean {
  return fate.startsWith('unknown');
}

/** A request that was carried out, and when. */
export interface Executed {
  readonly script: string;
  readonly reply: readonly Reply[];
  readonly programNow: number;
}

/** A request on its way. */
export interface Copy {
  readonly script: ScriptSource;
  readonly key: string;
  readonly command: readonly string[];
}

export interface ProgramDriverOptions {
  readonly inner: RedisDriver;
  /** The digests of scripts that are called instead of those of the engine, by their names. */
  readonly instead: ReadonlyMap<string, string>;
  readonly programNow: () => number;
  /** A copy of a request was not answered: the client is about to wait before it sends another or gives up. */
  readonly unanswered: () => void;
}

const CLOSED = 'Connection is closed.';
const OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

/** The wire of one program: it decides what becomes of each request, and shows the server's clock moved on. */
export class ProgramDriver implements RedisDriver {
  readonly client = 'node-redis';
  readonly topology = 'single';
  /** Every key that a script was called with. */
  readonly keys = new Set<string>();
  /** How much time has passed in the program beyond that of the server. */
  movedMs = 0;
  readonly #options: ProgramDriverOptions;
  /** Whom the last request was for. */
  owner = '';
  #fate: Fate = 'fine';
  #sent = 0;
  #executed: Executed[] = [];
  #kept: Copy[] = [];
  #underWay = 0;

  constructor(options: ProgramDriverOptions) {
    this.#options = options;
  }

  /** The copies that were sent since the last time this was asked, and are still on their way. */
  takeKept(): readonly Copy[] {
    const kept = this.#kept;
    this.#kept = [];
    return kept;
  }

  /** Decides what becomes of the next request, all its copies together. */
  arm(fate: Fate): void {
    this.#fate = fate;
    this.#sent = 0;
    this.#executed = [];
  }

  /** What was carried out since then, when nothing more is under way: some requests are made in the background. */
  async executed(): Promise<readonly Executed[]> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (this.#underWay > 0);
    return this.#executed;
  }

  send(key: string, command: readonly string[]): Promise<Reply> {
    const script = calledBy(command);
    if (script === undefined) return this.#options.inner.send(key, command);
    for (const one of command.slice(3, 3 + Number(command[2]))) this.keys.add(one);
    const owner = placeOf(script, command, 'owner');
    if (owner !== -1) this.owner = command[owner]!;
    return this.#counted(this.#meet({ script, key, command }));
  }

  async sendTogether(
    key: string,
    commands: readonly (readonly string[])[],
  ): Promise<readonly CommandOutcome[]> {
    return this.#options.inner.sendTogether(key, commands);
  }

  /** A copy arrives. */
  async deliver({ script, key, command }: Copy): Promise<readonly Reply[]> {
    const { inner, instead, programNow } = this.#options;
    const words = [...command];
    words[1] = instead.get(script.name) ?? script.sha;
    const limit = placeOf(script, command, 'notAfterMs');
    if (limit !== -1) words[limit] = String(Number(words[limit]) - this.movedMs);
    const reply = listOf(script, command, await inner.send(key, words));
    this.#executed.push({ script: script.name, reply, programNow: programNow() });
    if (limit !== -1) return reply.with(1, Number(reply[1]) + this.movedMs);
    return script.name === 'server-time' ? [Number(reply[0]) + this.movedMs] : reply;
  }

  nodeOf(key: string): string {
    return this.#options.inner.nodeOf(key);
  }

  findMasters(): Promise<readonly RedisNode[]> {
    return this.#options.inner.findMasters();
  }

  openSubscriber(): Promise<Subscriber> {
    throw new Error('No client listens in a program.');
  }

  duplicate(): Promise<RedisDriver> {
    throw new Error('A program has one wire.');
  }

  onError(): () => void {
    return () => undefined;
  }

  onReconnect(): () => void {
    return () => undefined;
  }

  async close(): Promise<void> {}

  async #counted<T>(work: Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await work;
    } finally {
      this.#underWay--;
    }
  }

  async #meet(copy: Copy): Promise<readonly Reply[]> {
    const fate = this.#fate;
    if (fate === 'fine' || copy.script.name === 'server-time') return this.deliver(copy);
    this.#sent++;
    if (this.#sent === 1) {
      if (fate === 'overtaken' || fate === 'unknown-pending') this.#kept.push(copy);
      else await this.deliver(copy);
    } else {
      if (!isUnknown(fate)) return this.deliver(copy);
      if (fate === 'unknown-pending') throw new Error(OUT_OF_MEMORY);
    }
    this.#options.unanswered();
    throw new Error(CLOSED);
  }
}

/** An answer of one number stands for a list, in which the time can be moved. The engine takes either. */
function listOf(script: ScriptSource, command: readonly string[], reply: Reply): readonly Reply[] {
  if (typeof reply !== 'number') return reply as readonly Reply[];
  if (script.name !== 'lock-acquire') return ['released', reply];
  const leaseMs = Number(command[placeOf(script, command, 'leaseMs')]);
  return ['granted', Math.floor(reply / 1000), leaseMs, reply];
}
