import { afterEach, beforeEach, expect, test } from 'vitest';
import { LeaseLostError, multiLock } from '../../src/index.ts';
import { ending, play } from './stage.ts';

let warnings: string[] = [];
const keep = (warning: Error): void => void warnings.push(warning.message);
beforeEach(() => {
  warnings = [];
  process.on('warning', keep);
});
afterEach(() => {
  process.off('warning', keep);
});

/** Node tells of a warning in the next tick. */
function told(): Promise<string[]> {
  return new Promise((resolve) => setImmediate(() => resolve(warnings)));
}

// The event loop is blocked for longer than the lease, and another client takes the lock. The block ends.
test('the end of a block with a lost hold that nothing has read warns the process, once', async () => {
  await play(async (stage) => {
    const hold = await stage.near('a').lock('x').acquire({ leaseMs: 1000 });
    stage.clock.stall(2000);
    const next = await stage.near('b').lock('x').acquire();
    await hold[Symbol.asyncDispose]();
    await hold[Symbol.asyncDispose]();
    await next.release();
  });
  const [warning, ...more] = await told();
  expect(String(warning)).toMatch(/lock "x" was lost.*hold\.lost/);
  expect(more).toStrictEqual([]);
});

test('the end of a block whose loss was read, thrown, listened for, or is a closing warns of nothing', async () => {
  await play(async (stage) => {
    const [quiet, listened, closed] = [stage.near('a'), stage.near('b'), stage.near('c')];
    listened.on('lost', () => undefined);
    const leaseMs = 1000;
    const read = await stage.near('d').lock('read').acquire({ leaseMs });
    const signal = read.lost;
    const thrown = await quiet.lock('thrown').acquire({ leaseMs });
    const heard = await listened.lock('heard').acquire({ leaseMs });
    const ended = await closed.lock('closed').acquire({ leaseMs });
    await closed.close();
    for (const name of ['read', 'heard']) await quiet.lock(name).forceRelease();
    stage.clock.stall(2000);
    expect(() => thrown.throwIfLost()).toThrow(LeaseLostError);
    for (const hold of [read, thrown, heard, ended]) await hold[Symbol.asyncDispose]();
    expect(signal.aborted).toBe(true);
  });
  expect(await told()).toStrictEqual([]);
});

test('the end of a block with a lost multi-lock warns of the member that was lost', async () => {
  await play(async (stage) => {
    const [one, other] = [stage.near('a'), stage.near('b')];
    const both = await multiLock([one.lock('x'), one.lock('y')]).acquire();
    await other.lock('y').forceRelease();
    await both[Symbol.asyncDispose]();
  });
  const [warning, ...more] = await told();
  expect(String(warning)).toMatch(/lock "y" was lost/);
  expect(more).toStrictEqual([]);
});

// A section of a monitor is taken away by force; its exit is the first to find out.
test('the exit of a section that is the first to find a loss tells the signal', async () => {
  await play(async (stage) => {
    const [one, other] = [stage.near('a'), stage.near('b')];
    let lost: AbortSignal | undefined;
    const section = one.monitor('x', { initial: 0 }).run(
      (m) => {
        lost = m.hold.lost;
        stage.clock.stall(2000);
      },
      { leaseMs: 1000 },
    );
    expect(await ending(section)).toBe('LEASE_LOST');
    expect(lost?.aborted).toBe(true);
    await other.monitor('x', { initial: 0 }).run(() => undefined);
  });
});
