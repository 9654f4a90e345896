import { expect, test } from 'vitest';
import { RefusedError } from '../../../src/core/acquire/refused-error.ts';
import { StoreFullError } from '../../../src/core/acquire/store-full-error.ts';
import { CellDocuments } from '../../../src/engines/redis/cells/cell-documents.ts';
import type { RedisContext } from '../../../src/engines/redis/redis-context.ts';
import type { DocumentChange } from '../../../src/spi/engine/documents.ts';
import { afterUnanswered } from '../../../src/kernels/requests/after-unanswered.ts';
import { RequestCopies } from '../../../src/kernels/requests/request-copies.ts';

const subject = { resource: 'latch "a"', engine: 'redis' };
const refused = new RefusedError('latch "a": not permitted.', subject, { retryable: false });

const change: DocumentChange = {
  kind: 'latch',
  name: 'a',
  verb: 'countDown',
  mayBeLost: false,
  before: undefined,
  expected: undefined,
  version: 'v1',
  state: { count: 1 },
  notBefore: 0,
  notAfter: 1,
  ttlMs: Infinity,
  wake: 'none',
};

/** What is known of a change after the server has answered it so. */
async function sendingAfter(error: Error): Promise<RequestCopies> {
  const confirmed = async (): Promise<never> => {
    throw error;
  };
  const pubSub = { get: async () => ({ publish: 'publish' }) };
  const parts = {
    fenceRetentionMs: 0,
    calls: { confirmed, subject: () => subject },
    keys: { cell: () => 'cell', cellChannel: () => 'channel' },
    pubSub,
  } as unknown as RedisContext;
  const sending = new RequestCopies(true);
  await expect(new CellDocuments(parts, false).write(change, sending)).rejects.toBe(error);
  return sending;
}

test.each([
  ['refused', refused],
  ['refused for lack of room', new StoreFullError('latch "a": full.', subject, undefined)],
])('a change that the server has %s is not out any more', async (_, error) => {
  expect((await sendingAfter(error)).wasSent).toBe(false);
});

test.each([
  ['was not answered', new Error('no answer')],
  ['was refused after an earlier copy without an answer', afterUnanswered(refused)],
])('a change that %s may have been carried out', async (_, error) => {
  expect((await sendingAfter(error)).wasSent).toBe(true);
});
