import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { describe, test } from 'vitest';
import { onAbort } from '../../src/core/async/aborts.ts';

function listeners(signal: AbortSignal): number {
  return getEventListeners(signal, 'abort').length;
}

describe('onAbort', () => {
  test('listens once, however many wait, and not at all when nobody does', () => {
    const { signal } = new AbortController();
    const ends = Array.from({ length: 5000 }, () => onAbort(signal, () => assert.fail('not aborted')));
    assert.equal(listeners(signal), 1);
    for (const end of ends.slice(1)) end();
    assert.equal(listeners(signal), 1);
    ends[0]!();
    ends[0]!();
    assert.equal(listeners(signal), 0);
  });

  test('calls everybody once, in order, and forgets them', () => {
    const controller = new AbortController();
    const called: number[] = [];
    const ends = [1, 2, 3].map((name) => onAbort(controller.signal, () => called.push(name)));
    controller.abort();
    assert.deepEqual(called, [1, 2, 3]);
    assert.equal(listeners(controller.signal), 0);
    for (const end of ends) end();
    assert.deepEqual(called, [1, 2, 3]);
  });

  test('whoever ends while others are called is not called', () => {
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
    assert.deepEqual(called, ['first', 'third']);
  });

  test('begins again after everybody had left', () => {
    const controller = new AbortController();
    onAbort(controller.signal, () => assert.fail('left'))();
    let called = 0;
    onAbort(controller.signal, () => called++);
    assert.equal(listeners(controller.signal), 1);
    controller.abort();
    assert.equal(called, 1);
  });

  test('signals are told apart', () => {
    const [one, other] = [new AbortController(), new AbortController()];
    const called: string[] = [];
    onAbort(one.signal, () => called.push('one'));
    const end = onAbort(other.signal, () => called.push('other'));
    one.abort();
    assert.deepEqual(called, ['one']);
    end();
    assert.equal(listeners(other.signal), 0);
  });
});
