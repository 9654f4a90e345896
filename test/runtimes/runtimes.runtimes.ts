import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installRuntime, type Runtime, runtimeNames } from '../../scripts/package/runtimes.mjs';
import { slowness } from '../engines/slowness.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../fixtures/sql/postgres-server.ts';
import { startZooKeeper } from '../fixtures/zookeeper/zookeeper-server.ts';
import { Project } from '../package/project.ts';
import { runBy } from './runtime.ts';

/** The newest of each client, as a user's project has them. */
const clients = {
  redis: '6.3.1',
  ioredis: '6.0.0',
  iovalkey: '0.4.0',
  pg: '8.23.1',
  postgres: '3.4.9',
  mysql2: '3.24.5',
  mariadb: '3.5.4',
  libsql: '0.5.29',
};

const stores: readonly (readonly [client: string, server: string])[] = [
  ['connect', 'memory'],
  ['connect', 'redis'],
  ['redis', 'redis'],
  ['ioredis', 'redis'],
  ['iovalkey', 'redis'],
  ['connect', 'postgres'],
  ['pg', 'postgres'],
  ['postgres.js', 'postgres'],
  ['connect', 'mariadb'],
  ['mysql2', 'mariadb'],
  ['mariadb', 'mariadb'],
  ['connect', 'zookeeper'],
];

/** What each runtime answers to a driver. */
const sqlite: Readonly<Record<string, Readonly<Record<string, RegExp>>>> = {
  'node-20': { 'node:sqlite': /No such built-in module/, libsql: /^held$/m, any: /^held$/m },
};
const usualSqlite: Readonly<Record<string, RegExp>> = {
  'node:sqlite': /^held$/m,
  libsql: /^held$/m,
  any: /^held$/m,
};

/** The programs in TypeScript, as `node scripts/bootstrap.mjs test` compiles them. */
const compiled = new URL('../../.build/programs/test/runtimes/programs', import.meta.url);

let project: Project;
let folder: string;
const addresses: Record<string, string> = { memory: 'memory:' };
const running: { stop(): Promise<void> }[] = [];

beforeAll(async () => {
  project = new Project('runtimes', clients, { type: 'module' });
  for (const programs of [compiled, new URL('programs', import.meta.url)])
    cpSync(programs, project.folder, { recursive: true, filter: (path) => !path.endsWith('.ts') });
  folder = mkdtempSync(join(tmpdir(), 'holdfast-runtimes-'));
  const [redis, postgres, mariadb, zookeeper] = await Promise.all([
    startRedisServer(),
    startPostgres(),
    startMariadb(),
    startZooKeeper(),
  ]);
  running.push(redis, postgres, mariadb, zookeeper);
  Object.assign(addresses, {
    redis: redis.url,
    postgres: postgres.url,
    mariadb: mariadb.url,
    zookeeper: `zookeeper://${zookeeper.address}`,
  });
});

afterAll(async () => {
  for (const server of running) await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(runtimeNames)('on %s', (name) => {
  let runtime: Runtime;
  beforeAll(() => {
    const installed = installRuntime(name);
    expect.assert(installed, `${name} was not installed, see above`);
    runtime = installed;
  });
  const run = (...args: readonly string[]) => runBy(runtime, project.folder, args);

  test.each(stores)('the store opened by %s: %s', async (client, server) => {
    const { code, stdout, stderr } = await run('store.js', client, addresses[server]!);
    expect([code, stdout], stderr).toEqual([0, 'held\n']);
  });

  test.each(['node:sqlite', 'libsql', 'any'])('a file by %s', async (driver) => {
    const { code, stdout, stderr } = await run('sqlite.js', join(folder, `${name}-${driver}.db`), driver);
    expect(code, stderr).toBe(0);
    expect(stdout).toMatch((sqlite[name] ?? usualSqlite)[driver]!);
  });

  test('the package as CommonJS', async () => {
    const { code, stdout, stderr } = await run('required.cjs');
    expect([code, stdout], stderr).toEqual([0, 'held\n']);
  });

  test('the command line', async () => {
    const main = 'node_modules/holdfast/dist/cli/main.js';
    expect((await run(main, '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n/);
    const words = [
      'run',
      'job',
      '--url',
      addresses['redis']!,
      '--',
      'sh',
      '-c',
      'echo "in: $HOLDFAST_NAME"; exit 3',
    ];
    const { code, stdout, stderr } = await run(main, ...words);
    expect([code, stdout], stderr).toEqual([3, 'in: job\n']);
    const doctor = await run(main, 'doctor', '--url', addresses['redis']!);
    expect([doctor.code, doctor.stdout], doctor.stderr).toEqual([0, expect.stringContaining('is Redis ')]);
  });

  test.each(['memory', 'redis'])('the published suites on %s', async (engine) => {
    const ended = await runBy(
      runtime,
      project.folder,
      ['suites.js', engine, addresses[engine]!, String(500 * slowness)],
      540_000,
    );
    expect(ended.code, ended.stderr).toBe(0);
    const { passed, failed } = JSON.parse(ended.stdout.trim().split('\n').at(-1)!) as {
      readonly passed: number;
      readonly failed: readonly string[];
    };
    process.stderr.write(`${name}, ${engine}: ${passed} cases passed\n`);
    expect(failed).toEqual([]);
  });
});
