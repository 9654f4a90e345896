import type { JuteReader } from '../jute/jute-reader.ts';
import { JuteWriter } from '../jute/jute-writer.ts';

/** Asks for a new session (id 0), or continues one. */
export interface ConnectRequest {
  /** A server that has seen less closes the connection, so that a client never reads older state. */
  readonly lastZxid: bigint;
  readonly timeoutMs: number;
  readonly sessionId: bigint;
  readonly password: Uint8Array;
}

export interface ConnectResponse {
  /** The granted session time, which may differ from the request. 0 or less: the session has expired. */
  readonly timeoutMs: number;
  readonly sessionId: bigint;
  readonly password: Buffer;
}

export const PASSWORD_BYTES = 16;
const PROTOCOL_VERSION = 0;
const READ_ONLY_IS_FINE = false;

export function connectFrame({ lastZxid, timeoutMs, sessionId, password }: ConnectRequest): Buffer {
  const writer = new JuteWriter();
  writer.int(PROTOCOL_VERSION);
  writer.long(lastZxid);
  writer.int(timeoutMs);
  writer.long(sessionId);
  writer.buffer(password);
  writer.bool(READ_ONLY_IS_FINE);
  return writer.frame();
}

export function readConnectResponse(reader: JuteReader): ConnectResponse {
  reader.int();
  return {
    timeoutMs: reader.int(),
    sessionId: reader.long(),
    password: reader.buffer() ?? Buffer.alloc(PASSWORD_BYTES),
  };
}
