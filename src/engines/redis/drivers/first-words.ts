import { connect } from 'node:net';
import { systemClock } from '../../../kernels/surroundings.ts';
import type { HostAndPort } from './redis-address.ts';

/** How long a server may take to speak by itself, as one does that takes no more connections; and then to answer. */
const UNASKED_MS = 200;
const ANSWER_MS = 500;

/**
 * What a server says on a plain connection, first by itself and then to a PING; empty if it says nothing. For finding out
 * why a client was not connected: a client that writes into a connection which the server has closed reads no reason, and
 * one that begins with TLS waits for an answer that a server without TLS never gives.
 */
export function firstWords({ host, port }: HostAndPort): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (words: string): void => {
      asking.cancel();
      giveUp.cancel();
      socket.destroy();
      resolve(words);
    };
    const asking = systemClock.timer(UNASKED_MS, () => void socket.write('PING\r\n'));
    const giveUp = systemClock.timer(UNASKED_MS + ANSWER_MS, () => end(''));
    for (const timer of [asking, giveUp]) timer.keepsAlive(true);
    socket.once('data', (bytes: Buffer) => end(bytes.toString('latin1').split('\r\n')[0]!));
    socket.on('error', () => end(''));
    socket.once('close', () => end(''));
  });
}
