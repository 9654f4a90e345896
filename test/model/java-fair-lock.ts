import type { Facts } from '../../src/spi/rule.ts';
import { type FairLockState, type FairPlace, remembered, without } from './fair-lock-rule.ts';
import type { Sent } from './heard-messages.ts';
import type { Stepped } from './holding-kind.ts';
import type { JavaAction } from './holding-programs.ts';
import { holderOf, JAVA_COUNT } from './lock-kind.ts';
import { UNIT_MS } from './model-time.ts';
import type { ProgramWorld } from './program-world.ts';

type Done = Omit<Stepped<FairLockState, unknown>, 'answer'>;

const isJava = (owner: string | undefined): boolean => owner?.startsWith('java:') === true;

/** What RedissonFairLock does with a lock and its line, written with plain commands. */
class JavaFairLock {
  readonly #world: ProgramWorld;
  readonly #facts: Facts;
  readonly #given: FairLockState;

  constructor(world: ProgramWorld, state: FairLockState, facts: Facts) {
    this.#world = world;
    this.#facts = facts;
    this.#given = remembered(state, facts.now);
  }

  do({ turn, which, units }: JavaAction): Promise<Done> {
    const holder = holderOf(this.#given, this.#facts);
    const waiting = this.#given.line.filter(({ owner }) => isJava(owner));
    const one = waiting[which % Math.max(1, waiting.length)];
    if (turn <= 1 || one === undefined) {
      return isJava(holder?.owner) && turn > 2 ? this.#unlock() : this.#ask(units);
    }
    if (turn === 2) return this.#poll(one);
    if (turn === 3) return this.#leave(one);
    if (turn === 4 && isJava(holder?.owner)) return this.#unlock();
    return turn === 5 && this.#given.line[0] === one ? this.#loseDeadline(one) : this.#poll(one);
  }

  /** Java drops heads whose time is over, and leaves those behind as they are. */
  #purged(): readonly FairPlace[] {
    const gone = this.#given.line.findIndex(({ deadline = Infinity }) => deadline > this.#facts.now);
    return gone === -1 ? [] : this.#given.line.slice(gone);
  }

  async #ask(units: number): Promise<Done> {
    const line = this.#purged();
    const holder = holderOf(this.#given, this.#facts);
    const owner = `java:${this.#world.nextId()}`;
    if (holder === null && line.length === 0) return this.#takes(owner, units, line);
    const { now } = this.#facts;
    const leftMs = holder === null || holder.until === Infinity ? 0 : holder.until - now;
    const wait = units * UNIT_MS;
    const deadline = (line.at(-1)?.deadline ?? now + leftMs) + wait;
    return this.#with({ line: [...line, { owner, deadline, java: wait }] });
  }

  async #poll({ owner, java = 0 }: FairPlace): Promise<Done> {
    const line = this.#purged();
    const first = holderOf(this.#given, this.#facts) === null && line[0]?.owner === owner;
    return first ? this.#takes(owner, 2, without(line, 0, java)) : this.#with({ line });
  }

  async #takes(owner: string, units: number, line: readonly FairPlace[]): Promise<Done> {
    const { name } = this.#world;
    const until = this.#facts.now + units * UNIT_MS;
    await this.#world.command(name, 'HSET', owner, JAVA_COUNT);
    await this.#world.command(name, 'PEXPIRE', units * UNIT_MS);
    return this.#with({ line, holder: { owner, until, fence: this.#given.fence, fences: 1 } });
  }

  #leave(one: FairPlace): Promise<Done> {
    const { line } = this.#given;
    return this.#with({ line: without(line, line.indexOf(one), one.java ?? 0) });
  }

  async #unlock(): Promise<Done> {
    const { keys, name } = this.#world;
    const line = this.#purged();
    await this.#world.command(name, 'DEL');
    const [head] = line;
    if (head === undefined) return this.#with({ line, holder: null });
    const sent = { channel: `${keys.lockChannel(name)}:${head.owner}`, payload: '0' };
    await this.#world.publish(sent.channel, sent.payload);
    return this.#with({ line, holder: null }, [sent]);
  }

  /** Nothing in Java does this; an eviction does. */
  #loseDeadline(one: FairPlace): Promise<Done> {
    const line = this.#given.line.map((other) => (other === one ? { ...one, deadline: undefined } : other));
    return this.#with({ line });
  }

  /** Makes the list and the sorted set those of the new line. */
  async #with(
    change: Pick<FairLockState, 'line'> & Partial<Pick<FairLockState, 'holder'>>,
    sent: readonly Sent[] = [],
  ): Promise<Done> {
    const { keys, name } = this.#world;
    const [queue, deadlines] = [keys.fairQueue(name), keys.fairDeadlines(name)];
    const before = new Map(this.#given.line.map((one) => [one.owner, one]));
    const after = new Set(change.line.map(({ owner }) => owner));
    const { atMs } = await this.#world.stored();
    for (const { owner } of this.#given.line.filter((one) => !after.has(one.owner))) {
      await this.#world.command(queue, 'LREM', 0, owner);
      await this.#world.command(deadlines, 'ZREM', owner);
    }
    for (const { owner, deadline } of change.line) {
      const old = before.get(owner);
      if (old === undefined) {
        await this.#world.command(queue, 'RPUSH', owner);
        await this.#world.command(deadlines, 'ZADD', atMs + deadline! - this.#facts.now, owner);
      } else if (deadline === undefined) await this.#world.command(deadlines, 'ZREM', owner);
      else if (deadline !== old.deadline) {
        await this.#world.command(deadlines, 'ZINCRBY', deadline - old.deadline!, owner);
      }
    }
    return { state: { ...this.#given, ...change }, sent };
  }
}

export function javaFairLock(
  world: ProgramWorld,
  state: FairLockState,
  action: JavaAction,
  facts: Facts,
): Promise<Done> {
  return new JavaFairLock(world, state, facts).do(action);
}
