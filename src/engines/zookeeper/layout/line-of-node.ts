import { decodeNodeName, OWN_FOLDER, parentOf } from './node-path.ts';
import { markOf } from './ticket-names.ts';

/** A synchronizer by its kind and name. */
export interface NamedLine {
  readonly kind: string;
  readonly name: string;
}

/**
 * The synchronizers that a node may belong to, by its path alone: none if it is no ticket.
 *
 * Two where a ticket lies in a folder `locks`: it waits for a semaphore, whose folder is the one above, or it is one of a lock that
 * is called so. Only a look at the store tells which.
 */
export function linesOfNode(path: string): readonly NamedLine[] {
  const own = ownNameIn(path);
  if (own !== undefined) return [own];
  const folder = parentOf(path);
  const mark = markOf(path.slice(path.lastIndexOf('/') + 1));
  if (mark === undefined || folder === '/') return [];
  if (mark === 'lease') return folder.endsWith('/leases') ? semaphoreAt(folder) : [];
  const line = { kind: kindOfMark[mark], name: folder };
  return mark === 'lock' && folder.endsWith('/locks') ? [line, ...semaphoreAt(folder)] : [line];
}

const kindOfMark = { lock: 'lock', side: 'readWriteLock', latch: 'election' } as const;

function semaphoreAt(folder: string): readonly NamedLine[] {
  const name = parentOf(folder);
  return name === '/' ? [] : [{ kind: 'semaphore', name }];
}

/** Below our own folder the path itself says the kind and the name. */
function ownNameIn(path: string): NamedLine | undefined {
  if (!path.startsWith(`${OWN_FOLDER}/`)) return undefined;
  const [kind, part] = path.slice(OWN_FOLDER.length + 1).split('/');
  const name = part === undefined ? undefined : decodeNodeName(part);
  return kind === undefined || name === undefined ? undefined : { kind, name };
}
