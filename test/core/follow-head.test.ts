import { describe, expect, test } from 'vitest';
import { followHead } from '../../src/core/acquire/follow-head.ts';
import { Followers } from '../../src/core/acquire/followers.ts';
import { ClosedError, EngineError } from '../../src/index.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';
import { newClient } from './new-client.ts';

/** A single attempt behind a head of its line, and whether it has asked the store. */
function follow(signal?: AbortSignal) {
  const clock = new VirtualClock();
  const client = newClient(clock);
  const attempts = new Followers();
  const since = clock.now();
  const head = { owedSince: () => since, follow: attempts.add.bind(attempts) };
  const asked: string[] = [];
  const outcome = followHead(fakeLock(client), head, { ...client.usualTerms(true), signal }, () => {
    asked.push('asked');
    return null;
  });
  return { clock, client, attempts, asked, outcome };
}

describe('a single attempt that is to ask for itself', () => {
  test('asks when its turn comes', async () => {
    const { attempts, asked, outcome } = follow();
    attempts.tell('clear');
    expect(await outcome).toBeNull();
    expect(asked).toEqual(['asked']);
  });

  test('does not ask if it was aborted between the call and its turn', async () => {
    const stop = new AbortController();
    const { attempts, asked, outcome } = follow(stop.signal);
    attempts.tell('clear');
    const reason = new Error('enough');
    stop.abort(reason);
    await expect(outcome).rejects.toBe(reason);
    expect(asked).toEqual([]);
  });

  test('does not ask for a client that was closed between the call and its turn', async () => {
    const { client, attempts, asked, outcome } = follow();
    attempts.tell('clear');
    const closing = client.close();
    await expect(outcome).rejects.toThrow(ClosedError);
    expect(asked).toEqual([]);
    await closing;
  });
});

describe('a single attempt behind a head', () => {
  test('of which the caller left soon asks', async () => {
    const { clock, attempts, asked, outcome } = follow();
    clock.stall(999);
    attempts.tell('left');
    expect(await outcome).toBeNull();
    expect(asked).toEqual(['asked']);
  });

  test('of which the caller left after a second of silence hears of an outage', async () => {
    const { clock, attempts, asked, outcome } = follow();
    clock.stall(1000);
    attempts.tell('left');
    await expect(outcome).rejects.toThrow(EngineError);
    expect(asked).toEqual([]);
  });

  test('is forgotten when it is aborted', async () => {
    const stop = new AbortController();
    const { attempts, outcome } = follow(stop.signal);
    expect(attempts.isEmpty).toBe(false);
    stop.abort('enough');
    await expect(outcome).rejects.toBe('enough');
    expect(attempts.isEmpty).toBe(true);
  });
});
