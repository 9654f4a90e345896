import { connect } from 'node:net';
import { systemClock } from '../../../../core/time/clock.ts';
import type { HostAndPort } from './redis-address.ts';

/** How long a server may take to speak first, as a server that refuses the connection does; and then to answer. */
const UNASKED_MS = 200;
const ANSWER_MS = 500;

const PING = 'PING\r\n';
/**
 * The first bytes of a TLS handshake, which a server without TLS reads as a line and answers. No PING, because an address
 * with TLS must never get plain text. Nor a whole handshake: a server without TLS searches for the end of the line and stops
 * at the first zero byte, so server and client would wait for each other.
 */
const HANDSHAKE_BEGINS = Buffer.from([0x16, 0x03, 0x01, 0x0d, 0x0a]);

/**
 * Reads what a server says on a new connection, first unasked and then to one question; empty if it says nothing. It finds
 * the reason why a client cannot connect: a client that writes to a connection that the server has closed reads no reason.
 */
export function readFirstWords({ host, port }: HostAndPort, tls: boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (words: string): void => {
      asking.cancel();
      giveUp.cancel();
      socket.destroy();
      resolve(words);
    };
    const asking = systemClock.timer(UNASKED_MS, () => void socket.write(tls ? HANDSHAKE_BEGINS : PING));
    const giveUp = systemClock.timer(UNASKED_MS + ANSWER_MS, () => end(''));
    for (const timer of [asking, giveUp]) timer.keepsAlive(true);
    socket.once('data', (bytes: Buffer) => end(bytes.toString('latin1').split('\r\n')[0]!));
    socket.on('error', () => end(''));
    socket.once('close', () => end(''));
  });
}
