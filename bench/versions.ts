import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import Database from 'libsql';
import { requireEtcd } from '../test/fixtures/etcd/etcd-binary.ts';
import { requireBinary } from '../test/fixtures/sql/sql-programs.ts';
import { zooKeeperVersion } from '../test/fixtures/zookeeper/zookeeper-programs.ts';
import { jarVersion } from './jvm.ts';
import { redisBinary } from './redis/server.ts';

/** What exactly was measured. */
export interface Versions {
  readonly holdfast: string;
  readonly servers: readonly string[];
  readonly libraries: readonly string[];
}

const root = new URL('.', import.meta.resolve('holdfast/package.json'));

/** By engine: only those that take part are asked, because the others need not be installed. */
const servers: Readonly<Record<string, () => string>> = {
  redis: () => `Redis ${versionIn(redisBinary())}`,
  sqlite: () => `SQLite ${sqliteVersion()} in libsql`,
  postgres: () => `PostgreSQL ${versionIn(requireBinary('postgres'))}`,
  mysql: () => `MariaDB ${versionIn(requireBinary('mariadb'))}`,
  zookeeper: () => `ZooKeeper ${zooKeeperVersion()}`,
  etcd: () => `etcd ${versionIn(requireEtcd())}`,
};

export function versionsFor(engines: Iterable<string>): Versions {
  const taking = new Set(engines);
  const curator = taking.has('zookeeper') ? jarVersion('curator-5-9', 'curator-recipes') : undefined;
  return {
    holdfast: [packageAt('').version, commit()].filter(Boolean).join(', commit '),
    servers: [...taking].flatMap((engine) => servers[engine]?.() ?? []),
    libraries: [...libraries(), ...(curator === undefined ? [] : [`Curator ${curator}`])],
  };
}

/** As they are installed, and not as they were asked for. */
function libraries(): string[] {
  const { dependencies = {} } = packageAt('bench/');
  return Object.keys(dependencies).map((alias) => {
    const { name, version } = packageAt(`bench/node_modules/${alias}/`);
    return `${name} ${version.replace(/^v/, '')}`;
  });
}

interface Package {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

function packageAt(folder: string): Package {
  return JSON.parse(readFileSync(new URL(`${folder}package.json`, root), 'utf8')) as Package;
}

function versionIn(binary: string): string {
  const told = execFileSync(binary, ['--version'], { encoding: 'utf8' });
  return /\d+\.\d+(\.\d+)?/.exec(told)?.[0] ?? told.trim();
}

function sqliteVersion(): string {
  const database = new Database(':memory:');
  const row = database.prepare('select sqlite_version() as version').get() as { version: string };
  database.close();
  return row.version;
}

/** Nothing in a copy without history. */
function commit(): string {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const git = (...args: string[]) =>
      execFileSync('git', args, { cwd: root, encoding: 'utf8', stdio }).trim();
    const changed = git('status', '--porcelain', '--', 'src', 'bench') !== '';
    return `${git('rev-parse', '--short', 'HEAD')}${changed ? ' with changes' : ''}`;
  } catch {
    return '';
  }
}
