/** The error codes of the server, by the names of ZooKeeper's own clients. */
const serverCodes = {
  [-1]: 'SYSTEM_ERROR',
  [-2]: 'RUNTIME_INCONSISTENCY',
  [-3]: 'DATA_INCONSISTENCY',
  [-4]: 'CONNECTION_LOSS',
  [-5]: 'MARSHALLING_ERROR',
  [-6]: 'UNIMPLEMENTED',
  [-7]: 'OPERATION_TIMEOUT',
  [-8]: 'BAD_ARGUMENTS',
  [-101]: 'NO_NODE',
  [-102]: 'NO_AUTH',
  [-103]: 'BAD_VERSION',
  [-108]: 'NO_CHILDREN_FOR_EPHEMERALS',
  [-110]: 'NODE_EXISTS',
  [-111]: 'NOT_EMPTY',
  [-112]: 'SESSION_EXPIRED',
  [-113]: 'INVALID_CALLBACK',
  [-114]: 'INVALID_ACL',
  [-115]: 'AUTH_FAILED',
  [-118]: 'SESSION_MOVED',
  [-119]: 'NOT_READ_ONLY',
  [-120]: 'EPHEMERAL_ON_LOCAL_SESSION',
  [-121]: 'NO_WATCHER',
  [-122]: 'REQUEST_TIMEOUT',
  [-124]: 'SESSION_CLOSED_REQUIRE_SASL_AUTH',
  [-125]: 'QUOTA_EXCEEDED',
  [-127]: 'THROTTLED',
} as const;

/** `CLOSED`: `close` of this client was called. `UNKNOWN`: this client does not know the number. */
export type ZooKeeperErrorCode = (typeof serverCodes)[keyof typeof serverCodes] | 'CLOSED' | 'UNKNOWN';

/**
 * A request had no result. After `CONNECTION_LOSS` and `OPERATION_TIMEOUT` the server may have carried it out; after every
 * other code it has not.
 */
export class ZooKeeperError extends Error {
  override readonly name = 'ZooKeeperError';
  readonly code: ZooKeeperErrorCode;
  /** Which step of a `multi` failed, counted from 0. */
  readonly step: number | undefined;

  constructor(
    code: ZooKeeperErrorCode,
    message: string,
    options?: ErrorOptions & { readonly step?: number },
  ) {
    super(message, options);
    this.code = code;
    this.step = options?.step;
  }
}

/** The error for the number in a reply. `what` names the request: an operation and its path. */
export function serverError(number: number, what: string, step?: number): ZooKeeperError {
  const code = Object.hasOwn(serverCodes, number)
    ? serverCodes[number as keyof typeof serverCodes]
    : 'UNKNOWN';
  return new ZooKeeperError(
    code,
    `${what}: the server answered ${code} (${number})`,
    step === undefined ? undefined : { step },
  );
}
