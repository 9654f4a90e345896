import fc from 'fast-check';
import { latchProtocol } from '../../src/engines/redis/locks/latch-protocol.ts';
import { latchRule } from '../../src/rules/latch.ts';
import { EngineError } from '../../src/spi/errors.ts';
import type { Facts, OwnerId } from '../../src/spi/rule.ts';
import { Difference, expectSame } from './difference.ts';
import { passes } from './holding-programs.ts';
import type { ModelStage } from './model-stage.ts';
import { type Copy, type Fate, FATES, isUnknown } from './program-driver.ts';
import { ProgramWorld } from './program-world.ts';
import { placeOf } from './script-sources.ts';

type Verb =
  | { readonly verb: 'trySetCount' | 'reset'; readonly count: number }
  | { readonly verb: 'countDown'; readonly by: number };

type LatchAction =
  | { readonly do: 'change'; readonly client: number; readonly change: Verb; readonly fate: Fate }
  | { readonly do: 'java'; readonly verb: 'trySetCount' | 'countDown' | 'delete'; readonly count: number }
  | { readonly do: 'deliver'; readonly which: number }
  | { readonly do: 'look'; readonly client: number }
  | { readonly do: 'pass'; readonly ms: number };

const named = <const T extends string>(...names: T[]) => fc.constantFrom(...names);
const client = fc.nat(2);
const count = fc.nat(4);

const change: fc.Arbitrary<Verb> = fc.oneof(
  fc.record({ verb: named('trySetCount', 'reset'), count }),
  fc.record({ verb: named('countDown'), by: fc.integer({ min: 1, max: 2 }) }),
  fc.record({ verb: named('countDown'), by: fc.constant(1) }),
);

const action: fc.Arbitrary<LatchAction> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: named('change'), client, change, fate: fc.constantFrom('fine', ...FATES) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: named('java'), verb: named('trySetCount', 'countDown', 'delete'), count }),
  },
  { weight: 4, arbitrary: fc.record({ do: named('deliver'), which: fc.nat(5) }) },
  { weight: 1, arbitrary: fc.record({ do: named('look'), client }) },
  { weight: 2, arbitrary: passes },
);

export type LatchProgram = readonly LatchAction[];

export const latchPrograms: fc.Arbitrary<LatchProgram> = fc.array(action, {
  minLength: 3,
  maxLength: 40,
  size: 'max',
});

/** One request, however many copies of it there are. */
interface Request {
  readonly change: Verb;
  isDone: boolean;
}

const FACTS: Facts = {
  now: 0,
  dead: { has: (_owner: OwnerId) => false, endsInMs: () => 0 },
  fenceFloor: 0,
  upMs: 0,
};

/** Runs a program on the server and by the latch's rule at the same time, and compares them after each step. */
class LatchRun {
  readonly #world: ProgramWorld;
  readonly #latches: readonly ReturnType<typeof latchProtocol>[];
  readonly #onTheWay = new Map<Copy, Request>();
  /** The number that is kept, which is not the same as the count: zero may be kept or not. */
  #kept: number | undefined;
  #round = 0;
  /** One of us has opened it, or closed it when it was open, in this step. */
  #turned = false;

  constructor(world: ProgramWorld) {
    this.#world = world;
    this.#latches = [0, 1, 2].map(() => latchProtocol(world.parts({ fencesKeptForEver: false })));
  }

  async run(program: LatchProgram): Promise<void> {
    for (const [at, one] of program.entries()) {
      try {
        await this.#do(one);
        const { keys, name } = this.#world;
        const stored = await this.#world.stored();
        expectSame('what is stored', stored.text(name), this.#kept?.toString());
        this.#compareRound(Number(stored.text(keys.latchRound(name)) ?? this.#round));
      } catch (error) {
        if (error instanceof Difference) error.message = `step ${at}, ${one.do}: ${error.message}`;
        throw error;
      }
    }
    await this.#world.end();
  }

  #compareRound(round: number): void {
    expectSame('whether it is another round', round > this.#round, this.#turned);
    if (!this.#turned) expectSame('the round', round, this.#round);
    this.#round = round;
    this.#turned = false;
  }

  async #do(one: LatchAction): Promise<void> {
    switch (one.do) {
      case 'change':
        return this.#change(one.client, { change: one.change, isDone: false }, one.fate);
      case 'java':
        return this.#java(one.verb, one.count);
      case 'deliver':
        return this.#deliver(one.which);
      case 'look': {
        const { count: found } = await this.#latches[one.client]!.look(this.#world.name);
        return expectSame('a look', found, this.#kept ?? 0);
      }
      case 'pass':
        return this.#world.pass(one.ms);
    }
  }

  async #change(at: number, request: Request, fate: Fate): Promise<void> {
    const { driver, name } = this.#world;
    driver.arm(fate);
    let outcome: unknown;
    try {
      outcome = await this.#ask(at, request.change, name);
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      outcome = 'unknown';
    }
    driver.arm('fine');
    for (const copy of driver.takeKept()) this.#onTheWay.set(copy, request);
    const answer = fate === 'unknown-pending' ? undefined : this.#once(request);
    expectSame('the answer', outcome, isUnknown(fate) ? 'unknown' : answer);
  }

  #ask(at: number, { verb, ...ask }: Verb, name: string): unknown {
    const latch = this.#latches[at]!;
    if (verb === 'countDown') return latch.countDown(name, ask as { by: number });
    return latch[verb](name, ask as { count: number });
  }

  /** What the rule says. A request counts once. */
  #once(request: Request): unknown {
    if (request.isDone) return undefined;
    request.isDone = true;
    const { change: asked } = request;
    const before = this.#kept;
    const state = before === undefined ? undefined : { count: before };
    if (asked.verb === 'countDown') {
      const { answer } = latchRule.verbs.countDown(state, { by: asked.by }, FACTS);
      this.#turned = before! > 0 && answer.count === 0;
      this.#keep(
        answer.count === 0 ? undefined : answer.count,
        before! > 0 && answer.count === 0 ? '0' : undefined,
      );
      return answer;
    }
    const { answer } = latchRule.verbs[asked.verb](state, { count: asked.count }, FACTS);
    this.#turned = 'set' in answer ? answer.set : (before ?? 0) > 0 !== asked.count > 0;
    if ('set' in answer ? answer.set : asked.count > 0) this.#keep(asked.count, '1');
    else if (!('set' in answer)) this.#keep(undefined, before === undefined ? undefined : '0');
    return answer;
  }

  #keep(kept: number | undefined, payload: string | undefined): void {
    this.#kept = kept;
    const { keys, name } = this.#world;
    if (payload !== undefined) this.#world.expectSent([{ channel: keys.latchChannel(name), payload }]);
  }

  async #deliver(which: number): Promise<void> {
    const copies = [...this.#onTheWay.keys()];
    const copy = copies[which % Math.max(1, copies.length)];
    if (copy === undefined) return;
    const limit = Number(copy.command[placeOf(copy.script, copy.command, 'notAfterMs')]);
    const isLate = this.#world.isLate(limit, (await this.#world.stored()).atMs);
    if (isLate === undefined) return;
    const request = this.#onTheWay.get(copy)!;
    this.#onTheWay.delete(copy);
    const reply = await this.#world.driver.deliver(copy);
    expectSame('whether a copy came too late', reply[0] === 'late', isLate);
    if (!isLate) this.#once(request);
  }

  /** What RCountDownLatch does, written with plain commands. */
  async #java(verb: 'trySetCount' | 'countDown' | 'delete', n: number): Promise<void> {
    const { keys, name } = this.#world;
    const before = this.#kept;
    const publish = (payload: string) => this.#world.publish(keys.latchChannel(name), payload);
    if (verb === 'trySetCount' && before === undefined) {
      await this.#world.command(name, 'SET', n);
      await publish('1');
      this.#keep(n, '1');
    } else if (verb === 'countDown' && before !== undefined && before > 1) {
      await this.#world.command(name, 'DECR');
      this.#keep(before - 1, undefined);
    } else if (verb !== 'trySetCount' && before !== undefined) {
      await this.#world.command(name, 'DEL');
      const payload = verb === 'delete' ? '1' : '0';
      // Zero that was kept goes to less than zero, and that is not published.
      const tells = verb === 'delete' || before === 1;
      if (tells) await publish(payload);
      this.#keep(undefined, tells ? payload : undefined);
    }
  }
}

export async function runLatch(
  stage: ModelStage,
  program: LatchProgram,
  instead?: ReadonlyMap<string, string>,
): Promise<void> {
  await new LatchRun(new ProgramWorld(stage, instead)).run(program);
}
