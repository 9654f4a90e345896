import { connect, multiLock, quorumLock } from 'holdfast';
import { memory } from 'holdfast/memory';
import { afterAll, describe, expect, test } from 'vitest';

const locks = memory();
const lock = locks.lock('w');
afterAll(() => locks.close());

/** A call as a newcomer writes it: from another library, or from memory. The types would refuse most of them. */
const untyped = (thing: unknown) => thing as Record<string, (...given: readonly unknown[]) => unknown>;

async function said(call: () => unknown): Promise<string> {
  try {
    await call();
  } catch (error) {
    return (error as Error).message;
  }
  return 'nothing';
}

describe('a wrong call hears what to write', () => {
  test.each<readonly [string, () => unknown, string]>([
    [
      'acquire(5000)',
      () => untyped(lock)['acquire']!(5000),
      'lock "w": options must be an object, not 5000. Write { timeoutMs: 5000 } to wait for at most 5000 ms, or { leaseMs: 5000 } to hold for 5000 ms.',
    ],
    [
      'run(fn, 5000)',
      () => untyped(lock)['run']!(() => 1, 5000),
      'lock "w": options must be an object, not 5000. Write { timeoutMs: 5000 } to wait for at most 5000 ms, or { leaseMs: 5000 } to hold for 5000 ms.',
    ],
    [
      'acquire({ timeoutMs: Number.MAX_SAFE_INTEGER })',
      () => lock.acquire({ timeoutMs: Number.MAX_SAFE_INTEGER }),
      'lock "w": timeoutMs must be from 0 to 31536000000, not 9007199254740991. Infinity waits without limit.',
    ],
    [
      'latch.await(5000)',
      () => untyped(locks.latch('w'))['await']!(5000),
      'latch "w": options must be an object, not 5000. Write { timeoutMs: 5000 } to wait for at most 5000 ms.',
    ],
    [
      'acquire(fn)',
      () => untyped(lock)['acquire']!(() => 1),
      'lock "w": options must be an object, not a value of type function. Write run(fn, options) to call a function while you hold it.',
    ],
    [
      'run({…}, fn)',
      () => untyped(lock)['run']!({ timeoutMs: 5 }, () => 1),
      'lock "w": run needs a function, not a value of type object. Write run(fn, options).',
    ],
    [
      'lead()',
      () => untyped(locks.election('w'))['lead']!(),
      'election "w": lead needs a function, not undefined. Write lead(fn, options).',
    ],
    [
      'leaseMs: "30s"',
      () => untyped(lock)['acquire']!({ leaseMs: '30s' }),
      'lock "w": leaseMs must be a number, not "30s". It is a time in milliseconds.',
    ],
    [
      'extend("30s")',
      async () => untyped(await locks.lock('extended').acquire({ leaseMs: 100 }))['extend']!('30s'),
      'lock "extended": extend must be a number, not "30s". It is a time in milliseconds.',
    ],
    [
      'maxHoldMs: Infinity',
      () => memory({ maxHoldMs: Infinity }),
      'memory(): maxHoldMs must be from 50 to 31536000000, not Infinity. Leave it out: the hold is then renewed until it is released.',
    ],
    [
      'an AbortController',
      () => untyped(lock)['acquire']!({ signal: new AbortController() }),
      'lock "w": signal must be an AbortSignal, not an AbortController. Write { signal: controller.signal }.',
    ],
    [
      'lock.release()',
      () => untyped(lock)['release']!(),
      'lock "w": owner must come from owner() of the same engine object, not undefined. Write hold.release() or hold.extend(ms) with the hold that acquire() gave you.',
    ],
    [
      'semaphore(name)',
      () => untyped(locks)['semaphore']!('s'),
      'semaphore "s": permits must be a number, not undefined. Write semaphore(name, { permits: 3 }) with how many there are.',
    ],
    [
      'semaphore(name, 3)',
      () => untyped(locks)['semaphore']!('s', 3),
      'semaphore "s": options must be an object, not 3. Write { permits: 3 }.',
    ],
    [
      'barrier(name)',
      () => untyped(locks)['barrier']!('b'),
      'barrier "b": parties must be a number, not undefined. Write barrier(name, { parties: 3 }) with how many there are.',
    ],
    [
      'multiLock of names',
      () => multiLock(['a', 'b'] as never),
      'multiLock [?, ?]: every member must be a lock made by a Holdfast engine, and by the copy of the package that composes them; this is "a". Write locks.lock("a").',
    ],
    [
      'quorumLock of engines',
      () => quorumLock([locks] as never),
      'quorumLock [?]: every member must be a lock made by a Holdfast engine, and by the copy of the package that composes them; this is a value of type object.',
    ],
    [
      'memory({ store: 5 })',
      () => memory({ store: 5 as never }),
      'memory(): store must be a MemoryStore, not 5. Write memory({ store: new MemoryStore() }).',
    ],
  ])('%s', async (_, call, message) => {
    expect(await said(call)).toBe(message);
  });

  test('connect(host:port)', async () => {
    for (const address of ['localhost:6379', 'localhost:6379/0'])
      expect(await said(() => connect(address))).toMatch(
        /^connect: there is no engine for "localhost:"; .* Write the scheme of the store before the host, as in redis:\/\/host:6379\.$/,
      );
    expect(await said(() => connect('http://host'))).not.toContain('before the host');
  });

  test('a hold whose engine object was closed', async () => {
    const closed = memory();
    const hold = await closed.lock('w').acquire();
    await closed.close();
    const message =
      'lock "w" is no longer held: its engine object was closed. Open a new one, and acquire it again.';
    expect(await said(() => hold.throwIfLost())).toBe(message);
    expect(await said(() => hold.extend(1000))).toBe(message);
    await hold.release();
  });
});
