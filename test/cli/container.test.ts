import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { readArguments } from '../../src/cli/arguments.ts';
import { COMMAND_SPECS, type CommandName } from '../../src/cli/commands/spec.ts';
import { CliProcess } from './cli-process.ts';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { startMariadb } from '../fixtures/sql/mariadb-server.ts';
import { startPostgres } from '../fixtures/sql/postgres-server.ts';
import { describeWith } from '../fixtures/sql/sql-binaries.ts';

const execute = promisify(execFile);
const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const steps = read('examples/container/Dockerfile');

/** The root of a file system in which the steps of the second stage are carried out. */
let image: string;

beforeAll(async () => {
  image = mkdtempSync(join(tmpdir(), 'holdfast-image-'));
  const [, script] = /^RUN npm run (\S+)$/m.exec(steps)!;
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  // Its first half installs packages and builds the library, which `npm test` has done.
  const [, , bundle] = /^(node scripts\/bootstrap\.mjs build) && node (\S+)$/.exec(scripts[script!]!)!;
  await execute(process.execPath, [join(root, bundle!)], { cwd: root });
  const [, source, target] = /^COPY --from=build \/holdfast\/(\S+) (\S+)$/m.exec(steps)!;
  mkdirSync(join(image, dirname(target!)), { recursive: true });
  cpSync(join(root, source!), join(image, target!));
  const [, to, link] = /^RUN ln -s (\S+) (\S+)$/m.exec(steps)!;
  mkdirSync(join(image, dirname(link!)), { recursive: true });
  symlinkSync(to!, join(image, link!));
}, 120_000);

afterAll(() => rmSync(image, { recursive: true, force: true }));

/** As in a container: Node in the path, and nothing else of this machine. */
const holdfast = (args: readonly string[], url = '') =>
  execute(join(image, 'usr/local/bin/holdfast'), args, {
    cwd: image,
    env: { PATH: dirname(process.execPath), HOLDFAST_URL: url, HOLDFAST_REQUIRE_URL: '1', HOME: image },
  });

test('the image holds one file, and Node runs it alone', async () => {
  expect(readdirSync(join(image, 'usr/local/lib'))).toEqual(['holdfast.mjs']);
  const { version } = JSON.parse(read('package.json')) as { version: string };
  expect((await holdfast(['--version'])).stdout).toBe(`${version}\n`);
  expect((await holdfast(['run', '--help'])).stdout).toContain('Usage: holdfast run');
  await expect(holdfast(['list'])).rejects.toMatchObject({ code: 64 });
});

test('its clients are in it, with their licenses', () => {
  const text = readFileSync(join(image, 'usr/local/lib/holdfast.mjs'), 'utf8');
  const packages = [...text.matchAll(/^\/\*! (\S+)(?: [\d.]+\S*)?\n\n(.+)/gm)].map(([, name]) => name);
  expect(packages).toEqual(expect.arrayContaining(['holdfast', '@redis/client', 'pg', 'mysql2']));
});

test('every command of the Kubernetes example is one that the command line takes', () => {
  const commands = [...read('examples/container/kubernetes.yaml').matchAll(/command:\s*\[([^\]]*)\]/g)].map(
    ([, list]) =>
      list!
        .split(',')
        .map((word) => word.trim().replaceAll("'", ''))
        .filter((word) => word !== ''),
  );
  const ours = commands.filter(([file]) => basename(file!).startsWith('holdfast'));
  expect(ours.map(([, verb]) => verb)).toEqual(['run', 'latch', 'elect']);
  for (const [, verb, ...rest] of ours)
    expect(readArguments(COMMAND_SPECS[verb as CommandName], rest)).toMatchObject({ kind: 'given' });
  const copied = commands.filter(([file]) => file === 'cp').map(([, from]) => from);
  expect(new Set(copied)).toEqual(new Set([/^COPY --from=build \S+ (\S+)$/m.exec(steps)![1]]));
});

describeRedis('on Redis', () => {
  test('a file that was copied into a volume runs a command, examines the store and serves the page', async () => {
    await using server = await startRedisServer();
    const volume = join(image, 'tools');
    mkdirSync(volume);
    cpSync(join(image, 'usr/local/lib/holdfast.mjs'), join(volume, 'holdfast.mjs'));
    const copied = (args: readonly string[]) =>
      execute(join(volume, 'holdfast.mjs'), args, {
        env: { PATH: dirname(process.execPath), HOLDFAST_URL: server.url, HOLDFAST_REQUIRE_URL: '1' },
      });
    const { stdout } = await copied(['run', 'x', '-c', 'echo "$HOLDFAST_NAME $HOLDFAST_ENGINE"']);
    expect(stdout).toBe('x redis\n');
    expect((await holdfast(['doctor'], server.url)).stdout).toMatch(
      /^ok {4}a lock {8}was acquired and released/m,
    );
    const ui = new CliProcess(process.execPath, [join(volume, 'holdfast.mjs'), 'ui', '--port', '0'], {
      env: { HOLDFAST_URL: server.url },
    });
    onTestFinished(() => ui.kill('SIGKILL'));
    const page = (await ui.printed(/http:\S+\n/)).trim();
    expect(await (await fetch(`${page}app.js`)).text()).toContain('x-holdfast-release');
  });
});

describeWith('postgres', 'mariadb')('on PostgreSQL and MariaDB', () => {
  test('the clients in the file log in and hold a lock', async () => {
    const [postgres, mariadb] = await Promise.all([startPostgres(), startMariadb()]);
    try {
      for (const [url, ...options] of [
        [postgres.url, '--schema', 'public'],
        [mariadb.url, '--table-prefix', 'mine_'],
      ] as const) {
        const { stdout } = await holdfast(['run', 'x', ...options, '-c', 'echo "$HOLDFAST_ENGINE"'], url);
        expect(stdout).toMatch(/^(?:postgres|mysql)\n$/);
      }
    } finally {
      await Promise.all([postgres.stop(), mariadb.stop()]);
    }
  }, 60_000);
});
