import { ZooKeeperError } from '../protocol/zookeeper-error.ts';

/** Adds the chroot to the paths of callers, and removes it from those of the server. */
export class NodePaths {
  readonly #chroot: string;

  constructor(chroot: string) {
    this.#chroot = chroot;
  }

  /** Refuses a path that the server would refuse, before other requests are in flight behind it. */
  toServer(path: string, sequential = false): string {
    if (!path.startsWith('/')) throw badPath(path, 'begins without a slash');
    if (path.includes('//') || path.includes('\0')) throw badPath(path, 'has an empty part or a NUL');
    if (path === '/') return this.#chroot === '' ? '/' : this.#chroot;
    if (path.endsWith('/') && !sequential) throw badPath(path, 'ends with a slash');
    return this.#chroot + path;
  }

  fromServer(path: string): string {
    if (!path.startsWith(this.#chroot)) return path;
    return path.length === this.#chroot.length ? '/' : path.slice(this.#chroot.length);
  }
}

function badPath(path: string, why: string): ZooKeeperError {
  return new ZooKeeperError('BAD_ARGUMENTS', `the path "${path}" ${why}`);
}
