import { expect, test } from 'vitest';
import { silentStoreError } from '../../src/core/failures/silent-store.ts';
import { NoAnswerError } from '../../src/core/async/in-time.ts';
import { VirtualClock } from '../fixtures/virtual-clock.ts';
import { newClient } from './new-client.ts';

const subject = { resource: 'lock "a"', engine: 'test' };

test('a wait that ends in silence names one limit: its own', () => {
  const client = newClient(new VirtualClock());
  // Of a request of an earlier call, which waited for longer.
  client.noteStoreFailure(new NoAnswerError(3000));
  const { message, cause } = silentStoreError(client, subject, 2000);
  expect(message).toMatch(/^lock "a": test did not answer within 2000 ms\. Whether it is free is not known/);
  expect(cause).toBeInstanceOf(NoAnswerError);
});

test('a fault is named', () => {
  const client = newClient(new VirtualClock());
  client.noteStoreFailure(new Error('connection reset'));
  expect(silentStoreError(client, subject, 2000).message).toContain('within 2000 ms (connection reset).');
});

test.each([
  [419.507_404_99, 'no answer within 420 ms'],
  [-61.528, 'no answer within 0 ms'],
])(
  'the error of an answer that did not come in the %d ms that were left has whole milliseconds',
  (leftMs, text) => {
    expect(new NoAnswerError(leftMs).message).toBe(text);
  },
);
