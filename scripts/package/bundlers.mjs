import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bunPackage } from './runtimes.mjs';

/** Exact, because a new release of any of them may refuse what the last one took. */
export const versions = {
  esbuild: '0.28.2',
  webpack: '5.112.2',
  rollup: '4.68.2',
  '@rollup/plugin-node-resolve': '16.0.3',
  vite: '8.3.5',
  // The program alone: the package `bun` fetches it in an install script.
  ...(bunPackage !== undefined && { bun: `npm:@oven/${bunPackage}@1.4.4` }),
};

/**
 * @typedef {object} Order what to bundle
 * @property {string} project the folder of the project
 * @property {string} entry the name of the file in it
 * @property {string} out the folder to write into
 * @property {boolean} forNode whether the bundler gets Node as its platform; otherwise it takes its default
 */

/**
 * Bundles and minifies as each bundler does without a file of settings. Answers its warnings; an error is thrown.
 * @type {Readonly<Record<string, (order: Order) => Promise<string[]>>>}
 */
export const bundlers = {
  esbuild: async ({ project, entry, out, forNode }) => {
    const { build } = await load(project, 'esbuild');
    const { warnings } = await build({
      absWorkingDir: project,
      entryPoints: [entry],
      bundle: true,
      minify: true,
      outfile: join(out, 'main.js'),
      logLevel: 'silent',
      ...(forNode && { platform: 'node' }),
    });
    return warnings.map((/** @type {{ text: string }} */ { text }) => text);
  },

  webpack: async ({ project, entry, out, forNode }) => {
    const { default: webpack } = await load(project, 'webpack');
    const output = { path: out, filename: 'main.js' };
    const settings = { context: project, mode: 'production', entry: `./${entry}`, output };
    const stats = await new Promise((resolve, reject) =>
      webpack(
        { ...settings, ...(forNode && { target: 'node20' }) },
        (/** @type {any} */ error, /** @type {any} */ done) => (error ? reject(error) : resolve(done)),
      ),
    );
    const { errors, warnings } = stats.toJson({ all: false, errors: true, warnings: true });
    if (errors.length > 0) throw new Error(errors[0].message);
    return warnings.map((/** @type {{ message: string }} */ { message }) => message);
  },

  rollup: async ({ project, entry, out }) => {
    const { rollup } = await load(project, 'rollup');
    const { nodeResolve } = await load(project, '@rollup/plugin-node-resolve');
    /** @type {string[]} */
    const warnings = [];
    const bundle = await rollup({
      input: join(project, entry),
      plugins: [nodeResolve({ rootDir: project })],
      onwarn: (/** @type {{ message: string }} */ { message }) => void warnings.push(message),
    });
    await bundle.write({ dir: out, entryFileNames: 'main.js' });
    await bundle.close();
    return warnings;
  },

  vite: async ({ project, entry, out, forNode }) => {
    const { build, createLogger } = await load(project, 'vite');
    /** @type {string[]} */
    const warnings = [];
    const logger = createLogger('warn');
    logger.warn = (/** @type {string} */ message) => void warnings.push(message);
    const file = join(project, entry);
    await build({
      configFile: false,
      root: project,
      logLevel: 'warn',
      customLogger: logger,
      build: {
        outDir: out,
        emptyOutDir: true,
        minify: true,
        ...(forNode ? { ssr: file } : { lib: { entry: file, formats: ['es'] } }),
        rollupOptions: { output: { entryFileNames: 'main.js' } },
      },
      ...(forNode && { ssr: { noExternal: true } }),
    });
    return warnings;
  },

  bun: async ({ project, entry, out, forNode }) => {
    const program = join(project, 'node_modules/bun/bin/bun');
    const target = forNode ? ['--target=node'] : [];
    const args = ['build', entry, '--minify', `--outfile=${join(out, 'main.js')}`, ...target];
    const done = spawnSync(program, args, { cwd: project, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(done.stderr);
    return done.stderr.split('\n').filter((line) => /^(?:warn|error)/i.test(line));
  },
};

/**
 * @param {string} project
 * @param {string} name
 * @returns {Promise<any>} a package of the project, which has no types here
 */
async function load(project, name) {
  const path = createRequire(join(project, 'package.json')).resolve(name);
  return import(pathToFileURL(path).href);
}
