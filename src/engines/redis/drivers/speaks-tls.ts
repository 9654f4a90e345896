import { connect } from 'node:tls';
import { systemClock } from '../../../core/time/clock.ts';
import type { HostAndPort } from './redis-address.ts';

/** How long a server may take for a handshake. One without TLS waits for the end of a line and says nothing. */
const HANDSHAKE_MS = 1000;

/**
 * Whether a server begins with TLS on a new connection. For finding out why a client without TLS was not connected: such a
 * server ends the connection and gives no reason. Nothing is sent over it, so the certificate may be any.
 */
export function speaksTls({ host, port }: HostAndPort): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false });
    const end = (answer: boolean): void => {
      giveUp.cancel();
      socket.destroy();
      resolve(answer);
    };
    const giveUp = systemClock.timer(HANDSHAKE_MS, () => end(false));
    giveUp.keepsAlive(true);
    socket.once('secureConnect', () => end(true));
    socket.on('error', () => end(false));
    socket.once('close', () => end(false));
  });
}
