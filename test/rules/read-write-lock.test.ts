import fc, { assert, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readWriteLockRule, type ReadWriteLockState } from '../../src/rules/read-write-lock.ts';
import type { Wake } from '../../src/spi/rule.ts';
import type {
  ReadWriteAsk,
  ReadWriteLockLook,
  ReadWriteLockVerbs,
  Side,
} from '../../src/spi/verbs/read-write-lock.ts';
import * as any from './any-order.ts';
import { asking } from './asking.ts';
import { type Kind, run } from './holding-run.ts';
import { programs } from './programs.ts';
import { World } from './world.ts';

const kind: Kind<ReadWriteLockState, ReadWriteLockVerbs, ReadWriteLockLook, ReadWriteAsk> = {
  rule: readWriteLockRule,
  ask: (owner, { leaseMs, interestMs, wait, side }) => ({ owner, leaseMs, interestMs, wait, side }),
  askUnder: (held, { side }) => ({ ...held, side }),
  acquire: (world, how, ask) => world[how]('acquire', ask),
  release: (world, { owner, side }) => world.step('release', { owner, side }),
  renew: (world, { owner, side }, leaseMs) => world.step('renew', { owner, side, leaseMs }),
  force: (world, { side }, fence) => world.step('force', { side, ...fence }),
  compatible: (asks) => {
    const writers = new Set(asks.filter(({ side }) => side === 'write').map(({ owner }) => owner));
    return writers.size === 0 || (writers.size === 1 && asks.every(({ owner }) => writers.has(owner)));
  },
  refusal: ({ owner, side }, standing) => {
    const reads = standing.some((held) => held.owner === owner && held.side === 'read');
    return side === 'write' && reads ? 'upgrade' : undefined;
  },
  ordered: false,
  endsWithSession: true,
  joined: true,
};

const side = fc.constantFrom<Side>('read', 'write');

const vocabulary: any.Vocabulary<ReadWriteLockVerbs> = {
  acquire: [fc.record({ ...any.acquireAsk, side }), ['granted', 'busy', 'upgrade']],
  release: [fc.record({ owner: any.owner, side }), ['released', 'not-held']],
  renew: [fc.record({ owner: any.owner, side, leaseMs: any.shortMs }), ['renewed', 'gone']],
  force: [
    fc.tuple(any.forceAsk, side).map(([fence, broken]) => ({ ...fence, side: broken })),
    ['forced', 'not-forced'],
  ],
};

function readWriteWorld(sessions?: { readonly ttlMs: number }) {
  const world = new World(readWriteLockRule, sessions);
  const wakes: Wake[] = [];
  world.heard = ({ wake }) => wakes.push(wake);
  const acquire = (owner: string, on: Side, more: object = {}) =>
    world.step('acquire', { ...asking(owner, { side: on }), ...more });
  const release = (owner: string, on: Side) => world.step('release', { owner, side: on });
  return { world, wakes, acquire, release };
}

describe('read-write lock', () => {
  it('keeps its promises in any program', () => {
    assert(
      property(programs(), (program) => run(kind, program)),
      { numRuns: 600 },
    );
  });

  it('answers any verb at any time', () => {
    assert(any.inAnyOrder(readWriteLockRule, vocabulary), { numRuns: 300 });
  });

  it('grants readers together, also past a waiting writer: there is no preference', () => {
    const { acquire } = readWriteWorld();
    expect(acquire('a:1', 'read').kind).toBe('granted');
    expect(acquire('b:1', 'write').kind).toBe('busy');
    expect(acquire('c:1', 'read').kind).toBe('granted');
  });

  it('lets a writer read and keep reading, and wakes the readers when it does', () => {
    const { world, wakes, acquire, release } = readWriteWorld();
    acquire('a:1', 'write');
    expect(acquire('a:1', 'read').kind).toBe('granted');
    acquire('b:1', 'read');
    expect(release('a:1', 'write')).toStrictEqual({ kind: 'released', others: 1 });
    expect(wakes.at(-1)).toBe('anyone');
    expect(acquire('b:1', 'read').kind).toBe('granted');
    expect(world.look()).toMatchObject({ writer: undefined, readers: [{ owner: 'a:1' }, { owner: 'b:1' }] });
  });

  it('wakes no writer by a downgrade, and none by a reader that is not the last', () => {
    const { wakes, acquire, release } = readWriteWorld();
    acquire('a:1', 'write');
    acquire('a:1', 'read');
    acquire('b:1', 'write');
    release('a:1', 'write');
    acquire('c:1', 'read');
    release('c:1', 'read');
    release('a:1', 'read');
    expect(wakes.slice(-4)).toStrictEqual(['none', 'none', 'none', 'anyone']);
  });

  it('wakes no waiter when a writer releases its read side only', () => {
    const { wakes, acquire, release } = readWriteWorld();
    acquire('a:1', 'write');
    acquire('a:1', 'read');
    acquire('b:1', 'write');
    release('a:1', 'read');
    expect(wakes.at(-1)).toBe('none');
  });

  it('refuses a reader that asks for the write side, even the only one', () => {
    const { acquire, release } = readWriteWorld();
    acquire('a:1', 'read');
    expect(acquire('a:1', 'write')).toStrictEqual({ kind: 'upgrade' });
    release('a:1', 'read');
    expect(acquire('a:1', 'write').kind).toBe('granted');
  });

  it('takes a refused reader out of the line of writers', () => {
    const { world, acquire, release } = readWriteWorld();
    acquire('a:1', 'write');
    acquire('b:1', 'write');
    release('a:1', 'write');
    acquire('b:1', 'read');
    expect(acquire('b:1', 'write').kind).toBe('upgrade');
    expect(world.look().waiters).toStrictEqual({ read: 0, write: 0 });
  });

  // A writer that slept until the last of the readers it saw would sleep on after that reader had left early.
  it('sends a writer back until the first reader can be gone', () => {
    const { world, wakes, acquire, release } = readWriteWorld();
    acquire('a:1', 'read', { leaseMs: 10 });
    acquire('b:1', 'read', { leaseMs: 25 });
    expect(acquire('c:1', 'write')).toStrictEqual({ kind: 'busy', againInMs: 10 });
    release('b:1', 'read');
    expect(wakes.at(-1)).toBe('none');
    world.now += 10;
    expect(acquire('c:1', 'write').kind).toBe('granted');
  });

  it.each(['read', 'write'] as const)('ends a lease of the %s side exactly at its time', (on) => {
    const { world, acquire } = readWriteWorld();
    acquire('a:1', on);
    const ask = asking('b:1', { side: 'write' as const });
    expect(world.peek('acquire', ask, world.now + 29).kind).toBe('busy');
    expect(world.peek('acquire', ask, world.now + 30).kind).toBe('granted');
  });

  it('breaks all readers or the writer, never both, and with a fence that grant alone', () => {
    const { world, wakes, acquire } = readWriteWorld();
    acquire('a:1', 'write');
    acquire('a:1', 'read');
    acquire('b:1', 'read');
    expect(world.step('force', { side: 'write' })).toMatchObject({
      kind: 'forced',
      holder: { owner: 'a:1' },
    });
    expect(wakes.at(-1)).toBe('anyone');
    const { fence } = acquire('b:1', 'read') as { fence: number };
    expect(world.step('force', { side: 'write' }).kind).toBe('not-forced');
    expect(world.step('force', { side: 'read', fence })).toMatchObject({ holder: { owner: 'b:1' } });
    expect(world.look().readers).toMatchObject([{ owner: 'a:1' }]);
    acquire('b:1', 'read');
    world.step('force', { side: 'read' });
    expect(world.look().readers).toStrictEqual([]);
  });

  it('grants to no owner whose session has ended', () => {
    const { world, acquire } = readWriteWorld();
    world.end('a');
    expect(acquire('a:1', 'read')).toStrictEqual({ kind: 'busy', againInMs: 30 });
    expect(world.state).toBeUndefined();
  });
});
