import * as fs from 'node:fs';
import { join } from 'node:path';
import { makeOnce } from './fingerprint.mjs';
import { removeLeftovers } from './leftovers.mjs';
import { root, run, say } from './run.mjs';

/** The package in dist/: compiled by tsc, put together by scripts/bundle-library.mjs. */
export function buildLibrary() {
  build({ name: 'library', project: 'tsconfig.build.json', output: '.build/library', sources: 'src' });
  const bundler = 'scripts/bundle-library.mjs';
  const inputs = ['src', 'page', bundler, 'scripts/bundle', 'tsconfig.build.json', 'package-lock.json'];
  makeOnce({ stamp: '.build/dist.stamp', output: 'dist', inputs }, () => {
    say('bundling the library …');
    run(process.execPath, [join(root, bundler)]);
  });
}

/** Examples, the simulation and the processes that fault tests kill. They import `holdfast` by its name and need dist/ first. */
export function buildPrograms() {
  build({ name: 'programs', project: 'tsconfig.tools.json', output: '.build/programs', sources: '.' });
}

export function buildBenchmarks() {
  build({ name: 'benchmarks', project: 'bench/tsconfig.json', output: 'bench/.build', sources: '.' });
}

/**
 * `tsc -b` decides by itself whether there is anything to do: it compares contents where times differ. It is not faster than
 * hashing the sources was: for library and programs, both up to date, each took 0.12 to 0.15 s of processor time (Node 20,
 * five runs in turn on a busy machine). What it saves is a second list of inputs to keep right.
 * @param {{ name: string, project: string, output: string, sources: string }} plan
 */
function build({ name, project, output, sources }) {
  // tsc looks at its own records only, and would take a folder that was deleted for up to date.
  if (!fs.existsSync(join(root, output))) {
    say(`building the ${name} …`);
    fs.rmSync(join(root, '.build', `${name}.tsbuildinfo`), { force: true });
  }
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-b', project]);
  removeLeftovers(join(root, output), join(root, sources));
}
