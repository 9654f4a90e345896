import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { OwnerId, Rule, Verbs, Wake } from '../../src/spi/rule.ts';
import type { AcquireAsk, Busy, Granted, Released, Renewed } from '../../src/spi/verbs/holding.ts';
import type { Forced } from '../../src/spi/verbs/lock.ts';
import type { Action, ActionOnOne, Program, Wish } from './programs.ts';
import { clientOf, World } from './world.ts';

/** What a run must know about a kind of thing that can be held. */
export interface Kind<S, V extends Verbs, L, Ask extends AcquireAsk> {
  readonly rule: Rule<S, V, L>;
  readonly ask: (owner: OwnerId, wish: Wish) => Ask;
  /** The ask of a client that already holds this, under the same id. */
  readonly askUnder?: (held: Ask, wish: Wish) => Ask;
  readonly acquire: (
    world: World<S, V, L>,
    how: 'step' | 'peek',
    ask: Ask,
  ) => Granted | Busy | { kind: string };
  readonly release: (world: World<S, V, L>, ask: Ask) => Released;
  readonly renew: (world: World<S, V, L>, ask: Ask, leaseMs: number) => Renewed;
  readonly force?: (world: World<S, V, L>, ask: Ask, fence: { readonly fence?: number }) => Forced;
  /** Whether these may hold at the same time. */
  readonly compatible: (asks: readonly Ask[]) => boolean;
  /** The refusal that this ask must get while these stand, if any. */
  readonly refusal?: (ask: Ask, standing: readonly Ask[]) => string | undefined;
  /** Whether those who came first go first. */
  readonly ordered: boolean;
  /** Whether a hold ends with the session of the client that acquired it. */
  readonly endsWithSession: boolean;
  /** Whether others may come in beside those for whom a client waits, with leases that it has not seen. */
  readonly joined?: boolean;
  /** Whether others than those in line watch, and learn of more than a way in. */
  readonly observed?: boolean;
  /** See {@link World.steady}. */
  readonly steady?: boolean;
}

interface Line {
  /** The place at which it began to wait, and the one it surely has: it may have lost the first while it was slow. */
  readonly since: number;
  readonly surelySince: number;
  readonly askedAt: number;
  /** The highest fence given out when it asked last: it has seen the holds up to this one. */
  readonly seen: number;
  asleepUntil: number;
  /** Whether a step has told it, by name, that it can enter. */
  told: boolean;
}

interface Acquisition<Ask> {
  readonly ask: Ask;
  hold: { readonly fence: number; until: number } | undefined;
  line: Line | undefined;
}

/** Runs a program against a rule, and checks after each action what must be true of everything that can be held. */
class Run<S, V extends Verbs, L, Ask extends AcquireAsk> {
  readonly #kind: Kind<S, V, L, Ask>;
  readonly #world: World<S, V, L>;
  readonly #stopped = new Set<string>();
  /** How often each client has come back under a new id. */
  readonly #lives: number[];
  #acquisitions: readonly Acquisition<Ask>[] = [];
  #owners = 0;
  #arrivals = 0;
  #highest = 0;
  /** Who was let in last. */
  #latest: Acquisition<Ask> | undefined;
  /** The highest fence of those whose time has run out. */
  #lapsed = 0;

  constructor(kind: Kind<S, V, L, Ask>, program: Program) {
    this.#kind = kind;
    this.#world = new World(kind.rule, program.sessions);
    this.#world.steady = kind.steady ?? true;
    this.#lives = Array.from({ length: program.clients }, () => 0);
    this.#world.heard = ({ wake }) => this.#heard(wake);
  }

  do(action: Action): void {
    switch (action.do) {
      case 'pass':
        this.#world.now += action.ms;
        return;
      case 'sweep':
        return this.#sweep();
      case 'begin':
        return this.#begin(this.#clientAt(action.client), action.wish);
      case 'stop':
      case 'end':
        return this.#die(action.do, action.client);
      case 'ask':
      case 'release':
      case 'renew':
      case 'force': {
        const acquisition = this.#pick(action.which);
        if (acquisition !== undefined) this.#act(action, acquisition);
      }
    }
  }

  /** A waiter sleeps until it is woken or its `againInMs` is over. While it sleeps, asking must be in vain. */
  checkSleepers(): void {
    for (const one of this.#acquisitions) {
      if (one.hold !== undefined && !this.#stands(one)) this.#lapsed = Math.max(this.#lapsed, one.hold.fence);
    }
    for (const { ask, line } of this.#acquisitions.filter((one) => this.#sleeps(one))) {
      // It may have been kept out by a client that came after it had asked and silently ran out of time.
      if (this.#kind.joined === true && this.#lapsed > (line?.seen ?? 0)) continue;
      assert.notEqual(this.#peek(ask).kind, 'granted', `${ask.owner} sleeps although it could enter`);
    }
  }

  #peek(ask: Ask): ReturnType<Kind<S, V, L, Ask>['acquire']> {
    return this.#kind.acquire(this.#world, 'peek', ask);
  }

  #clientAt(index: number): string {
    const at = index % this.#lives.length;
    return `client${at}.${this.#lives[at]}`;
  }

  #isStopped({ ask }: Acquisition<Ask>): boolean {
    return this.#stopped.has(clientOf(ask.owner));
  }

  #stands({ ask, hold }: Acquisition<Ask>): boolean {
    const isOver = this.#kind.endsWithSession && this.#world.isDead(ask.owner);
    return hold !== undefined && hold.until > this.#world.now && !isOver;
  }

  #standing(): Ask[] {
    return this.#acquisitions.filter((one) => this.#stands(one)).map(({ ask }) => ask);
  }

  #sleeps(one: Acquisition<Ask>): boolean {
    return one.line !== undefined && one.line.asleepUntil > this.#world.now && !this.#isStopped(one);
  }

  /** What is held without a session may be in other hands, and is acted upon after its client has stopped. */
  #pick(which: number): Acquisition<Ask> | undefined {
    const canAct = (one: Acquisition<Ask>): boolean =>
      !this.#isStopped(one) || (!this.#kind.endsWithSession && one.hold !== undefined);
    const able = this.#acquisitions.filter(canAct);
    return able[which % Math.max(1, able.length)];
  }

  #forget(acquisition: Acquisition<Ask>): void {
    this.#acquisitions = this.#acquisitions.filter((one) => one !== acquisition);
  }

  #act(action: ActionOnOne, acquisition: Acquisition<Ask>): void {
    if (action.do === 'ask') this.#ask(acquisition);
    else if (action.do === 'release') this.#release(acquisition);
    else if (action.do === 'renew') this.#renew(acquisition, action.leaseMs);
    else this.#force(acquisition, action.exact);
  }

  #begin(client: string, wish: Wish): void {
    const held = this.#acquisitions.find((one) => clientOf(one.ask.owner) === client && this.#stands(one));
    const under = wish.under && held !== undefined ? this.#kind.askUnder?.(held.ask, wish) : undefined;
    const ask = under ?? this.#kind.ask(`${client}:${(this.#owners += 1)}`, wish);
    const known = this.#acquisitions.find((one) => isDeepStrictEqual(one.ask, ask));
    if (known !== undefined) return this.#ask(known);
    const acquisition = { ask, hold: undefined, line: undefined };
    this.#acquisitions = [...this.#acquisitions, acquisition];
    this.#ask(acquisition);
  }

  #ask(acquisition: Acquisition<Ask>): void {
    if (this.#isStopped(acquisition)) return;
    const standing = this.#standing();
    const refusal = this.#stands(acquisition) ? undefined : this.#kind.refusal?.(acquisition.ask, standing);
    const answer = this.#kind.acquire(this.#world, 'step', acquisition.ask);
    if ('remainingMs' in answer) this.#granted(acquisition, answer);
    else if ('againInMs' in answer) this.#refused(acquisition, answer, standing);
    else this.#forget(acquisition);
    assert.equal('remainingMs' in answer || 'againInMs' in answer ? undefined : answer.kind, refusal);
  }

  #granted(acquisition: Acquisition<Ask>, { fence, fences, remainingMs }: Granted): void {
    const { now } = this.#world;
    const { ask, hold, line } = acquisition;
    if (hold !== undefined && this.#stands(acquisition)) {
      const same = { fence: hold.fence, remainingMs: hold.until - now };
      assert.deepEqual({ fence, remainingMs }, same, 'a repeated request');
      return;
    }
    assert(fence > this.#highest, 'fences increase');
    assert.equal(remainingMs, ask.leaseMs);
    this.#highest = fence + fences - 1;
    this.#latest = acquisition;
    acquisition.hold = { fence, until: now + remainingMs };
    acquisition.line = undefined;
    assert(this.#kind.compatible(this.#standing()), 'those who hold may hold together');
    if (this.#kind.ordered) this.#checkOrder(line?.since ?? Infinity);
  }

  #hasPlace({ ask, line }: Acquisition<Ask>): boolean {
    return line !== undefined && this.#world.now < line.askedAt + ask.interestMs / 2;
  }

  /** The client that came first and has kept its place can still enter, beside the one that has just been let in. */
  #checkOrder(since: number): void {
    for (const one of this.#acquisitions) {
      const isFirst = this.#hasPlace(one) && (one.line?.surelySince ?? Infinity) < since;
      if (!isFirst || this.#world.isDead(one.ask.owner)) continue;
      assert.equal(this.#peek(one.ask).kind, 'granted', `${one.ask.owner} was overtaken`);
    }
  }

  #refused(acquisition: Acquisition<Ask>, { againInMs }: Busy, standing: readonly Ask[]): void {
    const { ask, line } = acquisition;
    const { now } = this.#world;
    assert(againInMs > 0 && againInMs <= ask.interestMs / 3);
    const waiting = this.#acquisitions.filter((one) => one.line !== undefined && one !== acquisition);
    const inTheWay = this.#kind.ordered ? [...standing, ...waiting.map((one) => one.ask)] : standing;
    assert(!this.#kind.compatible([...inTheWay, ask]), 'no client is refused without cause');
    acquisition.hold = undefined;
    if (!ask.wait) return this.#forget(acquisition);
    const surelySince =
      line !== undefined && this.#hasPlace(acquisition) ? line.surelySince : (this.#arrivals += 1);
    acquisition.line = {
      since: line?.since ?? surelySince,
      surelySince,
      askedAt: now,
      seen: this.#highest,
      asleepUntil: now + againInMs,
      told: false,
    };
  }

  #release(acquisition: Acquisition<Ask>): void {
    const stood = this.#stands(acquisition);
    const latest = this.#latest === acquisition;
    this.#forget(acquisition);
    const answer = this.#kind.release(this.#world, acquisition.ask).kind;
    if (stood) assert.equal(answer, 'released');
    // Its lease is over, but no client has been let in since: that it is given back is still true.
    else assert(answer === 'not-held' || latest, 'given back after another client was let in');
    assert.equal(this.#kind.release(this.#world, acquisition.ask).kind, 'not-held', 'released twice');
  }

  #renew(acquisition: Acquisition<Ask>, leaseMs: number): void {
    const answer = this.#kind.renew(this.#world, acquisition.ask, leaseMs);
    const { hold } = acquisition;
    if (hold === undefined || !this.#stands(acquisition)) {
      assert.equal(answer.kind, 'gone');
      return;
    }
    const remainingMs = Math.max(hold.until - this.#world.now, leaseMs);
    assert.deepEqual(answer, { kind: 'renewed', remainingMs }, 'renewing never shortens');
    hold.until = this.#world.now + remainingMs;
  }

  #force({ ask, hold }: Acquisition<Ask>, exact: boolean): void {
    if (this.#kind.force === undefined || (exact && hold === undefined)) return;
    const standing = this.#acquisitions.filter((one) => this.#stands(one));
    const answer = this.#kind.force(
      this.#world,
      ask,
      exact && hold !== undefined ? { fence: hold.fence } : {},
    );
    const broken = standing.filter((one) => {
      const now = this.#peek(one.ask);
      return !('fence' in now) || now.fence !== one.hold?.fence;
    });
    assert.equal(broken.length > 0, answer.kind === 'forced');
    if (exact) assert(broken.every((one) => one.hold?.fence === hold?.fence));
    broken.forEach((one) => this.#forget(one));
  }

  /** The client is gone, and comes back under another id. */
  #die(how: 'stop' | 'end', index: number): void {
    const client = this.#clientAt(index);
    this.#stopped.add(client);
    this.#world[how](client);
    this.#lives[index % this.#lives.length]! += 1;
    if (how === 'end') this.#wake(() => true);
  }

  #sweep(): void {
    if (!this.#world.sweep()) return;
    assert.deepEqual(this.#standing(), [], 'no client holds');
    const waits = (one: Acquisition<Ask>): boolean =>
      this.#hasPlace(one) && !this.#world.isDead(one.ask.owner);
    assert(!this.#acquisitions.some(waits), 'no client waits');
    assert(this.#world.fenceFloor >= this.#highest);
  }

  #wake(isMeant: (owner: OwnerId) => boolean): void {
    for (const { ask, line } of this.#acquisitions) {
      if (line !== undefined && isMeant(ask.owner)) line.asleepUntil = this.#world.now;
    }
  }

  /** A step that lets no client in wakes no client; and the client that has been told by name is not told again before it asks. */
  #heard(wake: Wake): void {
    if (wake === 'none') return;
    this.#wake((owner) => wake === 'anyone' || wake.includes(owner));
    if (this.#kind.observed === true) return;
    const waiting = this.#acquisitions.filter((one) => one.line !== undefined);
    const entering = waiting.filter(({ ask }) => this.#peek(ask).kind === 'granted');
    if (wake === 'anyone') assert(entering.length > 0, 'a client can enter');
    else for (const owner of wake) this.#tell(entering.find(({ ask }) => ask.owner === owner)?.line);
  }

  #tell(line: Line | undefined): void {
    assert(line !== undefined, 'the client that is woken can enter');
    assert(!line.told, 'no client is notified twice');
    line.told = true;
  }
}

/** `sleepers`: check that no owner sleeps that could enter. */
export function run<S, V extends Verbs, L, Ask extends AcquireAsk>(
  kind: Kind<S, V, L, Ask>,
  program: Program,
  { sleepers }: { readonly sleepers: boolean } = { sleepers: true },
): void {
  const running = new Run(kind, program);
  for (const action of program.actions) {
    running.do(action);
    if (sleepers) running.checkSleepers();
  }
}
