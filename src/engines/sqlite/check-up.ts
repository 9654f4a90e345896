import { statfsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Finding } from '../../spi/engine/finding.ts';
import { loadDriver } from './file/drivers.ts';
import { EngineError } from '../../spi/errors.ts';
import { isError } from '../../spi/is-error.ts';

/**
 * File systems that other machines write to: neither the locks nor the shared memory of SQLite reach across machines.
 */
const FROM_ELSEWHERE: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x517b, 'SMB'],
  [0x65735546, 'FUSE'],
  [0x01021997, '9P'],
]);

/** Finds out whether a file is fit to keep locks. Creates the file if it is missing, as every use does. */
export async function* checkUp(path: string): AsyncGenerator<Finding, void, undefined> {
  const file = resolve(path);
  const driver = await loadDriver();
  let connection;
  try {
    connection = driver.open(file);
    const version = String(connection.run('select sqlite_version()', []).rows[0]?.[0]);
    yield { level: 'good', about: 'reachable', found: file };
    yield { level: 'good', about: 'version', found: `SQLite ${version} by ${driver.name}` };
  } catch (error) {
    throw new EngineError(
      `sqlite: ${file} cannot be opened: ${isError(error) ? error.message : String(error)}`,
      { resource: 'doctor', engine: 'sqlite' },
      { cause: error, retryable: false },
    );
  } finally {
    connection?.close();
  }
  yield checkFileSystem(dirname(file));
  yield checkAccess(file);
  yield {
    level: 'note',
    about: 'reach',
    found: 'these locks cover this machine only; another container may have another file',
  };
}

function checkFileSystem(folder: string): Finding {
  const about = 'file system';
  const elsewhere = FROM_ELSEWHERE.get(statfsSync(folder).type);
  if (elsewhere === undefined) return { level: 'good', about, found: 'of this machine' };
  return {
    level: 'bad',
    about,
    found: `${folder} is on ${elsewhere}: processes of other machines do not see these locks, and the file can be damaged`,
    advice: 'Put it on a local disk, or use a server.',
  };
}

/** A user who may write to the file may take and break every lock in it. */
function checkAccess(file: string): Finding {
  const about = 'access';
  const mode = statSync(file, { throwIfNoEntry: false })?.mode ?? 0;
  if (process.platform === 'win32' || (mode & 0o002) === 0)
    return { level: 'good', about, found: 'only some users may write to it' };
  return {
    level: 'note',
    about,
    found: 'every user of this machine may write to it, and so take and break every lock',
    advice: `chmod o-w ${file}`,
  };
}
