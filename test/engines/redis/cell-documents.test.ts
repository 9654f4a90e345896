import { expect, test } from 'vitest';
import { Client } from '../../../src/core/client.ts';
import { CellDocuments } from '../../../src/engines/redis/cells/cell-documents.ts';
import type { RedisDriver } from '../../../src/engines/redis/driver.ts';
import { Keys } from '../../../src/engines/redis/keys.ts';
import type { RedisContext } from '../../../src/engines/redis/redis-context.ts';
import { Scripts } from '../../../src/engines/redis/requests/scripts.ts';
import type { DocumentChange } from '../../../src/spi/engine/documents.ts';
import { RequestCopies } from '../../../src/kernels/requests/request-copies.ts';
import { VirtualClock } from '../../fixtures/virtual-clock.ts';

const change: DocumentChange = {
  kind: 'election',
  name: 'a',
  verb: 'acquire',
  mayBeLost: false,
  before: undefined,
  expected: undefined,
  version: 'v1',
  state: { state: { count: 1 } },
  notBefore: 0,
  notAfter: 1,
  ttlMs: Infinity,
  wake: 'none',
};

/** What is known of a change whose only copy failed so. */
async function sendingAfter(message: string, connectionsLater = 0): Promise<RequestCopies> {
  let connectionsMade = 1;
  const driver: Partial<RedisDriver> = {
    topology: 'single',
    get connectionsMade() {
      return connectionsMade;
    },
    onReconnect: () => () => undefined,
    onError: () => () => undefined,
    send: async () => {
      connectionsMade += connectionsLater;
      throw new Error(message);
    },
  };
  const random = { id: () => 'c'.repeat(32), fraction: () => 0.5 };
  const clock = new VirtualClock();
  const client = new Client({ label: 'redis', clock, random, renewalLeaseMs: 30_000, maxHoldMs: Infinity });
  const settings = { commandTimeoutMs: 1000, confirming: undefined };
  const parts: Partial<RedisContext> = {
    fenceRetentionMs: 0,
    cellRetentionMs: 0,
    scripts: new Scripts({ client, driver: driver as RedisDriver, ...settings }),
    keys: new Keys(''),
    pubSub: { get: async () => ({ publish: 'PUBLISH' }) } as unknown as RedisContext['pubSub'],
  };
  const sending = new RequestCopies(true);
  const documents = new CellDocuments(parts as RedisContext, false);
  await expect(documents.write(change, sending)).rejects.toBeInstanceOf(Error);
  return sending;
}

test.each([
  ['refused', 'NOPERM this user has no permissions'],
  ['refused for lack of room', "OOM command not allowed when used memory > 'maxmemory'."],
  ['put off', 'LOADING Redis is loading the dataset in memory'],
])('a change that the server has %s is not out any more (soundness 3)', async (_, message) => {
  expect((await sendingAfter(message)).wasSent).toBe(false);
});

test.each([
  ['was not answered', 'Connection is closed.', 0],
  ['was refused after the client had sent it once by itself', 'NOPERM this user has no permissions', 1],
] as const)('a change that %s may have been carried out (soundness 3)', async (_, message, connections) => {
  expect((await sendingAfter(message, connections)).wasSent).toBe(true);
});
