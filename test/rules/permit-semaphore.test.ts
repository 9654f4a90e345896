import { describe, expect, it } from 'vitest';
import { permitSemaphoreRule } from '../../src/rules/permit-semaphore.ts';
import { itSharesOutPermits, permitsWorld } from './permits.ts';

describe('permit semaphore', () => {
  itSharesOutPermits(permitSemaphoreRule, { endsWithSession: false });

  it('keeps a permit when the session that acquired it ends, for its id may be in other hands', () => {
    const { world, wakes, acquire } = permitsWorld(permitSemaphoreRule, { ttlMs: 10 });
    acquire('a:1', 3);
    world.end('a');
    expect(acquire('b:1', 1)).toStrictEqual({ kind: 'busy', againInMs: 10 + 20 });
    expect(world.step('renew', { owner: 'a:1', leaseMs: 50 })).toStrictEqual({
      kind: 'renewed',
      remainingMs: 50,
    });
    expect(world.step('release', { owner: 'a:1' })).toStrictEqual({ kind: 'released', others: 1 });
    expect(wakes.at(-1)).toStrictEqual(['b:1']);
  });

  it('ends a place in line with the session', () => {
    const { world, wakes, acquire } = permitsWorld(permitSemaphoreRule, { ttlMs: 10 });
    acquire('a:1', 1);
    acquire('b:1', 3);
    acquire('c:1', 1);
    world.end('b');
    acquire('d:1', 1, { wait: false });
    expect(wakes.at(-1)).toStrictEqual(['c:1']);
  });
});
