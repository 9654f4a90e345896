import { expect } from 'vitest';
import type { OwnerIds } from '../../src/core/reentry/owner.ts';
import type { Reply } from '../../src/engines/redis/driver.ts';
import { EngineError } from '../../src/spi/errors.ts';
import type { MaybeAsync } from '../../src/spi/maybe-async.ts';
import type { AcquireAsk, Busy, Released } from '../../src/spi/verbs/holding.ts';
import { type Acquisition, type Answer, begun, kindOf, type Outcome, type Request } from './acquisition.ts';
import { ClientLines } from './client-lines.ts';
import { ComparedState } from './compared-state.ts';
import { Difference, expectSame } from './difference.ts';
import type { Fenced, HoldingFace, HoldingKind, HoldingVerbs } from './holding-kind.ts';
import type { HoldingAction, HoldingProgram } from './holding-programs.ts';
import type { ModelStage } from './model-stage.ts';
import { COMMAND_TIMEOUT_MS, UNIT_MS } from './model-time.ts';
import { type Copy, type Executed, type Fate, isUnknown } from './program-driver.ts';
import { ProgramWorld } from './program-world.ts';
import { placeOf } from './script-sources.ts';

/** How many copies of a request are carried out by the time that its caller hears of it. */
const CARRIED_OUT: Readonly<Record<Fate, number>> = {
  fine: 1,
  'answer-lost': 2,
  overtaken: 1,
  'unknown-done': 1,
  'unknown-pending': 0,
};

const CLIENTS = 3;
/** When a client asks again that may have been let in by a copy: a quarter of the time that marks are kept for. */
const SOON_MS = (2 * COMMAND_TIMEOUT_MS + 1000) / 4;

/** Runs a program on the server and in the model at the same time, and compares them after each step. */
class HoldingRun<S extends Fenced, Ask extends AcquireAsk> {
  readonly #kind: HoldingKind<S, Ask>;
  readonly #world: ProgramWorld;
  readonly #verbs: HoldingVerbs<S, Ask>;
  readonly #faces: readonly HoldingFace<Ask>[];
  readonly #nextOwner: readonly (() => string)[];
  readonly #lines = new ClientLines(CLIENTS);
  readonly #state: ComparedState<S, Ask>;
  readonly #acquisitions: Acquisition<Ask>[] = [];
  /** The copies that are on their way, and which request they belong to. */
  readonly #onTheWay = new Map<Copy, Request<Ask>>();

  constructor(kind: HoldingKind<S, Ask>, program: HoldingProgram, world: ProgramWorld) {
    this.#kind = kind;
    this.#world = world;
    this.#verbs = kind.rule(world);
    this.#state = new ComparedState(kind, world, program);
    const parts = Array.from({ length: CLIENTS }, () => world.parts(program));
    this.#faces = parts.map((one) => kind.protocol(one));
    this.#nextOwner = parts.map(
      ({ client }, at) => this.#faces[at]?.traits.newOwner ?? (() => client.ids.next()),
    );
    for (const { client } of parts) this.#watchIds(client.ids);
  }

  /** A key that scripts make up for an id must be known before it is there. */
  #watchIds(ids: OwnerIds): void {
    const next = ids.next.bind(ids);
    ids.next = () => {
      const id = next();
      for (const key of this.#kind.keysOf?.(id, this.#world) ?? []) this.#world.driver.keys.add(key);
      return id;
    };
  }

  async run(actions: readonly HoldingAction[]): Promise<void> {
    await this.#state.begin();
    for (const [at, action] of actions.entries()) {
      try {
        await this.#do(action);
        this.#state.compare();
      } catch (error) {
        if (error instanceof Difference) error.message = `step ${at}, ${action.do}: ${error.message}`;
        throw error;
      }
    }
    await this.#world.end();
  }

  async #do(action: HoldingAction): Promise<void> {
    switch (action.do) {
      case 'begin':
        return this.#begin(action);
      case 'ask': {
        const one = this.#pick(action.which, (other) => this.#mayAskAgain(other));
        return one === undefined ? this.#look(action.which) : this.#acquire(one, action.fate, action.after);
      }
      case 'release': {
        const one = this.#pick(action.which);
        return one === undefined ? this.#look(action.which) : this.#release(one, action.fate);
      }
      case 'renew':
        return this.#renew(action);
      case 'force':
        return this.#force(action);
      case 'raise':
        return this.#raise(action);
      case 'deliver':
        return this.#deliver(action.which);
      case 'look':
        return this.#look(action.client);
      case 'pass':
        return this.#pass(action.ms);
      case 'java': {
        const { current } = this.#state;
        const done = await this.#kind.java(this.#world, current, action, this.#state.facts());
        this.#state.step({ ...done, answer: undefined });
        return this.#state.look();
      }
    }
  }

  /**
   * No client asks again who has given it back; nor, where the store knows no owners, who has it; nor who would not wait: the
   * core asks once for it, and whatever it does not hear of is given back. One that was asked for a second time, and is
   * refused because others of its process have come to stand in line, would leave a copy behind that no client withdraws, and
   * the client could not withdraw it, for it may as well have been granted.
   */
  #mayAskAgain({ left, unanswered, granted, ask }: Acquisition<Ask>): boolean {
    return ask.wait && !left && !unanswered && !(granted && this.#kind.ownerless);
  }

  async #pass(ms: number): Promise<void> {
    const isDoubtful = ({ left, unanswered, granted, doubtful }: Acquisition<Ask>): boolean =>
      doubtful && !left && !unanswered && !granted;
    // Before much time has passed each of them has asked again.
    for (const one of this.#acquisitions.filter(isDoubtful)) await this.#acquire(one, 'fine', 'fine');
    await this.#world.pass(ms);
    return this.#state.look();
  }

  /** The protocol knows no other: a second read under a write has taken the place of the first. */
  #latest(ask: Ask): Acquisition<Ask> | undefined {
    return this.#acquisitions.findLast((one) => this.#kind.id(one.ask) === this.#kind.id(ask));
  }

  #pick(which: number, can: (one: Acquisition<Ask>) => boolean = () => true): Acquisition<Ask> | undefined {
    const able = this.#acquisitions.filter((one) => can(one) && this.#latest(one.ask) === one);
    return able[able.length - 1 - (which % Math.max(1, able.length))];
  }

  /** Calls the protocol; what was carried out on the way, by this call and in its wake. */
  async #call(
    fate: Fate,
    what: Request<Ask>,
    call: () => MaybeAsync<unknown>,
  ): Promise<{ readonly outcome: Outcome; readonly executed: readonly Executed[] }> {
    const { driver } = this.#world;
    driver.arm(fate);
    let outcome: Outcome;
    try {
      outcome = { answer: await call() };
    } catch (error) {
      outcome = { error };
    }
    const executed = await driver.executed();
    driver.arm('fine');
    for (const copy of driver.takeKept()) this.#onTheWay.set(copy, what);
    await this.#state.look();
    return { outcome, executed: executed.filter(({ script }) => script !== 'server-time') };
  }

  #begin(action: HoldingAction & { readonly do: 'begin' }): Promise<void> {
    const { client, wish } = action;
    const under = this.#kind.under;
    const held = this.#pick(0, (one) => one.client === client && one.granted && !one.left);
    const below =
      wish.under && held !== undefined ? under?.(held.ask, wish, this.#nextOwner[client]!()) : undefined;
    const ask = below ?? this.#kind.ask(this.#nextOwner[client]!(), wish);
    // Under a write one can read again and again.
    const latest = this.#latest(ask);
    const isAnother = latest === undefined || (below !== undefined && latest.left && !latest.unanswered);
    if (!isAnother && !this.#mayAskAgain(latest)) return this.#look(client);
    const acquisition = isAnother ? begun(client, ask) : latest;
    if (isAnother) this.#acquisitions.push(acquisition);
    return this.#acquire(acquisition, action.fate, action.after);
  }

  async #acquire(acquisition: Acquisition<Ask>, fate: Fate, after: Fate): Promise<void> {
    const { client, ask } = acquisition;
    const { name } = this.#world;
    const mayAsk = !this.#kind.linesUp(ask) || this.#lines.mayAsk(client, ask.owner, ask.wait);
    const { outcome, executed } = await this.#call(fate, { do: 'acquire', by: acquisition }, () =>
      this.#faces[client]!.acquire(name, ask),
    );
    const acquired = executed.filter(({ script }) => script.endsWith('acquire'));
    expectSame('how often it was carried out', acquired.length, mayAsk ? CARRIED_OUT[fate] : 0);
    let answer: Answer = { kind: 'busy', againInMs: ask.interestMs / 3 };
    for (const { reply, programNow } of acquired) {
      answer = this.#state.step(
        this.#verbs.acquire(
          this.#state.current,
          acquisition.ask,
          this.#state.facts(programNow, fenceOf(reply)),
        ),
      );
    }
    if (mayAsk && isUnknown(fate)) {
      this.#expectUnknown(outcome);
      // No client asks again after that. Whatever it was is given back, which is what settles it.
      if (this.#kind.ownerless) await this.#release(acquisition, after);
      return;
    }
    // Where the store knows no owners, another copy may be let in yet, and be counted twice if it is not asked for soon.
    if (this.#kind.ownerless && mayAsk && (fate !== 'fine' || acquisition.doubtful)) {
      acquisition.doubtful = true;
      if ('againInMs' in answer) answer = { ...answer, againInMs: Math.min(SOON_MS, answer.againInMs) };
    }
    this.#expectAnswer(ask, outcome, answer, mayAsk);
    if (answer.kind !== 'busy') this.#leaveLine(acquisition);
    // The client that was let in and asks again out of turn still has what it has.
    if (!mayAsk && acquisition.granted) return;
    acquisition.granted = answer.kind === 'granted';
    acquisition.left ||= !ask.wait && !acquisition.granted;
    // A refused single attempt of which another copy may come is withdrawn in the background.
    this.#applyReleases(acquisition, executed);
    // No client waits for what is refused for good: it is given back like what is unknown.
    if (answer.kind !== 'granted' && answer.kind !== 'busy') await this.#release(acquisition, after);
  }

  /** Where the server was not asked, the answer also leads to the request that the owner stands behind. */
  #expectAnswer({ owner }: Ask, outcome: Outcome, answer: Answer, wasAsked: boolean): void {
    if (wasAsked || 'error' in outcome) return expectSame(`the answer to ${owner}`, outcome, { answer });
    const { behind, ...told } = outcome.answer as Busy;
    expectSame(`the answer to ${owner}`, told, answer);
    expectSame(`whether ${owner} stands behind a request`, behind !== undefined, true);
  }

  #applyReleases(acquisition: Acquisition<Ask>, executed: readonly Executed[]): readonly Released[] {
    return executed
      .filter(({ script }) => script.endsWith('release'))
      .map(({ programNow }) => this.#stepRelease(acquisition, programNow));
  }

  #stepRelease(acquisition: Acquisition<Ask>, programNow: number): Released {
    const { current } = this.#state;
    const { token } = this.#state;
    const after = (fence: number) =>
      this.#verbs.release(current, acquisition.ask, this.#state.facts(programNow, fence));
    // It may let others in: then the fence is the last of those that it gives them.
    const more = Math.max(0, after(token).state.fence - token);
    const answer = this.#state.step(after(token - more));
    acquisition.left = true;
    acquisition.released ||= answer.kind === 'released';
    return answer;
  }

  async #release(acquisition: Acquisition<Ask>, fate: Fate): Promise<void> {
    const { client, ask } = acquisition;
    const { outcome, executed } = await this.#call(fate, { do: 'release', by: acquisition }, () =>
      this.#faces[client]!.release(this.#world.name, ask),
    );
    this.#leaveLine(acquisition);
    acquisition.granted = false;
    const answers = this.#applyReleases(acquisition, executed);
    if ('error' in outcome) {
      acquisition.unanswered = true;
      return this.#expectUnknown(outcome, fate);
    }
    acquisition.left ||= !acquisition.unanswered;
    if (this.#kind.ownerless) this.#expectReleasedOnce(acquisition, answers, outcome);
    else this.#expectReleased(answers, outcome, fate);
  }

  #expectReleased(answers: readonly Released[], outcome: Outcome, fate: Fate): void {
    const last = answers.at(-1);
    // Of a copy that came before, it is taken that it released what this one does not find.
    const resent = answers.length > 1 || fate === 'overtaken';
    if (resent && last?.kind === 'not-held')
      expectSame('the answer to a release', kindOf(outcome), 'released');
    else if (this.#kind.knowsWaiters) expectSame('the answer to a release', outcome, { answer: last });
    else expectSame('the answer to a release', kindOf(outcome), last?.kind);
  }

  /** The store knows no owners: the client itself must know whether there is anything to give back. */
  #expectReleasedOnce(acquisition: Acquisition<Ask>, answers: readonly Released[], outcome: Outcome): void {
    if (answers.length > 0) {
      // Of a copy that came before, the store remembers what it did.
      expectSame('the answer to a release', kindOf(outcome), acquisition.released ? 'released' : 'not-held');
      return;
    }
    expectSame('the answer to a release that was not sent', outcome, { answer: { kind: 'not-held' } });
    // One that may have been carried out is never sent again. Any other had nothing to give back, or what is stored
    // will not be what the rule says now.
    if (acquisition.unanswered) return;
    this.#state.current = this.#verbs.release(
      this.#state.current,
      acquisition.ask,
      this.#state.facts(),
    ).state;
  }

  async #renew({ which, leaseUnits, fate }: HoldingAction & { readonly do: 'renew' }): Promise<void> {
    const acquisition = this.#pick(which);
    if (acquisition === undefined) return this.#look(which);
    const leaseMs = leaseUnits * UNIT_MS;
    const ask = { ...acquisition.ask, leaseMs };
    const asked = { ...acquisition.ask, leaseMs };
    const { outcome, executed } = await this.#call(fate, { do: 'renew', by: acquisition, leaseMs }, () =>
      this.#faces[acquisition.client]!.renewMany([{ name: this.#world.name, ask }]),
    );
    let answer: unknown = { kind: 'renewed', remainingMs: leaseMs };
    for (const { programNow } of executed) {
      answer = this.#state.step(this.#verbs.renew(this.#state.current, asked, this.#state.facts(programNow)));
    }
    expectSame('the answer to a renewal', outcome, { answer: [answer] });
  }

  async #force({
    client,
    side,
    fence,
    whose,
    fate,
  }: HoldingAction & { readonly do: 'force' }): Promise<void> {
    const face = this.#faces[client]!;
    if (face.force === undefined || this.#verbs.force === undefined) return this.#look(client);
    const last = this.#state.current.fence;
    const owner = whose === undefined ? undefined : this.#pick(whose)?.ask.owner;
    const ask = {
      side,
      ...(fence !== 'any' && { fence: fence === 'right' ? last : last - 1 }),
      ...(owner !== undefined && { owner }),
    };
    const { outcome, executed } = await this.#call(fate, { do: 'force' }, () =>
      face.force!(this.#world.name, ask),
    );
    // Once for all its copies.
    const [first] = executed;
    const facts = this.#state.facts(first?.programNow, this.#state.token);
    const answer = this.#state.step(this.#verbs.force(this.#state.current, ask, facts));
    expectSame('the answer to a forced release', outcome, { answer });
  }

  async #raise({ which, byMs }: HoldingAction & { readonly do: 'raise' }): Promise<void> {
    const acquisition = this.#pick(which);
    const face = acquisition && this.#faces[acquisition.client];
    if (acquisition === undefined || face?.raise === undefined || this.#verbs.raise === undefined) {
      return this.#look(which);
    }
    const ask = { owner: acquisition.ask.owner, fence: this.#state.current.fence + byMs * 1000 };
    const { outcome } = await this.#call('fine', { do: 'raise' }, () => face.raise!(this.#world.name, ask));
    const { kind } = this.#state.step(this.#verbs.raise(this.#state.current, ask, this.#state.facts()));
    expectSame('the answer to a raised fence', kindOf(outcome), kind);
  }

  /** A copy of an earlier request arrives. */
  async #deliver(which: number): Promise<void> {
    const copies = [...this.#onTheWay.keys()];
    const copy = copies[which % Math.max(1, copies.length)];
    if (copy === undefined) return this.#look(which);
    const limit = placeOf(copy.script, copy.command, 'notAfterMs');
    const isLate = limit !== -1 && this.#world.isLate(Number(copy.command[limit]), this.#state.beforeMs);
    if (isLate === undefined) return this.#look(which);
    const request = this.#onTheWay.get(copy)!;
    this.#onTheWay.delete(copy);
    const reply = await this.#world.driver.deliver(copy);
    await this.#state.look();
    // One that is late does nothing, whatever is answered.
    if (isLate) return;
    if (limit !== -1) expectSame('whether a copy came too late', reply[0] === 'late', false);
    this.#delivered(request, reply);
  }

  #delivered(request: Request<Ask>, reply: readonly Reply[]): void {
    const { by, leaseMs } = request;
    if (by === undefined) return;
    const facts = this.#state.facts(this.#world.now, fenceOf(reply));
    if (request.do === 'renew') {
      this.#state.step(this.#verbs.renew(this.#state.current, { ...by.ask, leaseMs: leaseMs! }, facts));
    } else if (request.do === 'release') {
      this.#stepRelease(by, this.#world.now);
    } else if (by.left) {
      // The client that has left is let in no more, however late its copies come (soundness 3).
      expectSame('a copy of a client that has left is let in', reply[0] === 'granted', false);
    } else {
      const { kind } = this.#state.step(this.#verbs.acquire(this.#state.current, by.ask, facts));
      expectSame('the answer to a copy', reply[0], kind);
    }
  }

  async #look(which: number): Promise<void> {
    const at = which % this.#faces.length;
    const { outcome } = await this.#call('fine', { do: 'look' }, () =>
      this.#faces[at]!.look(this.#world.name),
    );
    expect.assert('answer' in outcome, 'a look fails');
    expectSame(
      'a look',
      this.#kind.seen(outcome.answer as object),
      this.#kind.look(this.#state.current, this.#state.facts()),
    );
  }

  #leaveLine({ client, ask }: Acquisition<Ask>): void {
    if (this.#kind.linesUp(ask)) this.#lines.leave(client, ask.owner);
  }

  #expectUnknown(outcome: Outcome, fate: Fate = 'unknown-done'): void {
    const isExpected = isUnknown(fate) && 'error' in outcome && outcome.error instanceof EngineError;
    if (!isExpected)
      throw new Difference(
        'the outcome of an unanswered request',
        String(Object.values(outcome)[0]),
        'unknown',
      );
  }
}

function fenceOf(reply: readonly Reply[]): number | undefined {
  // The semaphore's answer tells no time.
  return reply[0] === 'granted' ? Number(reply[3] ?? reply[2]) : undefined;
}

/** Runs one program. `instead`: digests of other scripts that are called in place of those of the engine. */
export async function runHolding<S extends Fenced, Ask extends AcquireAsk>(
  stage: ModelStage,
  kind: HoldingKind<S, Ask>,
  program: HoldingProgram,
  instead?: ReadonlyMap<string, string>,
): Promise<void> {
  await new HoldingRun(kind, program, new ProgramWorld(stage, instead)).run(program.actions);
}
