import { connect } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { inTime } from '../../../core/async/in-time.ts';
import { systemClock } from '../../../core/time/clock.ts';
import type { ZooKeeperServer } from '../client/session/server-list.ts';
import { isError } from '../../../spi/is-error.ts';

const TIMEOUT_MS = 3_000;
const LONGEST_ANSWER = 100_000;

/** The words that a server answers on its client port, where its whitelist permits: by default `srvr` alone. */
export type ServerWord = 'srvr' | 'mntr' | 'conf';

/** What one server says. `forbidden`: it answers, and its whitelist does not have the word. */
export type ServerAnswer =
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'silent'; readonly why: string };

/** Asks one server by a four-letter word: no session, and no other server answers in its place. */
export async function askServer(
  { host, port }: ZooKeeperServer,
  word: ServerWord,
  tls: ConnectionOptions | undefined,
): Promise<ServerAnswer> {
  const socket = tls ? connectTls({ host, port, ...tls }) : connect({ host, port });
  try {
    const text = await inTime(
      systemClock,
      new Promise<string>((resolve, reject) => {
        let answer = '';
        socket.once(tls ? 'secureConnect' : 'connect', () => socket.write(word));
        socket.on('data', (bytes: Buffer) => {
          answer += bytes.toString('latin1');
          if (answer.length > LONGEST_ANSWER) resolve(answer);
        });
        socket.on('error', reject).on('close', () => resolve(answer));
      }),
      TIMEOUT_MS,
    );
    if (text.includes('not in the whitelist')) return { kind: 'forbidden' };
    return text === ''
      ? { kind: 'silent', why: 'it ended the connection without an answer' }
      : { kind: 'answer', text };
  } catch (error) {
    return { kind: 'silent', why: isError(error) ? error.message : String(error) };
  } finally {
    socket.destroy();
  }
}
