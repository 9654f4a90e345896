/** The part of a socket that ending a connection needs. */
export interface MariadbSocket {
  /** Missing on a socket of the file system. */
  readonly localPort?: number | undefined;
  destroy(error: Error): unknown;
}

/** The undocumented parts of mariadb that the client uses, all in this file: they are there in all versions from 3.0. */
interface ConnectionInsides {
  readonly __tests?: { getSocket?(): MariadbSocket | null | undefined };
}

/** The socket under a connection; undefined where it is closed, or where mariadb no longer shows it. */
export function socketOf(connection: object): MariadbSocket | undefined {
  return (connection as ConnectionInsides)['__tests']?.getSocket?.() ?? undefined;
}
