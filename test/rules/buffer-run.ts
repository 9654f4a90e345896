import assert from 'node:assert/strict';
import fc from 'fast-check';
import { monitorRule, type MonitorState } from '../../src/rules/monitor.ts';
import type { OwnerId, Wake } from '../../src/spi/rule.ts';
import type { EnterAsk, Entered, MonitorLook, MonitorVerbs } from '../../src/spi/verbs/monitor.ts';
import { type Sessions, World } from './world.ts';

const INTEREST_MS = 30;

/** It is a good name for a condition: nothing may take it for a key of an object. */
const NOT_EMPTY = '__proto__';

type Move =
  | { readonly do: 'act' | 'give up waiting' | 'leave' | 'stop' | 'end'; readonly actor: number }
  | { readonly do: 'pass'; readonly ms: number };

export interface BufferProgram {
  readonly producers: number;
  readonly consumers: number;
  readonly sessions: Sessions;
  readonly moves: readonly Move[];
}

const count = fc.integer({ min: 1, max: 3 });
const actor = fc.nat(5);
const named = <const T extends string>(...names: T[]) => fc.constantFrom(...names);

export const bufferPrograms: fc.Arbitrary<BufferProgram> = fc.record({
  producers: count,
  consumers: count,
  sessions: fc.constantFrom<Sessions>('unknown', { ttlMs: 8 }, { ttlMs: 25 }),
  moves: fc.array(
    fc.oneof(
      { weight: 14, arbitrary: fc.record({ do: named('act'), actor }) },
      { weight: 2, arbitrary: fc.record({ do: named('give up waiting', 'leave'), actor }) },
      { weight: 1, arbitrary: fc.record({ do: named('stop', 'end'), actor }) },
      { weight: 4, arbitrary: fc.record({ do: named('pass'), ms: fc.integer({ min: 0, max: 9 }) }) },
    ),
    { minLength: 5, maxLength: 60, size: 'max' },
  ),
});

interface Actor {
  readonly produces: boolean;
  readonly owner: OwnerId;
  readonly phase: 'out' | 'entering' | 'waiting' | 'in';
  readonly askedAt: number;
  readonly gaveUp: boolean;
  /** Whether it was silent for so long that its place on the condition may have lapsed. */
  readonly wasAway: boolean;
  /** Whether its last answer found it in the line to enter, and not on the condition. */
  readonly inLine: boolean;
  asleepUntil: number;
}

/**
 * Producers and consumers of one buffer, the example for which monitors were invented: a signal that is lost leaves an
 * item in the buffer and a consumer asleep beside it. The client that is in the monitor finishes; all others may die, be slow,
 * time out or leave.
 */
class BufferRun {
  readonly #world: World<MonitorState, MonitorVerbs, MonitorLook>;
  readonly #actors: Actor[];
  #items = 0;
  #owners = 0;
  #highest = 0;

  constructor({ producers, consumers, sessions }: BufferProgram) {
    this.#world = new World(monitorRule, sessions);
    this.#world.heard = ({ wake }) => this.#wake(wake);
    this.#actors = Array.from({ length: producers + consumers }, (_, index) =>
      this.#newcomer(index < producers),
    );
  }

  do(move: Move): void {
    if (move.do === 'pass') {
      this.#world.now += move.ms;
      return;
    }
    const at = move.actor % this.#actors.length;
    const one = this.#actors[at]!;
    if (move.do === 'act') this.#actors[at] = this.#act(one);
    else if (one.phase === 'in' || one.phase === 'out') return;
    else if (move.do === 'give up waiting') this.#actors[at] = this.#enter({ ...one, gaveUp: true });
    else {
      this.#actors[at] = this.#newcomer(one.produces);
      if (move.do === 'leave') this.#world.step('release', { owner: one.owner });
      else this.#world[move.do](one.owner.replace(/:.*/, ''));
      if (move.do === 'end') this.#wake('anyone');
    }
  }

  check(): void {
    const { state, now } = this.#world;
    if (state === undefined) return;
    for (const one of this.#actors) {
      if (one.asleepUntil <= now) continue;
      const isNext = state.holder === null && state.entry[0]?.owner === one.owner;
      assert(!isNext, `${one.owner} sleeps at the head of the line of an empty monitor`);
      const answer = this.#world.peek('acquire', this.#asking(one));
      assert(!one.inLine || answer.kind === 'busy', `${one.owner} sleeps in line although it could enter`);
    }
    // The record as the next step will find it.
    const settled = monitorRule.verbs.release(state, { owner: 'nobody:0' }, this.#world.facts()).state!;
    const signalled = settled.entry.filter((entrant) => entrant.signalled !== null).length;
    if (settled.conditions.length > 0) {
      const bearers = signalled + (settled.holder === null ? 0 : 1);
      assert(this.#items <= bearers, 'for each item a client has been signalled');
    }
  }

  #newcomer(produces: boolean): Actor {
    const id = (this.#owners += 1);
    return {
      produces,
      owner: `client${id}:1`,
      phase: 'out',
      askedAt: 0,
      gaveUp: false,
      wasAway: false,
      inLine: false,
      asleepUntil: 0,
    };
  }

  #asking({ owner, gaveUp }: Actor): EnterAsk {
    const ask = { owner, leaseMs: 100_000, interestMs: INTEREST_MS, wait: true, initial: 0 };
    return gaveUp ? { ...ask, stopWaiting: true } : ask;
  }

  #act(one: Actor): Actor {
    if (one.phase !== 'in') return this.#enter(one);
    const { owner, produces } = one;
    if (!produces && this.#items === 0) {
      const ask = { owner, condition: NOT_EMPTY, interestMs: INTEREST_MS, signals: [] };
      assert.equal(this.#world.step('wait', ask).kind, 'waiting');
      return { ...one, phase: 'waiting', askedAt: this.#world.now, gaveUp: false, wasAway: false };
    }
    this.#items += produces ? 1 : -1;
    const signals = produces ? [{ condition: NOT_EMPTY, all: this.#items % 3 === 0 }] : [];
    assert.equal(this.#world.step('exit', { owner, write: { value: this.#items }, signals }).kind, 'left');
    return this.#newcomer(produces);
  }

  #enter(before: Actor): Actor {
    const { now } = this.#world;
    const one = { ...before, wasAway: before.wasAway || now >= before.askedAt + INTEREST_MS / 2 };
    const answer = this.#world.step('acquire', this.#asking(one));
    if (answer.kind === 'granted') {
      this.#checkEntered(one, answer);
      return { ...one, phase: 'in', asleepUntil: 0 };
    }
    assert(answer.againInMs > 0 && answer.againInMs <= INTEREST_MS / 3);
    const inLine = this.#world.state?.entry.some(({ owner }) => owner === one.owner) ?? false;
    const phase = one.phase === 'out' ? 'entering' : one.phase;
    return { ...one, phase, inLine, askedAt: now, asleepUntil: now + answer.againInMs };
  }

  #checkEntered({ phase, wasAway, gaveUp }: Actor, { fence, value, signalled }: Entered): void {
    assert(!this.#actors.some((other) => other.phase === 'in'), 'one at a time');
    assert.equal(value, this.#items, 'what was last written');
    assert(fence > this.#highest);
    this.#highest = fence;
    assert(!signalled || phase === 'waiting');
    // It has been let in without a signal: it wanted to be, or it was away until its place on the condition lapsed.
    assert(phase !== 'waiting' || signalled || gaveUp || wasAway, 'entered without a signal');
  }

  #wake(wake: Wake): void {
    for (const one of this.#actors) {
      const isMeant = wake === 'anyone' || (wake !== 'none' && wake.includes(one.owner));
      if (isMeant) one.asleepUntil = this.#world.now;
    }
  }
}

export function runBuffer(program: BufferProgram): void {
  const run = new BufferRun(program);
  for (const move of program.moves) {
    run.do(move);
    run.check();
  }
}
