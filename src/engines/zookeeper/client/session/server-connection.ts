import { connect, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import { FrameSplitter } from '../jute/frame-splitter.ts';
import { JuteError, JuteReader } from '../jute/jute-reader.ts';
import { type ConnectResponse, readConnectResponse } from '../protocol/handshake.ts';
import { XID_OFFSET } from '../protocol/operation.ts';
import { readWatchEvent, type ServerEventType } from '../protocol/watch-event.ts';
import { serverError, ZooKeeperError } from '../protocol/zookeeper-error.ts';
import type { ZooKeeperServer } from './server-list.ts';
import { isError } from '../../../../spi/is-error.ts';

/** The xids of notifications, and of requests that the server answers out of order. */
export const reservedXid = { notification: -1, auth: -4, setWatches: -8 } as const;
const HIGHEST_XID = 2 ** 31 - 1;

/** Receives the reply, or the reason why there is none. Called once. */
export type Settle = (reply: JuteReader | undefined, error: Error | undefined, zxid: bigint) => void;

/** A request that is ready to send: its frame, its name for error messages, and the receiver of the reply. */
export interface OutgoingRequest {
  readonly frame: Buffer;
  readonly what: string;
  readonly settle: Settle;
}

interface SentRequest {
  readonly xid: number;
  readonly what: string;
  readonly settle: Settle;
}

export interface ServerConnectionPlan {
  readonly server: ZooKeeperServer;
  readonly tls: ConnectionOptions | undefined;
  readonly handshake: Buffer;
  readonly maxReplyBytes: number;
  readonly onConnected: (response: ConnectResponse) => void;
  readonly onHeard: () => void;
  readonly onEvent: (type: ServerEventType, path: string) => void;
  /** Called once, after every request in flight has been settled. */
  readonly onEnd: (cause: Error) => void;
}

/** One socket to one server: the handshake, then requests in order, and replies in the same order. */
export class ServerConnection {
  readonly #plan: ServerConnectionPlan;
  readonly #socket: Socket;
  readonly #frames: FrameSplitter;
  /** The sent requests, in order; those before `#first` are answered. */
  #inFlight: SentRequest[] = [];
  #first = 0;
  readonly #outOfOrder: SentRequest[] = [];
  #xid = 0;
  #isConnected = false;
  #isCorked = false;
  #cause: Error | undefined;
  #hasEnded = false;

  constructor(plan: ServerConnectionPlan) {
    this.#plan = plan;
    this.#frames = new FrameSplitter(plan.maxReplyBytes);
    const { host, port } = plan.server;
    this.#socket = plan.tls ? connectTls({ host, port, ...plan.tls }) : connect({ host, port });
    // Only a waiting caller keeps the process alive, never a connection.
    this.#socket.unref();
    this.#socket.setNoDelay(true);
    this.#socket.on('data', (chunk: Buffer) => this.#receive(chunk));
    this.#socket.on('error', (error) => {
      this.#cause ??= error;
    });
    this.#socket.on('close', () => this.#end());
    this.#socket.once(plan.tls ? 'secureConnect' : 'connect', () => this.#socket.write(plan.handshake));
  }

  /** Sends a request behind those before it. All requests of one turn of the event loop leave in one packet. */
  send(frame: Buffer, what: string, settle: Settle): void {
    if (this.#hasEnded) return settle(undefined, this.#lossOf(what), 0n);
    this.#xid = this.#xid === HIGHEST_XID ? 1 : this.#xid + 1;
    this.#inFlight.push({ xid: this.#xid, what, settle });
    this.#write(this.#xid, frame);
  }

  /** Sends a request that the server answers out of order. */
  sendReserved(xid: number, frame: Buffer, what: string, settle: Settle): void {
    if (this.#hasEnded) return settle(undefined, this.#lossOf(what), 0n);
    this.#outOfOrder.push({ xid, what, settle });
    this.#write(xid, frame);
  }

  /** Flushes what was written, and ends. */
  finish(cause: Error): void {
    this.#cause ??= cause;
    this.#socket.destroySoon();
    this.#end();
  }

  /** Ends at once. Requests in flight are settled before this returns. */
  destroy(cause: Error): void {
    this.#cause ??= cause;
    this.#socket.destroy();
    this.#end();
  }

  #write(xid: number, frame: Buffer): void {
    frame.writeInt32BE(xid, XID_OFFSET);
    if (!this.#isCorked) {
      this.#isCorked = true;
      this.#socket.cork();
      process.nextTick(() => {
        this.#isCorked = false;
        this.#socket.uncork();
      });
    }
    this.#socket.write(frame);
  }

  #receive(chunk: Buffer): void {
    if (this.#hasEnded) return;
    this.#plan.onHeard();
    try {
      for (const frame of this.#frames.push(chunk)) {
        this.#dispatch(new JuteReader(frame));
        // The race: a listener has closed the client, and must receive nothing after that.
        if (this.#hasEnded) return;
      }
    } catch (error) {
      this.destroy(isError(error) ? error : new JuteError(String(error)));
    }
  }

  #dispatch(reader: JuteReader): void {
    if (!this.#isConnected) {
      const response = readConnectResponse(reader);
      this.#isConnected = true;
      return this.#plan.onConnected(response);
    }
    const xid = reader.int();
    const zxid = reader.long();
    const error = reader.int();
    if (xid === reservedXid.notification) {
      const event = readWatchEvent(reader);
      if (event) this.#plan.onEvent(event.type, event.path);
    } else {
      this.#settle(xid < 0 ? this.#takeOutOfOrder(xid) : this.#takeFirst(xid), reader, error, zxid);
    }
  }

  #settle({ what, settle }: SentRequest, reader: JuteReader, error: number, zxid: bigint): void {
    if (error === 0) settle(reader, undefined, zxid);
    else settle(undefined, serverError(error, what), zxid);
  }

  /** Takes the oldest request: the server answers in order, and a reply out of order would reach the wrong caller. */
  #takeFirst(xid: number): SentRequest {
    const first = this.#inFlight[this.#first];
    if (first?.xid !== xid)
      throw new JuteError(
        `a reply to request ${xid}, where ${first ? `request ${first.xid}` : 'none'} is due`,
      );
    this.#first += 1;
    if (this.#first === this.#inFlight.length) {
      this.#inFlight = [];
      this.#first = 0;
    }
    return first;
  }

  #takeOutOfOrder(xid: number): SentRequest {
    const index = this.#outOfOrder.findIndex((each) => each.xid === xid);
    const found = this.#outOfOrder[index];
    if (found === undefined) throw new JuteError(`a reply to request ${xid}, which was not sent`);
    this.#outOfOrder.splice(index, 1);
    return found;
  }

  #end(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#cause ??= new Error('the server closed the connection');
    const unanswered = [...this.#inFlight.slice(this.#first), ...this.#outOfOrder];
    this.#inFlight = [];
    this.#outOfOrder.length = 0;
    for (const { what, settle } of unanswered) settle(undefined, this.#lossOf(what), 0n);
    this.#plan.onEnd(this.#cause);
  }

  #lossOf(what: string): ZooKeeperError {
    const { host, port } = this.#plan.server;
    const message = `${what}: the connection to ${host}:${port} ended before the reply`;
    return new ZooKeeperError('CONNECTION_LOSS', message, { cause: this.#cause });
  }
}
