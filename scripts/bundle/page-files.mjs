import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';
import { dist, root } from './entries.mjs';
import { licensesOf } from './licenses.mjs';

const MODULE = /dashboard\/assets\.js$/;
/** As the source finds what a build has left: from src/dashboard. */
const PLACE = `new URL('../../dist/', import.meta.url)`;

/** The files of the page, as their names are in src/dashboard/assets.ts. */
const FILES = ['app.js', 'app.css'];

/**
 * Builds the page of the dashboard with Vite into dist, compressed: a server sends the files as they are, and both builds
 * of the library use the one copy.
 */
export async function writePage() {
  const built = await build({
    root: join(root, 'page'),
    configFile: false,
    logLevel: 'warn',
    publicDir: false,
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir: join(root, '.build/page'),
      emptyOutDir: true,
      target: 'es2022',
      modulePreload: false,
      rolldownOptions: {
        input: join(root, 'page/main.tsx'),
        output: { entryFileNames: 'app.js', assetFileNames: 'app.[ext]', codeSplitting: false },
      },
    },
  });
  if (!('output' in built)) throw new Error('Vite has built something else than one page');
  const names = built.output.map(({ fileName }) => fileName);
  if (names.toSorted().join() !== FILES.toSorted().join())
    throw new Error(`Vite has written ${names.join(', ')}, and not ${FILES.join(', ')}`);
  const modules = built.output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : []));
  for (const name of FILES) {
    const text = readFileSync(join(root, '.build/page', name), 'utf8');
    const zipped = gzipSync(name === 'app.js' ? `${text}\n${licensesOf(modules)}\n` : text, { level: 9 });
    writeFileSync(join(dist, `dashboard-${name}.gz`), zipped);
  }
}

const READ = 'await readFile(new URL(`dashboard-${name}.gz`, PLACE))';

/**
 * The files themselves, for a program that is one file.
 * @returns {import('rolldown').Plugin}
 */
export function withPageInside() {
  const texts = FILES.map((name) => [name, readFileSync(join(dist, `dashboard-${name}.gz`), 'base64')]);
  return {
    name: 'page-inside',
    transform: {
      filter: { id: MODULE },
      handler(code) {
        if (!code.includes(READ))
          throw new Error('dashboard/assets.ts reads its files in a way that is not expected here');
        const files = `const INSIDE = ${JSON.stringify(Object.fromEntries(texts))};`;
        return `${code.replace(READ, "Buffer.from(INSIDE[name], 'base64')")}\n${files}\n`;
      },
    },
  };
}

/**
 * Puts another place of the files into the module that reads them.
 * @param {string} place an expression
 * @returns {import('rolldown').Plugin}
 */
function readingFrom(place) {
  return {
    name: 'page-files',
    transform: {
      filter: { id: MODULE },
      handler(code) {
        if (!code.includes(PLACE))
          throw new Error('dashboard/assets.ts finds its files in a way that is not expected here');
        return code.replace(PLACE, place);
      },
    },
  };
}

/** Beside an ES module. */
export const besideModules = readingFrom(`new URL('./', import.meta.url)`);

/** One folder above, where ES modules are. */
export const besideCommonJs = readingFrom(`new URL('../', require('node:url').pathToFileURL(__filename))`);
