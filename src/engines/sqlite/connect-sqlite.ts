import { settingsOverAddress } from '../../kernels/address/settings-over-address.ts';
import { EngineError, isHoldfastError } from '../../spi/errors.ts';
import type { SqliteSynchronizers } from './index.ts';
import { openSqlite } from './open-sqlite.ts';
import { parseSqliteAddress } from './sqlite-address.ts';
import type { SqliteSettings } from './sqlite-options.ts';
import { ensureStateFile } from './file/state-file.ts';
import { isError } from '../../spi/is-error.ts';
import { refuseMachineOnly } from './machine-only.ts';

const subject = { resource: 'connect', engine: 'sqlite' };

/** Opens the file of an address: `sqlite:locks.db`, `sqlite:/var/lib/locks.db`, `sqlite:///var/lib/locks.db`. */
export async function connectSqlite(url: string, options: SqliteSettings = {}): Promise<SqliteSynchronizers> {
  const { file, settings } = parseSqliteAddress(url);
  return openChecked(file, settingsOverAddress(settings, options));
}

let told = false;

/** Opens the file of this user, and says once that the locks cover this machine only. Refuses where other machines must be meant. */
export async function connectHere(options: SqliteSettings = {}): Promise<SqliteSynchronizers> {
  refuseMachineOnly(process.env);
  const file = ownFile();
  const engine = await openChecked(file, options);
  if (!told)
    process.stderr.write(
      `holdfast: no address was given, so these locks cover this machine only (${file}). Set HOLDFAST_URL to share them.\n`,
    );
  told = true;
  return engine;
}

function ownFile(): string {
  try {
    return ensureStateFile();
  } catch (error) {
    const said = isError(error) ? error.message : String(error);
    throw new EngineError(
      `connect: no address was given, and there can be no file of this user (${said}). Set HOLDFAST_URL, or give an address.`,
      subject,
      { cause: error, retryable: false },
    );
  }
}

/** Checks at once that the file can be used. */
async function openChecked(file: string, options: SqliteSettings): Promise<SqliteSynchronizers> {
  const { inside, ...engine } = openSqlite({ ...options, file });
  try {
    await inside.schema.prepare(subject);
    return engine;
  } catch (error) {
    await engine.close();
    throw isHoldfastError(error) ? error : stillBusy(file, error);
  }
}

/** Other processes kept the file busy for the whole time: nothing was changed, and a later try may succeed. */
function stillBusy(file: string, error: unknown): EngineError {
  const said = isError(error) ? error.message : String(error);
  return new EngineError(
    `connect: ${file} could not be opened in time (${said}). Nothing was changed; try again, or give it more time with commandTimeoutMs.`,
    subject,
    { cause: error, retryable: true },
  );
}
