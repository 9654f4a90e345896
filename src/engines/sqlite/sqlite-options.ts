import { checkEngineOptions } from '../../kernels/engine-options.ts';
import { checkFactoryArgument } from '../../kernels/factory-argument.ts';
import type { EngineOptions } from '../../spi/synchronizers.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import { SQL_OPTIONS, type SqlSettings } from '../sql/sql-options.ts';
import { DRIVER_NAMES, type DriverName } from './file/drivers.ts';

/** The options besides the file. */
export interface SqliteSettings extends SqlSettings {
  /**
   * Which package opens the file: the first that works by default. All users of one file in one process must choose the
   * same: two copies of SQLite in one process undo each other's locks.
   */
  readonly driver?: DriverName;
}

/** The options of `sqlite()`: the file, and the settings. */
export interface SqliteOptions extends SqliteSettings {
  /** The database that the processes of this machine share. It is created if it is missing; its folder must exist. */
  readonly file: string;
}

const SQLITE_OPTIONS: readonly (keyof Omit<SqliteOptions, keyof EngineOptions | keyof SqlSettings>)[] = [
  'file',
  'driver',
];
const subject = { resource: 'sqlite()', engine: 'sqlite' };

/** Refuses misspelt options, and options that are not an object. */
export function checkSqliteOptions(options: SqliteOptions): void {
  checkFactoryArgument(options, { engine: 'sqlite', option: 'file', what: 'the path of a file' });
  checkEngineOptions(options, [...SQL_OPTIONS, ...SQLITE_OPTIONS], 'sqlite');
  const { file, driver } = options;
  if (typeof file !== 'string' || file === '' || file.includes('\0'))
    throw argumentTypeError('sqlite(): file must be the path of a file.', subject);
  // A database that only this connection sees excludes no other process.
  if (file === ':memory:' || file.startsWith('file:'))
    throw argumentTypeError(
      'sqlite(): file must be the path of a file that others can open; for locks within this process use memory().',
      subject,
    );
  if (driver !== undefined && !DRIVER_NAMES.includes(driver))
    throw argumentTypeError(`sqlite(): driver must be one of ${DRIVER_NAMES.join(', ')}.`, subject);
}
