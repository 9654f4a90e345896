import { expect, test } from 'vitest';
import { holdingCellProtocol } from '../../src/kernels/cells/cell-protocol.ts';
import { lockRule, type LockState } from '../../src/rules/lock.ts';
import type { CellStore } from '../../src/spi/engine/cells.ts';
import type { Facts } from '../../src/spi/rule.ts';

const FACTS: Facts = { now: 1000, fenceFloor: 0, upMs: 0, dead: { has: () => false, endsInMs: () => 1e9 } };
const rule = lockRule({ fair: false });

/** Cells that fail for names that begin with "bad", at once or later. */
function cells(): CellStore<LockState> {
  const states = new Map<string, LockState>();
  return {
    update: (key, decide, ask) => {
      if (key === 'bad') throw new Error('no');
      if (key === 'bad later') return Promise.reject(new Error('not now'));
      const step = decide(states.get(key), ask, FACTS);
      if (step.state !== undefined) states.set(key, step.state);
      return step.answer;
    },
    read: (key, look) => look(states.get(key), FACTS),
    watch: () => () => undefined,
  };
}

const ASK = { owner: 'a:1', leaseMs: 1000, fences: 1, wait: true, interestMs: 1000 };

test('each verb is one change of the cell of that name, and a look changes nothing', () => {
  const protocol = holdingCellProtocol(rule, cells());
  expect(protocol.acquire('x', ASK)).toStrictEqual({
    kind: 'granted',
    fence: 1_000_000,
    fences: 1,
    remainingMs: 1000,
    passedOver: 0,
  });
  expect(protocol.look('x')).toStrictEqual({
    holder: { owner: 'a:1', fence: 1_000_000, remainingMs: 1000 },
    waiters: 0,
    line: { order: 'any', places: [] },
  });
  expect(protocol.look('y')).toStrictEqual({ holder: undefined, waiters: 0 });
  expect(protocol.release('x', { owner: 'a:1' })).toStrictEqual({ kind: 'released', others: 0 });
});

test('a renewal that fails spoils no other of its batch', async () => {
  const protocol = holdingCellProtocol(rule, cells());
  void protocol.acquire('x', ASK);
  const ask = { owner: 'a:1', leaseMs: 2000 };
  const outcomes = await protocol.renewMany(['bad', 'x', 'bad later', 'y'].map((name) => ({ name, ask })));
  expect(outcomes.map(({ kind }) => kind)).toStrictEqual(['failed', 'renewed', 'failed', 'gone']);
});
