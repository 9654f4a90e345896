import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import * as ioredis from 'ioredis';
import * as nodeRedis from 'redis';
import { expect, onTestFinished, test } from 'vitest';
import { driverFor } from '../../../src/engines/redis/drivers/recognise.ts';
import type { Emitter } from '../../../src/engines/redis/drivers/subscriptions/listening.ts';
import { UnspokenRefusal } from '../../../src/engines/redis/drivers/unspoken-refusal.ts';
import { waitFor } from '../../fixtures/wait-for.ts';

/** A server whose maxclients is reached. */
async function startFullServer(): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end('-ERR max number of clients reached\r\n');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** The refusals of a client of a full server, whose events and state the test decides. */
async function refusedClient(isConnecting: () => boolean) {
  const port = await startFullServer();
  const emitter = new EventEmitter();
  const refusal = new UnspokenRefusal({
    emitter: emitter as unknown as Emitter,
    where: { host: '127.0.0.1', port },
    tls: false,
    failing: 'close',
    isConnecting,
  });
  onTestFinished(() => refusal.stop());
  const heard: string[] = [];
  refusal.onRefusal(({ message }) => heard.push(message));
  return { emitter, refusal, heard };
}

test('a client that connects, and emits nothing, hears why it does not get ready', async () => {
  const { heard } = await refusedClient(() => true);
  await waitFor('the words of the server', () => heard.length > 0);
  expect(heard).toStrictEqual([expect.stringContaining('max number of clients reached')]);
});

// The look after the first 300 ms finds a client that is ready. From then on only its events tell that it is refused.
test('a client that was ready hears why a server ends its next connection', async () => {
  let isConnecting = false;
  let looks = 0;
  const { emitter, refusal, heard } = await refusedClient(() => {
    looks++;
    return isConnecting;
  });
  emitter.emit('connect');
  emitter.emit('ready');
  await waitFor('the look after a while', () => looks === 1);

  isConnecting = true;
  emitter.emit('close');
  expect(looks, 'a server that is not there is not asked').toBe(1);
  emitter.emit('connect');
  emitter.emit('close');
  await waitFor('the words of the server', () => heard.length > 0);
  expect(heard).toStrictEqual([expect.stringContaining('max number of clients reached')]);
  expect(refusal.reason?.message).toBe(heard[0]);

  isConnecting = false;
  emitter.emit('ready');
  expect(refusal.reason).toBe(undefined);
});

/** Clients of a user that connect, and do not stop trying. */
const connecting = {
  ioredis: (port: number) => {
    const client = new ioredis.Redis({ port, host: '127.0.0.1' });
    return { client: client.on('error', () => undefined), end: () => client.disconnect() };
  },
  'node-redis': (port: number) => {
    const client = nodeRedis.createClient({ socket: { host: '127.0.0.1', port } });
    client.on('error', () => undefined);
    client.connect().catch(() => undefined);
    return { client, end: () => client.destroy() };
  },
} as const;

test.each(['ioredis', 'node-redis'] as const)('the driver of %s says why it is refused', async (kind) => {
  const { client, end } = connecting[kind](await startFullServer());
  onTestFinished(end);
  const driver = driverFor(client);
  onTestFinished(() => driver.close());
  const heard: string[] = [];
  driver.onError((error) => heard.push(String(error)));
  const isRefusal = (words: string): boolean => words.includes('max number of clients reached');
  expect(await waitFor('the words of the server', () => heard.find(isRefusal))).toMatch(/^\w*Error: /);
});
