/** Where everything is kept whose name is no path: beside the paths of other programs, and one folder for each kind. */
export const OWN_FOLDER = '/holdfast';

/**
 * The node of a synchronizer. A name that is a path, such as `/locks/nightly`, is that path, as in Curator. Any other name is one
 * node below {@link OWN_FOLDER} and its kind.
 *
 * The tempting alternative puts a slash in front of every name. A name with a slash in it would then make a node below the
 * node of another lock, and Curator sorts every node there into the line of that lock.
 */
export function nodePath(kind: string, name: string): string {
  return isNodePath(name) ? name : `${OWN_FOLDER}/${kind}/${encodeNodeName(name)}`;
}

/** The folder of a line. A semaphore has two: those that wait, and one node for each permit that is taken. */
export function lineFolder(kind: string, name: string): string {
  if (kind === 'semaphore') return `${nodePath('semaphore', name)}/locks`;
  return kind === 'semaphoreLease' ? `${nodePath('semaphore', name)}/leases` : nodePath(kind, name);
}

/** What ZooKeeper accepts as a path: parts that are neither empty nor dots, without control characters and surrogates. */
export function isNodePath(name: string): boolean {
  if (!name.startsWith('/')) return false;
  const parts = name.slice(1).split('/');
  return parts.every((part) => part !== '' && part !== '.' && part !== '..' && !REFUSED.test(part));
}

// oxlint-disable-next-line no-control-regex -- these are what the server refuses
const REFUSED = /[\u0000-\u001f\u007f-\u009f\ud800-\uf8ff\ufff0-\uffff]/;

/** One part of a path. Escapes more than the server refuses, so that every name can be read back. */
export function encodeNodeName(name: string): string {
  return encodeURIComponent(name).replaceAll('.', '%2E');
}

/** The name that was encoded; undefined for a node that another program has made. */
export function decodeNodeName(part: string): string | undefined {
  try {
    const name = decodeURIComponent(part);
    return encodeNodeName(name) === part ? name : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of a node. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(1, path.lastIndexOf('/')));
}
