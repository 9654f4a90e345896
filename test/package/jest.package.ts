import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { expect, test } from 'vitest';
import { root } from '../repo/packed-files.ts';
import { Project } from './project.ts';

const JEST = 'node_modules/jest/bin/jest.js';

/** The cases of a project: with the extension of the language, and how it names a module. */
function cases(imports: string): string {
  return `${imports}
test('one holder at a time', async () => {
  const locks = memory();
  let inside = 0;
  await Promise.all([1, 2, 3].map(() => locks.lock('a').run(async () => {
    expect(++inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    inside--;
  })));
  await locks.close();
});
test('a scope enters again', async () => {
  const locks = await connect('memory:');
  const lock = locks.lock('a');
  expect(await lock.run(() => lock.run(() => 'inner'))).toBe('inner');
  expect(await multiLock([lock, locks.lock('b')]).run(() => 'both')).toBe('both');
  await locks.close();
});
test('an error has its class, name and code', async () => {
  const locks = memory();
  const hold = await locks.lock('a').acquire();
  const error = await locks.lock('a').acquire({ timeoutMs: 10 }).catch((late: unknown) => late);
  expect(isHoldfastError(error)).toBe(true);
  expect(error).toBeInstanceOf(AcquireTimeoutError);
  expect(error).toMatchObject({ name: 'AcquireTimeoutError', code: 'ACQUIRE_TIMEOUT' });
  await hold.release();
  await locks.close();
});
test('the client that is installed is loaded, and another is asked for', async () => {
  await expect(connect('redis://127.0.0.1:1')).rejects.toThrow(/ECONNREFUSED/);
  await expect(connect('postgres://127.0.0.1:1/x')).rejects.toThrow(/npm install pg/);
});
test('a file is shared', async () => {
  const locks = await connect('sqlite:locks.db', { driver: 'libsql' });
  expect(await locks.lock('a').run(() => 'held')).toBe('held');
  await locks.close();
});
`;
}

const clients = { ioredis: '5.11.1', libsql: '0.5.29' };

test('Jest with its defaults', async () => {
  const project = new Project('jest', { jest: '30.5.2', ...clients });
  project.write(
    'locks.test.js',
    cases(`const { connect, isHoldfastError, AcquireTimeoutError, multiLock } = require('holdfast');
const { memory } = require('holdfast/memory');`).replaceAll(': unknown', ''),
  );
  expect(await project.node(JEST, 'locks.test.js')).toMatch(/Tests: +5 passed, 5 total/);
});

test('every suite, in Jest, on the CommonJS build', async () => {
  const project = new Project('jest', { jest: '30.5.2', ...clients });
  const bundle = await rolldown({
    input: join(root, 'test/package/programs/map-engine-suites.ts'),
    platform: 'node',
    external: /^(?:holdfast|node:)/,
  });
  await bundle.write({ file: join(project.folder, 'suites.test.js'), format: 'cjs' });
  await bundle.close();
  const printed = await project.node(JEST, 'suites.test.js');
  expect(printed).toMatch(/Tests: +(?:\d+ skipped, )?\d{3,} passed/);
  expect(printed).not.toMatch(/failed/);
});

test('ts-jest in a CommonJS project', async () => {
  const project = new Project(
    'ts-jest',
    {
      jest: '30.5.2',
      'ts-jest': '29.4.15',
      typescript: '5.9.3',
      '@types/jest': '30.0.0',
      '@types/node': '20.19.43',
      ...clients,
    },
    { jest: { preset: 'ts-jest' } },
  );
  project.write(
    'tsconfig.json',
    JSON.stringify({
      compilerOptions: { module: 'commonjs', target: 'es2022', strict: true, esModuleInterop: true },
    }),
  );
  project.write(
    'locks.test.ts',
    cases(`import { connect, isHoldfastError, AcquireTimeoutError, multiLock } from 'holdfast';
import { memory } from 'holdfast/memory';`),
  );
  expect(await project.node(JEST)).toMatch(/Tests: +5 passed, 5 total/);
});
