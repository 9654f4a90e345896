import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { removeLeftovers } from '../../scripts/bootstrap/leftovers.mjs';
import { planOf } from '../../scripts/install-debian-packages.mjs';

const script = fileURLToPath(new URL('../../scripts/install-debian-packages.mjs', import.meta.url));

describe('the script that installs servers', () => {
  const packages = ['redis-server', 'mariadb-server', 'zsh'];
  const none = () => false;

  test.for([true, false])('undoes what it does besides installing (systemd: %s)', (hasSystemd) => {
    const { before, after } = planOf(packages, hasSystemd, none);
    const masks = before.map(({ command }) => command.join(' '));
    const undone = after.map(({ command }) => command.join(' '));
    expect(masks).toEqual(
      hasSystemd ? ['systemctl mask --runtime redis-server.service mariadb.service'] : [],
    );
    for (const mask of masks) expect(undone).toContain(mask.replace(' mask ', ' unmask '));
    expect(undone).toContain('systemctl --quiet disable mariadb.service');
  });

  test.for([true, false])('leaves a service alone that was there before (systemd: %s)', (hasSystemd) => {
    const { before, install, after } = planOf(packages, hasSystemd, (name) => name === 'mariadb.service');
    const commands = [...before, ...after].map(({ command }) => command.join(' '));
    expect(commands.filter((command) => command.includes('mariadb'))).toEqual([]);
    expect(commands).toContain('systemctl --quiet disable redis-server.service');
    expect(install.map(({ command }) => command.at(-1))).toEqual(['update', ...packages]);
  });

  test('installs each package by a command of its own, in which no service starts', () => {
    const { install } = planOf(packages, true, none);
    expect(install.map(({ command }) => command.at(-1))).toEqual(['update', ...packages]);
    for (const { command } of install) expect(command).toContain('RUNLEVEL=1');
  });

  test('says every command first, and does none of them in a dry run', () => {
    // Without a PATH no command could be found: a command that was tried anyway would be a failure.
    const done = spawnSync(process.execPath, [script, '--dry-run', 'redis-server'], {
      encoding: 'utf8',
      env: {},
    });
    expect(done.status).toBe(0);
    expect(done.stderr).toContain('apt-get');
    expect(done.stderr).toContain('install --yes --no-install-recommends redis-server');
    expect(done.stderr).toContain('No service is started');
  });
});

test('what was compiled from a source that is gone is removed, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-leftovers-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string) => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), '');
  };
  const kept = ['dist/core/wait.js', 'dist/core/wait.d.ts', 'dist/core/wait.js.map', 'dist/a.txt'];
  const gone = ['dist/core/old.js', 'dist/core/old.d.ts.map', 'dist/gone/deep/old.js'];
  for (const path of ['src/core/wait.ts', ...kept, ...gone]) write(path);

  removeLeftovers(join(folder, 'dist'), join(folder, 'src'));
  expect(kept.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
  expect(gone.filter((path) => existsSync(join(folder, path)))).toEqual([]);
  expect(existsSync(join(folder, 'dist/gone'))).toBe(false);
});
