import { type ParameterForm, readQuery } from '../../kernels/address/read-query.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import { sqlForms } from '../sql/sql-address.ts';
import { DRIVER_NAMES } from './file/drivers.ts';
import type { SqliteSettings } from './sqlite-options.ts';

const forms = { ...sqlForms, driver: DRIVER_NAMES } as const satisfies Record<
  keyof SqliteSettings,
  ParameterForm
>;

/** The file of an address, and the settings that the address gives. */
export interface SqliteAddress {
  readonly file: string;
  readonly settings: SqliteSettings;
}

/** Parses the address of a file: `sqlite:locks.db`, `sqlite:/var/lib/locks.db?tablePrefix=app_`, `sqlite:///var/lib/locks.db`. */
export function parseSqliteAddress(url: string): SqliteAddress {
  const [, path = '', query = ''] = /^sqlite:([^?]*)(?:\?(.*))?$/s.exec(url) ?? [];
  const file = path.startsWith('//') ? path.slice(2) : path;
  // In an address the part after two slashes is a host, and a file has none.
  if (file === '' || (file !== path && !file.startsWith('/')))
    throw argumentTypeError(
      'connect: the address needs the path of a file: sqlite:locks.db, sqlite:/var/lib/locks.db.',
      { resource: 'connect', engine: 'sqlite' },
    );
  return { file, settings: readQuery(query, forms, 'sqlite') };
}
