import fc, { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { monitorRule } from '../../src/rules/monitor.ts';
import type { Wake } from '../../src/spi/rule.ts';
import type { Changes, Entered, MonitorVerbs } from '../../src/spi/verbs/monitor.ts';
import * as any from './any-order.ts';
import { asking } from './asking.ts';
import { bufferPrograms, runBuffer } from './buffer-run.ts';
import { exclusiveKind } from './exclusive-kind.ts';
import { run } from './holding-run.ts';
import { programs } from './programs.ts';
import { World } from './world.ts';

const kind = exclusiveKind(
  monitorRule,
  (owner, { leaseMs, interestMs, wait }) => ({ owner, leaseMs, interestMs, wait, initial: null }),
  { ordered: true },
);

const condition = fc.constantFrom('full', '__proto__', 'constructor', '');
const signals = fc.array(fc.record({ condition, all: fc.boolean() }), { maxLength: 3 });
const changes = fc.record(
  { owner: any.owner, signals, write: fc.record({ value: fc.nat() }) },
  { requiredKeys: ['owner', 'signals'] },
);

const vocabulary: any.Vocabulary<MonitorVerbs> = {
  acquire: [
    fc.record(
      { ...any.acquireAsk, initial: fc.nat(), stopWaiting: fc.constant(true as const) },
      { requiredKeys: ['owner', 'leaseMs', 'interestMs', 'wait', 'initial'] },
    ),
    ['granted', 'busy'],
  ],
  release: [any.ownerAsk, ['released', 'not-held']],
  renew: [any.renewAsk, ['renewed', 'gone']],
  exit: [changes, ['left', 'gone']],
  wait: [
    fc
      .tuple(changes, condition, any.shortMs)
      .map(([ask, on, interestMs]) => ({ ...ask, condition: on, interestMs })),
    ['waiting', 'gone'],
  ],
  force: [any.forceAsk, ['forced', 'not-forced']],
};

function monitorWorld(sessions?: { readonly ttlMs: number }) {
  const world = new World(monitorRule, sessions);
  const wakes: Wake[] = [];
  world.heard = ({ wake }) => wakes.push(wake);
  const enter = (owner: string, more: object = {}) =>
    world.step('acquire', { ...asking(owner, { initial: 'initial' }), ...more });
  const exit = (owner: string, change: Partial<Changes> = {}) =>
    world.step('exit', { owner, signals: [], ...change });
  const wait = (owner: string, on: string, change: Partial<Changes> = {}) =>
    world.step('wait', { owner, condition: on, interestMs: 90, signals: [], ...change });
  /** Each of them enters and waits. */
  const park = (on: string, ...owners: string[]) => {
    for (const owner of owners) {
      enter(owner);
      wait(owner, on);
    }
  };
  return { world, wakes, enter, exit, wait, park };
}

const signal = (on: string, all = false) => ({ signals: [{ condition: on, all }] });

describe('monitor', () => {
  it('keeps the promises of a fair lock in any program', () => {
    assert(
      property(programs(), (program) => run(kind, program)),
      { numRuns: 600 },
    );
  });

  it('loses no item and no signal of a buffer, whichever owner dies, leaves or is slow', () => {
    assert(property(bufferPrograms, runBuffer), { numRuns: 600 });
  });

  it('answers any verb at any time, and changes nothing for an owner that does not hold it', () => {
    assert(
      any.inAnyOrder(monitorRule, vocabulary, {
        check: (before, { state, answer }) => {
          const isGone = (answer as { kind: string }).kind === 'gone';
          expect(!isGone || state === before).toBe(true);
        },
      }),
      { numRuns: 300 },
    );
  });

  it('is never spent once it is used: the record is the guarded value', () => {
    const { world, enter, exit } = monitorWorld();
    enter('a:1');
    exit('a:1');
    expect(world.sweep()).toBe(false);
    expect(world.look().value).toBe('initial');
  });

  it('writes, signals and leaves in one step', () => {
    const { world, wakes, enter, exit, park } = monitorWorld();
    park('ready', 'a:1');
    enter('b:1');
    expect(exit('b:1', { ...signal('ready'), write: { value: null } })).toStrictEqual({ kind: 'left' });
    expect(wakes.at(-1)).toStrictEqual(['a:1']);
    expect(enter('a:1')).toMatchObject({ kind: 'granted', value: null, signalled: true });
    expect(world.look()).toMatchObject({ value: null, waiting: {} });
  });

  it('loses what a holder had not written when its time runs out, and grants the first waiter', () => {
    const { world, enter, exit, wait } = monitorWorld();
    enter('a:1');
    expect(enter('b:1')).toStrictEqual({ kind: 'busy', againInMs: 30 });
    world.now += 29;
    expect(enter('b:1')).toStrictEqual({ kind: 'busy', againInMs: 1 });
    world.now += 1;
    expect(enter('b:1')).toMatchObject({ kind: 'granted', value: 'initial', signalled: false });
    expect(exit('a:1', { write: { value: 'late' } })).toStrictEqual({ kind: 'gone' });
    expect(wait('a:1', 'ready', { write: { value: 'late' } })).toStrictEqual({ kind: 'gone' });
    expect(world.look()).toMatchObject({ value: 'initial', holder: { owner: 'b:1' } });
  });

  it('takes no write from a holder whose time has run out, although no other has entered since', () => {
    const { world, enter, exit, wait } = monitorWorld();
    enter('a:1');
    world.now += 30;
    expect(exit('a:1', { write: { value: 'late' } })).toStrictEqual({ kind: 'gone' });
    expect(wait('a:1', 'ready', { write: { value: 'late' } })).toStrictEqual({ kind: 'gone' });
    expect(world.look()).toMatchObject({ value: 'initial', waiting: {} });
  });

  it('puts a signalled waiter at the end of the line, and does not wake it before its turn', () => {
    const { wakes, enter, exit, park } = monitorWorld();
    park('ready', 'a:1', 'b:1');
    enter('c:1');
    enter('d:1');
    exit('c:1', signal('ready', true));
    expect(wakes.at(-1)).toStrictEqual(['d:1']);
    expect(enter('a:1').kind).toBe('busy');
    enter('d:1');
    exit('d:1');
    expect(wakes.at(-1)).toStrictEqual(['a:1']);
    expect(enter('b:1').kind).toBe('busy');
    expect(enter('a:1')).toMatchObject({ kind: 'granted', signalled: true });
  });

  it('signals the first waiter that lives', () => {
    const { world, wakes, enter, exit, park } = monitorWorld();
    park('ready', 'a:1', 'b:1');
    world.end('a');
    enter('c:1');
    exit('c:1', signal('ready'));
    expect(wakes.at(-1)).toStrictEqual(['b:1']);
  });

  it('keeps a waiter out until it is signalled, however free the monitor is', () => {
    const { enter, park } = monitorWorld();
    park('ready', 'a:1');
    expect(enter('a:1')).toStrictEqual({ kind: 'busy', againInMs: 30 });
  });

  it('does not give an owner the signal that it sends when it waits itself', () => {
    const { world, wakes, enter, wait } = monitorWorld();
    enter('a:1');
    wait('a:1', 'ready', signal('ready', true));
    expect(wakes.at(-1)).toBe('none');
    expect(world.look()).toMatchObject({ entering: 0, waiting: { ready: 1 } });
  });

  it.each([
    [
      'leaves',
      (world: ReturnType<typeof monitorWorld>['world']) => void world.step('release', { owner: 'a:1' }),
    ],
    ['dies', (world: ReturnType<typeof monitorWorld>['world']) => world.end('a')],
  ])('passes the signal on when its receiver %s before it is in again', (_how, goes) => {
    const { world, enter, exit, park } = monitorWorld();
    park('ready', 'a:1', 'b:1');
    enter('c:1');
    exit('c:1', signal('ready'));
    goes(world);
    expect(enter('b:1')).toMatchObject({ kind: 'granted', signalled: true });
  });

  it('passes the signal on when its receiver lapses, and wakes the next one', () => {
    const { world, wakes, enter, exit, park } = monitorWorld();
    park('ready', 'a:1');
    world.now += 50;
    park('ready', 'b:1');
    enter('c:1');
    exit('c:1', signal('ready'));
    world.now += 40;
    expect(enter('d:1'), 'it comes behind the one that was signalled').toMatchObject({ kind: 'busy' });
    expect(wakes.at(-1)).toStrictEqual(['b:1']);
    expect(enter('b:1')).toMatchObject({ kind: 'granted', signalled: true });
  });

  it('grants a waiter that has timed out at the end of the line, without a signal', () => {
    const { enter, exit, park } = monitorWorld();
    park('ready', 'a:1');
    enter('b:1');
    enter('c:1');
    expect(enter('a:1', { stopWaiting: true }).kind).toBe('busy');
    exit('b:1', signal('ready'));
    expect(enter('a:1', { stopWaiting: true }).kind, 'it comes behind the one that stood in line').toBe(
      'busy',
    );
    enter('c:1');
    exit('c:1');
    expect(enter('a:1', { stopWaiting: true })).toMatchObject({ kind: 'granted', signalled: false });
  });

  it('tells a waiter that timed out too late that it had been signalled', () => {
    const { enter, exit, park } = monitorWorld();
    park('ready', 'a:1');
    enter('b:1');
    exit('b:1', signal('ready'));
    expect(enter('a:1', { stopWaiting: true })).toMatchObject({ kind: 'granted', signalled: true });
    expect(enter('a:1'), 'and again when it asks again').toMatchObject({ kind: 'granted', signalled: true });
  });

  it('forgets a waiter whose interest has lapsed', () => {
    const { world, enter, park } = monitorWorld();
    park('ready', 'a:1');
    world.now += 90;
    expect(world.look().waiting).toStrictEqual({});
    expect(enter('a:1')).toMatchObject({ kind: 'granted', signalled: false });
  });

  it('gives each entry its own fence', () => {
    const { enter, exit, park } = monitorWorld();
    park('ready', 'a:1');
    const first = enter('b:1') as Entered;
    exit('b:1', signal('ready'));
    expect((enter('a:1') as Entered).fence).toBeGreaterThan(first.fence);
  });

  it('counts waiters of a condition with any name', () => {
    const { world, park } = monitorWorld();
    park('__proto__', 'a:1', 'b:1');
    park('constructor', 'c:1');
    expect(Object.entries(world.look().waiting)).toStrictEqual([
      ['__proto__', 2],
      ['constructor', 1],
    ]);
  });

  it('grants to no owner whose session has ended', () => {
    const { world, enter } = monitorWorld();
    world.end('a');
    expect(enter('a:1')).toStrictEqual({ kind: 'busy', againInMs: 30 });
    expect(world.state).toBeUndefined();
  });
});
