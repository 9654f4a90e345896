import type { JuteReader } from '../jute/jute-reader.ts';

/** What the server knows about a node besides its data. */
export interface NodeStat {
  /** The transaction that created the node: of two nodes the later one has the higher number. */
  readonly czxid: bigint;
  readonly mzxid: bigint;
  readonly ctimeMs: number;
  readonly mtimeMs: number;
  readonly version: number;
  readonly cversion: number;
  readonly aversion: number;
  /** The session with which the node ends; 0 for a node that stays. */
  readonly ephemeralOwner: bigint;
  readonly dataLength: number;
  readonly numChildren: number;
  readonly pzxid: bigint;
}

export function readStat(reader: JuteReader): NodeStat {
  return {
    czxid: reader.long(),
    mzxid: reader.long(),
    ctimeMs: reader.time(),
    mtimeMs: reader.time(),
    version: reader.int(),
    cversion: reader.int(),
    aversion: reader.int(),
    ephemeralOwner: reader.long(),
    dataLength: reader.int(),
    numChildren: reader.int(),
    pzxid: reader.long(),
  };
}
