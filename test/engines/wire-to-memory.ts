import type { Clock } from '../../src/spi/clock.ts';
import type { SessionStore } from '../../src/spi/engine/cells.ts';
import { once } from '../../src/kernels/cells/at-most-once.ts';
import type { CellCall, CellReply, Wire } from '../../src/kernels/cells/wire.ts';
import { ruleBook } from '../../src/kernels/cells/rule-book.ts';
import type { Decide, OwnerId, Rule, Verbs } from '../../src/spi/rule.ts';
import type { Unwatch } from '../../src/spi/engine/protocol.ts';
import type { MemoryLink } from './memory-link.ts';

type AnyRule = Rule<unknown, Verbs, unknown>;

const rules = new Map(
  Object.entries(ruleBook).map(([kind, rule]) => [
    kind,
    once(rule as unknown as AnyRule) as unknown as AnyRule,
  ]),
);

function copied<T>(value: T): T {
  return value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T);
}

/**
 * A store in this process as if it were elsewhere: everything that goes there or comes back is JSON and takes its time,
 * and a reply can get lost.
 */
export class WireToMemory implements Wire, SessionStore {
  readonly #link: MemoryLink;
  readonly #clock: Clock;
  readonly #latencyMs: number;
  #losing = false;
  #silent = false;

  constructor(link: MemoryLink, clock: Clock, latencyMs: number) {
    this.#link = link;
    this.#clock = clock;
    this.#latencyMs = latencyMs;
  }

  loseNextReply(): void {
    this.#losing = true;
  }

  /** Nothing that is sent from now on arrives, until what this returns is called. */
  silence(): () => void {
    this.#silent = true;
    return () => {
      this.#silent = false;
    };
  }

  async send(call: CellCall): Promise<CellReply> {
    const { kind, name, verb, ...rest } = copied(call);
    await this.#travel();
    const rule = ruleOf(kind);
    const decide = rule.verbs[verb] as unknown as Decide<unknown, object, CellReply['outcome']>;
    const outcome = this.#link.cells(kind, rule).update(name, decide, rest);
    if (this.#losing) {
      this.#losing = false;
      return new Promise<never>(() => undefined);
    }
    const now = this.#clock.epochNow();
    await this.#travel();
    return copied({ now, outcome });
  }

  async look(kind: string, name: string): Promise<{ readonly now: number; readonly look: unknown }> {
    await this.#travel();
    const rule = ruleOf(kind);
    const look = copied(await this.#link.cells(kind, rule).read(name, rule.look));
    const now = this.#clock.epochNow();
    await this.#travel();
    return { now, look };
  }

  async beat(client: string, ttlMs: number): Promise<'alive' | 'ended'> {
    await this.#travel();
    const answer = this.#link.beat(client, ttlMs);
    await this.#travel();
    return answer;
  }

  async end(client: string): Promise<void> {
    await this.#travel();
    this.#link.end(client);
    await this.#travel();
  }

  async time(): Promise<number> {
    await this.#travel();
    return this.#clock.epochNow();
  }

  async watch(kind: string, name: string, owner: OwnerId, heard: () => void): Promise<Unwatch> {
    await this.#travel();
    const call = () => void this.#travel().then(() => (this.#link.dead ? undefined : heard()));
    return this.#link.cells(kind, ruleOf(kind)).watch(name, owner, call);
  }

  async #travel(): Promise<void> {
    if (this.#latencyMs > 0) {
      await new Promise<void>((resolve) => {
        this.#clock.timer(this.#latencyMs, resolve);
      });
    }
    if (this.#link.dead || this.#silent) await new Promise<never>(() => undefined);
  }
}

function ruleOf(kind: string): AnyRule {
  const rule = rules.get(kind);
  if (rule === undefined) throw new Error(`There is no kind ${kind}.`);
  return rule;
}
