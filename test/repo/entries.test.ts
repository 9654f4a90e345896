import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entries, integrations } from '../../scripts/bundle/entries.mjs';
import { root } from './packed-files.ts';

type Target = string | { readonly [condition: string]: Target };

interface Manifest {
  readonly main: string;
  readonly types: string;
  readonly peerDependencies: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, Target>>;
  readonly typesVersions: { readonly '*': Readonly<Record<string, readonly string[]>> };
}

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
const names = Object.keys(entries);

const modules = (name: string) => ({ types: `./dist/${name}.d.ts`, default: `./dist/${name}.js` });
const commonJs = (name: string) => ({ types: `./dist/cjs/${name}.d.cts`, default: `./dist/cjs/${name}.cjs` });

/** The files that a file of dist/ imports at once, and those that they import. */
function reached(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(root, 'dist', file), 'utf8');
  for (const [, target] of text.matchAll(/^(?:import|export) [^\n]*from "\.\/([^"]+)"/gm))
    reached(target!, seen);
  return seen;
}

/** Runs a script in a Node of its own, which finds the package by its name as a user's would, and reads what it prints as JSON. */
function printed(script: string, flags: readonly string[] = []): unknown {
  const done = spawnSync(process.execPath, [...flags, '-e', script], { cwd: root, encoding: 'utf8' });
  expect(done.stderr).toBe('');
  return JSON.parse(done.stdout);
}

describe('package.json', () => {
  test.each(names)('leads %s to ES modules in Node and in bundlers, and to CommonJS elsewhere', (name) => {
    const { browser: _, ...conditions } = manifest.exports[name === 'index' ? '.' : `./${name}`] as Readonly<
      Record<string, Target>
    >;
    // The order decides: Node that can load ES modules by `require` must not come as far as `require`.
    expect(Object.entries(conditions)).toEqual([
      ['module-sync', modules(name)],
      ['module', modules(name)],
      ['require', commonJs(name)],
      ['default', modules(name)],
    ]);
  });

  test('exports nothing else', () => {
    const subpaths = names.map((name) => (name === 'index' ? '.' : `./${name}`));
    expect(Object.keys(manifest.exports)).toEqual([...subpaths, './package.json']);
  });

  test('leads TypeScript that does not read `exports` to the same types', () => {
    const { default: main, types } = commonJs('index');
    expect([manifest.main, manifest.types]).toEqual([main, types]);
    const others = names.filter((name) => name !== 'index').map((name) => [name, [commonJs(name).types]]);
    expect(manifest.typesVersions['*']).toEqual(Object.fromEntries(others));
  });

  test('names files that were built', () => {
    const files = JSON.stringify(manifest.exports).match(/\.\/dist\/[^"]+/g) ?? [];
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });
});

describe('the built package', () => {
  test('loads no engine for an import of the root, and the command line for none', () => {
    expect([...reached('index.js')].toSorted()).toEqual(['core.js', 'errors.js', 'index.js']);
    expect([...reached('browser.js')].toSorted()).toEqual(['browser.js', 'errors.js']);
    const loaded = names.flatMap((name) => [...reached(`${name}.js`)]);
    expect(loaded.filter((file) => file.startsWith('cli/'))).toEqual([]);
  });

  test('names no package in an import that a bundler would look up', () => {
    const files = ['dist', 'dist/cjs', 'dist/cli'].flatMap((folder) =>
      readdirSync(join(root, folder))
        .filter((file) => /\.c?js$/.test(file))
        .map((file) => join(folder, file)),
    );
    const clients = Object.keys(manifest.peerDependencies).join('|');
    const literal = new RegExp(
      `(?:from|import\\(|require\\() *["'\`](?:${clients})(?:/[^"'\`]*)?["'\`]`,
      'g',
    );
    // A program that imports an integration has the package that it is for.
    const isIntegration = (file: string) => basename(file).replace(/\.c?js$/, '') in integrations;
    const named = files
      .filter((file) => !isIntegration(file))
      .flatMap((file) => readFileSync(join(root, file), 'utf8').match(literal) ?? []);
    expect(named).toEqual([]);
  });

  test.each(Object.entries(integrations))(
    'loads for %s no package but %s, and no engine',
    (name, packages) => {
      const files = [...reached(`${name}.js`)];
      expect(files.filter((file) => /core|engine|sql|lines|connect/.test(file))).toEqual([]);
      const imported = files.flatMap((file) => [
        ...readFileSync(join(root, 'dist', file), 'utf8').matchAll(/^import .* from "([^".][^"]*)"/gm),
      ]);
      const found = new Set(imported.map(([, from]) => from).filter((from) => !from!.startsWith('node:')));
      expect([...found]).toEqual(packages);
      const others = Object.keys(entries).filter((entry) => entry !== name);
      expect(others.filter((entry) => reached(`${entry}.js`).has(`${name}.js`))).toEqual([]);
    },
  );

  test('mentions no package in the types that all users share', () => {
    const types = readFileSync(join(root, 'dist/cjs/types.d.cts'), 'utf8');
    const imported = [...types.matchAll(/^import .* from '([^']+)'/gm)].map(([, from]) => from);
    expect(imported.filter((from) => !from!.startsWith('node:'))).toEqual([]);
  });

  test('exports to browsers what the root exports', async () => {
    const load = (file: string): Promise<object> => import(/* @vite-ignore */ join(root, 'dist', file));
    expect(Object.keys(await load('browser.js'))).toEqual(Object.keys(await load('index.js')));
  });

  test('is one copy for `import` and `require` of one program', () => {
    const same = `import('holdfast').then(async (one) => console.log(JSON.stringify([
      one === require('holdfast'), await import('holdfast/redis') === require('holdfast/redis')])))`;
    expect(printed(same)).toEqual([true, true]);
  });

  // There are two where a flag of Node forbids to load ES modules by `require`.
  describe('in two copies', () => {
    const inTwo = (script: string) =>
      printed(
        `(async () => {
          const [one, other] = [await import('holdfast'), require('holdfast')];
          console.log(JSON.stringify(await (${script})(one, other)));
        })()`,
        ['--no-experimental-require-module'],
      );

    test('has errors that `instanceof` knows', () => {
      const known = inTwo(`async (one, other) => {
        const locks = await one.connect('memory:');
        await locks.close();
        const error = await locks.lock('a').acquire().catch((closed) => closed);
        const classes = ['ClosedError', 'HoldfastError', 'EngineError'];
        return [one, other].map((copy) => classes.map((name) => error instanceof copy[name]));
      }`);
      expect(known).toEqual([
        [true, true, false],
        [true, true, false],
      ]);
    });

    test('has one store in memory for an address', () => {
      const taken = inTwo(`async (one, other) => {
        const [here, there] = [await one.connect('memory:'), await other.connect('memory:')];
        const hold = await here.lock('a').acquire();
        const waiting = there.lock('a').acquire();
        const busy = (await there.lock('a').tryAcquire()) === null;
        await hold.release();
        await (await waiting).release();
        await Promise.all([here.close(), there.close()]);
        return [one === other, busy];
      }`);
      expect(taken).toEqual([false, true]);
    });

    test('refuses to compose the locks of one by the other, and says why', () => {
      const message = inTwo(`async (one, other) => {
        const locks = await one.connect('memory:');
        try {
          return other.multiLock([locks.lock('a')]).name;
        } catch (error) {
          return error.message;
        }
      }`);
      expect(message).toMatch(/by the copy of the package that composes them/);
    });
  });
});
