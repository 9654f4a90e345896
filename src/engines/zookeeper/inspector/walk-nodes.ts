import type { ZooKeeperClient } from '../client/zookeeper-client.ts';
import { hasCode } from '../explain-error.ts';
import { type NamedLine, linesOfNode } from '../layout/line-of-node.ts';
import { decodeNodeName, OWN_FOLDER } from '../layout/node-path.ts';
import { markOf } from '../layout/ticket-names.ts';

/** Requests on their way at a time: a tree may have a million nodes. */
const AT_A_TIME = 64;
/** The server's own nodes. */
const SERVERS_FOLDER = '/zookeeper';

/** Where to look, and for what. */
export interface NodeWalk {
  readonly client: ZooKeeperClient;
  /** Curator's namespace, which is in front of every path and in no name. */
  readonly root: string;
  readonly kinds: readonly string[];
  readonly prefix: string;
}

/**
 * The synchronizers whose names begin with the prefix, a slice of the tree at a time. Those whose name is no path lie below our own
 * folder. Those whose name is a path can lie anywhere, and are recognised by the names of their tickets; a document at a path (a
 * latch, a barrier, a monitor) has no such name, and is not found.
 */
export async function* walkNodes(walk: NodeWalk): AsyncGenerator<NamedLine, void, undefined> {
  yield* walkOwnFolder(walk);
  // No other prefix is one of a path.
  if (walk.prefix === '' || walk.prefix.startsWith('/')) yield* walkTree(walk);
}

async function* walkOwnFolder({
  client,
  root,
  kinds,
  prefix,
}: NodeWalk): AsyncGenerator<NamedLine, void, undefined> {
  for (const kind of kinds) {
    for (const part of await childrenIfSeen(client, `${root}${OWN_FOLDER}/${kind}`)) {
      const name = decodeNodeName(part);
      if (name?.startsWith(prefix) === true) yield { kind, name };
    }
  }
}

async function* walkTree({ client, root, prefix }: NodeWalk): AsyncGenerator<NamedLine, void, undefined> {
  const folders = [''];
  while (folders.length > 0) {
    const slice = folders.splice(-AT_A_TIME);
    const listed = await Promise.all(
      slice.map((folder) => childrenIfSeen(client, `${root}${folder}` || '/')),
    );
    for (const [at, folder] of slice.entries()) {
      const names = listed[at]!;
      if (folder.startsWith(prefix)) yield* linesIn(folder, names);
      for (const name of names) {
        const path = `${folder}/${name}`;
        const isPartOfLine = markOf(name) !== undefined || (name === 'locks' && names.includes('leases'));
        if (!isPartOfLine && isWorthALook(path, prefix)) folders.push(path);
      }
    }
  }
}

/** Once for each kind: a folder has many tickets. That of a semaphore has none, and its leases are a folder in it. */
function linesIn(folder: string, names: readonly string[]): readonly NamedLine[] {
  if (names.includes('leases')) return [{ kind: 'semaphore', name: folder }];
  const found = new Map<string, NamedLine>();
  for (const name of names)
    for (const line of linesOfNode(`${folder}/${name}`)) if (line.name === folder) found.set(line.kind, line);
  return [...found.values()];
}

function isWorthALook(path: string, prefix: string): boolean {
  if (path === OWN_FOLDER || path === SERVERS_FOLDER) return false;
  return path.startsWith(prefix) || prefix.startsWith(`${path}/`);
}

/** None for a folder that has gone meanwhile, or that this client may not read. */
async function childrenIfSeen(client: ZooKeeperClient, path: string): Promise<readonly string[]> {
  try {
    return (await client.getChildren(path)).names;
  } catch (error) {
    if (hasCode(error, 'NO_NODE') || hasCode(error, 'NO_AUTH')) return [];
    throw error;
  }
}
