import { checkEngineOptions } from '../../kernels/engine-options.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import { SQL_OPTIONS, type SqlSettings } from '../sql/sql-options.ts';
import { DRIVER_NAMES, type DriverName } from './drivers.ts';

/** What can be set besides the file. */
export interface SqliteSettings extends SqlSettings {
  /**
   * Which package opens the file: the first that can be had without it. All who use one file in one process must use the
   * same: two copies of SQLite in one process undo each other's locks.
   */
  readonly driver?: DriverName;
}

export interface SqliteOptions extends SqliteSettings {
  /** The database that the processes of this machine share. It is created if it is not there; its folder must be. */
  readonly file: string;
}

const SQLITE_OPTIONS: readonly (keyof Omit<SqliteOptions, keyof EngineOptions | keyof SqlSettings>)[] = [
  'file',
  'driver',
];
const subject = { resource: 'sqlite()', engine: 'sqlite' };

/** Refuses misspelt options, and options that are no object. */
export function checkSqliteOptions(options: SqliteOptions): void {
  checkEngineOptions(options, [...SQL_OPTIONS, ...SQLITE_OPTIONS], 'sqlite');
  const { file, driver } = options;
  if (typeof file !== 'string' || file === '' || file.includes('\0'))
    throw argumentTypeError('sqlite(): file must be the path of a file.', subject);
  // What only this connection sees locks no other one out.
  if (file === ':memory:' || file.startsWith('file:'))
    throw argumentTypeError(
      'sqlite(): file must be the path of a file that others can open; for locks within this process use memory().',
      subject,
    );
  if (driver !== undefined && !DRIVER_NAMES.includes(driver))
    throw argumentTypeError(`sqlite(): driver must be one of ${DRIVER_NAMES.join(', ')}.`, subject);
}
