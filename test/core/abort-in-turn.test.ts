import { getEventListeners, once } from 'node:events';
import { describe, expect, test } from 'vitest';
import { abortInTurn } from '../../src/core/async/abort-in-turn.ts';
import { onAbort } from '../../src/core/async/aborts.ts';

const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    setImmediate(resolve);
  });

describe('a signal that aborts while code of its reader runs', () => {
  test('has aborted at once, and calls its listeners at once', () => {
    const controller = new AbortController();
    const { signal } = controller;
    const told: unknown[] = [];
    signal.addEventListener('abort', () => told.push(signal.reason));
    abortInTurn(controller, 'over');
    abortInTurn(controller, 'over again');
    expect([signal.aborted, signal.reason, told]).toStrictEqual([true, 'over', ['over']]);
  });

  test('calls those that are added in the same turn once each, when the turn is over', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const told: string[] = [];
    signal.addEventListener('abort', () => told.push('before'));
    abortInTurn(controller, 'over');
    const twice = () => told.push('twice');
    signal.addEventListener('abort', twice);
    signal.addEventListener('abort', twice, { once: true });
    signal.addEventListener('abort', { handleEvent: ({ target }) => told.push(`of ${target === signal}`) });
    Reflect.set(signal, 'onabort', () => told.push('property'));
    onAbort(signal, () => told.push('shared'));
    void once(signal, 'abort').then(() => told.push('awaited'));
    expect(told).toStrictEqual(['before']);
    await nextTurn();
    expect(told.toSorted()).toStrictEqual(['awaited', 'before', 'of true', 'property', 'shared', 'twice']);
  });

  test('does not call those that are removed again, or that another signal has ended', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const unwanted = (): void => expect.unreachable('it is no longer wanted');
    abortInTurn(controller, 'over');
    signal.addEventListener('abort', unwanted);
    signal.removeEventListener('abort', unwanted);
    onAbort(signal, unwanted)();
    const ended = new AbortController();
    signal.addEventListener('abort', unwanted, { signal: ended.signal });
    ended.abort();
    await nextTurn();
  });

  test('is like any other signal in the next turn, and for other events', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    abortInTurn(controller, 'over');
    let others = 0;
    const other = () => (others += 1);
    signal.addEventListener('other', other);
    signal.dispatchEvent(new Event('other'));
    signal.removeEventListener('other', other);
    signal.dispatchEvent(new Event('other'));
    expect(others).toBe(1);
    await nextTurn();
    expect(Object.keys(Object.getOwnPropertyDescriptors(signal))).toStrictEqual([]);
    signal.addEventListener('abort', () => expect.unreachable('it has aborted in an earlier turn'));
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    await nextTurn();
  });
});
