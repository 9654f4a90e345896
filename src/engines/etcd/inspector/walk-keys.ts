import type { KeyValue } from '../client/messages/etcd-messages.generated.ts';
import type { EtcdClient } from '../client/session/etcd-client.ts';
import { endOfPrefix, OWN_PREFIX } from '../layout/etcd-keys.ts';
import { type KeyedLine, lineOfKey } from '../layout/line-of-key.ts';

/** Keys in one answer: a store may have a million. */
const AT_A_TIME = 500n;
/** Values in one answer: each may be of 1.5 MB. */
const VALUES_AT_A_TIME = 20;

/** Where to look, and for what. */
export interface KeyWalk {
  readonly client: Pick<EtcdClient, 'range' | 'txn'>;
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
  client: KeyWalk['client'],
  root: string,
  place: string,
): AsyncGenerator<KeyedLine, void, undefined> {
  const rangeEnd = endOfPrefix(Buffer.from(root + place));
  for (let key = Buffer.from(root + place); ;) {
    // Without the values: most of them are of other programs, and may be long.
    const { kvs, more } = await client.range({ key, rangeEnd, limit: AT_A_TIME, keysOnly: true });
    const found = kvs.map((kv) => ({ kv, line: lineIn(root, kv) }));
    yield* found.flatMap(({ line }) => (line === undefined || isAmbiguous(line) ? [] : line));
    const unclear = found.filter(({ line }) => line !== undefined && isAmbiguous(line));
    for (let at = 0; at < unclear.length; at += VALUES_AT_A_TIME) {
      const some = unclear.slice(at, at + VALUES_AT_A_TIME);
      const { responses } = await client.txn({
        success: some.map(({ kv }) => ({ requestRange: { key: kv.key } })),
      });
      for (const { responseRange } of responses) {
        const [kv] = responseRange!.kvs;
        const line = kv && lineIn(root, kv);
        if (line !== undefined) yield line;
      }
    }
    const last = kvs.at(-1);
    if (!more || last === undefined) return;
    key = Buffer.concat([last.key, Buffer.alloc(1)]);
  }
}

function lineIn(root: string, { key, value }: KeyValue): KeyedLine | undefined {
  return lineOfKey(Buffer.from(key).toString().slice(root.length), value);
}

/** A lock and an election at a name that is a key differ in what their tickets say. */
function isAmbiguous({ kind, name }: KeyedLine): boolean {
  return kind === 'lock' && name.startsWith('/');
}
