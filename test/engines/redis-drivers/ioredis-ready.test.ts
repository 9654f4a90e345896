import assert from 'node:assert/strict';
import { EventEmitter, getEventListeners } from 'node:events';
import { test } from 'vitest';
import type { Emitter } from '../../../src/engines/redis/drivers/subscriptions/listening.ts';
import { ioredisReady } from '../../../src/engines/redis/drivers/ioredis/ioredis-ready.ts';

const MANY = 50;

/** What `ioredisReady` uses of a client. */
class Connecting extends (EventEmitter as unknown as new () => Emitter &
  Pick<EventEmitter, 'emit' | 'listenerCount'>) {
  status = 'connecting';
}

const EVENTS = ['ready', 'end'] as const;

function manyWaitFor(client: Connecting, closing: AbortSignal) {
  return Promise.allSettled(Array.from({ length: MANY }, () => ioredisReady(client, closing)));
}

// A listener for each of them makes Node warn of a leak at the eleventh.
test.each(['ready', 'end', 'abort'] as const)(
  'many commands wait for a client with one listener of each event, until %s',
  async (how) => {
    const client = new Connecting();
    const controller = new AbortController();
    const waiting = manyWaitFor(client, controller.signal);
    assert.deepEqual(
      EVENTS.map((event) => client.listenerCount(event)),
      [1, 1],
    );
    assert.equal(getEventListeners(controller.signal, 'abort').length, 1);
    if (how === 'abort') controller.abort(new Error('closed'));
    else client.emit(how);
    const outcomes = await waiting;
    assert.ok(outcomes.every(({ status }) => status === (how === 'ready' ? 'fulfilled' : 'rejected')));
    assert.deepEqual(
      EVENTS.map((event) => client.listenerCount(event)),
      [0, 0],
    );
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  },
);
