import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const execute = promisify(execFile);

/** As a user has it who has never seen this repository: nothing of the npm that runs the tests. */
function bareEnvironment(folder: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(npm_(?!config_)|HOLDFAST_|NODE_OPTIONS)/i.test(name),
  );
  return { ...Object.fromEntries(kept), XDG_STATE_HOME: folder };
}

test('packed, installed into an empty folder, and run by npx', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-package-'));
  const env = bareEnvironment(folder);
  const quietly = ['--silent', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];
  try {
    const { stdout: packed } = await execute('npm', ['pack', ...quietly, '--pack-destination', folder], {
      cwd: root,
      env,
    });
    const cwd = join(folder, 'empty');
    mkdirSync(cwd);
    writeFileSync(join(cwd, 'package.json'), '{ "private": true }\n');
    await execute('npm', ['install', ...quietly, join(folder, packed.trim())], { cwd, env });
    // As `npm install libsql` would: the oldest Node that is supported has no SQLite.
    symlinkSync(join(root, 'node_modules/libsql'), join(cwd, 'node_modules/libsql'), 'junction');
    const holdfast = (...args: readonly string[]) =>
      execute('npx', ['--no-install', 'holdfast', ...args], { cwd, env });
    expect((await holdfast('run', 'x', '--', 'true')).stdout).toBe('');
    const { stdout } = await holdfast('run', 'x', '-c', 'echo "$HOLDFAST_NAME $HOLDFAST_ENGINE"');
    expect(stdout).toBe('x sqlite\n');
    expect((await holdfast('doctor')).stdout).toMatch(/^ok {4}a lock {8}was acquired and released/m);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);
