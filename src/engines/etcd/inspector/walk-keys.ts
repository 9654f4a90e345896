import type { EtcdClient } from '../client/session/etcd-client.ts';
import { endOfPrefix, OWN_PREFIX } from '../layout/etcd-keys.ts';
import { type KeyedLine, lineOfKey } from '../layout/line-of-key.ts';

/** Keys in one answer: a store may have a million. */
const AT_A_TIME = 500n;

/** Where to look, and for what. */
export interface KeyWalk {
  readonly client: EtcdClient;
  /** In front of every key, and in no name. */
  readonly root: string;
  readonly prefix: string;
}

/** The synchronizers whose names begin with the prefix, each once, a slice of the keys at a time. */
export async function* walkKeys({
  client,
  root,
  prefix,
}: KeyWalk): AsyncGenerator<KeyedLine, void, undefined> {
  // A name with a slash in front is its own key. Any other one is below our own prefix, one place for each kind.
  const places = prefix === '' ? ['/'] : prefix.startsWith('/') ? [prefix, OWN_PREFIX] : [OWN_PREFIX];
  const seen = new Set<string>();
  for (const place of places) {
    for await (const line of linesBelow(client, root, place)) {
      const id = `${line.kind} ${line.name}`;
      if (!line.name.startsWith(prefix) || seen.has(id)) continue;
      seen.add(id);
      yield line;
    }
  }
}

async function* linesBelow(
  client: EtcdClient,
  root: string,
  place: string,
): AsyncGenerator<KeyedLine, void, undefined> {
  const rangeEnd = endOfPrefix(Buffer.from(root + place));
  for (let key = Buffer.from(root + place); ;) {
    const { kvs, more } = await client.range({ key, rangeEnd, limit: AT_A_TIME });
    for (const kv of kvs) {
      const line = lineOfKey(Buffer.from(kv.key).toString().slice(root.length), kv.value);
      if (line !== undefined) yield line;
    }
    const last = kvs.at(-1);
    if (!more || last === undefined) return;
    key = Buffer.concat([last.key, Buffer.alloc(1)]);
  }
}
