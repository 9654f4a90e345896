import { join } from 'node:path';
import { isOnPath, root, succeeds } from './run.mjs';

/**
 * Installs packages where that is possible without a question: as root of a Debian. Elsewhere does nothing, and the caller
 * reports what is missing.
 * @param {readonly string[]} names
 */
export function installDebianPackages(names) {
  if (names.length === 0 || !canInstall()) return;
  succeeds(process.execPath, [join(root, 'scripts/install-debian-packages.mjs'), ...names]);
}

function canInstall() {
  return process.platform === 'linux' && process.getuid?.() === 0 && isOnPath('apt-get');
}
