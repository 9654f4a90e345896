import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import { FrameSplitter } from '../../../../src/engines/zookeeper/client/jute/frame-splitter.ts';
import { JuteReader } from '../../../../src/engines/zookeeper/client/jute/jute-reader.ts';
import { JuteWriter } from '../../../../src/engines/zookeeper/client/jute/jute-writer.ts';

export interface ScriptedRequest {
  readonly xid: number;
  readonly code: number;
  readonly reply: (body?: (writer: JuteWriter) => void, zxid?: bigint, xid?: number) => void;
  readonly socket: Socket;
}

/** A server that answers the handshake, and everything else as the test says: for what a real one would never do. */
export async function startScripted(
  answer: (request: ScriptedRequest) => void,
  sessionMs = 10_000,
  connect: (socket: Socket) => void = (socket) => void socket.write(connectReply(sessionMs)),
): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const frames = new FrameSplitter(10_000_000);
    let isConnected = false;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      for (const frame of frames.push(chunk)) {
        if (isConnected) answer(requestOf(frame, socket));
        else connect(socket);
        isConnected = true;
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function requestOf(frame: Buffer, socket: Socket): ScriptedRequest {
  const reader = new JuteReader(frame);
  const own = reader.int();
  return {
    xid: own,
    code: reader.int(),
    socket,
    reply: (body, zxid = 1n, xid = own) => void socket.write(replyFrame(xid, zxid, body)),
  };
}

export function replyFrame(xid: number, zxid: bigint, body?: (writer: JuteWriter) => void): Buffer {
  const writer = new JuteWriter();
  writer.int(xid);
  writer.long(zxid);
  writer.int(0);
  body?.(writer);
  return writer.frame();
}

export function connectReply(sessionMs: number): Buffer {
  const writer = new JuteWriter();
  writer.int(0);
  writer.int(sessionMs);
  writer.long(77n);
  writer.buffer(Buffer.alloc(16, 1));
  writer.bool(false);
  return writer.frame();
}
