import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** @param {string} text */
export function say(text) {
  process.stderr.write(`holdfast: ${text}\n`);
}

/**
 * Runs a command in a folder of the repository. Its output goes to stderr, so that the stdout of the program that runs after
 * the bootstrap stays clean.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} folder
 */
export function run(command, args, folder = '.', shell = false) {
  const done = spawnSync(command, args, { cwd: join(root, folder), stdio: ['ignore', 2, 2], shell });
  if (done.error) throw done.error;
  if (done.status !== 0) throw new Error(`${describe(command, args)} failed, see above.`);
}

/**
 * The command itself reports its failure; what is missing afterwards is reported by the caller.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} folder
 */
export function succeeds(command, args, folder = '.') {
  try {
    run(command, args, folder);
    return true;
  } catch {
    return false;
  }
}

/** @param {string} program */
export function isOnPath(program) {
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean);
  return folders.some((folder) => existsSync(join(folder, program)));
}

/**
 * @param {string} command
 * @param {readonly string[]} args
 */
function describe(command, args) {
  const words = command === process.execPath ? args : [command, ...args];
  return words.map((word) => word.replace(/^.*[\\/]/, '')).join(' ');
}
