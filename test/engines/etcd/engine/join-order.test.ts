import { expect, test } from 'vitest';
import { etcd } from 'holdfast/etcd';
import { JoinOrder } from '../../../../src/engines/etcd/lines/join-order.ts';
import { describeEtcd } from '../../../fixtures/etcd/describe-etcd.ts';
import { startEtcd } from '../../../fixtures/etcd/etcd-server.ts';

/** A server carries out calls of one connection side by side, and the youngest first as often as not. */
const ROUNDS = 20;

describeEtcd('waiters that ask in one turn of the event loop', { timeout: 60_000 }, () => {
  test('stand in the line in the order of their calls', async () => {
    await using server = await startEtcd();
    await using locks = etcd({ endpoints: server.address });
    await locks.fairLock('open').run(() => undefined);
    for (let round = 0; round < ROUNDS; round++) {
      const lock = locks.fairLock(`order ${round}`);
      const order: number[] = [];
      const holds = Array.from({ length: 9 }, (_, at) =>
        lock.run(() => {
          order.push(at);
        }),
      );
      await Promise.all(holds);
      expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
    }
  });
});

test('one that fails lets all behind it go at once', async () => {
  const order = new JoinOrder();
  const begun: number[] = [];
  let fail!: (error: Error) => void;
  const first = order.inTurn('a', () => new Promise((_, reject) => (fail = reject)));
  const others = [1, 2, 3].map((at) =>
    order.inTurn('a', () => {
      begun.push(at);
      return new Promise<void>(() => undefined);
    }),
  );
  void others;
  fail(new Error('no answer'));
  await expect(first).rejects.toThrow('no answer');
  await Promise.resolve();
  expect(begun).toEqual([1, 2, 3]);
});
