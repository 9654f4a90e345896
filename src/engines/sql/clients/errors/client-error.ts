import { isError } from '../../../../spi/is-error.ts';

/** The properties of clients' errors that we read, each where it is there. */
export interface ClientError {
  readonly message: string;
  /** The SQLSTATE, or a word. */
  readonly code: string | undefined;
  /** The error number of MySQL and MariaDB. */
  readonly errno: number | undefined;
}

/** How deep to look inside the errors of query builders. */
const DEEPEST = 4;

/** The innermost error with a code: query builders wrap that of their client. */
export function readClientError(error: unknown): ClientError {
  let found: ClientError | undefined;
  let inner = error;
  for (let depth = 0; depth < DEEPEST && isError(inner); depth += 1) {
    const here = read(inner);
    if (found === undefined || here.code !== undefined || here.errno !== undefined) found = here;
    // All addresses of one host have failed: any of the errors will do.
    inner = 'errors' in inner && Array.isArray(inner.errors) ? inner.errors[0] : inner.cause;
  }
  return found ?? { message: 'something that is no error was thrown', code: undefined, errno: undefined };
}

function read(error: Error): ClientError {
  const { code, errno, sqlMessage } = error as { code?: unknown; errno?: unknown; sqlMessage?: unknown };
  return {
    // Without the statement and its values, which the client for MariaDB appends.
    message: typeof sqlMessage === 'string' ? sqlMessage : error.message,
    code: typeof code === 'string' ? code : undefined,
    errno: typeof errno === 'number' && errno > 0 ? errno : undefined,
  };
}
