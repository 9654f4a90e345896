import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { rolldown } from 'rolldown';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeRedis } from '../fixtures/redis/redis-binary.ts';
import { startRedisServer } from '../fixtures/redis/redis-server.ts';
import { root } from './packed-files.ts';

// With one bundler, which is installed anyway; `npm run check:bundles` asks five.
let project: string;

beforeAll(() => {
  // Elsewhere, and with the package as a copy: a link to it would find every client of the repository.
  project = mkdtempSync(join(tmpdir(), 'holdfast-bundles-'));
  const packages = join(project, 'node_modules');
  mkdirSync(join(packages, 'holdfast'), { recursive: true });
  for (const part of ['dist', 'package.json'])
    cpSync(join(root, part), join(packages, 'holdfast', part), { recursive: true });
  symlinkSync(join(root, 'node_modules/ioredis'), join(packages, 'ioredis'), 'junction');
});

afterAll(() => rmSync(project, { recursive: true }));

/** Bundles a program and answers the folder with its main.mjs. */
async function bundle(script: string, platform: 'node' | 'browser'): Promise<string> {
  const [input, dir] = [join(project, 'program.mjs'), join(project, 'out')];
  rmSync(dir, { recursive: true, force: true });
  writeFileSync(input, script);
  const built = await rolldown({ cwd: project, input, platform });
  await built.write({ dir, minify: true, entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' });
  await built.close();
  return dir;
}

async function run(folder: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [join(folder, 'main.mjs'), ...args]);
  return stdout.trim();
}

test.each(['node', 'browser'] as const)(
  'a program for %s that tells errors apart has less than 1 KB',
  async (platform) => {
    const folder = await bundle(
      `import { isHoldfastError } from 'holdfast'; console.log(isHoldfastError(new Error('another')));`,
      platform,
    );
    const bytes = readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0);
    expect(bytes).toBeLessThan(1000);
    expect(await run(folder)).toBe('false');
  },
);

test('a bundle for browsers says what is wrong when it is asked for locks', async () => {
  const folder = await bundle(
    `import { connect } from 'holdfast'; connect('memory:').catch((error) => console.log(error.name, error.message));`,
    'browser',
  );
  expect(await run(folder)).toMatch(/^EngineError connect: .*was bundled for a browser/);
});

test('a client that is not installed is asked for by its name', async () => {
  const folder = await bundle(
    `import { connect } from 'holdfast'; connect('postgres://h/d').catch((error) => console.log(error.name, error.message));`,
    'node',
  );
  expect(await run(folder)).toBe(
    'EngineError postgres: no client is installed. Install one: `npm install pg` or `npm install postgres`.',
  );
});

describeRedis('with one client installed', () => {
  test('a bundle connects with it', async () => {
    const server = await startRedisServer();
    try {
      const folder = await bundle(
        `import { connect, multiLock } from 'holdfast';
        const locks = await connect(process.argv[2]);
        console.log(await multiLock([locks.lock('a'), locks.lock('b')]).run(() => 'both'));
        await locks.close();`,
        'node',
      );
      expect(await run(folder, server.url)).toBe('both');
    } finally {
      await server.stop();
    }
  });
});
