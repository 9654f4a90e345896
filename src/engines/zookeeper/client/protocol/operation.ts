import type { JuteReader } from '../jute/jute-reader.ts';
import { JuteWriter } from '../jute/jute-writer.ts';

/** A request to the server: how it is written, and how the reply to it is read. */
export interface Operation<T> {
  readonly code: number;
  /** For messages: the operation and its path. */
  readonly what: string;
  readonly write: (writer: JuteWriter) => void;
  readonly read: (reader: JuteReader) => T;
}

/** ZooKeeper's operation codes. */
export const opCode = {
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getAccess: 6,
  setAccess: 7,
  sync: 9,
  getChildren: 12,
  check: 13,
  multi: 14,
  create: 15,
  removeWatches: 18,
  createContainer: 19,
  createWithTtl: 21,
  closeSession: -11,
  auth: 100,
  setWatches: 101,
  sasl: 102,
  getEphemerals: 103,
  setWatches2: 105,
  addWatch: 106,
  whoAmI: 107,
} as const;

export function readNothing(): void {
  // The reply has a header only.
}

/** The offset of a request's xid in its frame. The connection that sends the frame fills it in. */
export const XID_OFFSET = 4;

/** The frame of a request, without its xid. */
export function encodeRequest({ code, write }: Operation<unknown>): Buffer {
  const writer = new JuteWriter();
  writer.int(0);
  writer.int(code);
  write(writer);
  return writer.frame();
}
