import { connect } from 'node:net';
import { systemClock } from '../../../core/time/clock.ts';
import type { HostAndPort } from './redis-address.ts';

/** How long a server may take to speak by itself, as one does that takes no more connections; and then to answer. */
const UNASKED_MS = 200;
const ANSWER_MS = 500;

const PING = 'PING\r\n';
/**
 * The first bytes of a TLS handshake, which a server without TLS reads as a line and answers. An address with TLS is never
 * spoken to without, so the question is no PING. Nor is it a whole handshake: a server without TLS looks for the end of the
 * line and stops looking at the first zero byte, so it waits for more and the client waits for it.
 */
const HANDSHAKE_BEGINS = Buffer.from([0x16, 0x03, 0x01, 0x0d, 0x0a]);

/**
 * What a server says on a new connection, first by itself and then to one question; empty if it says nothing. For finding
 * out why a client was not connected: a client that writes into a connection which the server has closed reads no reason.
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
