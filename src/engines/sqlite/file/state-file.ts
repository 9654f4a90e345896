import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where a program of this user keeps what is neither configuration nor to be backed up. */
function stateFolder(): string {
  const { env, platform } = process;
  if (platform === 'win32') return env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support');
  // A path that is not absolute is to be ignored, says the specification of these folders.
  const given = env['XDG_STATE_HOME'];
  return given?.startsWith('/') === true ? given : join(homedir(), '.local', 'state');
}

/** The database of those who named none. Its folder is made, for this user alone, if it is not there. */
export function ensureStateFile(): string {
  const file = join(stateFolder(), 'holdfast', 'locks.db');
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  return file;
}
