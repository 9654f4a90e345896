import { resolve } from 'node:path';
import { connect, type EngineOptions, type Locks } from '../index.ts';
import type { Address } from './address.ts';
import { say } from './output/output.ts';
import type { StoreSettings } from './store-settings.ts';
import { UsageError } from './usage-error.ts';

/** An engine with its inspector, which each engine has that `connect` opens. */
export type InspectedLocks = Locks & {
  /** The file of the embedded engine. */
  readonly file?: string;
};

/**
 * A file that does not answer is busy, and never out of reach: a crowd of processes that start at the same moment is
 * served one by one, and must not fail because that takes longer than an answer over a network should.
 */
const FILE_TIMEOUT_MS = 60_000;

/** Stores that free what a dead process holds when its session has ended, and not when the lease has. */
const IN_SESSIONS = /^(?:zookeeper|etcd)s?:/u;

/** Stores whose waiters may have to poll. */
const POLLED = /^(mysql|mariadb|postgres|postgresql):/u;

/**
 * Opens the engine. Tells a user at a terminal that the locks cover this machine only; in a log it would be a line of
 * mail for every run of a cron job.
 */
export async function openLocks(
  address: Address,
  engineOptions: EngineOptions = {},
  pollMs?: number,
): Promise<InspectedLocks> {
  const options = { ...engineOptions, ...address.settings };
  if (address.kind === 'given') {
    const { url } = address;
    if (IN_SESSIONS.test(url)) return connectTo(url, { ...options, ...sessionFor(url, options) });
    const polls = pollMs !== undefined && POLLED.test(url);
    return connectTo(url, polls ? { ...options, pollMs } : options);
  }
  if (process.env['HOLDFAST_REQUIRE_URL'] === '1')
    throw new UsageError(
      'there is no --url and no HOLDFAST_URL, and HOLDFAST_REQUIRE_URL=1 forbids the file of this machine instead.',
    );
  const { ensureStateFile: stateFile } = await import('../engines/sqlite/file/state-file.ts');
  const file = stateFile();
  if (process.stderr.isTTY)
    say(`these locks cover this machine only (${file}); --url or HOLDFAST_URL shares them with others`);
  try {
    return await connectTo(`sqlite:${file}`, options);
  } catch (error) {
    // A reader who forgot the address would take what is wrong with the file for what is wrong with the store.
    say('there is no --url and no HOLDFAST_URL, so holdfast opens a file of this machine');
    throw error;
  }
}

/** `--lease` is how long a crash keeps others waiting at most: there that is the session, unless the address sets it. */
function sessionFor(
  url: string,
  { renewalLeaseMs }: EngineOptions,
): { readonly sessionMs: number } | undefined {
  const isSet = renewalLeaseMs === undefined || /[?&]sessionMs=/u.test(url);
  return isSet ? undefined : { sessionMs: renewalLeaseMs };
}

async function connectTo(
  url: string,
  options: EngineOptions & StoreSettings & { readonly pollMs?: number; readonly sessionMs?: number },
): Promise<InspectedLocks> {
  // It would be empty, and end with this process.
  if (url.startsWith('memory:'))
    throw new UsageError('memory: lives inside one process, so no other process can share its locks.');
  if (!url.startsWith('sqlite:')) return connect(url, options);
  const locks = await connect(url as `sqlite:${string}`, { ...options, commandTimeoutMs: FILE_TIMEOUT_MS });
  const { parseSqliteAddress } = await import('../engines/sqlite/sqlite-address.ts');
  return { ...locks, file: resolve(parseSqliteAddress(url).file) };
}
