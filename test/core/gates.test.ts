import { describe, expect, test } from 'vitest';
import { Turnstile } from '../../src/core/queues/turnstile.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { fakeLock } from './fake-lock.ts';
import { newClient } from './new-client.ts';

/** What a lock object of that name asks for its gate. No client goes through it, so there is no store behind it. */
function gatesOfOneClient(): (name: string) => () => Turnstile {
  const client = newClient(new VirtualClock());
  return (name) => {
    const holdable = fakeLock(client, {}, 'lock', name);
    let gate = Turnstile.of(holdable);
    return () => (gate.current ? gate : (gate = Turnstile.again(holdable)));
  };
}

/** Many locks that have been taken in turn for a while. */
function takenInTurn(gateOf: (name: string) => () => Turnstile) {
  const many = Array.from({ length: 2000 }, (_, n) => gateOf(`lock-${n}`));
  for (let round = 0; round < 4; round++) for (const gate of many) gate();
  return many;
}

describe('the gates of a client', () => {
  test('give up idle ones when there are many', () => {
    const gateOf = gatesOfOneClient();
    const first = gateOf('first')();
    for (let n = 0; n < 300; n++) gateOf(`other-${n}`);
    expect(first.current).toBe(false);
  });

  test('stay when they are wanted again and again, however many locks are taken in turn', () => {
    const gateOf = gatesOfOneClient();
    const many = takenInTurn(gateOf);
    const settled = many.map((gate) => gate());
    for (const gate of many) gate();
    expect(settled.every((gate) => gate.current)).toBeTruthy();
  });

  test('are given up all the same once their locks are no longer used', () => {
    const gateOf = gatesOfOneClient();
    const many = takenInTurn(gateOf);
    const settled = many.map((gate) => gate());
    for (let n = 0; n < 4000; n++) gateOf(`other-${n}`);
    expect(settled.every((gate) => !gate.current)).toBeTruthy();
  });
});
