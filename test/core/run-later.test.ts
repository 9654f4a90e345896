import { expect, test } from 'vitest';
import { memory } from '../../src/engines/memory/index.ts';

// In memory the grant is there when `run` is called. A section that began at once would run before its caller goes on, on this engine
// alone.
test('a section begins after its caller has gone on, also where the lock is free at once', async () => {
  const locks = memory();
  const order: string[] = [];
  const running = locks.lock('x').run(() => order.push('section'));
  order.push('caller');
  await running;
  expect(order).toStrictEqual(['caller', 'section']);
  await locks.close();
});
