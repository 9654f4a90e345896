import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';
import type { Clock } from '../../../../spi/clock.ts';
import { destroyInTurn } from './destroy-in-turn.ts';
import { EtcdError } from './etcd-error.ts';
import type { EtcdEndpoint } from './endpoints.ts';
import { GrpcConnection } from './grpc-connection.ts';

/** How to reach an endpoint, and for how long to try. */
export interface DialPlan {
  readonly endpoint: EtcdEndpoint;
  readonly tls: ConnectionOptions | undefined;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A connection on its way. */
export interface Dialing {
  readonly connected: Promise<GrpcConnection>;
  /** Gives it up. `connected` rejects, or its connection ends. */
  cancel(): void;
}

/**
 * Connects to one endpoint. Connected means that the server has sent its settings: the system of a server that stands still
 * completes the handshake of TCP, and nothing else proves that a program is there.
 *
 * The socket is made here and listened to here. A server that refuses after the handshake of TLS 1.3, because a client certificate is
 * missing, ends the socket; the session above it is destroyed then and tells neither of an error nor of its end.
 */
export function dialEndpoint({ endpoint, tls, timeoutMs, clock }: DialPlan): Dialing {
  const { host, port } = endpoint;
  const name = `${host}:${port}`;
  const socket: Socket =
    tls === undefined
      ? connectTcp({ host, port, noDelay: true })
      : connectTls({
          host,
          port,
          ...(isIP(host) === 0 && { servername: host }),
          ...tls,
          ALPNProtocols: ['h2'],
        });
  // A caller that waits keeps the process alive, and not the connection.
  socket.unref();
  let cancel: () => void = () => undefined;
  const connected = new Promise<GrpcConnection>((resolve, reject) => {
    const session = connectHttp2(`${tls === undefined ? 'http' : 'https'}://${authorityOf(endpoint)}`, {
      createConnection: () => socket,
    });
    const fail = (why: string, cause?: unknown): void => {
      timer.cancel();
      reject(new EtcdError('NOT_SENT', `${name} ${why}`, { cause }));
      destroyInTurn(session, clock);
    };
    const timer = clock.timer(timeoutMs, () => fail(`did not answer within ${Math.ceil(timeoutMs)} ms`));
    cancel = () => fail('was given up');
    socket.on('error', (error) => fail(`cannot be reached: ${error.message}`, error));
    socket.on('close', () => fail('ended the connection'));
    session.on('error', (error: Error) => fail(`cannot be reached: ${error.message}`, error));
    session.once('remoteSettings', () => {
      timer.cancel();
      resolve(new GrpcConnection(name, session, clock));
    });
  });
  return { connected, cancel: () => cancel() };
}

function authorityOf({ host, port }: EtcdEndpoint): string {
  return `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
}
