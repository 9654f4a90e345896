import { connect } from 'node:net';
import { systemClock } from '../../../core/time/clock.ts';

/** What comes in place of the version of the protocol. */
const CANCEL_REQUEST = 80_877_102;
/** So long the server may take to read it. */
const PATIENCE_MS = 10_000;

/** Where a PostgreSQL listens. */
export type ServerAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** How the server, or the pooler in front of it, knows a connection: nobody else can guess the second. */
export interface BackendKey {
  readonly pid: number;
  readonly secret: number | Uint8Array;
}

/**
 * Asks PostgreSQL to end the statement of a connection, by a connection for nothing but that, as the protocol has it. To
 * close the connection of the statement is not enough: a process that waits for a lock does not look at it, and stays until
 * the lock is free. `pg_cancel_backend` needs a connection of the pool, and all of them may wait for the same lock.
 */
export function sendCancelRequest(address: ServerAddress, { pid, secret }: BackendKey): void {
  const socket = connect(address);
  const late = systemClock.timer(PATIENCE_MS, () => socket.destroy());
  socket.once('close', () => late.cancel());
  // A server that is not reachable carries out nothing.
  socket.on('error', () => socket.destroy());
  socket.once('connect', () => socket.end(cancelRequest(pid, secret)));
  // The server answers nothing, and closes.
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
