// Draws docs/pictures/terminal.svg from what the command line prints: `node scripts/write-terminal-picture.mjs`. Two processes hold on
// a real Redis of this script, as two hosts (which needs Linux and root, for names of hosts of their own); a third one is refused, and an
// operator looks. Nothing of the text is written by hand but the commands.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const cli = join(root, 'dist/cli/main.js');
const picture = join(root, 'docs/pictures/terminal.svg');
const folder = fs.mkdtempSync(join(tmpdir(), 'holdfast-picture-'));

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

const port = await freePort();
const url = `redis://127.0.0.1:${port}`;
const redis = spawn(
  'redis-server',
  ['--port', `${port}`, '--dir', folder, '--save', '', '--bind', '127.0.0.1'],
  {
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
/** @type {import('node:child_process').ChildProcess[]} */
const children = [redis];

/**
 * The command line as another host would run it.
 * @param {string} host
 * @param {readonly string[]} args
 * @returns {[string, string[]]}
 */
function asHost(host, args) {
  return [
    'unshare',
    ['--uts', 'sh', '-c', `hostname ${host}; exec "$@"`, 'sh', process.execPath, cli, ...args],
  ];
}

const options = { cwd: folder, env: { ...process.env, HOLDFAST_URL: url, NO_COLOR: '1' } };

/**
 * @param {string} host
 * @param {readonly string[]} args
 */
function hold(host, args) {
  const child = spawn(...asHost(host, [...args, '--', process.execPath, '-e', 'process.stdin.resume()']), {
    ...options,
    stdio: ['pipe', 'inherit', 'inherit'],
  });
  children.push(child);
}

/**
 * @param {string} host
 * @param {readonly string[]} args
 */
function output(host, args) {
  const { stdout, stderr, status } = spawnSync(...asHost(host, args), { ...options, encoding: 'utf8' });
  return { status, lines: `${stderr}${stdout}`.trimEnd().split('\n') };
}

/** Waits until the command line shows as many holders, with their names. */
async function holders(/** @type {number} */ count) {
  for (let tries = 0; tries < 100; tries += 1) {
    const rows = output('ops', ['list']).lines.filter((line) => /\(pid \d+\)/.test(line));
    if (rows.length >= count) return;
  }
  throw new Error('the holders did not appear');
}

/** @returns {Promise<readonly string[]>} */
async function session() {
  for await (const chunk of redis.stdout ?? []) if (`${chunk}`.includes('Ready to accept')) break;
  hold('web-1', ['run', 'order:7']);
  hold('worker-4', ['run', 'uploads', '--permits', '1/3']);
  await holders(2);
  const refused = output('web-2', ['run', 'order:7', '--wait', '500ms', '-v', '--', 'true']);
  return [
    '$ holdfast run order:7 --wait 500ms -v -- ./charge.sh; echo "exit $?"',
    ...refused.lines,
    `exit ${refused.status}`,
    '',
    '$ holdfast watch --once',
    ...output('ops', ['watch', '--once']).lines,
    '',
    '$ holdfast inspect order:7',
    ...output('ops', ['inspect', 'order:7']).lines,
  ];
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * A line that is longer than the picture goes on in the next one.
 * @param {string} line
 */
function folded(line) {
  const columns = 88;
  if (line.length <= columns) return [line];
  const at = line.lastIndexOf(' ', columns);
  return [line.slice(0, at), `  ${line.slice(at + 1)}`];
}

/** @param {readonly string[]} lines */
function draw(lines) {
  const [left, top, height] = [22, 58, 19];
  const rows = lines.map((line, at) => {
    const name = line.startsWith('$') ? 'command' : line.startsWith('holdfast: ') ? 'said' : 'line';
    const words = escaped(line).replaceAll(/█+/g, (bar) => `<tspan class="bar">${bar}</tspan>`);
    return `  <text class="${name}" x="${left}" y="${top + at * height}" xml:space="preserve">${words}</text>`;
  });
  const tall = top + lines.length * height + 4;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 760 ${tall}" width="760" height="${tall}" role="img" aria-labelledby="title desc">
  <title id="title">The command line of Holdfast, on Redis</title>
  <desc id="desc">A second host is refused with the name of the holder and exit code 75; watch and inspect show who holds what.</desc>
  <style>
    text { font: 13.5px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; fill: #c9d1d9 }
    .command { fill: #ffffff; font-weight: 600 }
    .said { fill: #e3b341 }
    .bar { fill: #58a6ff }
  </style>
  <rect width="760" height="${tall}" rx="10" fill="#0d1117" stroke="#30363d"/>
  <circle cx="24" cy="22" r="6" fill="#ff5f57"/><circle cx="44" cy="22" r="6" fill="#febc2e"/><circle cx="64" cy="22" r="6" fill="#28c840"/>
${rows.join('\n')}
</svg>
`;
}

try {
  fs.writeFileSync(picture, draw((await session()).flatMap(folded)));
} finally {
  for (const child of children.toReversed()) {
    if (child.exitCode === null && child.kill()) await once(child, 'exit');
  }
  fs.rmSync(folder, { recursive: true, force: true });
}
