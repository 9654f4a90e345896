import type { JuteReader } from '../jute/jute-reader.ts';

/** What the server knows about a node besides its data. */
export interface NodeStat {
  /** The transaction that created the node: of two nodes the later one has the higher number. */
  readonly czxid: bigint;
  /** The transaction that last changed the data. */
  readonly mzxid: bigint;
  /** When the node was created, in milliseconds since the epoch. */
  readonly ctimeMs: number;
  /** When the data was last changed, in milliseconds since the epoch. */
  readonly mtimeMs: number;
  /** How often the data was changed. */
  readonly version: number;
  /** How often children were created or deleted. */
  readonly cversion: number;
  /** How often the access list was changed. */
  readonly aversion: number;
  /** The session with which the node ends; 0 for a node that stays. */
  readonly ephemeralOwner: bigint;
  /** The length of the data, in bytes. */
  readonly dataLength: number;
  /** How many children the node has. */
  readonly numChildren: number;
  /** The transaction that last created or deleted a child. */
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
