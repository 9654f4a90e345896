import { channel } from 'node:diagnostics_channel';
import { describe, expect, test, vi } from 'vitest';
import { Events } from '../../src/core/events.ts';
import { Grant } from '../../src/core/grants/grant.ts';
import { memory } from '../../src/engines/memory/index.ts';
import type { EventMap, HoldfastEvent } from '../../src/index.ts';

const NAMES: readonly (keyof EventMap)[] = ['acquire', 'release', 'renew', 'lost', 'contended', 'trouble'];
const EVENT: HoldfastEvent = { kind: 'lock', name: 'a', engine: 'memory' };

describe('events', () => {
  test('are built while there is a listener, here or on the channel of the process', () => {
    for (const name of NAMES) {
      const events = new Events();
      const topic = events.topic(name)!;
      expect(topic.wanted).toBe(false);
      const end = topic.on(() => undefined);
      expect(topic.wanted).toBe(true);
      end();
      expect(topic.wanted).toBe(false);
      const heard: unknown[] = [];
      const listen = (message: unknown) => heard.push(message);
      channel(`holdfast:${name}`).subscribe(listen);
      expect(topic.wanted).toBe(true);
      topic.emit(EVENT);
      channel(`holdfast:${name}`).unsubscribe(listen);
      expect(topic.wanted).toBe(false);
      expect(heard).toStrictEqual([EVENT]);
    }
  });

  test('of other names there are none', () => {
    const events = new Events();
    for (const name of ['nonsense', 'topic', 'clear', '__proto__', 'constructor', ''])
      expect(events.topic(name), name).toBeUndefined();
  });

  test('a listener that throws keeps no other from being called, and its error is not lost', () => {
    const later: (() => void)[] = [];
    vi.stubGlobal('queueMicrotask', (call: () => void) => void later.push(call));
    try {
      const topic = new Events().acquire;
      const error = new Error('mine');
      const heard: HoldfastEvent[] = [];
      topic.on(() => {
        throw error;
      });
      topic.on((event) => void heard.push(event));
      topic.emit(EVENT);
      expect(heard).toStrictEqual([EVENT]);
      expect(later.length).toBe(1);
      expect(later[0]).toThrow(error);
    } finally {
      vi.unstubAllGlobals();
    }
  });

  test('nothing is built without a listener', async () => {
    const built = vi.spyOn(Grant.prototype, 'fenceAt');
    const locks = memory();
    const use = () => locks.lock('a').run(() => locks.semaphore('b', { permits: 1 }).run(() => undefined));
    await use();
    expect(built.mock.calls.length).toBe(0);
    locks.on('acquire', () => undefined);
    await use();
    expect(built.mock.calls.length).toBe(2);
    await locks.close();
    built.mockRestore();
  });

  test('the channel hears every engine object of the process', async () => {
    const heard: HoldfastEvent[] = [];
    const listen = (message: unknown) => heard.push(message as HoldfastEvent);
    channel('holdfast:acquire').subscribe(listen);
    const engines = [memory({ label: 'one' }), memory({ label: 'two' })];
    for (const locks of engines) await locks.lock('a').run(() => undefined);
    channel('holdfast:acquire').unsubscribe(listen);
    for (const locks of engines) await locks.lock('a').run(() => undefined);
    expect(heard.map(({ engine, kind, name }) => [engine, kind, name])).toStrictEqual([
      ['one', 'lock', 'a'],
      ['two', 'lock', 'a'],
    ]);
    for (const locks of engines) await locks.close();
  });
});
