import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { onAbort } from '../../src/core/async/aborts.ts';

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

describe('onAbort', () => {
  test('listens once, however many wait, and not at all without a waiter', () => {
    const { signal } = new AbortController();
    const ends = Array.from({ length: 5000 }, () => onAbort(signal, () => expect.unreachable('not aborted')));
    expect(listeners(signal)).toBe(1);
    for (const end of ends.slice(1)) end();
    expect(listeners(signal)).toBe(1);
    ends[0]!();
    ends[0]!();
    expect(listeners(signal)).toBe(0);
  });

  test('calls every listener once, in order, and forgets them', () => {
    const controller = new AbortController();
    const called: number[] = [];
    const ends = [1, 2, 3].map((name) => onAbort(controller.signal, () => called.push(name)));
    controller.abort();
    expect(called).toStrictEqual([1, 2, 3]);
    expect(listeners(controller.signal)).toBe(0);
    for (const end of ends) end();
    expect(called).toStrictEqual([1, 2, 3]);
  });

  test('a listener that ends while others are called is not called', () => {
    const controller = new AbortController();
    const called: string[] = [];
    const ends: (() => void)[] = [];
    onAbort(controller.signal, () => {
      called.push('first');
      ends[0]?.();
    });
    ends.push(onAbort(controller.signal, () => called.push('second')));
    onAbort(controller.signal, () => called.push('third'));
    controller.abort();
    expect(called).toStrictEqual(['first', 'third']);
  });

  test('begins again after the last listener has left', () => {
    const controller = new AbortController();
    onAbort(controller.signal, () => expect.unreachable('left'))();
    let called = 0;
    onAbort(controller.signal, () => called++);
    expect(listeners(controller.signal)).toBe(1);
    controller.abort();
    expect(called).toBe(1);
  });

  test('signals are distinct', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const called: string[] = [];
    onAbort(one.signal, () => called.push('one'));
    const end = onAbort(other.signal, () => called.push('other'));
    one.abort();
    expect(called).toStrictEqual(['one']);
    end();
    expect(listeners(other.signal)).toBe(0);
  });
});
