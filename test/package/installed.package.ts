import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Project, runIn } from './project.ts';

const project = new Project('installed');

test('`npm install holdfast` brings nothing else, and takes less than 3 MB', async () => {
  const packages = join(project.folder, 'node_modules');
  expect(readdirSync(packages).filter((name) => !name.startsWith('.'))).toEqual(['holdfast']);
  const kilobytes = Number.parseInt(await runIn(packages, 'du', ['-sk', '.']), 10);
  expect(kilobytes).toBeLessThan(3 * 1024);
});

test('it is imported, and required', async () => {
  const script = (first: string) => `${first}
    memory().lock('a').run(() => console.log('held'));`;
  project.write('one.mjs', script(`import { memory } from 'holdfast/memory';`));
  project.write('other.cjs', script(`const { memory } = require('holdfast/memory');`));
  expect(await project.node('one.mjs')).toBe('held\n');
  expect(await project.node('other.cjs')).toBe('held\n');
});

test('its command line runs', async () => {
  expect(await project.npm('exec', '--', 'holdfast', '--version')).toMatch(/^\d+\.\d+\.\d+\n/);
});

test('without an SQLite it says which to install, and with one it works', async () => {
  project.write(
    'here.mjs',
    `import { connect } from 'holdfast';
    const locks = await connect('sqlite:locks.db').catch((error) => console.log(error.message));
    if (locks) await locks.lock('a').run(() => console.log('held'));
    await locks?.close();`,
  );
  const [major = 0] = process.versions.node.split('.').map(Number);
  const none =
    'sqlite: there is no SQLite here. Use Node 22.13 or newer, or install one: `npm install libsql`';
  // Newer releases have one of their own, and may warn that it is experimental.
  expect(await project.node('here.mjs')).toContain(major < 22 ? none : 'held\n');
  const other = new Project('with-libsql', { libsql: '0.5.29' });
  other.write(
    'here.mjs',
    `import { connect } from 'holdfast';
    const locks = await connect('sqlite:locks.db', { driver: 'libsql' });
    await locks.lock('a').run(() => console.log('held'));
    await locks.close();`,
  );
  expect(await other.node('here.mjs')).toBe('held\n');
  rmSync(join(other.folder, 'locks.db'), { force: true });
});
