import { describe, expect, test } from 'vitest';
import { followHead } from '../../src/core/acquire/follow-head.ts';
import { Followers } from '../../src/core/acquire/followers.ts';
import { ClosedError } from '../../src/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';
import { newClient } from './new-client.ts';

/** A single attempt behind a head of its line, and whether it has asked the store. */
function follow(signal?: AbortSignal) {
  const client = newClient(new VirtualClock());
  const attempts = new Followers();
  const head = { owedSince: () => 0, follow: attempts.add.bind(attempts) };
  const asked: string[] = [];
  const outcome = followHead(fakeLock(client), head, { ...client.usualTerms(true), signal }, () => {
    asked.push('asked');
    return null;
  });
  return { client, attempts, asked, outcome };
}

describe('a single attempt that is to ask for itself', () => {
  test('asks when its turn comes', async () => {
    const { attempts, asked, outcome } = follow();
    attempts.tell({ kind: 'gone' });
    expect(await outcome).toBeNull();
    expect(asked).toEqual(['asked']);
  });

  test('does not ask if it was aborted between the call and its turn', async () => {
    const stop = new AbortController();
    const { attempts, asked, outcome } = follow(stop.signal);
    attempts.tell({ kind: 'gone' });
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  test('does not ask for a client that was closed between the call and its turn', async () => {
    const { client, attempts, asked, outcome } = follow();
    attempts.tell({ kind: 'gone' });
    const closing = client.close();
    await expect(outcome).rejects.toThrow(ClosedError);
    expect(asked).toEqual([]);
    await closing;
  });
});
