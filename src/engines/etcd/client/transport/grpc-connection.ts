import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from 'node:http2';
import type { Clock } from '../../../../spi/clock.ts';
import { decodeStatusMessage, errorOfStatus, EtcdError } from './etcd-error.ts';
import { GrpcFrameSplitter, frameOf } from './grpc-frame-splitter.ts';
import { destroyInTurn } from './destroy-in-turn.ts';
import type { Draft, MessageType } from './message-type.ts';

/** One call of a service. */
export interface GrpcMethod<Q, R> {
  readonly path: string;
  readonly request: MessageType<Q>;
  readonly response: MessageType<R>;
}

/** Headers beside those that every call has. */
export type CallMetadata = Readonly<Record<string, string>>;

/** Both directions of a call that goes on. */
export interface GrpcStream<Q> {
  send(request: Draft<Q>): void;
  /** Ends the call. Nothing is heard of it afterwards. */
  cancel(): void;
}

/** Who listens to a call that goes on. */
export interface StreamListener<R> {
  readonly onMessage: (message: R) => void;
  /** The call has ended, and not by `cancel`. */
  readonly onEnd: (error: EtcdError) => void;
}

const OK = 0;

/**
 * Calls over one HTTP/2 session. Every call has a deadline of its own and ends with the session at the latest.
 */
export class GrpcConnection {
  /** Called once, when the session has ended or takes no more calls. */
  onEnd: (() => void) | undefined;
  readonly endpoint: string;
  readonly #session: ClientHttp2Session;
  readonly #clock: Clock;
  #isEnded = false;
  #isDestroyed = false;

  constructor(endpoint: string, session: ClientHttp2Session, clock: Clock) {
    this.endpoint = endpoint;
    this.#session = session;
    this.#clock = clock;
    // The server takes no more calls: those under way go on, and the next ones belong to another connection.
    session.on('goaway', () => this.#end());
    session.on('close', () => this.#end());
    session.on('error', () => this.#end());
  }

  get isUsable(): boolean {
    return !this.#isEnded && !this.#session.closed && !this.#session.destroyed;
  }

  /** `keepsAlive`: whether the process stays for the answer. */
  call<Q, R>(
    { path, request, response }: GrpcMethod<Q, R>,
    message: Draft<Q>,
    timeoutMs: number,
    metadata: CallMetadata,
    keepsAlive = true,
  ): Promise<R> {
    return new Promise((resolve, reject) => {
      const timeout = Math.max(1, Math.ceil(timeoutMs));
      const stream = this.#open(path, { ...metadata, 'grpc-timeout': `${timeout}m` });
      let answer: Buffer | undefined;
      const timer = this.#clock.timer(timeout, () => {
        reject(new EtcdError('DEADLINE_EXCEEDED', `no answer from ${this.endpoint} within ${timeout} ms`));
        stream.close(constants.NGHTTP2_CANCEL);
      });
      timer.keepsAlive(keepsAlive);
      readStream(stream, {
        onBytes: (bytes) => (answer = bytes),
        onEnd: (status, error) => {
          timer.cancel();
          if (error !== undefined) return reject(this.#explain(error));
          if (status === undefined || answer === undefined) return reject(this.#explain(undefined));
          try {
            resolve(response.decode(answer));
          } catch (cause) {
            reject(new EtcdError('CONNECTION_LOST', 'the answer cannot be read', { cause }));
            this.destroy();
          }
        },
      });
      stream.end(frameOf(request.encode(message)));
    });
  }

  /** A call that goes on. */
  open<Q, R>(
    { path, request, response }: GrpcMethod<Q, R>,
    metadata: CallMetadata,
    { onMessage, onEnd }: StreamListener<R>,
  ): GrpcStream<Q> {
    const stream = this.#open(path, metadata);
    let isOver = false;
    readStream(stream, {
      onBytes: (bytes) => {
        if (isOver || this.#isDestroyed) return;
        let message: R;
        try {
          message = response.decode(bytes);
        } catch (cause) {
          isOver = true;
          // Told before the connection ends: who listens goes on over the next one, and hears why.
          onEnd(new EtcdError('CONNECTION_LOST', 'the answer cannot be read', { cause }));
          return this.destroy();
        }
        try {
          onMessage(message);
        } catch (cause) {
          // A mistake of this process, and no reason to leave the member. Decoded in this `try`, a member's bytes would end the process.
          queueMicrotask(() => {
            throw cause;
          });
        }
      },
      onEnd: (status, error) => {
        if (isOver) return;
        isOver = true;
        const ended =
          status === undefined ? undefined : new EtcdError('UNAVAILABLE', 'the server has ended it');
        onEnd(this.#explain(error ?? ended));
      },
    });
    return {
      send: (message) => {
        if (!isOver && stream.writable) stream.write(frameOf(request.encode(message)));
      },
      cancel: () => {
        isOver = true;
        stream.close(constants.NGHTTP2_CANCEL);
      },
    };
  }

  /** Ends the session, and with it every call that is under way. Nothing is heard of streams afterwards but their end. */
  destroy(): void {
    this.#isDestroyed = true;
    this.#end();
    destroyInTurn(this.#session, this.#clock);
  }

  #open(path: string, metadata: CallMetadata): ClientHttp2Stream {
    if (!this.isUsable) throw new EtcdError('NOT_SENT', `the connection to ${this.endpoint} has ended`);
    try {
      const stream = this.#session.request({
        ':method': 'POST',
        ':path': path,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...metadata,
      });
      stream.once('error', (error) => isOutOfNumbers(error) && this.#retire());
      return stream;
    } catch (cause) {
      // A session that was destroyed a moment ago refuses in this very call.
      throw new EtcdError('NOT_SENT', `the connection to ${this.endpoint} has ended`, { cause });
    }
  }

  /** Takes no more calls, and ends with those that are under way. */
  #retire(): void {
    this.#end();
    this.#session.close();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.onEnd?.();
  }

  #explain(error: EtcdError | undefined): EtcdError {
    return error ?? new EtcdError('CONNECTION_LOST', `the connection to ${this.endpoint} ended`);
  }
}

interface StreamReader {
  readonly onBytes: (message: Buffer) => void;
  /** Once. `status` is set if the server has ended the call well, `error` if it says why it did not. */
  readonly onEnd: (status: typeof OK | undefined, error: EtcdError | undefined) => void;
}

/** Reads a stream to its end. Neither an error event nor the end of the session leaves it without one. */
function readStream(stream: ClientHttp2Stream, { onBytes, onEnd }: StreamReader): void {
  const splitter = new GrpcFrameSplitter();
  let status: number | undefined;
  let text = '';
  let isOver = false;
  const end = (error?: EtcdError): void => {
    if (isOver) return;
    isOver = true;
    if (error !== undefined || status === undefined) onEnd(undefined, error);
    else if (status === OK) onEnd(OK, undefined);
    else onEnd(undefined, errorOfStatus(status, text));
  };
  const readStatus = (headers: IncomingHttpHeaders): void => {
    if (headers['grpc-status'] === undefined) return;
    status = Number(headers['grpc-status']);
    text = decodeStatusMessage(String(headers['grpc-message'] ?? ''));
  };
  stream.on('response', (headers: IncomingHttpHeaders & IncomingHttpStatusHeader) => {
    readStatus(headers);
    if (headers[':status'] !== 200 && status === undefined)
      end(
        new EtcdError('UNAVAILABLE', `the server answered with the HTTP status ${headers[':status'] ?? 0}`),
      );
  });
  stream.on('trailers', readStatus);
  stream.on('data', (bytes: Buffer) => {
    try {
      for (const message of splitter.push(bytes)) onBytes(message);
    } catch (cause) {
      end(new EtcdError('CONNECTION_LOST', 'the answer cannot be read', { cause }));
      stream.close(constants.NGHTTP2_CANCEL);
    }
  });
  stream.on('end', () => {
    if (status !== undefined) end();
  });
  let isUnnumbered = false;
  // Without a listener an error of a stream would end the process; what it says is in the code of the stream.
  stream.on('error', (error) => {
    isUnnumbered = isOutOfNumbers(error);
  });
  stream.on('close', () => {
    if (isUnnumbered) return end(new EtcdError('NOT_SENT', 'the connection has had all its stream numbers'));
    // The server says that it has not looked at the call: it may be sent again.
    const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
    end(isRefused ? new EtcdError('NOT_SENT', 'the server refused the stream') : undefined);
  });
}

/** A session has 2^30 numbers for its streams. It stays open without one, and every further call would fail, for as long as the process runs. */
function isOutOfNumbers(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_HTTP2_OUT_OF_STREAMS';
}
