import { EventEmitter, once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
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
