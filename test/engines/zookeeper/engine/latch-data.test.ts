import { expect, test } from 'vitest';
import { decodeLatch, encodeLatch } from '../../../../src/engines/zookeeper/layout/latch-data.ts';
import { ZooKeeperDocuments } from '../../../../src/engines/zookeeper/documents/zookeeper-documents.ts';
import type { ZooKeeperLiveness } from '../../../../src/engines/zookeeper/zookeeper-liveness.ts';

const clients = [{ client: 'a', seq: 4, answer: 6 }];
const count = (value: number): Buffer => Buffer.from([0, 0, 0, value]);

test('the count is four bytes, and all else is in the memory', () => {
  const state = { state: { count: 7 }, clients };
  const data = encodeLatch(state);
  expect(data.count).toEqual(count(7));
  expect(decodeLatch(data.count, data.memory)).toEqual({ state });
});

test('a count that does not fit shows as the highest one, and is kept', () => {
  const state = { state: { count: 2 ** 40 }, clients };
  const data = encodeLatch(state);
  expect(data.count).toEqual(Buffer.from([127, 255, 255, 255]));
  expect(decodeLatch(data.count, data.memory)).toEqual({ state });
});

test('a latch that was never set is a count of zero', () => {
  const data = encodeLatch({ state: null, clients });
  expect(data.count).toEqual(count(0));
  expect(decodeLatch(data.count, data.memory)).toEqual({ state: { state: null, clients } });
});

test('a count that Java has written counts, and requests stay remembered', () => {
  const { memory } = encodeLatch({ state: { count: 7 }, clients });
  expect(decodeLatch(count(3), memory)).toEqual({ state: { state: { count: 3 }, clients } });
  expect(decodeLatch(count(3), undefined)).toEqual({ state: { state: { count: 3 }, clients: [] } });
});

test('is neither text nor a count below zero', () => {
  expect(decodeLatch(Buffer.from('127.0.0.1'), undefined)).toBeUndefined();
  expect(decodeLatch(Buffer.from([255, 255, 255, 255]), undefined)).toBeUndefined();
});

// The race: another client changes both nodes between the two reads. A memory that is older than the count would not know a request
// that the count contains, and a copy of that request would be carried out once more.
test('a client reads the count before the memory', async () => {
  const asked: string[] = [];
  const client = {
    sync: () => Promise.resolve(),
    getData: (path: string) => {
      asked.push(path);
      return Promise.resolve({ data: count(3), stat: { czxid: 1n, mzxid: 2n, version: 0 } });
    },
  };
  const liveness = { client: () => client } as unknown as ZooKeeperLiveness;
  const documents = new ZooKeeperDocuments({ liveness, label: 'zookeeper', access: [], root: '' });
  await documents.read('latch', '/count');
  expect(asked).toEqual(['/count', '/holdfast/latches/%2Fcount']);
});
