import assert from 'node:assert/strict';
import fc from 'fast-check';
import { barrierRule, type BarrierState } from '../../src/rules/barrier.ts';
import type { OwnerId, Wake } from '../../src/spi/rule.ts';
import type { Arrived, BarrierLook, BarrierVerbs, BreakReason } from '../../src/spi/verbs/barrier.ts';
import { clientOf, type Sessions, World } from './world.ts';

const INTEREST_MS = 30;

type Move =
  | { readonly do: 'arrive'; readonly client: number }
  | { readonly do: 'ask'; readonly which: number }
  | { readonly do: 'leave'; readonly which: number; readonly reason: 'timeout' | 'aborted' }
  | { readonly do: 'pass'; readonly ms: number }
  | { readonly do: 'stop' | 'end'; readonly client: number }
  | { readonly do: 'reset' | 'sweep' };

export interface BarrierProgram {
  readonly parties: number;
  readonly sessions: Sessions;
  readonly moves: readonly Move[];
}

const named = <const T extends string>(...names: T[]) => fc.constantFrom(...names);
const which = fc.nat(7);
const client = fc.nat(4);

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ do: named('arrive'), client }) },
  { weight: 8, arbitrary: fc.record({ do: named('ask'), which }) },
  { weight: 1, arbitrary: fc.record({ do: named('leave'), which, reason: named('timeout', 'aborted') }) },
  { weight: 4, arbitrary: fc.record({ do: named('pass'), ms: fc.integer({ min: 0, max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ do: named('stop', 'end'), client }) },
  { weight: 3, arbitrary: fc.record({ do: named('reset', 'sweep', 'sweep') }) },
);

/** Sessions live longer than an interest: a party that comes later then never ends before those who wait ask again. */
export const barrierPrograms: fc.Arbitrary<BarrierProgram> = fc.record({
  parties: fc.integer({ min: 1, max: 4 }),
  sessions: fc.constantFrom<Sessions>('unknown', { ttlMs: 35 }),
  moves: fc.array(move, { maxLength: 60, size: 'max' }),
});

/** What became of a generation; all its parties share it. The reason is known when the first of them has heard it. */
interface Fate {
  readonly generation: number;
  readonly at: number;
  readonly kind: 'tripped' | 'broken';
  reason: BreakReason | undefined;
}

interface Arrival {
  readonly owner: OwnerId;
  askedAt: number;
  asleepUntil: number;
  /** How many had arrived before it. */
  place: number;
  fate: Fate | undefined;
}

/** Runs a program beside a naive barrier, which remembers everything without end and believes only what it is given. */
class BarrierRun {
  readonly #world: World<BarrierState, BarrierVerbs, BarrierLook>;
  readonly #parties: number;
  readonly #gone = new Set<string>();
  readonly #lives = [0, 0, 0, 0, 0];
  #arrivals: readonly Arrival[] = [];
  #generation = 0;
  #broken: BreakReason | undefined;
  #owners = 0;

  constructor({ parties, sessions }: BarrierProgram) {
    this.#parties = parties;
    this.#world = new World(barrierRule, sessions);
    this.#world.heard = ({ wake }) => this.#wake(wake);
  }

  do(next: Move): void {
    switch (next.do) {
      case 'pass':
        this.#world.now += next.ms;
        return;
      case 'sweep':
        return this.#sweep();
      case 'reset':
        return this.#reset();
      case 'arrive':
        return this.#arrive(next.client);
      case 'stop':
      case 'end':
        return this.#die(next.do, next.client);
      case 'ask':
      case 'leave': {
        const able = this.#arrivals.filter(({ owner }) => !this.#gone.has(clientOf(owner)));
        const arrival = able[next.which % Math.max(1, able.length)];
        if (arrival === undefined) return;
        if (next.do === 'ask') this.#ask(arrival, false);
        else this.#leave(arrival, next.reason);
      }
    }
  }

  /** The client that sleeps would still have to wait. */
  checkSleepers(): void {
    for (const { owner, asleepUntil } of this.#arrivals) {
      if (asleepUntil <= this.#world.now || this.#gone.has(clientOf(owner))) continue;
      const { kind } = this.#world.peek('arrive', this.#asking(owner, false));
      assert.equal(kind, 'waiting', `${owner} sleeps although it is over`);
    }
  }

  #asking(owner: OwnerId, first: boolean) {
    return { owner, parties: this.#parties, interestMs: INTEREST_MS, first };
  }

  #waiting(): Arrival[] {
    return this.#arrivals.filter(({ fate }) => fate === undefined);
  }

  /** Whether a party may have gone: dead, or silent for so long that its interest may have lapsed. */
  #mayHaveGone({ owner, askedAt }: Arrival): boolean {
    return this.#world.isDead(owner) || this.#world.now >= askedAt + INTEREST_MS / 2;
  }

  #arrive(index: number): void {
    const owner = `client${index}.${this.#lives[index]}:${(this.#owners += 1)}`;
    const place = this.#waiting().length;
    const arrival: Arrival = { owner, askedAt: this.#world.now, asleepUntil: 0, place, fate: undefined };
    if (this.#broken !== undefined) {
      const answer = this.#world.step('arrive', this.#asking(owner, true));
      assert.deepEqual(answer, { kind: 'broken', generation: this.#generation, reason: this.#broken });
      return;
    }
    this.#ask(arrival, true);
  }

  #ask(arrival: Arrival, first: boolean): void {
    const waiting = this.#waiting();
    const answer = this.#world.step('arrive', this.#asking(arrival.owner, first));
    if (answer.kind === 'waiting') {
      assert.equal(arrival.fate, undefined, 'the client that has tripped or been broken does not wait');
      assert.equal(answer.generation, this.#generation);
      if (first) this.#arrivals = [...this.#arrivals, arrival];
      arrival.askedAt = this.#world.now;
      arrival.asleepUntil = this.#world.now + answer.againInMs;
    } else if (answer.kind === 'tripped' && arrival.fate === undefined) {
      assert(first, 'the last to arrive trips it');
      assert.equal(waiting.length + 1, this.#parties);
      const { now } = this.#world;
      const there = waiting.every(
        ({ owner, askedAt }) => now < askedAt + INTEREST_MS && !this.#world.isDead(owner),
      );
      assert(there, 'every client is there');
      this.#arrivals = [...this.#arrivals, arrival];
      this.#decide('tripped', undefined);
      this.#learn(arrival, answer);
    } else this.#learn(arrival, answer);
  }

  #leave(arrival: Arrival, reason: 'timeout' | 'aborted'): void {
    const answer = this.#world.step('leave', { owner: arrival.owner, reason });
    if (answer.kind === 'absent') assert(this.#mayBeForgotten(arrival));
    else {
      if (arrival.fate === undefined && answer.kind === 'broken')
        assert(['dead-party', reason].includes(answer.reason));
      this.#learn(arrival, answer);
    }
  }

  /**
   * The evidence is kept for an interest; the client that is away for longer learns that it was. Others may have found the
   * generation broken before this run heard of it, but not before the arrival asked last.
   */
  #mayBeForgotten({ fate, askedAt }: Arrival): boolean {
    return (
      fate !== undefined && this.#world.now >= (fate.kind === 'tripped' ? fate.at : askedAt) + INTEREST_MS
    );
  }

  #learn(arrival: Arrival, answer: Arrived): void {
    assert(answer.kind === 'tripped' || answer.kind === 'broken');
    arrival.asleepUntil = this.#world.now;
    if (answer.kind === 'broken' && arrival.fate === undefined) {
      if (answer.reason === 'dead-party') assert(this.#waiting().some((one) => this.#mayHaveGone(one)));
      this.#broken = answer.reason;
      this.#decide('broken', answer.reason);
    }
    const { fate, place } = arrival;
    if (fate === undefined) return;
    if (this.#mayBeForgotten(arrival) && answer.kind === 'broken' && answer.reason === 'dead-party') return;
    const { generation } = fate;
    if (answer.kind === 'broken') fate.reason ??= answer.reason;
    assert.deepEqual(
      answer,
      fate.kind === 'tripped'
        ? { kind: 'tripped', generation, index: this.#parties - 1 - place }
        : { kind: 'broken', generation, reason: fate.reason },
    );
  }

  #decide(kind: Fate['kind'], reason: BreakReason | undefined): void {
    const fate: Fate = { generation: this.#generation, at: this.#world.now, kind, reason };
    for (const arrival of this.#waiting()) arrival.fate = fate;
    if (kind === 'tripped') this.#generation += 1;
  }

  #reset(): void {
    const isUsed = this.#world.state !== undefined;
    const { generation } = this.#world.step('reset', {});
    if (!isUsed) return;
    this.#decide('broken', this.#waiting().some((one) => this.#mayHaveGone(one)) ? undefined : 'reset');
    this.#broken = undefined;
    this.#generation += 1;
    assert.equal(generation, this.#generation);
  }

  #sweep(): void {
    if (!this.#world.sweep()) return;
    assert.equal(this.#broken, undefined);
    assert.deepEqual(this.#waiting(), [], 'no client waits');
    this.#generation = 0;
  }

  #die(how: 'stop' | 'end', index: number): void {
    const name = `client${index}.${this.#lives[index]}`;
    this.#gone.add(name);
    this.#world[how](name);
    this.#lives[index]! += 1;
    if (how === 'end') this.#wake('anyone');
  }

  #wake(wake: Wake): void {
    for (const arrival of this.#arrivals) {
      const isMeant = wake === 'anyone' || (wake !== 'none' && wake.includes(arrival.owner));
      if (isMeant) arrival.asleepUntil = this.#world.now;
    }
  }
}

export function runBarrier(program: BarrierProgram): void {
  const run = new BarrierRun(program);
  for (const next of program.moves) {
    run.do(next);
    run.checkSleepers();
  }
}
