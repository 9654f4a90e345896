import {
  engineForms,
  type ParameterForm,
  type ParameterValues,
  readQuery,
} from '../../kernels/address/read-query.ts';
import { argumentTypeError } from '../../spi/errors.ts';
import type { PoolSizeSetting } from './clients/pool-settings.ts';
import type { PollSetting, SchemaSetting, SqlSettings } from './sql-options.ts';

/** The settings of an engine over tables, as an address gives them. */
export const sqlForms = {
  ...engineForms,
  tablePrefix: 'text',
  commandTimeoutMs: 'number',
  fenceRetentionMs: 'number',
} as const satisfies Record<keyof SqlSettings, ParameterForm>;

const serverForms = {
  ...sqlForms,
  schema: 'text',
  pollMs: 'number',
  poolSize: 'number',
} as const satisfies Record<
  keyof (SqlSettings & SchemaSetting & PollSetting & PoolSizeSetting),
  ParameterForm
>;

const spelling: ReadonlyMap<string, string> = new Map(
  Object.keys(serverForms).map((name) => [plain(name), name]),
);

/** An address of a database server, taken apart. */
export interface SqlAddress {
  /** What the client gets: the address with all parameters that are not ours, such as `sslmode`. */
  readonly url: string;
  readonly settings: ParameterValues<typeof serverForms>;
}

/**
 * Takes our settings out of the address of a server: a client would send them to the server, which does not know them. All other
 * parameters belong to the client; one that is a setting of ours but for its spelling is refused.
 */
export function parseSqlAddress(engine: string, url: string): SqlAddress {
  if (!URL.canParse(url)) return { url, settings: {} };
  const parsed = new URL(url);
  const ours = new URLSearchParams();
  for (const [name, text] of new URLSearchParams(parsed.search)) {
    const known = spelling.get(plain(name));
    if (known === undefined) continue;
    if (known !== name)
      throw argumentTypeError(`connect: the address has a parameter ${name}; write ${known}.`, {
        resource: 'connect',
        engine,
      });
    ours.append(name, text);
    parsed.searchParams.delete(name, text);
  }
  if (ours.size === 0) return { url, settings: {} };
  return { url: parsed.href, settings: readQuery(ours.toString(), serverForms, engine) };
}

/** `tablePrefix`, `table_prefix` and `table-prefix` alike. */
function plain(name: string): string {
  return name.replaceAll(/[_-]/g, '').toLowerCase();
}
