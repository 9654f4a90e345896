import { EventEmitter, getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import type { Emitter } from '../../../src/engines/redis/drivers/subscriptions/listening.ts';
import { waitForIoredis } from '../../../src/engines/redis/drivers/ioredis/ioredis-ready.ts';

const MANY = 50;

/** What `waitForIoredis` uses of a client. */
class Connecting extends (EventEmitter as unknown as new () => Emitter &
  Pick<EventEmitter, 'emit' | 'listenerCount'>) {
  status = 'connecting';
}

const EVENTS = ['ready', 'end'] as const;

function manyWaitFor(client: Connecting, closing: AbortSignal) {
  return Promise.allSettled(Array.from({ length: MANY }, () => waitForIoredis(client, closing)));
}

// A listener for each of them makes Node warn of a leak at the eleventh.
test.each(['ready', 'end', 'abort'] as const)(
  'many commands wait for a client with one listener of each event, until %s',
  async (how) => {
    const client = new Connecting();
    const controller = new AbortController();
    const waiting = manyWaitFor(client, controller.signal);
    expect(EVENTS.map((event) => client.listenerCount(event))).toStrictEqual([1, 1]);
    expect(getEventListeners(controller.signal, 'abort').length).toBe(1);
    if (how === 'abort') controller.abort(new Error('closed'));
    else client.emit(how);
    const outcomes = await waiting;
    expect(
      outcomes.every(({ status }) => status === (how === 'ready' ? 'fulfilled' : 'rejected')),
    ).toBeTruthy();
    expect(EVENTS.map((event) => client.listenerCount(event))).toStrictEqual([0, 0]);
    expect(getEventListeners(controller.signal, 'abort').length).toBe(0);
  },
);
