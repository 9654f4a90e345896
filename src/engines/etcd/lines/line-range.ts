import type { LineName } from '../../../spi/engine/ticket-line.ts';
import {
  type KeyValue,
  type RangeRequest,
  rangeRequestSortTarget,
} from '../client/messages/etcd-messages.generated.ts';
import type { Draft } from '../client/transport/message-type.ts';
import { endOfPrefix, linePrefix } from '../layout/etcd-keys.ts';

/** A line as the bytes of a request. */
export interface LineRange {
  readonly prefix: string;
  readonly key: Buffer;
  readonly rangeEnd: Buffer;
}

/** All keys of a line, below what is in front of every key. */
export function rangeOfLine(root: string, { kind, name }: LineName): LineRange {
  const prefix = root + linePrefix(kind, name);
  const key = Buffer.from(prefix);
  return { prefix, key, rangeEnd: endOfPrefix(key) };
}

/** The tickets, the first one first, by their keys alone. */
export function listOf({ key, rangeEnd }: LineRange): Draft<RangeRequest> {
  return { key, rangeEnd, keysOnly: true, sortOrder: 1, sortTarget: rangeRequestSortTarget.CREATE };
}

export function suffixOf({ key }: LineRange, kv: KeyValue): string {
  return Buffer.from(kv.key).subarray(key.length).toString();
}
