import { connect } from 'node:net';
import { systemClock } from '../../../core/time/clock.ts';

/** Takes the place of the protocol version in the first message. */
const CANCEL_REQUEST = 80_877_102;
/** How long the server may take to read the request. */
const PATIENCE_MS = 10_000;

/** Where a PostgreSQL listens. */
export type ServerAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** By which the server, or the pooler in front of it, knows a connection. No other client can guess the secret. */
export interface BackendKey {
  readonly pid: number;
  readonly secret: number | Uint8Array;
}

/**
 * Asks PostgreSQL to cancel the statement of a connection, on a connection opened only for that, as the protocol
 * demands. To close the statement's own connection is not enough: a server process that waits for a lock does not look
 * at its connection, and stays until the lock is free. `pg_cancel_backend` needs a connection of the pool, and all of
 * them may wait for the same lock.
 */
export function sendCancelRequest(address: ServerAddress, { pid, secret }: BackendKey): void {
  const socket = connect(address);
  const late = systemClock.timer(PATIENCE_MS, () => socket.destroy());
  socket.once('close', () => late.cancel());
  // A server that cannot be reached runs nothing that would have to be cancelled.
  socket.on('error', () => socket.destroy());
  socket.once('connect', () => socket.end(cancelRequest(pid, secret)));
  // The server answers nothing, and closes the connection.
  socket.resume();
}

function cancelRequest(pid: number, secret: number | Uint8Array): Buffer {
  const key = typeof secret === 'number' ? Buffer.alloc(4) : Buffer.from(secret);
  if (typeof secret === 'number') key.writeInt32BE(secret | 0);
  const head = Buffer.alloc(12);
  head.writeInt32BE(head.length + key.length, 0);
  head.writeInt32BE(CANCEL_REQUEST, 4);
  head.writeInt32BE(pid | 0, 8);
  return Buffer.concat([head, key]);
}
