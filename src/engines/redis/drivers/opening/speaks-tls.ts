import { connect } from 'node:tls';
import { systemClock } from '../../../../core/time/clock.ts';
import type { HostAndPort } from './redis-address.ts';

/** How long a handshake may take. A server without TLS waits for the end of a line and says nothing. */
const HANDSHAKE_MS = 1000;

/**
 * Whether a server answers a TLS handshake. It finds the reason why a client without TLS cannot connect: such a server
 * closes the connection and gives no reason. Accepts any certificate, because nothing is sent over the connection.
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
