// Writes src/engines/etcd/client/messages/etcd-messages.generated.ts from the definitions that etcd publishes as a Go module:
// `node scripts/build-etcd-messages.mjs`. With --check it writes nothing and fails if the module is not what the definitions say.
// Needs Go, which fetches the definitions and verifies their sum; nothing of them is kept here but the form of the messages.
import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, resolveConfig } from 'prettier';
import { parseDefinitions } from './etcd/parse-definitions.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'src/engines/etcd/client/messages/etcd-messages.generated.ts');

/** The newest line of definitions that a server of 3.4 still understands whole. */
const MODULE = 'go.etcd.io/etcd/api/v3';
const VERSION = 'v3.5.21';
const FILES = ['mvccpb/kv.proto', 'authpb/auth.proto', 'etcdserverpb/rpc.proto'];

/** What the client calls, by its own name for it. */
const CALLS = {
  range: 'KV.Range',
  deleteRange: 'KV.DeleteRange',
  txn: 'KV.Txn',
  watch: 'Watch.Watch',
  leaseGrant: 'Lease.LeaseGrant',
  leaseRevoke: 'Lease.LeaseRevoke',
  leaseKeepAlive: 'Lease.LeaseKeepAlive',
  authenticate: 'Auth.Authenticate',
  status: 'Maintenance.Status',
};

/** Those that other files name. */
const EXPORTED_TYPES = new Set([
  'Compare',
  'KeyValue',
  'RangeRequest',
  'RangeResponse',
  'RequestOp',
  'TxnRequest',
  'TxnResponse',
  'WatchRequest',
  'WatchResponse',
  'Event',
]);
const EXPORTED_ENUMS = new Set([
  'RangeRequest.SortTarget',
  'Compare.CompareResult',
  'Compare.CompareTarget',
  'WatchCreateRequest.FilterType',
  'Event.EventType',
]);

/** @type {Readonly<Record<string, { wire: string, type: string }>>} */
const SCALARS = {
  bytes: { wire: 'bytes', type: 'Uint8Array' },
  string: { wire: 'string', type: 'string' },
  bool: { wire: 'bool', type: 'boolean' },
  int64: { wire: 'int64', type: 'bigint' },
  uint64: { wire: 'uint64', type: 'bigint' },
  int32: { wire: 'int32', type: 'number' },
  uint32: { wire: 'int32', type: 'number' },
};

/** @returns {import('./etcd/parse-definitions.mjs').Definitions} */
function readDefinitions() {
  const found = execFileSync('go', ['mod', 'download', '-json', `${MODULE}@${VERSION}`], {
    encoding: 'utf8',
    env: { ...process.env, GO111MODULE: 'on', GOFLAGS: '-modcacherw' },
    cwd: dirname(output),
  });
  const { Dir: folder } = JSON.parse(found);
  const definitions = { methods: new Map(), messages: new Map(), enums: new Map() };
  for (const file of FILES) parseDefinitions(fs.readFileSync(join(folder, file), 'utf8'), definitions);
  return definitions;
}

/** @param {string} name */
const camel = (name) => name.replaceAll(/_+(\w)/g, (_, letter) => letter.toUpperCase());
/** @param {string} name */
const flat = (name) => name.replaceAll('.', '');
/** @param {string} name */
const lower = (name) => name.charAt(0).toLowerCase() + name.slice(1);
/** @param {string} name */
const constantOf = (name) => lower(flat(name)) + 'Type';

/** @param {import('./etcd/parse-definitions.mjs').Definitions} definitions */
function write({ methods, messages, enums }) {
  const calls = Object.entries(CALLS).map(([name, rpc]) => {
    const method = methods.get(rpc);
    if (!method) throw new Error(`${rpc} is not defined`);
    return { name, ...method };
  });

  /** @param {string} type @param {string} scope */
  const resolve = (type, scope) => {
    const plain = type.replace(/^(?:mvccpb|authpb|etcdserverpb)\./, '');
    for (const name of [`${scope}.${plain}`, plain]) if (messages.has(name) || enums.has(name)) return name;
    throw new Error(`${type} is not defined`);
  };

  /** @type {string[]} */
  const order = [];
  /** @param {string} name */
  const visit = (name) => {
    if (order.includes(name)) return;
    order.push(name);
    for (const field of messages.get(name) ?? []) if (!SCALARS[field.type]) visit(resolve(field.type, name));
  };
  for (const { request, response } of calls) for (const name of [request, response]) visit(name);

  const used = order.filter((name) => messages.has(name));
  const interfaces = used.map((name) => {
    const members = (messages.get(name) ?? []).map((field) => {
      const scalar = SCALARS[field.type];
      const resolved = scalar ? undefined : resolve(field.type, name);
      const isMessage = resolved !== undefined && messages.has(resolved);
      const type = scalar?.type ?? (isMessage ? flat(resolved) : 'number');
      const isOptional = !field.repeated && (isMessage || field.union !== undefined);
      return `readonly ${camel(field.name)}${isOptional ? '?' : ''}: ${field.repeated ? `readonly ${type}[]` : type}${isOptional ? ' | undefined' : ''};`;
    });
    const exported = EXPORTED_TYPES.has(name) ? 'export ' : '';
    return `${exported}interface ${flat(name)} {\n${members.join('\n')}\n}`;
  });

  const constants = used.map((name) => {
    const fields = (messages.get(name) ?? []).map((field) => {
      const scalar = SCALARS[field.type];
      const resolved = scalar ? undefined : resolve(field.type, name);
      const isMessage = resolved !== undefined && messages.has(resolved);
      const parts = [
        `number: ${field.number}`,
        `name: '${camel(field.name)}'`,
        `wire: '${scalar?.wire ?? (isMessage ? 'message' : 'int32')}'`,
        ...(field.repeated ? ['isRepeated: true'] : []),
        ...(field.union === undefined ? [] : ['isOfUnion: true']),
        ...(isMessage ? [`message: () => ${constantOf(resolved)}`] : []),
      ];
      return `{ ${parts.join(', ')} },`;
    });
    return `const ${constantOf(name)}: MessageType<${flat(name)}> = new MessageType('${name}', [\n${fields.join('\n')}\n]);`;
  });

  const values = order
    .filter((name) => EXPORTED_ENUMS.has(name))
    .map((name) => {
      const entries = [...(enums.get(name) ?? [])].map(([word, value]) => `${word}: ${value},`);
      return `export const ${lower(flat(name))} = {\n${entries.join('\n')}\n} as const;`;
    });

  const table = calls.map(
    ({ name, path, request, response }) =>
      `${name}: { path: '${path}', request: ${constantOf(request)}, response: ${constantOf(response)} },`,
  );

  return [
    `// Written by scripts/build-etcd-messages.mjs from ${FILES.join(', ')} of the Go module`,
    `// ${MODULE} ${VERSION} (Apache License 2.0, the etcd Authors): change nothing here, and run it.`,
    `import { MessageType } from '../transport/message-type.ts';`,
    '',
    interfaces.join('\n\n'),
    '',
    values.join('\n\n'),
    '',
    constants.join('\n\n'),
    '',
    '/** The calls of etcd that the client uses. */',
    `export const etcdCalls = {\n${table.join('\n')}\n} as const;`,
    '',
  ].join('\n');
}

const text = await format(write(readDefinitions()), {
  ...(await resolveConfig(output)),
  parser: 'typescript',
});
if (!process.argv.includes('--check')) fs.writeFileSync(output, text);
else if (!fs.existsSync(output) || fs.readFileSync(output, 'utf8') !== text) {
  console.error(`${output} is not what the definitions say: run node scripts/build-etcd-messages.mjs`);
  process.exitCode = 1;
}
