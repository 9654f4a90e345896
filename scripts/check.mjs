// Runs every `check:` script of package.json in the order in which they stand there, with a line for each. The
// checks of the package come after the build, because they look at what would be published.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const prefix = 'check:';
const root = fileURLToPath(new URL('..', import.meta.url));
const path = [join(root, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
const env = { ...process.env, PATH: path, NO_COLOR: '1' };

function checks() {
  /** @type {{ scripts: Record<string, string> }} */
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return Object.entries(scripts).filter(([name]) => name.startsWith(prefix));
}

/**
 * @param {string} name
 * @param {string} command
 */
function passes(name, command) {
  const start = performance.now();
  const done = spawnSync(command, { cwd: root, env, shell: true, encoding: 'utf8', maxBuffer: Infinity });
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  const passed = done.status === 0;
  console.log(
    `${passed ? 'ok  ' : 'FAIL'}  ${name.slice(prefix.length).padEnd(14)} ${seconds.padStart(5)} s`,
  );
  if (!passed) console.log(`$ ${command}\n${done.stdout}${done.stderr}`);
  return passed;
}

const results = checks().map(([name, command]) => passes(name, command));
const failed = results.filter((passed) => !passed).length;
console.log(`${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
