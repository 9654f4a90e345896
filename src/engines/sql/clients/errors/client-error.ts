import { isError } from '../../../../spi/is-error.ts';

/** The properties of clients' errors that we read, each where it is there. */
export interface ClientError {
  readonly message: string;
  /** The SQLSTATE, or a word. */
  readonly code: string | undefined;
  /** The error number of MySQL and MariaDB. */
  readonly errno: number | undefined;
}

/** Any of the properties that an error, or an object inside one, may have. */
type Properties = Readonly<Record<string, unknown>>;

/** How deep to look inside the errors of query builders and ORMs. */
const DEEPEST = 4;

/** The innermost error with a code: query builders and ORMs wrap that of their client. */
export function readClientError(error: unknown): ClientError {
  let found: ClientError | undefined;
  let inner: unknown = isError(error) ? error : undefined;
  for (let depth = 0; depth < DEEPEST && isObject(inner); depth += 1) {
    const here = read(inner);
    if (found === undefined || here.code !== undefined || here.errno !== undefined) found = here;
    inner = wrappedIn(inner);
  }
  return found ?? { message: 'something that is no error was thrown', code: undefined, errno: undefined };
}

/** The error inside an error. Each wrapper keeps it under a name of its own, and only some as the `cause`. */
function wrappedIn({ errors, cause, original, driverError, meta }: Properties): unknown {
  // All addresses of one host have failed: any of the errors will do.
  if (Array.isArray(errors) && errors.length > 0) return errors[0];
  // Prisma: over a client for Node, and over an engine of its own. The code beside `meta` is one of Prisma's.
  if (isObject(meta)) return meta['driverAdapterError'] ?? meta;
  // Sequelize, TypeORM.
  return cause ?? original ?? driverError;
}

function read(error: Properties): ClientError {
  const { code, originalCode, kind, errno, message, sqlMessage, originalMessage } = error;
  return {
    // Without the statement and its values, which the client for MariaDB appends, and without the program's source, which Prisma does.
    message: [sqlMessage, originalMessage, message].find(isText) ?? 'an error without a message was thrown',
    // Prisma has a word of its own for what its client found out without the database.
    code: [originalCode, code, kind].find(isText),
    errno: typeof errno === 'number' && errno > 0 ? errno : undefined,
  };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isObject(value: unknown): value is Properties {
  return typeof value === 'object' && value !== null;
}
