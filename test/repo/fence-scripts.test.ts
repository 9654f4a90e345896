import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fenceFaults } from '../../scripts/lua/fence-blocks.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = 'src/engines/redis/scripts';
const scripts = readdirSync(join(root, folder))
  .filter((file) => file.endsWith('.lua'))
  .map((file) => ({ file, source: readFileSync(join(root, folder, file), 'utf8') }));
const writing = scripts.filter(({ source }) => source.includes("'SET', token"));

/** The scripts with one of them changed. The change must be one. */
function changed(file: string, from: string | RegExp, to: string) {
  return scripts.map((script) => {
    if (script.file !== file) return script;
    const source = script.source.replace(from, to);
    expect(source).not.toBe(script.source);
    return { file, source };
  });
}

describe('the fence block is the same in all scripts that have it', () => {
  test('as the scripts are', () => {
    expect(writing).toHaveLength(16);
    expect(fenceFaults(scripts)).toEqual([]);
  });

  test.for(writing.map(({ file }) => file))('a changed copy in %s is refused', (file) => {
    const faults = fenceFaults(changed(file, "redis.call('SET', token, ", "redis.call('SET', token, 1 + "));
    expect(faults.join('\n')).toContain(file);
  });

  test('a copy that is gone is refused', () => {
    const gone = changed(
      'read-lock-acquire.lua',
      'local clock = time[1] * 1000000 + time[2]',
      'local clock = 0',
    );
    expect(fenceFaults(gone)).toEqual([
      expect.stringMatching(/^read-lock-acquire\.lua: the block that takes the next fences differs/),
      expect.stringMatching(/^read-lock-acquire\.lua: writes the token outside/),
    ]);
  });

  test('a script that takes a fence in a way of its own is refused', () => {
    const more = { file: 'other-acquire.lua', source: "#!lua\nredis.call('SET', token, 1)\n" };
    expect(fenceFaults([...scripts, more])).toEqual([
      'other-acquire.lua: writes the token outside of a known fence block',
    ]);
  });
});

test('build-lua.mjs refuses to write the module from scripts with a copy that drifted', () => {
  mkdirSync(join(root, '.build'), { recursive: true });
  const copy = mkdtempSync(join(root, '.build/fence-scripts-'));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const path of [
    'scripts/build-lua.mjs',
    'scripts/lua',
    folder,
    `${folder}.generated.ts`,
    '.prettierrc.json',
  ]) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  const build = (...args: string[]) =>
    spawnSync(process.execPath, [join(copy, 'scripts/build-lua.mjs'), ...args], { encoding: 'utf8' });
  expect(build('--check')).toMatchObject({ status: 0, stderr: '' });

  const drifted = changed('write-lock-acquire.lua', "'KEEPTTL'", "'PERSIST'").find(
    ({ file }) => file === 'write-lock-acquire.lua',
  );
  writeFileSync(join(copy, folder, 'write-lock-acquire.lua'), drifted?.source ?? '');
  const refused = build();
  expect(refused.status).toBe(1);
  expect(refused.stderr).toContain('write-lock-acquire.lua: the block that takes the next fences differs');
});
