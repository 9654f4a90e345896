import type { WatchedPaths } from '../protocol/session-operations.ts';
import type { ServerEventType, WatchEvent } from '../protocol/watch-event.ts';

export type WatchListener = (event: WatchEvent) => void;

/** `data`, `exists` and `children` fire once; the others until they are removed. */
export type WatchKind = keyof WatchedPaths;

/** The one-time watches that a server's event fires. */
const fired: Readonly<Record<ServerEventType, readonly WatchKind[]>> = {
  created: ['data', 'exists'],
  changed: ['data', 'exists'],
  deleted: ['data', 'exists', 'children'],
  children: ['children'],
};

/** The kinds that the server keeps as one watch: to remove one of them removes the others. */
const sharedWith: Readonly<Record<WatchKind, readonly WatchKind[]>> = {
  data: ['data', 'exists'],
  exists: ['data', 'exists'],
  children: ['children'],
  persistent: ['data', 'exists', 'children', 'persistent', 'recursive'],
  recursive: ['data', 'exists', 'children', 'persistent', 'recursive'],
};

/** An estimate: the limit of the server is eight times as high. */
const PATH_CHARACTERS_PER_REQUEST = 100_000;

/** The listeners of each path, which every new connection has to set again at the server. */
export class WatchTable {
  readonly #kinds: Readonly<Record<WatchKind, Map<string, Set<WatchListener>>>> = {
    data: new Map(),
    exists: new Map(),
    children: new Map(),
    persistent: new Map(),
    recursive: new Map(),
  };

  add(kind: WatchKind, path: string, listener: WatchListener): void {
    const listeners = this.#kinds[kind].get(path);
    if (listeners) listeners.add(listener);
    else this.#kinds[kind].set(path, new Set([listener]));
  }

  /** Removes a listener. Returns whether the server's watch has no listener left. */
  remove(kind: WatchKind, path: string, listener: WatchListener): boolean {
    const listeners = this.#kinds[kind].get(path);
    if (!listeners?.delete(listener)) return false;
    if (listeners.size === 0) this.#kinds[kind].delete(path);
    return sharedWith[kind].every((each) => !this.#kinds[each].has(path));
  }

  /** Takes out the listeners whose watch the server has removed together with one of this kind. */
  takeShared(kind: WatchKind, path: string): Set<WatchListener> {
    const taken = new Set<WatchListener>();
    for (const each of sharedWith[kind]) this.#take(each, path, taken);
    return taken;
  }

  /** Returns the listeners of an event. Removes one-time watches, as the server has. */
  takeFired(type: ServerEventType, path: string): Set<WatchListener> {
    const listeners = new Set<WatchListener>();
    for (const kind of fired[type]) this.#take(kind, path, listeners);
    for (const each of this.#kinds.persistent.get(path) ?? []) listeners.add(each);
    if (type !== 'children') this.#collectRecursive(path, listeners);
    return listeners;
  }

  /** Takes out every listener, with one of its paths. */
  takeAll(): Map<WatchListener, string> {
    const all = new Map<WatchListener, string>();
    for (const paths of Object.values(this.#kinds)) {
      for (const [path, listeners] of paths) for (const each of listeners) all.set(each, path);
      paths.clear();
    }
    return all;
  }

  /** All paths, in portions that fit into a request. */
  portions(): WatchedPaths[] {
    const portions: Record<WatchKind, string[]>[] = [];
    let characters = Infinity;
    for (const kind of Object.keys(this.#kinds) as WatchKind[]) {
      for (const path of this.#kinds[kind].keys()) {
        characters += path.length;
        if (characters > PATH_CHARACTERS_PER_REQUEST) {
          portions.push({ data: [], exists: [], children: [], persistent: [], recursive: [] });
          characters = path.length;
        }
        portions.at(-1)![kind].push(path);
      }
    }
    return portions;
  }

  #take(kind: WatchKind, path: string, into: Set<WatchListener>): void {
    for (const each of this.#kinds[kind].get(path) ?? []) into.add(each);
    this.#kinds[kind].delete(path);
  }

  #collectRecursive(path: string, into: Set<WatchListener>): void {
    const { recursive } = this.#kinds;
    if (recursive.size === 0) return;
    for (let at = path; ; at = at.slice(0, at.lastIndexOf('/'))) {
      for (const each of recursive.get(at === '' ? '/' : at) ?? []) into.add(each);
      if (at === '' || at === '/') return;
    }
  }
}
