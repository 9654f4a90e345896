import { accessSync, constants, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';

/**
 * A new folder, in memory where the system has such a place: dozens of cases create a database at the same moment, and on
 * a disk that others use as well each would stop this process for as long as the disk takes.
 */
export function fastFolder(): string {
  return mkdtempSync(join(isWritable(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'holdfast-sqlite-'));
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
