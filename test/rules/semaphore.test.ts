import { describe, expect, it } from 'vitest';
import { semaphoreRule } from '../../src/rules/semaphore.ts';
import { itSharesOutPermits, permitsWorld } from './permits.ts';

describe('semaphore', () => {
  itSharesOutPermits(semaphoreRule, { endsWithSession: true });

  it('ends the permits of a session with it', () => {
    const { world, acquire } = permitsWorld(semaphoreRule, { ttlMs: 10 });
    acquire('a:1', 3);
    world.stop('a');
    expect(acquire('b:1', 1)).toStrictEqual({ kind: 'busy', againInMs: 10 });
    world.now += 10;
    expect(acquire('b:1', 1).kind).toBe('granted');
    expect(world.step('renew', { owner: 'a:1', leaseMs: 30 }).kind).toBe('gone');
  });
});
