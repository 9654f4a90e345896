import { expect, test } from 'vitest';
import type { ClusterAddresses } from '../../../src/engines/redis/drivers/cluster/cluster-routing.ts';
import { onNewMaster } from '../../../src/engines/redis/drivers/cluster/new-masters.ts';

test('tells of a replica that was promoted, and of no slot that went from one master to another', () => {
  let masters = ['a:1', 'b:1'];
  let change: () => void = () => undefined;
  const addresses = {
    masters: () => masters,
    onChange: (listener: () => void) => {
      change = listener;
      return () => {
        change = () => undefined;
      };
    },
  } as unknown as ClusterAddresses;
  let told = 0;
  const stop = onNewMaster(addresses, () => told++);
  change();
  expect(told, 'a slot has moved').toBe(0);
  masters = ['a:1', 'b:2'];
  change();
  expect(told, 'b:2 has taken the place of b:1').toBe(1);
  change();
  expect(told, 'it was reported').toBe(1);
  masters = ['a:1', 'b:1'];
  change();
  expect(told, 'and back').toBe(2);
  stop();
  masters = ['a:2', 'b:1'];
  change();
  expect(told).toBe(2);
});
