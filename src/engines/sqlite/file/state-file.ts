import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where a program of this user keeps state: neither configuration nor data to back up. */
function stateFolder(): string {
  const { env, platform } = process;
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  // The XDG specification demands that a relative path is ignored.
  const given = env['XDG_STATE_HOME'];
  return given?.startsWith('/') === true ? given : join(homedir(), '.local', 'state');
}

/** The database that is used without an address. Creates its folder, for this user alone, if it is missing. */
export function ensureStateFile(): string {
  const file = join(stateFolder(), 'holdfast', 'locks.db');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return file;
}
