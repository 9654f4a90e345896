import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/time/clock.ts';
import { opCode } from '../../../../src/engines/zookeeper/client/protocol/operation.ts';
import type { Clock } from '../../../../src/spi/clock.ts';
import { waitFor } from '../../../fixtures/wait-for.ts';
import { openClient } from './open-client.ts';
import { connectReply, replyFrame, startScripted } from './scripted-server.ts';

const NOTIFICATION_XID = -1;
/** Where the time and the number of a session are in the reply to a handshake, behind its length and version. */
const TIME_OFFSET = 8;
const ID_OFFSET = 12;

describe('a server that breaks the protocol', () => {
  test('and answers another request than the oldest loses the connection, and both callers reject', async () => {
    const address = await startScripted(({ xid, reply }) => {
      if (xid === 2) reply(undefined, 1n, 2);
    });
    const client = openClient(address);
    const outcomes = await Promise.all([code(client.sync('/')), code(client.sync('/'))]);
    expect(outcomes).toEqual(['CONNECTION_LOSS', 'CONNECTION_LOSS']);
    expect(client.status).toMatchObject({ state: 'suspended' });
  });

  test('and sends a frame over the limit loses the connection before the frame has come', async () => {
    const address = await startScripted(({ socket }) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(2 ** 30);
      socket.write(length);
    });
    const client = openClient(address);
    await expect(client.sync('/')).rejects.toMatchObject({
      code: 'CONNECTION_LOSS',
      cause: expect.objectContaining({ name: 'JuteError' }),
    });
  });

  test('and sends a reply that cannot be read leaves the outcome unknown', async () => {
    const address = await startScripted(({ reply }) => reply((writer) => writer.int(1_000)));
    const client = openClient(address);
    await expect(client.getData('/')).rejects.toMatchObject({
      code: 'CONNECTION_LOSS',
      cause: expect.objectContaining({ name: 'JuteError' }),
    });
    await waitFor('the connection is given up', () => client.status.state !== 'connected');
  });

  test.for([1, 2, 3, 4, 5])(
    'and answers with random bytes (%s) costs an error and nothing else',
    async () => {
      const address = await startScripted(({ socket }) => {
        socket.write(randomBytes(200));
        socket.end();
      });
      const client = openClient(address);
      expect(await code(client.getChildren('/'))).toBe('CONNECTION_LOSS');
    },
  );

  test('and closes the connection instead of a handshake is tried again with pauses, until the limit', async () => {
    let tries = 0;
    const address = await startScripted(
      () => undefined,
      0,
      (socket) => {
        tries += 1;
        socket.end();
      },
    );
    const client = openClient(address, { connectMs: 600 });
    await expect(client.ready()).rejects.toMatchObject({
      code: 'CONNECTION_LOSS',
      message: expect.stringContaining('the server closed the connection'),
    });
    expect(tries).toBeGreaterThan(1);
    expect(tries).toBeLessThan(60);
  });
});

describe('a session is over when a server says so', () => {
  test.for([
    ['by granting no time', (reply: Buffer): unknown => reply.writeInt32BE(0, TIME_OFFSET)],
    ['by another number', (reply: Buffer): unknown => reply.writeBigInt64BE(78n, ID_OFFSET)],
  ] as const)('%s', async ([, change]) => {
    let connections = 0;
    const address = await startScripted(
      ({ socket }) => socket.destroy(),
      10_000,
      (socket) => {
        const reply = connectReply(10_000);
        connections += 1;
        if (connections === 2) change(reply);
        socket.write(reply);
      },
    );
    const client = openClient(address);
    expect(await code(client.sync('/'))).toBe('CONNECTION_LOSS');
    const watched = code(client.getData('/a', () => undefined));
    expect(await code(client.sync('/'))).toBe('SESSION_EXPIRED');
    expect(await watched).toBe('SESSION_EXPIRED');
    expect(client.status).toMatchObject({ state: 'lost', cause: { code: 'SESSION_EXPIRED' } });
  });
});

test('a session whose deadline passed while the process stood still is lost at the first look', async () => {
  const address = await startScripted(({ reply }) => reply());
  let stalledMs = 0;
  const clock: Clock = {
    now: () => systemClock.now() + stalledMs,
    epochNow: () => systemClock.epochNow(),
    timer: (delayMs, call) => systemClock.timer(delayMs, call),
  };
  const client = openClient(address, { clock });
  await client.ready();
  expect(client.status.state).toBe('connected');
  stalledMs = 10_000;
  // In the same turn: no alarm can have rung.
  expect(client.status).toMatchObject({ state: 'lost', cause: { code: 'SESSION_EXPIRED' } });
  expect(await code(client.sync('/'))).toBe('SESSION_EXPIRED');
});

describe('the order of what a server says', () => {
  test('an event reaches its listener before the reply behind it reaches its caller', async () => {
    const address = await startScripted(({ code: operation, reply, socket }) => {
      if (operation === opCode.getData) {
        reply((writer) => {
          writer.buffer(Buffer.alloc(0));
          for (let longs = 0; longs < 9; longs += 1) writer.long(0n);
        });
        return;
      }
      const event = replyFrame(NOTIFICATION_XID, -1n, (writer) => {
        writer.int(3);
        writer.int(3);
        writer.string('/a');
      });
      socket.write(event);
      reply();
    });
    const client = openClient(address);
    await client.ready();
    const order: string[] = [];
    // Both in one packet: the watch is set by the first reply, before the event behind it is looked at.
    const read = client.getData('/a', ({ type }) => order.push(`event ${type}`));
    const synced = client.sync('/');
    await Promise.all([read.then(() => order.push('read')), synced.then(() => order.push('synced'))]);
    expect(order.indexOf('event changed')).toBeGreaterThanOrEqual(0);
    expect(order.indexOf('event changed')).toBeLessThan(order.indexOf('synced'));
  });

  test('a listener whose watch the server removes for another one is called to look again', async () => {
    const address = await startScripted(({ reply }) => {
      reply((writer) => {
        writer.buffer(Buffer.alloc(0));
        for (let longs = 0; longs < 9; longs += 1) writer.long(0n);
      });
    });
    const client = openClient(address);
    const first = (): void => undefined;
    await client.getData('/a', first);
    const told = new Promise((resolve) => {
      // Sent before the removal: the server sets this watch and removes it with the other.
      void client.getData('/a', resolve);
    });
    await client.removeWatch('/a', 'data', first);
    expect(await told).toEqual({ type: 'unwatched', path: '/a' });
  });
});

function code(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );
}
