// `npm run check:bundles`: bundles programs that import the packed package with esbuild, webpack, Rollup, Vite and Bun, without
// settings, and runs what comes out. They are installed once (about 30 s, 250 MB).
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { bundlers, versions } from './package/bundlers.mjs';
import { installProject, packTarball } from './package/projects.mjs';

/** Of a program that only tells errors apart, minified. */
const MOST_BYTES = 1000;
const ERRORS = `import { isHoldfastError } from 'holdfast';
console.log(isHoldfastError(new Error('another')));
`;
/** One client is installed, ioredis, and none of a database. */
const CONNECT = `import { connect, multiLock, quorumLock } from 'holdfast';
async function main() {
  const locks = await connect('memory:');
  const named = ['a', 'b', 'c'].map((name) => locks.lock(name));
  console.log(await multiLock(named).run(() => 'all'), typeof quorumLock);
  await locks.close();
  for (const scheme of ['redis', 'postgres', 'mysql'])
    await connect(scheme + '://user@127.0.0.1:' + process.env.CLOSED_PORT + '/1').catch((error) => console.log(error.name, error.message));
}
main();
`;
const ANSWERS = [
  /^all function$/,
  /^EngineError redis: cannot connect to 127\.0\.0\.1:\d+: .*ECONNREFUSED/,
  /^EngineError postgres: no client is installed. Install one: `npm install pg` or `npm install postgres`\.$/,
  /^EngineError mysql: no client is installed. Install one: `npm install mysql2` or `npm install mariadb`\.$/,
];

const project = installProject('bundlers', {
  holdfast: `file:${packTarball()}`,
  ioredis: '5.11.1',
  ...versions,
});
fs.writeFileSync(join(project, 'errors.mjs'), ERRORS);
fs.writeFileSync(join(project, 'connect.mjs'), CONNECT);
const port = await closedPort();
let failures = 0;

for (const [name, bundle] of Object.entries(bundlers)) {
  if (name === 'bun' && !('bun' in versions)) {
    console.log('bun      is not published for this machine: left out');
    if (process.env['CI']) failures++;
    continue;
  }
  await checked(`${name}, for errors`, () => bundleErrors(bundle, false));
  await checked(`${name}, for errors in Node`, () => bundleErrors(bundle, true));
  await checked(`${name}, to connect`, () => bundleConnect(bundle));
}
process.exitCode = failures > 0 ? 1 : 0;

/** @typedef {(order: import('./package/bundlers.mjs').Order) => Promise<string[]>} Bundle */

/**
 * @param {Bundle} bundle
 * @param {boolean} forNode
 */
async function bundleErrors(bundle, forNode) {
  const out = await make(bundle, 'errors.mjs', forNode);
  const bytes = fs.readdirSync(out).reduce((sum, file) => sum + fs.statSync(join(out, file)).size, 0);
  if (bytes > MOST_BYTES) throw new Error(`the bundle has ${bytes} bytes, and may have ${MOST_BYTES}`);
  expectLines(out, [/^false$/]);
  return `${bytes} bytes`;
}

/** @param {Bundle} bundle */
async function bundleConnect(bundle) {
  const out = await make(bundle, 'connect.mjs', true);
  expectLines(out, ANSWERS);
  return 'works';
}

/**
 * @param {Bundle} bundle
 * @param {string} entry
 * @param {boolean} forNode
 */
async function make(bundle, entry, forNode) {
  const out = join(project, 'out');
  fs.rmSync(out, { recursive: true, force: true });
  const warnings = await bundle({ project, entry, out, forNode });
  if (warnings.length > 0) throw new Error(`a warning: ${warnings[0]}`);
  return out;
}

/**
 * Runs the bundle in the project, whose packages it may import.
 * @param {string} out
 * @param {readonly RegExp[]} expected
 */
function expectLines(out, expected) {
  const script = fs.readFileSync(join(out, 'main.js'), 'utf8');
  // Each bundler writes the format that it prefers.
  const isModule = /(?:^|;)\s*(?:import|export)[{ *"]/m.test(script);
  fs.writeFileSync(join(out, 'package.json'), JSON.stringify({ type: isModule ? 'module' : 'commonjs' }));
  const env = { ...process.env, CLOSED_PORT: String(port) };
  const done = spawnSync(process.execPath, [join(out, 'main.js')], { cwd: project, env, encoding: 'utf8' });
  const lines = done.stdout.trim().split('\n');
  if (lines.length !== expected.length || expected.some((line, at) => !line.test(lines[at] ?? '')))
    throw new Error(`the bundle printed\n${done.stdout}${done.stderr}`);
}

/**
 * @param {string} what
 * @param {() => Promise<string>} check
 */
async function checked(what, check) {
  try {
    console.log(`ok    ${what.padEnd(30)} ${await check()}`);
  } catch (error) {
    failures++;
    console.log(`FAIL  ${what.padEnd(30)} ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** @returns {Promise<number>} a port at which nothing listens */
async function closedPort() {
  const server = createServer();
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  await new Promise((resolve) => void server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 1;
}
