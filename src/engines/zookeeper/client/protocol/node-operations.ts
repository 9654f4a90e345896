import { type AccessRule, readAccess, writeAccess } from './access-rule.ts';
import { type NodeStat, readStat } from './node-stat.ts';
import { opCode, type Operation, readNothing } from './operation.ts';

/** The kind of node to create. The server deletes a container after its last child, and a TTL node that was not changed in time. */
export type NodeMode =
  | 'persistent'
  | 'ephemeral'
  | 'persistent-sequential'
  | 'ephemeral-sequential'
  | 'container'
  | { readonly ttlMs: number; readonly sequential?: boolean };

const flags = {
  persistent: 0,
  ephemeral: 1,
  'persistent-sequential': 2,
  'ephemeral-sequential': 3,
  container: 4,
} as const;
const TTL_FLAG = 5;
const SEQUENTIAL_TTL_FLAG = 6;

export interface CreatedNode {
  /** With the number that the server appended to a sequential node. */
  readonly path: string;
  readonly stat: NodeStat;
}

export interface NodeData {
  readonly data: Buffer;
  readonly stat: NodeStat;
}

export interface NodeChildren {
  readonly names: readonly string[];
  readonly stat: NodeStat;
}

/** Matches every version. */
export const ANY_VERSION = -1;
const EMPTY = Buffer.alloc(0);
const LEAST_STRING_BYTES = 4;

/**
 * Always uses the operations that answer with the stat (create2, ZooKeeper 3.5), so that the transaction number costs no
 * second round trip. A container has an operation of its own: flag 4 in the ordinary one creates a persistent node (3.8.0).
 */
export function createNode(
  path: string,
  data: Uint8Array,
  mode: NodeMode,
  access: readonly AccessRule[],
): Operation<CreatedNode> {
  const ttl = typeof mode === 'object' ? mode : undefined;
  const flag = typeof mode === 'object' ? ttlFlag(mode.sequential) : flags[mode];
  return {
    code: ttl ? opCode.createWithTtl : mode === 'container' ? opCode.createContainer : opCode.create,
    what: `create ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.buffer(data);
      writeAccess(writer, access);
      writer.int(flag);
      if (ttl) writer.long(BigInt(ttl.ttlMs));
    },
    read: (reader) => ({ path: reader.string(), stat: readStat(reader) }),
  };
}

function ttlFlag(sequential = false): number {
  return sequential ? SEQUENTIAL_TTL_FLAG : TTL_FLAG;
}

export function deleteNode(path: string, version: number): Operation<void> {
  return {
    code: opCode.delete,
    what: `delete ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.int(version);
    },
    read: readNothing,
  };
}

export function statNode(path: string, watch: boolean): Operation<NodeStat> {
  return {
    code: opCode.exists,
    what: `exists ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.bool(watch);
    },
    read: readStat,
  };
}

export function readNode(path: string, watch: boolean): Operation<NodeData> {
  return {
    code: opCode.getData,
    what: `getData ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.bool(watch);
    },
    read: (reader) => ({ data: reader.buffer() ?? EMPTY, stat: readStat(reader) }),
  };
}

export function writeNode(path: string, data: Uint8Array, version: number): Operation<NodeStat> {
  return {
    code: opCode.setData,
    what: `setData ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.buffer(data);
      writer.int(version);
    },
    read: readStat,
  };
}

export function listChildren(path: string, watch: boolean): Operation<NodeChildren> {
  return {
    code: opCode.getChildren,
    what: `getChildren ${path}`,
    write: (writer) => {
      writer.string(path);
      writer.bool(watch);
    },
    read: (reader) => ({
      names: reader.vector(LEAST_STRING_BYTES, () => reader.string()),
      stat: readStat(reader),
    }),
  };
}

/** Inside `multi` only: fails the whole `multi` unless the node exists in this version. */
export function checkNode(path: string, version: number): Operation<void> {
  return { ...deleteNode(path, version), code: opCode.check, what: `check ${path}` };
}

/** Brings the server that answers up to the leader. */
export function syncNode(path: string): Operation<void> {
  return {
    code: opCode.sync,
    what: `sync ${path}`,
    write: (writer) => writer.string(path),
    read: readNothing,
  };
}

export function readNodeAccess(path: string): Operation<{ rules: AccessRule[]; stat: NodeStat }> {
  return {
    code: opCode.getAccess,
    what: `getACL ${path}`,
    write: (writer) => writer.string(path),
    read: (reader) => ({ rules: readAccess(reader), stat: readStat(reader) }),
  };
}

export function writeNodeAccess(
  path: string,
  rules: readonly AccessRule[],
  version: number,
): Operation<NodeStat> {
  return {
    code: opCode.setAccess,
    what: `setACL ${path}`,
    write: (writer) => {
      writer.string(path);
      writeAccess(writer, rules);
      writer.int(version);
    },
    read: readStat,
  };
}

export function listEphemerals(prefix: string): Operation<string[]> {
  return {
    code: opCode.getEphemerals,
    what: `getEphemerals ${prefix}`,
    write: (writer) => writer.string(prefix),
    read: (reader) => reader.vector(LEAST_STRING_BYTES, () => reader.string()),
  };
}
